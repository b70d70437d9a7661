package load

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// maxFileBytes is the limit of a policy or catalog; the parsers report more.
const maxFileBytes = dsl.MaxBytes

// Open reads and compiles everything. It does not use the cache.
func Open(opts Options) *Policy { return gather(opts).open() }

// Table returns the table, from the cache if it can. The diagnostics are the
// errors, and the warnings about files as such; warnings about their text need
// [Open]. The layers are all places looked at.
func Table(opts Options) (*eval.Table, plangate.Diagnostics, []eval.Layer) {
	in := gather(opts)
	key, cached := in.key()
	if cached {
		if table := in.readEntry(key); table != nil {
			return table, in.diags, in.places
		}
	}
	policy := in.open()
	if cached && !policy.Diagnostics.HasErrors() {
		in.writeEntry(key, policy.Table)
	}
	return policy.Table, in.withoutTextWarnings(policy.Diagnostics), policy.Layers
}

func (in *inputs) open() *Policy {
	p := &Policy{Diagnostics: in.diags, Sources: map[string][]byte{}, Layers: in.places}
	p.Catalog = in.parseCatalogs(p)
	p.Input = compile.Input{
		Layers: in.parsePolicies(p), Catalog: p.Catalog, Now: in.opts.Now, Places: in.places, Protect: in.protection(),
	}
	p.Input.Findings = p.Diagnostics
	p.Table, p.Diagnostics = compile.Compile(p.Input)
	if p.Diagnostics.HasErrors() { // only now it is known which layers are to blame
		p.Layers = withInvalid(in.places, p.Diagnostics)
		p.Input.Places = p.Layers
		p.Table, p.Diagnostics = compile.Compile(p.Input)
	}
	return p
}

// protection says what an agent must not write: every policy file that counts
// or would count if it existed, and what belongs to the user's gate.
func (in *inputs) protection() compile.Protection {
	p := compile.Protection{On: true}
	for _, place := range in.places {
		if place.File != "" {
			native, _ := filepath.Abs(strings.TrimSuffix(place.File, jsonSuffix)) // "" without a working directory
			p.Policies = append(p.Policies, native, native+jsonSuffix)
		}
	}
	places := in.opts.Places
	if places.Trust != "" {
		p.State = append(p.State, filepath.Dir(places.Trust))
	}
	if places.Cache != "" {
		p.State = append(p.State, places.Cache)
	}
	p.State = append(p.State, in.opts.State...)
	return p
}

// withInvalid returns the places with the status of those that have errors.
func withInvalid(places []eval.Layer, diags plangate.Diagnostics) []eval.Layer {
	places = slices.Clone(places)
	for i := range places {
		bad := func(d *plangate.Diagnostic) bool {
			return d.Severity == plangate.SeverityError && d.Range.File == places[i].File && d.Range.File != ""
		}
		if places[i].Status != LayerUnreadable && slices.ContainsFunc(diags, bad) {
			places[i].Status = LayerInvalid
		}
	}
	return places
}

func (in *inputs) parsePolicies(p *Policy) []compile.LayerFile {
	var files []compile.LayerFile
	for _, policy := range in.policies {
		p.Sources[policy.name] = policy.src
		file, diags := dsl.Parse(policy.name, policy.src)
		p.Diagnostics = append(p.Diagnostics, diags...)
		files = append(files, compile.LayerFile{Layer: policy.layer, File: file, Trusted: policy.trusted})
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

// withoutTextWarnings leaves what Table reports. A table from the cache has no
// warnings about its text, so a fresh one must have none either.
func (in *inputs) withoutTextWarnings(diags plangate.Diagnostics) plangate.Diagnostics {
	return slices.DeleteFunc(slices.Clone(diags), func(d *plangate.Diagnostic) bool {
		return d.Severity == plangate.SeverityWarning && !slices.Contains(in.diags, d)
	})
}
