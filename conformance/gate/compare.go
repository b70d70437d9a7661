package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// decode reads JSON with its numbers as they are written.
func decode(text json.RawMessage) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

// differences says where got is not what is wanted. An object wants its keys and
// leaves others alone, an array has to have as many elements. An object with one key
// that begins with "$" is a condition.
func differences(place string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		if condition, of, ok := conditionIn(w); ok {
			return holds(place, condition, of, got)
		}
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %s, want an object", place, show(got))}
		}
		var all []string
		for _, key := range slices.Sorted(maps.Keys(w)) {
			value, ok := g[key]
			inner := place + "." + key
			switch {
			case isAbsent(w[key]) && !ok:
			case !ok:
				all = append(all, fmt.Sprintf("%s is missing, want %s", inner, show(w[key])))
			default:
				all = append(all, differences(inner, w[key], value)...)
			}
		}
		return all
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s is %s, want an array of %d", place, show(got), len(w))}
		}
		var all []string
		for i := range w {
			all = append(all, differences(fmt.Sprintf("%s[%d]", place, i), w[i], g[i])...)
		}
		return all
	default:
		if !equal(want, got) {
			return []string{fmt.Sprintf("%s is %s, want %s", place, show(got), show(want))}
		}
		return nil
	}
}

func conditionIn(object map[string]any) (name string, of any, ok bool) {
	if len(object) != 1 {
		return "", nil, false
	}
	for name, of = range object {
		ok = strings.HasPrefix(name, "$")
	}
	return name, of, ok
}

func isAbsent(want any) bool {
	object, ok := want.(map[string]any)
	if !ok {
		return false
	}
	name, _, _ := conditionIn(object)
	return name == "$absent"
}

// holds checks a condition: $contains and $lacks look for texts, $once wants each
// exactly once, $length is that of an array or string, $not is any other value.
func holds(place, condition string, of, got any) []string {
	text, _ := got.(string)
	ok := false
	switch condition {
	case "$contains":
		ok = each(of, func(part string) bool { return strings.Contains(text, part) })
	case "$lacks":
		ok = each(of, func(part string) bool { return !strings.Contains(text, part) })
	case "$once":
		ok = each(of, func(part string) bool { return strings.Count(text, part) == 1 })
	case "$length":
		length := len(text)
		if list, isList := got.([]any); isList {
			length = len(list)
		}
		ok = equal(of, json.Number(fmt.Sprint(length)))
	case "$not":
		ok = !equal(of, got)
	}
	if ok {
		return nil
	}
	return []string{fmt.Sprintf("%s is %s, which is not %s %s", place, show(got), condition, show(of))}
}

// each reports whether all of some texts, or the only one, pass.
func each(of any, pass func(string) bool) bool {
	list, ok := of.([]any)
	if !ok {
		list = []any{of}
	}
	for _, part := range list {
		if text, ok := part.(string); !ok || !pass(text) {
			return false
		}
	}
	return len(list) > 0
}

// equal compares scalars, numbers by their value.
func equal(a, b any) bool {
	x, isNumber := a.(json.Number)
	if !isNumber {
		return show(a) == show(b)
	}
	y, isNumber := b.(json.Number)
	if !isNumber {
		return false
	}
	if x == y {
		return true
	}
	p, okP := new(big.Rat).SetString(bounded(x))
	q, okQ := new(big.Rat).SetString(bounded(y))
	return okP && okQ && p.Cmp(q) == 0
}

// bounded is a number, or nothing if its exponent would make it a very long one.
func bounded(number json.Number) string {
	text := number.String()
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(text)-i > 5 {
		return ""
	}
	return text
}

// show returns JSON for messages.
func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if len(text) > 400 {
		return string(text[:400]) + "…"
	}
	return string(text)
}
