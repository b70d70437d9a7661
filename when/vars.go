package when

import (
	"bytes"
	"encoding/json"

	"github.com/plangate/plangate"
)

// Vars is what expressions may read of one call. What is read is decoded once,
// when an expression first asks for it, whatever the number of expressions. A
// Vars belongs to one goroutine.
type Vars struct {
	call  plangate.Call
	roots [rootCount]*object
}

// object is a decoded object: map[string]any, or unknownValue.
type object struct{ value any }

// root names an object of a call.
type root uint8

const (
	inputRoot root = iota
	sessionRoot
	callerRoot
	rootCount
)

// NewVars returns what expressions may read of call. It takes no time: nothing
// is decoded yet. The JSON texts of the call must not change while the Vars is
// in use.
func NewVars(call plangate.Call) *Vars { return &Vars{call: call} }

// object returns an object of the call, or unknownValue if the call has none
// or one that is not exactly a JSON object (spec/when.md §3).
func (v *Vars) object(which root) any {
	if v.roots[which] == nil {
		raw := [rootCount]json.RawMessage{v.call.Input, v.call.Session, v.call.Caller}[which]
		v.roots[which] = &object{decode(raw)}
	}
	return v.roots[which].value
}

func decode(raw json.RawMessage) any {
	if len(raw) == 0 || plangate.CheckJSON(raw) != nil {
		return unknownValue{}
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var decoded any
	if decoder.Decode(&decoded) != nil {
		return unknownValue{}
	}
	members, ok := decoded.(map[string]any)
	switch {
	case !ok:
		return unknownValue{}
	case isASCII(string(raw)) && !bytes.Contains(raw, []byte(`\u`)):
		return members
	default:
		return withoutAbnormal(members)
	}
}

// withoutAbnormal replaces, in place, strings that are not normal by unknown,
// and objects that have such a key: whether the key that is asked for is there
// could not be told. The depth is bounded by [plangate.MaxJSONDepth].
func withoutAbnormal(v any) any {
	switch v := v.(type) {
	case string:
		if !normal(v) {
			return unknownValue{}
		}
	case []any:
		for i := range v {
			v[i] = withoutAbnormal(v[i])
		}
	case map[string]any:
		for key, member := range v {
			if !normal(key) {
				return unknownValue{}
			}
			v[key] = withoutAbnormal(member)
		}
	}
	return v
}

// callFields are the attributes of the variable call.
var callFields = []string{
	"id", "provider", "operation", "kind", "risk", "profile", "cwd", "workspace", "home", "producer_category",
}

// field returns an attribute of the variable call; an unspecified kind or risk
// is unknown.
func (v *Vars) field(name string) any {
	c := &v.call
	switch name {
	case "id":
		return c.ID
	case "provider":
		return c.Provider
	case "operation":
		return c.Operation
	case "kind":
		if c.Kind != plangate.KindUnspecified {
			return c.Kind.String()
		}
	case "risk":
		if c.Risk != plangate.RiskUnspecified {
			return c.Risk.String()
		}
	case "profile":
		return c.Profile
	case "cwd":
		return c.Cwd
	case "workspace":
		return c.Workspace
	case "home":
		return c.Home
	case "producer_category":
		return c.ProducerCategory.String()
	}
	return unknownValue{}
}
