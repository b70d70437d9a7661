package load

import (
	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/eval"
)

// Policy is everything Open found.
type Policy struct {
	Table       *eval.Table          // never nil; denies everything if Diagnostics has errors
	Diagnostics plangate.Diagnostics // sorted
	Input       compile.Input        // what the table was compiled from
	Catalog     *catalog.Catalog     // never nil
	Sources     map[string][]byte    // text of each file, by the name used in ranges
	Layers      []eval.Layer         // every place looked at, with what became of it
}
