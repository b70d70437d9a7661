package load

import (
	"fmt"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/internal/hclsource"
)

// maxFileBytes is the limit of a policy or catalog; the parsers report more.
const maxFileBytes = hclsource.MaxBytes

// Open reads and compiles everything. It does not use the cache.
func Open(opts Options) *Policy { return gather(opts).open() }

// Table returns the table, from the cache if it can. The diagnostics are the
// errors, and the warnings about files as such; warnings about their text need
// [Open]. The layers are all places looked at.
func Table(opts Options) (*eval.Table, plangate.Diagnostics, []eval.Layer) {
	in := gather(opts)
	if in.diags.HasErrors() {
		return in.denyAll(in.diags), in.diags, in.places
	}
	key, cached := in.key()
	if cached {
		if table := in.readEntry(key); table != nil {
			return table, in.diags, in.places
		}
	}
	policy := in.open()
	if policy.Diagnostics.HasErrors() {
		return policy.Table, append(in.diags, errorsOf(policy.Diagnostics)...), in.places
	}
	if cached {
		in.writeEntry(key, spanOf(policy.Input), policy.Table)
	}
	return policy.Table, in.diags, in.places
}

func (in *inputs) open() *Policy {
	p := &Policy{
		Diagnostics: append(plangate.Diagnostics(nil), in.diags...),
		Sources:     map[string][]byte{},
		Layers:      in.places,
	}
	p.Catalog = in.parseCatalogs(p)
	p.Input = compile.Input{
		Layers:  in.parsePolicies(p),
		Catalog: p.Catalog,
		Now:     in.opts.Now,
		Places:  in.places,
	}
	table, diags := compile.Compile(p.Input)
	if p.Diagnostics.HasErrors() {
		// Part of the policy is missing, so only errors are sure to be true.
		diags = errorsOf(diags)
	}
	p.Diagnostics = append(p.Diagnostics, diags...)
	p.Diagnostics.Sort()
	if p.Table = table; p.Diagnostics.HasErrors() {
		p.Table = in.denyAll(p.Diagnostics)
	}
	return p
}

// parsePolicies returns the files that could be parsed without an error.
func (in *inputs) parsePolicies(p *Policy) []compile.LayerFile {
	var files []compile.LayerFile
	for _, policy := range in.policies {
		p.Sources[policy.name] = policy.src
		file, diags := dsl.Parse(policy.name, policy.src)
		p.Diagnostics = append(p.Diagnostics, diags...)
		if !diags.HasErrors() {
			files = append(files, compile.LayerFile{Layer: policy.layer, File: file, Trusted: policy.trusted})
		}
	}
	return files
}

// parseCatalogs returns the union of the catalogs that have no error.
func (in *inputs) parseCatalogs(p *Policy) *catalog.Catalog {
	var parsed []*catalog.Catalog
	for _, text := range in.catalogs {
		p.Sources[text.name] = text.src
		c, diags := catalog.Parse(text.name, text.src)
		p.Diagnostics = append(p.Diagnostics, diags...)
		if !diags.HasErrors() {
			parsed = append(parsed, c)
		}
	}
	merged, diags := catalog.Merge(parsed...)
	p.Diagnostics = append(p.Diagnostics, diags...)
	return merged
}

// denyAll is the table of a policy that does not load (spec LAY-3). The rule
// it names is the place of the first error.
func (in *inputs) denyAll(diags plangate.Diagnostics) *eval.Table {
	first := errorsOf(diags)[0]
	place := first.Range.File
	if first.Range.Start.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, first.Range.Start.Line)
	}
	return eval.DenyAll(
		fmt.Sprintf("The policy does not load: %s: %s.", place, first.Summary),
		plangate.Rule{File: first.Range.File, Line: first.Range.Start.Line},
		in.places,
	)
}

func errorsOf(diags plangate.Diagnostics) plangate.Diagnostics {
	var errors plangate.Diagnostics
	for _, diag := range diags {
		if diag.Severity == plangate.SeverityError {
			errors = append(errors, diag)
		}
	}
	return errors
}
