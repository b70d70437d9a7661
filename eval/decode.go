package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plangate/plangate"
)

// ErrEncoding is wrapped by the errors of [Load].
var ErrEncoding = errors.New("eval: not a valid table encoding")

// Load reads the encoding of a table and binds its conditions; see [New] for
// the binder. Whatever the bytes are, Load returns a table or an error, in time
// and memory bounded by their number and by [MaxCombinations]. The checksum
// finds accidents and no malice: only load what you trust as you trust policy.
func Load(encoded []byte, binder Binder) (*Table, error) {
	source, digest, err := decode(encoded, nil)
	if err != nil {
		return nil, err
	}
	return buildDecoded(source, digest, binder)
}

// decode returns what an encoding says, with those rules that keep wants.
func decode(encoded []byte, keep func(*Rule) bool) (Source, [sha256.Size]byte, error) {
	payload, digest, err := unwrap(encoded)
	if err != nil {
		return Source{}, digest, err
	}
	r := &reader{rest: payload}
	r.stringTable()
	source := r.source(keep)
	if r.err == nil && len(r.rest) > 0 {
		r.fail("text after the end")
	}
	if r.err != nil {
		return Source{}, digest, r.err
	}
	if !slices.IsSortedFunc(source.Rules, compareRules) {
		return Source{}, digest, fmt.Errorf("%w: the rules are not sorted", ErrEncoding)
	}
	return source, digest, nil
}

func buildDecoded(source Source, digest [sha256.Size]byte, binder Binder) (*Table, error) {
	table, err := build(source, binder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	table.loaded = &digest
	return table, nil
}

// unwrap checks everything around the payload.
func unwrap(encoded []byte) (payload []byte, digest [sha256.Size]byte, err error) {
	body, ok := bytes.CutPrefix(encoded, []byte(encodingMagic))
	switch {
	case !ok || len(body) == 0:
		return nil, digest, fmt.Errorf("%w: it does not begin like one or is cut short", ErrEncoding)
	case body[0] != encodingVersion:
		return nil, digest, fmt.Errorf("%w: version %d; this program reads version %d", ErrEncoding, body[0], encodingVersion)
	case len(encoded) < headerBytes+sha256.Size:
		return nil, digest, fmt.Errorf("%w: it is cut short", ErrEncoding)
	}
	end := len(encoded) - sha256.Size
	if sum := sha256.Sum256(encoded[:end]); string(sum[:]) != string(encoded[end:]) {
		return nil, digest, fmt.Errorf("%w: wrong checksum", ErrEncoding)
	}
	copy(digest[:], encoded[headerBytes-sha256.Size:])
	return encoded[headerBytes:end], digest, nil
}

// reader takes an encoding apart. After the first error it returns zero values.
type reader struct {
	rest    []byte
	strings []string
	texts   []string // lists of strings that were read, end to end: one by one they cost more
	err     error
}

func (r *reader) fail(format string, arguments ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrEncoding, fmt.Sprintf(format, arguments...))
	}
	r.rest = nil
}

func (r *reader) uint() uint64 {
	if len(r.rest) > 0 && r.rest[0] < 0x80 { // most are
		n := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail("bad number")
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// enum reads a number that must not be more than limit.
func (r *reader) enum(limit uint64) uint64 {
	n := r.uint()
	if n > limit {
		r.fail("value %d is out of range", n)
		return 0
	}
	return n
}

func (r *reader) bool() bool { return r.enum(1) == 1 }

// count reads the length of a list whose items take at least one byte each.
func (r *reader) count() int { return int(r.enum(uint64(len(r.rest)))) }

// stringTable reads all strings as pieces of one, so that they cost one allocation.
func (r *reader) stringTable() {
	n := r.count()
	lengths, total := *r, 0
	for range n {
		if total += r.count(); total > len(r.rest) {
			break
		}
	}
	if r.err != nil || total > len(r.rest) {
		r.fail("strings are longer than the encoding")
		return
	}
	all := string(r.rest[:total])
	r.rest = r.rest[total:]
	r.strings = make([]string, n)
	for i := range r.strings {
		end := int(lengths.uint())
		r.strings[i], all = all[:end], all[end:]
	}
}

func (r *reader) string() string {
	i := r.uint()
	if i >= uint64(len(r.strings)) {
		r.fail("string %d does not exist", i)
		return ""
	}
	return r.strings[i]
}

// list reads a list of strings; nil if there are none.
func (r *reader) list() []string {
	begin := len(r.texts)
	for range r.count() {
		r.texts = append(r.texts, r.string())
		if r.err != nil {
			return nil
		}
	}
	if begin == len(r.texts) {
		return nil
	}
	return r.texts[begin:len(r.texts):len(r.texts)]
}

// readList reads a count and the items; nil if there are none.
func readList[T any](r *reader, read func() T) []T { return readBig(r, 1, read) }

// readBig does so for items of at least size bytes each, which bounds how much
// memory a wrong count can ask for.
func readBig[T any](r *reader, size int, read func() T) []T {
	n := int(r.enum(uint64(len(r.rest) / size)))
	if n == 0 {
		return nil
	}
	items := make([]T, n)
	for i := range items {
		if r.err != nil {
			return nil
		}
		items[i] = read()
	}
	return items
}

// source reads a source with those rules that keep wants; nil wants all.
func (r *reader) source(keep func(*Rule) bool) Source {
	var s Source
	s.Rules = r.rules(keep)
	for _, d := range []*Default{&s.Defaults.Resource, &s.Defaults.DataSource, &s.Defaults.Interactive} {
		d.Action = plangate.Action(r.enum(uint64(plangate.Allow)))
		d.Rule = r.place()
	}
	s.Profiles = readList(r, r.profile)
	s.Operations = readList(r, func() Operation {
		return Operation{
			Provider: r.string(), Name: r.string(),
			Kind: plangate.Kind(r.enum(uint64(plangate.Interactive))),
			Risk: plangate.Risk(r.enum(uint64(plangate.Critical))), Roles: r.roles(),
		}
	})
	s.Layers = readList(r, func() Layer {
		return Layer{
			Layer: plangate.Layer(r.enum(uint64(plangate.LayerProfile))),
			File:  r.string(), Status: LayerStatus(r.string()),
		}
	})
	s.Settings = r.settings()
	return s
}

// minRuleBytes is the size of a rule in which everything is empty.
const minRuleBytes = 14

func (r *reader) rules(keep func(*Rule) bool) []Rule {
	if keep == nil {
		return readBig(r, minRuleBytes, r.rule)
	}
	var rules []Rule
	var rule Rule // one for all: a rule is large
	for range r.enum(uint64(len(r.rest) / minRuleBytes)) {
		mark := len(r.texts)
		rule = r.rule()
		if r.err != nil {
			return nil
		}
		if keep(&rule) {
			rules = append(rules, rule)
		} else {
			r.texts = r.texts[:mark]
		}
	}
	return rules
}

func (r *reader) rule() Rule {
	return Rule{
		Rule:   r.place(),
		Action: plangate.Action(r.enum(uint64(plangate.Allow))),
		Match: Match{
			Operations: r.list(),
			Providers:  r.list(),
			Risks: readList(r, func() plangate.Risk {
				return plangate.Risk(r.enum(uint64(plangate.Critical)))
			}),
			Kinds: readList(r, func() plangate.Kind {
				return plangate.Kind(r.enum(uint64(plangate.Interactive)))
			}),
		},
		Conditions: readList(r, func() ConditionSource {
			return ConditionSource{Type: r.string(), Values: r.list()}
		}),
		Profiles:  r.list(),
		NotAfter:  r.time(),
		Untrusted: r.bool(),
		Reason:    r.string(),
	}
}

func (r *reader) roles() Roles {
	return Roles{
		Command: r.list(), Path: r.list(), URL: r.list(),
		Cwd: r.list(), Optional: r.list(), Shell: r.string(), Guessed: r.bool(),
	}
}

func (r *reader) place() plangate.Rule {
	return plangate.Rule{
		Type:  plangate.RuleType(r.enum(uint64(plangate.RuleList))),
		Name:  r.string(),
		Layer: plangate.Layer(r.enum(uint64(plangate.LayerProfile))),
		File:  r.string(),
		Line:  int(r.enum(1 << 31)),
	}
}

func (r *reader) profile() Profile {
	p := Profile{Name: r.string(), Headless: r.bool()}
	if r.bool() {
		allowed := r.toolList()
		p.AllowedTools = &allowed
	}
	p.DenyTools = readList(r, r.toolList)
	p.Grants = readList(r, r.toolList)
	p.EscalationGrants = readList(r, r.toolList)
	p.Untrusted = r.bool()
	return p
}

func (r *reader) toolList() List {
	return List{Names: r.list(), Rule: r.place(), Untrusted: r.bool()}
}

// Times are written as seconds since year 1 in UTC and nanoseconds, which is
// all that comparing them needs.
const secondsToUnix = 62135596800

func (w *writer) time(t time.Time) {
	if t.IsZero() {
		w.uint(0)
		return
	}
	w.uint(uint64(t.Unix() + secondsToUnix))
	w.uint(uint64(t.Nanosecond()))
}

func (r *reader) time() time.Time {
	seconds := r.enum(1 << 40)
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(int64(seconds)-secondsToUnix, int64(r.enum(999_999_999))).UTC()
}
