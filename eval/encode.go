package eval

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/plangate/plangate"
)

// The encoding of a table is
//
//	magic version fingerprint payload sha256(magic version fingerprint payload)
//
// where the fingerprint is that of the table and the payload is a table of strings, then the source with integers as
// unsigned varints and strings as indexes. It holds no rows: Load builds them
// again, so that hostile bytes cannot describe rows that no policy has.
const (
	encodingMagic   = "plangate-table\n"
	encodingVersion = 4
	headerBytes     = len(encodingMagic) + 1 + sha256.Size
)

// Encode returns the stable binary form of the table. Equal tables have equal
// encodings. [Load] reads it back.
func (t *Table) Encode() []byte {
	out := append([]byte(encodingMagic), encodingVersion)
	digest := t.digest()
	out = appendSource(append(out, digest[:]...), &t.source)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

// appendSource appends the payload.
func appendSource(out []byte, source *Source) []byte {
	w := &writer{indexes: map[string]uint64{}}
	w.source(source)
	out = binary.AppendUvarint(out, uint64(len(w.strings)))
	for _, s := range w.strings {
		out = binary.AppendUvarint(out, uint64(len(s)))
	}
	for _, s := range w.strings {
		out = append(out, s...)
	}
	return append(out, w.body...)
}

// fingerprint digests what a source decides: its encoding without places.
func fingerprint(source *Source) [sha256.Size]byte {
	bare := Source{Defaults: source.Defaults, Operations: source.Operations}
	for _, r := range source.Rules {
		r.Rule = placeless(r.Rule)
		bare.Rules = append(bare.Rules, r)
	}
	for _, d := range []*Default{&bare.Defaults.Resource, &bare.Defaults.DataSource, &bare.Defaults.Interactive} {
		d.Rule = placeless(d.Rule)
	}
	for _, p := range source.Profiles {
		p.DenyTools, p.Grants = placelessLists(p.DenyTools), placelessLists(p.Grants)
		p.EscalationGrants = placelessLists(p.EscalationGrants)
		if p.AllowedTools != nil {
			p.AllowedTools = &placelessLists([]List{*p.AllowedTools})[0]
		}
		bare.Profiles = append(bare.Profiles, p)
	}
	bare = canonical(bare)
	return sha256.Sum256(appendSource(nil, &bare))
}

func placeless(r plangate.Rule) plangate.Rule {
	r.File, r.Line = "", 0
	return r
}

func placelessLists(lists []List) []List {
	out := slices.Clone(lists)
	for i := range out {
		out[i].Rule = placeless(out[i].Rule)
	}
	return out
}

// canonical returns a copy of a source in sorted order. Lists of values keep
// their order within a rule.
func canonical(s Source) Source {
	s.Rules = slices.Clone(s.Rules)
	if !slices.IsSortedFunc(s.Rules, compareRules) { // rules are big to move
		slices.SortFunc(s.Rules, compareRules)
	}
	s.Profiles = slices.Clone(s.Profiles)
	slices.SortFunc(s.Profiles, func(a, b Profile) int { return cmp.Compare(a.Name, b.Name) })
	s.Operations = slices.Clone(s.Operations)
	slices.SortFunc(s.Operations, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Name, b.Name))
	})
	s.Layers = slices.Clone(s.Layers)
	return s
}

func compareRules(a, b Rule) int {
	return cmp.Or(
		cmp.Compare(a.Type, b.Type), cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
	)
}

// writer collects the body of an encoding and the strings it refers to.
type writer struct {
	body    []byte
	strings []string
	indexes map[string]uint64
}

func (w *writer) uint(n uint64) { w.body = binary.AppendUvarint(w.body, n) }

func (w *writer) string(s string) {
	i, ok := w.indexes[s]
	if !ok {
		i = uint64(len(w.strings))
		w.indexes[s] = i
		w.strings = append(w.strings, s)
	}
	w.uint(i)
}

func (w *writer) bool(b bool) {
	n := uint64(0)
	if b {
		n = 1
	}
	w.uint(n)
}

// writeList writes a count and the items.
func writeList[T any](w *writer, items []T, write func(*T)) {
	w.uint(uint64(len(items)))
	for i := range items {
		write(&items[i])
	}
}

func (w *writer) source(s *Source) {
	writeList(w, s.Rules, w.rule)
	for _, d := range []*Default{&s.Defaults.Resource, &s.Defaults.DataSource, &s.Defaults.Interactive} {
		w.uint(uint64(d.Action))
		w.place(&d.Rule)
	}
	writeList(w, s.Profiles, w.profile)
	writeList(w, s.Operations, func(o *Operation) {
		w.string(o.Provider)
		w.string(o.Name)
		w.uint(uint64(o.Kind))
		w.uint(uint64(o.Risk))
		w.roles(&o.Roles)
	})
	writeList(w, s.Layers, func(l *Layer) {
		w.uint(uint64(l.Layer))
		w.string(l.File)
		w.string(string(l.Status))
	})
	w.settings(&s.Settings)
}

func (w *writer) rule(r *Rule) {
	w.place(&r.Rule)
	w.uint(uint64(r.Action))
	w.texts(r.Match.Operations)
	w.texts(r.Match.Providers)
	writeList(w, r.Match.Risks, func(risk *plangate.Risk) { w.uint(uint64(*risk)) })
	writeList(w, r.Match.Kinds, func(kind *plangate.Kind) { w.uint(uint64(*kind)) })
	writeList(w, r.Conditions, func(c *ConditionSource) {
		w.string(c.Type)
		w.texts(c.Values)
	})
	w.texts(r.Profiles)
	w.time(r.NotAfter)
	w.bool(r.Untrusted)
	w.string(r.Reason)
}

func (w *writer) roles(r *Roles) {
	for _, pointers := range [][]string{r.Command, r.Path, r.URL, r.Cwd, r.Optional} {
		w.texts(pointers)
	}
	w.string(r.Shell)
	w.bool(r.Guessed)
}

func (w *writer) place(r *plangate.Rule) {
	w.uint(uint64(r.Type))
	w.string(r.Name)
	w.uint(uint64(r.Layer))
	w.string(r.File)
	w.uint(uint64(r.Line))
}

func (w *writer) texts(values []string) {
	writeList(w, values, func(s *string) { w.string(*s) })
}

func (w *writer) profile(p *Profile) {
	w.string(p.Name)
	w.bool(p.Headless)
	w.bool(p.AllowedTools != nil)
	if p.AllowedTools != nil {
		w.list(p.AllowedTools)
	}
	writeList(w, p.DenyTools, w.list)
	writeList(w, p.Grants, w.list)
	writeList(w, p.EscalationGrants, w.list)
	w.bool(p.Untrusted)
}

func (w *writer) list(l *List) {
	w.texts(l.Names)
	w.place(&l.Rule)
	w.bool(l.Untrusted)
}
