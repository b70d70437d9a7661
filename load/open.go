package load

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/when"
)

// Open reads and compiles everything. It does not use the cache.
func Open(opts layers.Options) *Policy { return open(layers.Gather(opts)) }

// Table returns the table, from the cache if it can. The diagnostics are the
// errors, and the warnings about files as such; warnings about their text need
// [Open]. The layers are all places looked at.
func Table(opts layers.Options) (*eval.Table, plangate.Diagnostics, []eval.Layer) {
	in := layers.Gather(opts)
	if encoded := in.Cached(); encoded != nil {
		if table, err := eval.Load(encoded, bind.Binder{When: when.Language{}}); err == nil {
			return table, in.Diagnostics, in.Places
		}
	}
	policy := open(in)
	if !policy.Diagnostics.HasErrors() {
		in.Keep(policy.Table)
	}
	return policy.Table, withoutTextWarnings(in, policy.Diagnostics), policy.Layers
}

func open(in *layers.Inputs) *Policy {
	p := &Policy{Diagnostics: in.Diagnostics, Sources: map[string][]byte{}, Layers: in.Places}
	p.Catalog = p.parseCatalogs(in)
	p.Input = compile.Input{
		Layers: p.parsePolicies(in), Catalog: p.Catalog, Now: in.Options.Now, Places: in.Places, Protect: protection(in),
	}
	p.Input.Findings = p.Diagnostics
	p.Table, p.Diagnostics = compile.Compile(p.Input)
	if p.Diagnostics.HasErrors() { // only now it is known which layers are to blame
		p.Layers = withInvalid(in.Places, p.Diagnostics)
		p.Input.Places = p.Layers
		p.Table, p.Diagnostics = compile.Compile(p.Input)
	}
	return p
}

// protection says what an agent must not write: every policy file that counts
// or would count if it existed, and what belongs to the user's gate.
func protection(in *layers.Inputs) compile.Protection {
	p := compile.Protection{On: true}
	for _, place := range in.Places {
		if place.File != "" {
			native, _ := filepath.Abs(strings.TrimSuffix(place.File, layers.JSONSuffix)) // "" without a working directory
			p.Policies = append(p.Policies, native, native+layers.JSONSuffix)
		}
	}
	places := in.Options.Places
	if places.Trust != "" {
		p.State = append(p.State, filepath.Dir(places.Trust))
	}
	if places.Cache != "" {
		p.State = append(p.State, places.Cache)
	}
	p.State = append(p.State, in.Options.State...)
	return p
}

// withInvalid returns the places with the status of those that have errors.
func withInvalid(places []eval.Layer, diags plangate.Diagnostics) []eval.Layer {
	places = slices.Clone(places)
	for i := range places {
		bad := func(d *plangate.Diagnostic) bool {
			return d.Severity == plangate.SeverityError && d.Range.File == places[i].File && d.Range.File != ""
		}
		if places[i].Status != layers.Unreadable && slices.ContainsFunc(diags, bad) {
			places[i].Status = layers.Invalid
		}
	}
	return places
}

func (p *Policy) parsePolicies(in *layers.Inputs) []compile.LayerFile {
	var files []compile.LayerFile
	for _, policy := range in.Policies {
		p.Sources[policy.Name] = policy.Source
		file, diags := dsl.Parse(policy.Name, policy.Source)
		p.Diagnostics = append(p.Diagnostics, diags...)
		files = append(files, compile.LayerFile{Layer: policy.Layer, File: file, Trusted: policy.Trusted})
	}
	return files
}

// parseCatalogs returns the union of the catalogs that have no error.
func (p *Policy) parseCatalogs(in *layers.Inputs) *catalog.Catalog {
	var parsed []*catalog.Catalog
	for _, name := range in.Options.Builtin {
		if known := catalog.Builtin(name); known != nil {
			parsed = append(parsed, known)
		}
	}
	for _, text := range in.Catalogs {
		p.Sources[text.Name] = text.Source
		c, diags := catalog.Parse(text.Name, text.Source)
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
func withoutTextWarnings(in *layers.Inputs, diags plangate.Diagnostics) plangate.Diagnostics {
	return slices.DeleteFunc(slices.Clone(diags), func(d *plangate.Diagnostic) bool {
		return d.Severity == plangate.SeverityWarning && !slices.Contains(in.Diagnostics, d)
	})
}
