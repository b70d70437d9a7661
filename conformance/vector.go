package conformance

import (
	"embed"
	"encoding/json"
	"io/fs"

	"github.com/plangate/plangate"
)

//go:embed all:vectors
var embedded embed.FS

// Vector is one request with what must come out of it.
type Vector struct {
	Name   string   // area/name, the folder below vectors
	About  string   // what it shows
	Covers []string // ids of the specification
	Request
	Want        []Want           // one for each call
	Diagnostics []WantDiagnostic // exactly these, in any order, if Diagnosed
	// Diagnosed is false if the vector says nothing of diagnostics. The policy
	// must then load without errors.
	Diagnosed bool
}

// Want is the part of a decision that a vector pins: keys of the JSON form with
// their values. An object in it is a subset in the same way.
type Want map[string]json.RawMessage

// WantDiagnostic is the part of a diagnostic that a vector pins. What is left
// out is not compared.
type WantDiagnostic struct {
	Severity *plangate.Severity `json:"severity"`
	Code     string             `json:"code"`
	Range    *WantRange         `json:"range"`
	Related  []WantRange        `json:"related"`
	Witness  Want               `json:"witness"`
}

// WantRange is a range without byte offsets.
type WantRange struct {
	File  string  `json:"file"` // empty: not compared
	Start WantPos `json:"start"`
	End   WantPos `json:"end"`
}

// WantPos is a place: line and column count from 1.
type WantPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Vectors returns the vectors of the specification, sorted by name.
func Vectors() ([]Vector, error) {
	root, err := fs.Sub(embedded, "vectors")
	if err != nil {
		return nil, err
	}
	return Load(root)
}
