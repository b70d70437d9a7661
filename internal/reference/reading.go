package reference

import (
	"strings"

	"github.com/plangate/plangate"
)

// reading is one way to understand a call (DEC-5), and the item that is judged.
type reading struct {
	call      plangate.Call
	kind      plangate.Kind // never unspecified
	risk      plangate.Risk // unspecified: unknown
	unknown   []string      // by DEC-3 and DEC-5
	ambiguous bool          // DEC-6
	item      int
}

// split is DEC-6. A way to split is any `__` with something on both sides.
func split(call plangate.Call) (judged plangate.Call, ambiguous bool) {
	rest, ok := strings.CutPrefix(call.Operation, "mcp__")
	if call.Provider != "" || !ok {
		return call, false
	}
	ways := 0
	for i := range rest {
		if !strings.HasPrefix(rest[i:], "__") || i == 0 || i+2 == len(rest) {
			continue
		}
		ways++
		judged = call
		judged.Provider, judged.Operation = rest[:i], rest[i+2:]
	}
	if ways == 1 {
		return judged, false
	}
	return call, ways > 1
}

// readings returns the catalog's reading and, if it differs, the call's.
func readings(p Policy, call plangate.Call) []reading {
	kind, risk := call.Kind, call.Risk
	known, ok := known(p, call)
	if !ok {
		return []reading{complete(reading{call: call, kind: kind, risk: risk})}
	}
	// DEC-5: what the call leaves out comes from the catalog.
	if kind == plangate.KindUnspecified {
		kind = known.kind
	}
	if risk == plangate.RiskUnspecified {
		risk = known.risk
	}
	var mismatch []string
	if kind != known.kind {
		mismatch = append(mismatch, "kind_mismatch")
	}
	if risk != known.risk {
		mismatch = append(mismatch, "risk_mismatch")
	}
	both := []reading{complete(reading{call: call, kind: known.kind, risk: known.risk, unknown: mismatch})}
	if mismatch != nil {
		both = append(both, complete(reading{call: call, kind: kind, risk: risk, unknown: mismatch}))
	}
	return both
}

type knownOperation struct {
	kind plangate.Kind
	risk plangate.Risk
}

func known(p Policy, call plangate.Call) (knownOperation, bool) {
	if p.Catalog == nil {
		return knownOperation{}, false
	}
	for operation := range p.Catalog.All() {
		if operation.Provider == call.Provider && operation.Name == call.Operation {
			return knownOperation{operation.Kind, operation.Risk}, true
		}
	}
	return knownOperation{}, false
}

// complete applies DEC-3 and DEC-4 to what is still left out.
func complete(r reading) reading {
	if r.kind == plangate.KindUnspecified {
		r.kind = plangate.Resource
		r.unknown = append(r.unknown, "kind")
	}
	if r.kind != plangate.Resource && r.risk == plangate.RiskUnspecified {
		r.risk = plangate.ReadOnly
	}
	return r
}
