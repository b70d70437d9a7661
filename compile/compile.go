package compile

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/when"
)

// Input is what a table is compiled from. It is a plain value.
type Input struct {
	// Layers are the parsed files, in any order (spec SEL-5).
	Layers []LayerFile
	// Catalog holds the known operations; nil for none.
	Catalog *catalog.Catalog
	// Now is what expired is measured against in findings. It does not change
	// the table, which judges an end by the time of the call. The zero time
	// expires nothing.
	Now time.Time
	// Binder gives conditions their meaning; nil is that of package bind.
	Binder eval.Binder
	// Protect says which built-in guards the table gets; the zero value none.
	Protect Protection
	// Places are carried into the table for its traces.
	Places []eval.Layer
	// Findings are those made while the layers and the catalog were read. If
	// there is an error among them nothing is compiled.
	Findings plangate.Diagnostics
}

// LayerFile is a file in its layer.
type LayerFile struct {
	Layer   plangate.Layer
	File    *dsl.File
	Trusted bool // an untrusted file can only tighten (spec LAY-4)
}

// Compile makes a table of the input. It returns all findings, sorted, those of
// the input among them. If any is an error, the table denies every call.
func Compile(in Input) (*eval.Table, plangate.Diagnostics) {
	c := newCompiler(in)
	var source eval.Source
	if !c.findings.HasErrors() {
		source = c.lower()
		c.checkConditions()
		c.checkWhen()
		if c.checkSizes() {
			c.findConflicts()
			c.findWarnings()
		}
	}
	if !c.findings.HasErrors() {
		c.build(source)
		c.findOutranked()
	}
	c.findings.Sort()
	if first := firstError(c.findings); first != nil {
		return denyAll(first, in.Places), c.findings
	}
	return c.table, c.findings
}

// build makes the table. The sizes have been checked, so an error would be a
// mistake of this package; it denies everything all the same.
func (c *compiler) build(source eval.Source) {
	table, err := eval.New(source, c.Binder)
	if err != nil {
		c.report(plangate.Diagnostic{Code: "internal", Summary: "Policy cannot be compiled", Detail: err.Error()})
		return
	}
	c.table = table
}

// maxBlockSize is how many combinations of values one block may have.
const maxBlockSize = 10_000

// checkSizes bounds what lists multiply to, before anything is multiplied. It
// returns false if that is too much.
func (c *compiler) checkSizes() bool {
	total := 0
	for _, e := range slices.Concat(c.policies, c.guards) {
		size := e.rule.Match.Size()
		if total += size; size <= maxBlockSize && total <= eval.MaxCombinations {
			continue
		}
		c.report(plangate.Diagnostic{
			Code:    "too_many_values",
			Summary: "Lists are too long",
			Detail: fmt.Sprintf("The operation and provider lists of a block may make %d combinations, those of all blocks %d; "+
				"here they make %d. Use globs, or leave one of the two out.", maxBlockSize, eval.MaxCombinations, size),
			Range:   e.body.Match.Range,
			Context: &e.body.Range,
		})
		return false
	}
	return true
}

// File compiles one trusted policy file. It is the short way for a program that
// brings its own policy; package load finds and trusts the layers of a machine.
func File(path string) (*eval.Table, plangate.Diagnostics) {
	text, err := os.ReadFile(path)
	if err != nil {
		d := &plangate.Diagnostic{
			Code: "file_unreadable", Summary: "Policy file cannot be read",
			Detail: err.Error(), Range: plangate.Range{File: path},
		}
		return denyAll(d, nil), plangate.Diagnostics{d}
	}
	file, findings := dsl.Parse(path, text)
	own, _ := filepath.Abs(path) // "" without a working directory
	return Compile(Input{
		Layers:   []LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
		Now:      time.Now(),
		Protect:  Protection{On: true, Policies: []string{own}},
		Findings: findings,
	})
}

func firstError(findings plangate.Diagnostics) *plangate.Diagnostic {
	i := slices.IndexFunc(findings, func(d *plangate.Diagnostic) bool { return d.Severity == plangate.SeverityError })
	if i < 0 {
		return nil
	}
	return findings[i]
}

func denyAll(d *plangate.Diagnostic, places []eval.Layer) *eval.Table {
	at := plangate.Rule{File: d.Range.File, Line: d.Range.Start.Line}
	return eval.DenyAll("The policy does not load: "+d.Error(), at, places)
}

// compiler carries one compilation.
type compiler struct {
	Input
	findings plangate.Diagnostics
	policies []*entry // of all layers, in order
	guards   []*entry
	table    *eval.Table // nil before it is built
	aliases  aliases     // of the catalog
}

// entry is a policy or guard with what the findings need.
type entry struct {
	number   int // among the entries of its sort, in the order of the text
	body     *dsl.Body
	layer    plangate.Layer
	trusted  bool
	rule     eval.Rule
	expired  bool
	variants []variant // expanded once, when the sizes are known to be bounded
}

// static reports whether the entry applies by names, kind and risk alone.
func (e *entry) static() bool {
	return len(e.rule.Conditions) == 0 && e.rule.NotAfter.IsZero() && e.trusted
}

func newCompiler(in Input) *compiler {
	c := &compiler{Input: in, findings: slices.Clone(in.Findings)}
	c.Layers = slices.Clone(in.Layers)
	slices.SortStableFunc(c.Layers, func(a, b LayerFile) int {
		return cmp.Or(
			cmp.Compare(a.Layer, b.Layer), trustedFirst(a.Trusted, b.Trusted), cmp.Compare(a.File.Name, b.File.Name))
	})
	if c.Catalog == nil {
		c.Catalog = &catalog.Catalog{}
	}
	c.aliases = aliasesOf(c.Catalog)
	if c.Binder == nil {
		c.Binder = bind.Binder{When: when.Language{}}
	}
	return c
}

// trustedFirst puts what can only tighten behind what it tightens.
func trustedFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

func (c *compiler) report(d plangate.Diagnostic) { c.findings = append(c.findings, &d) }

// expiredAt reports whether a block's end lies before the input's time.
func (c *compiler) expiredAt(body *dsl.Body) bool {
	return body.Expires != nil && !c.Now.IsZero() && c.Now.After(body.Expires.Value)
}
