package dsl

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

// wrongType reports a value of another type than the wanted one.
func (p *parser) wrongType(v value, want string) {
	switch {
	case v.typ == notConstant && v.text != "":
		p.error(codeNotConstant, v.rng, "Not a constant",
			"This is a reference, not a string. Write it in double quotes: "+quote(v.text)+".")
	case v.typ == notConstant:
		p.error(codeNotConstant, v.rng, "Not a constant",
			"Variables, functions, operators and templates cannot be used here. Write the value itself; "+
				"a literal ${ is written $${, and a literal %{ is written %%{.")
	default:
		p.error(codeBadType, v.rng, "Wrong type", "This is "+valueTypeNames[v.typ]+"; wanted is "+want+".")
	}
}

// isString reports whether v is a quoted string, and complains if it is not.
func (p *parser) isString(v value, want string) bool {
	if v.typ == stringValue && v.heredoc {
		p.error(codeBadType, v.rng, "Here-document",
			"A here-document ends with a line break, which is not part of any such value. Write a string in double quotes.")
		return false
	}
	if v.typ != stringValue {
		p.wrongType(v, want)
		return false
	}
	return true
}

// text reads an attribute that is one string.
func (p *parser) text(a *attribute) (Lit[string], bool) {
	v := p.value(a.expr)
	return Lit[string]{v.text, v.rng}, p.isString(v, "a string")
}

// listOf reads a value that is a string or a list of strings. It leaves out
// what is no string, warns of doubles, and refuses an empty list unless empty
// is [emptyAllowed].
func listOf[S ~string](p *parser, v value, empty emptiness) []Lit[S] {
	if v.typ != listValue {
		if !p.isString(v, "a string or a list of strings") {
			return nil
		}
		return []Lit[S]{{S(v.text), v.rng}}
	}
	if len(v.items) == 0 && empty != emptyAllowed {
		p.error(codeEmptyValue, v.rng, "Empty list", "An empty list says nothing. Remove the attribute, or list a value.")
	}
	out := make([]Lit[S], 0, len(v.items))
	seen := make(map[string]plangate.Range, len(v.items))
	for _, item := range v.items {
		if !p.isString(item, "a string") {
			continue
		}
		if first, twice := seen[item.text]; twice {
			p.add(&plangate.Diagnostic{
				Severity: plangate.SeverityWarning, Code: codeDuplicateValue, Range: item.rng,
				Summary: "Value given twice", Detail: quote(item.text) + " stands in this list already. Remove it.",
				Related: []plangate.Related{{Message: "The first one is here.", Range: first}},
			})
			continue
		}
		seen[item.text] = item.rng
		out = append(out, Lit[S]{S(item.text), item.rng})
	}
	return out
}

// emptiness says whether an empty list means something.
type emptiness uint8

const (
	emptyRefused emptiness = iota
	emptyAllowed
)

// filled refuses an empty string.
func (p *parser) filled(text string, at plangate.Range) bool {
	if text == "" {
		p.error(codeEmptyValue, at, "Empty string", "An empty string matches nothing that can happen. Remove it, or write a value.")
	}
	return text != ""
}

// word reads one of a few words. The zero value stands for a wrong one.
func word[T any](p *parser, s Lit[string], parse func(string) (T, error), known []string) (Lit[T], bool) {
	got, err := parse(s.Value)
	if err != nil {
		p.error(codeUnknownValue, s.Range, "Unknown value", quote(s.Value)+" is not known."+hint(s.Value, known))
	}
	return Lit[T]{got, s.Range}, err == nil
}

// wordAttribute reads an attribute that is one of a few words.
func wordAttribute[T any](p *parser, a *attribute, parse func(string) (T, error), known []string) (lit Lit[T], ok bool) {
	s, ok := p.text(a)
	if !ok {
		lit.Range = s.Range
		return lit, false
	}
	return word(p, s, parse, known)
}

// duration reads a Go duration within the limits, or leaves into alone.
func (p *parser) duration(a *attribute, into *Lit[time.Duration]) {
	if a == nil {
		return
	}
	s, ok := p.text(a)
	if !ok {
		return
	}
	d, err := time.ParseDuration(s.Value)
	if err != nil || d <= 0 || d > MaxDuration {
		p.error(codeBadDuration, s.Range, "Invalid duration",
			`Write a number with a unit such as "10s", "5m" or "1h30m", more than 0 and at most 720h (30 days).`)
		return
	}
	*into = Lit[time.Duration]{d, s.Range}
}

// count reads a whole number within the limits, or leaves into alone.
func (p *parser) count(a *attribute, into *Lit[int]) {
	if a == nil {
		return
	}
	v := p.value(a.expr)
	if v.typ != numberValue {
		p.wrongType(v, "a number")
		return
	}
	n, accuracy := v.number.Int64()
	if accuracy != big.Exact || n < 0 || n > MaxCount {
		p.error(codeBadNumber, v.rng, "Invalid number", fmt.Sprintf("Write a whole number from 0 to %d; 0 disables the check.", MaxCount))
		return
	}
	*into = Lit[int]{int(n), v.rng}
}

// instant reads a time.
func (p *parser) instant(a *attribute) *Lit[time.Time] {
	s, ok := p.text(a)
	if !ok {
		return nil
	}
	t, err := plangate.ParseTime(s.Value)
	if err != nil {
		p.error(codeBadTime, s.Range, "Invalid time",
			`Write the time as in RFC 3339, with a zone: "2027-01-31T18:00:00Z".`)
		return nil
	}
	return &Lit[time.Time]{t, s.Range}
}

// reason reads the text for people and models. It may be a here-document. Line
// ends become \n.
func (p *parser) reason(a *attribute) *Lit[string] {
	v := p.value(a.expr)
	if v.typ != stringValue {
		p.wrongType(v, "a string")
		return nil
	}
	text := strings.ReplaceAll(v.text, "\r\n", "\n")
	if problem := reasonProblem(text); problem != "" {
		p.error(codeBadReason, v.rng, "Invalid reason", problem)
		return nil
	}
	if !p.filled(text, v.rng) {
		return nil
	}
	return &Lit[string]{text, v.rng}
}

func reasonProblem(text string) string {
	if len(text) > MaxReasonBytes {
		return fmt.Sprintf("The reason has %d bytes; at most %d are allowed. Shorten it.", len(text), MaxReasonBytes)
	}
	for _, c := range text {
		if c < ' ' && c != '\n' || 0x7f <= c && c < 0xa0 {
			return fmt.Sprintf("The reason contains the control character U+%04X. Remove it.", c)
		}
	}
	return ""
}
