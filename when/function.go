package when

import (
	"math/big"
	"net/netip"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/plangate/plangate/eval"
)

// function is what an expression may call.
type function struct {
	params []kinds // of the arguments, in order
	more   bool    // the last one may be repeated
	result kinds   // 0: that of the arguments
	// lenient functions see absent and null arguments; to others these are unknown.
	lenient bool
	apply   func(r *run, args []any) any
	// vet returns what is wrong with constant arguments, or "". It may be nil.
	vet func(args []node) string
}

// functions is all there is to call, beside regex, which is built apart.
var functions = map[string]*function{
	"startswith":    affixFunction(strings.HasPrefix),
	"endswith":      affixFunction(strings.HasSuffix),
	"glob":          {params: []kinds{stringKind, stringKind}, result: boolKind, apply: glob},
	"contains":      {params: []kinds{listKind | stringKind, scalarKinds | listKind}, result: boolKind, apply: contains},
	"length":        {params: []kinds{stringKind | listKind | objectKind}, result: numberKind, apply: length},
	"lower":         {params: []kinds{stringKind}, result: stringKind, apply: lower},
	"coalesce":      {params: []kinds{anyKind}, more: true, lenient: true, apply: coalesce},
	"cidr_contains": {params: []kinds{stringKind, stringKind}, result: boolKind, apply: cidrContains, vet: vetPrefix},
}

// functionNames are the names to suggest.
var functionNames = []string{
	"startswith", "endswith", "contains", "length", "lower", "glob", regexName, "cidr_contains", "coalesce",
}

const regexName = "regex"

func affixFunction(test func(text, affix string) bool) *function {
	return &function{params: []kinds{stringKind, stringKind}, result: boolKind, apply: func(r *run, args []any) any {
		if !r.spend(len(stringAt(args, 1))) {
			return unknownValue{}
		}
		return test(stringAt(args, 0), stringAt(args, 1))
	}}
}

// stringAt returns an argument that is known to be a string.
func stringAt(args []any, i int) string {
	s, _ := args[i].(string)
	return s
}

func glob(r *run, args []any) any {
	text, pattern := stringAt(args, 0), stringAt(args, 1)
	if !r.spend(len(text) + 16*len(pattern)) {
		return unknownValue{}
	}
	return globMatch(text, pattern)
}

// globMatch reports whether the whole text fits a pattern in which * stands for
// any characters. It takes the leftmost place for each piece, so there is no
// way back and the time is linear.
func globMatch(text, pattern string) bool {
	pieces := strings.Split(pattern, "*")
	last := len(pieces) - 1
	if last == 0 {
		return text == pattern
	}
	rest, ok := strings.CutPrefix(text, pieces[0])
	if !ok {
		return false
	}
	for _, piece := range pieces[1:last] {
		_, after, found := strings.Cut(rest, piece)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, pieces[last])
}

func contains(r *run, args []any) any {
	list, ok := args[0].([]any)
	if !ok {
		part, ok := args[1].(string)
		text := stringAt(args, 0)
		if !ok || !r.spend(len(text)) {
			return unknownValue{}
		}
		return strings.Contains(text, part)
	}
	found := eval.No
	for _, item := range list {
		if t := r.equal(item, args[1]); t != eval.No {
			found = t
		}
		if found == eval.Yes {
			break
		}
	}
	return valueOf(found)
}

func length(r *run, args []any) any {
	n := 0
	switch v := args[0].(type) {
	case string:
		if !r.spend(len(v)) {
			return unknownValue{}
		}
		n = utf8.RuneCountInString(v)
	case []any:
		n = len(v)
	case map[string]any:
		n = len(v)
	}
	return big.NewRat(int64(n), 1)
}

func lower(r *run, args []any) any {
	if !r.spend(len(stringAt(args, 0))) {
		return unknownValue{}
	}
	return r.text(strings.ToLower(stringAt(args, 0)))
}

// coalesce returns the first argument that is there. One that is unknown might
// be there.
func coalesce(_ *run, args []any) any {
	for _, arg := range args {
		switch arg.(type) {
		case absentValue, nil:
		default:
			return arg
		}
	}
	return unknownValue{}
}

// cidrContains compares within one address family; whether an address of the
// other family leads into the network cannot be told.
func cidrContains(_ *run, args []any) any {
	prefix, ok := parsePrefix(stringAt(args, 0))
	address, err := netip.ParseAddr(stringAt(args, 1))
	address = address.Unmap()
	if !ok || err != nil || address.Zone() != "" || address.Is4() != prefix.Addr().Is4() {
		return unknownValue{}
	}
	return prefix.Contains(address)
}

func parsePrefix(text string) (netip.Prefix, bool) {
	prefix, err := netip.ParsePrefix(text)
	return prefix, err == nil && prefix == prefix.Masked() && !prefix.Addr().Is4In6()
}

func vetPrefix(args []node) string {
	text, constant := constantString(args[0])
	if _, ok := parsePrefix(text); ok || !constant {
		return ""
	}
	return `The first argument must be a network such as "10.0.0.0/8", with no bits after its prefix.`
}

// constantString returns the text of a string literal.
func constantString(n node) (string, bool) {
	if l, ok := n.(*literal); ok {
		text, ok := l.constant.(string)
		return text, ok
	}
	return "", false
}

// call is a call of a function.
type call struct {
	place
	name string
	fn   *function
	args []node
}

func (n *call) value(r *run) any {
	args := make([]any, len(n.args))
	for i, arg := range n.args {
		args[i] = r.eval(arg)
		if !n.fn.lenient && kindOf(args[i])&n.fn.param(i) == 0 {
			return unknownValue{}
		}
	}
	return n.fn.apply(r, args)
}

// param returns what the argument i may be.
func (f *function) param(i int) kinds { return f.params[min(i, len(f.params)-1)] }

// search is regex(text, pattern).
type search struct {
	place
	text    node
	pattern *regexp.Regexp
	cost    int // units of work for each byte
}

func (n *search) value(r *run) any {
	text, ok := r.eval(n.text).(string)
	if !ok || !r.spend(n.cost*len(text)) {
		return unknownValue{}
	}
	return n.pattern.MatchString(text)
}
