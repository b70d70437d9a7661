package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// compare returns what is wrong with a response to a vector.
func compare(v *Vector, got *Response) []string {
	if got.Error != "" {
		return []string{"the implementation reports: " + got.Error}
	}
	if got.ID != v.ID {
		return []string{fmt.Sprintf("answer to request %q, want %q", got.ID, v.ID)}
	}
	return append(compareDiagnostics(v, got.Diagnostics), compareDecisions(v, got.Decisions)...)
}

func compareDecisions(v *Vector, got []json.RawMessage) []string {
	if len(got) != len(v.Want) {
		return []string{fmt.Sprintf("%d decisions for %d calls", len(got), len(v.Want))}
	}
	var wrong []string
	for i, want := range v.Want {
		for _, reason := range compareDecision(want, got[i]) {
			wrong = append(wrong, fmt.Sprintf("call %d: %s", i+1, reason))
		}
	}
	return wrong
}

func compareDecision(want Want, got json.RawMessage) []string {
	var members map[string]json.RawMessage
	if json.Unmarshal(got, &members) != nil || members == nil {
		return []string{"the decision is not a JSON object"}
	}
	wrong := missingKeys("decision", members, decisionKeys)
	var decision plangate.Decision
	if err := json.Unmarshal(got, &decision); err != nil {
		return append(wrong, "the decision is malformed: "+err.Error())
	}
	if decision.Reason() == "" {
		wrong = append(wrong, "the decision has no reason")
	}
	return append(wrong, compareSubset("", want, members)...)
}

func missingKeys(what string, members map[string]json.RawMessage, keys []string) []string {
	var wrong []string
	for _, key := range keys {
		if _, ok := members[key]; !ok {
			wrong = append(wrong, fmt.Sprintf("a %s has no key %q", what, key))
		}
	}
	return wrong
}

// compareSubset reports the keys of want that differ in got, sorted.
func compareSubset(prefix string, want Want, got map[string]json.RawMessage) []string {
	var wrong []string
	for key, value := range want {
		var wantObject, gotObject map[string]json.RawMessage
		isObject := json.Unmarshal(value, &wantObject) == nil && wantObject != nil
		switch {
		case isObject && json.Unmarshal(got[key], &gotObject) == nil && gotObject != nil:
			wrong = append(wrong, compareSubset(prefix+key+".", wantObject, gotObject)...)
		case !sameJSON(value, got[key]):
			wrong = append(wrong, fmt.Sprintf("%s%s is %s, want %s", prefix, key, orNothing(got[key]), value))
		}
	}
	slices.Sort(wrong)
	return wrong
}

func sameJSON(a, b json.RawMessage) bool {
	var valueA, valueB any
	return json.Unmarshal(a, &valueA) == nil && json.Unmarshal(b, &valueB) == nil && reflect.DeepEqual(valueA, valueB)
}

func orNothing(value json.RawMessage) string {
	if len(value) == 0 {
		return "missing"
	}
	return string(value)
}

// compareDiagnostics pairs every expected diagnostic with one that was
// reported. A vector that expects none in particular only forbids errors.
func compareDiagnostics(v *Vector, raw []json.RawMessage) []string {
	got, wrong := parseDiagnostics(raw)
	for _, want := range v.Diagnostics {
		i := slices.IndexFunc(got, want.fits)
		if i < 0 {
			wrong = append(wrong, "missing diagnostic "+want.String())
			continue
		}
		got = slices.Delete(got, i, i+1)
	}
	for _, d := range got {
		if v.Diagnosed || d.Severity == plangate.SeverityError {
			wrong = append(wrong, fmt.Sprintf("unexpected diagnostic %s %s at %s", d.Severity, d.Code, d.Range))
		}
	}
	return wrong
}

// parseDiagnostics also reports what is not in the form or order of the
// specification.
func parseDiagnostics(raw []json.RawMessage) (all []*plangate.Diagnostic, wrong []string) {
	for _, text := range raw {
		var members map[string]json.RawMessage
		d := new(plangate.Diagnostic)
		if err := errors.Join(json.Unmarshal(text, &members), json.Unmarshal(text, d)); err != nil {
			wrong = append(wrong, "malformed diagnostic: "+err.Error())
			continue
		}
		wrong = append(wrong, missingKeys("diagnostic", members, diagnosticKeys)...)
		all = append(all, d)
	}
	sorted := plangate.Diagnostics(slices.Clone(all))
	if sorted.Sort(); !slices.Equal(sorted, all) {
		wrong = append(wrong, "the diagnostics are not sorted")
	}
	return all, wrong
}

func (w *WantDiagnostic) fits(got *plangate.Diagnostic) bool {
	if w.Severity != nil && *w.Severity != got.Severity || w.Code != "" && w.Code != got.Code {
		return false
	}
	return (w.Range == nil || w.Range.fits(got.Range)) && w.fitsRelated(got.Related) && w.fitsWitness(got.Witness)
}

func (w *WantDiagnostic) fitsRelated(got []plangate.Related) bool {
	for _, want := range w.Related {
		if !slices.ContainsFunc(got, func(r plangate.Related) bool { return want.fits(r.Range) }) {
			return false
		}
	}
	return true
}

func (w *WantDiagnostic) fitsWitness(got *plangate.Call) bool {
	if w.Witness == nil {
		return true
	}
	text, err := json.Marshal(got)
	var members map[string]json.RawMessage
	return err == nil && json.Unmarshal(text, &members) == nil && len(compareSubset("", w.Witness, members)) == 0
}

func (w *WantRange) fits(got plangate.Range) bool {
	return (w.File == "" || w.File == got.File) && w.Start.fits(got.Start) && w.End.fits(got.End)
}

func (w WantPos) fits(got plangate.Pos) bool { return w.Line == got.Line && w.Column == got.Column }

// String describes what was expected, for a failure.
func (w *WantDiagnostic) String() string {
	text, err := json.Marshal(w)
	if err != nil {
		return w.Code
	}
	return strings.ReplaceAll(string(text), `,"related":null,"witness":null`, "")
}
