package layers

import (
	"fmt"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/suggest"
)

// Names are the layers that have a place on disk, outer to inner.
func Names() []string { return []string{"managed", "user", "project"} }

// List is a flag that lists layers separated by commas. It is nil if the flag is not
// given, which means all layers.
type List []plangate.Layer

// String implements [flag.Value].
func (l *List) String() string {
	names := make([]string, len(*l))
	for i, layer := range *l {
		names[i] = layer.String()
	}
	return strings.Join(names, ",")
}

// Type implements the Value of package pflag.
func (l *List) Type() string { return "LAYERS" }

// Set implements [flag.Value].
func (l *List) Set(text string) error {
	*l = List{}
	for name := range strings.SplitSeq(text, ",") {
		layer, err := plangate.ParseLayer(name)
		if err != nil || layer < plangate.LayerManaged || layer > plangate.LayerProject {
			return fmt.Errorf("unknown layer %q; want some of %s.%s",
				name, strings.Join(Names(), ","), suggest.DidYouMean(name, Names()))
		}
		*l = append(*l, layer)
	}
	return nil
}
