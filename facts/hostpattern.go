package facts

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/plangate/plangate/eval"
)

// HostPattern is a compiled pattern of a host condition. Its language is that
// of spec HST-8. The zero value matches nothing.
type HostPattern struct {
	text   string
	any    bool         // *
	name   string       // a name, or what stands after "*."
	below  bool         // *.name
	prefix netip.Prefix // an address or a network
	port   uint16       // 0: any
}

// String returns the pattern as written.
func (p HostPattern) String() string { return p.text }

// CompileHost reads a pattern. An error says what is wrong and what to write
// instead.
func CompileHost(pattern string) (HostPattern, error) {
	p := HostPattern{text: pattern}
	switch {
	case pattern == "":
		return HostPattern{}, errors.New("the pattern is empty")
	case len(pattern) > MaxPatternBytes:
		return HostPattern{}, fmt.Errorf("the pattern is longer than %d bytes", MaxPatternBytes)
	case strings.Contains(pattern, "://"):
		return HostPattern{}, errors.New("a host pattern has no scheme; write the host only, as in `example.com` or `example.com:8443`")
	}
	if prefix, err := netip.ParsePrefix(pattern); err == nil {
		p.prefix, err = hostPrefix(prefix)
		return p, err
	}
	if strings.ContainsAny(pattern, "/@?#\\ ") {
		return HostPattern{}, errors.New("a host pattern is a name, an address or a network, without path and user")
	}
	host, port := splitPort(pattern)
	if host != pattern {
		var ok bool
		if p.port, ok = parsePort(port); !ok {
			return HostPattern{}, fmt.Errorf("%q is no port; write a number from 1 to 65535", port)
		}
	}
	return p.withHost(host)
}

// hostPrefix refuses a network whose address has bits outside of it, because it
// is not clear what was meant.
func hostPrefix(prefix netip.Prefix) (netip.Prefix, error) {
	switch {
	case prefix.Addr().Is4In6():
		return netip.Prefix{}, errors.New("write the network in IPv4 notation; it also matches mapped addresses")
	case prefix.Masked() != prefix:
		return netip.Prefix{}, fmt.Errorf("the address is not the first of its network; write %s", prefix.Masked())
	default:
		return prefix, nil
	}
}

func (p HostPattern) withHost(host string) (HostPattern, error) {
	if host == "*" {
		p.any = true
		return p, nil
	}
	name, below := strings.CutPrefix(host, "*.")
	if strings.Contains(name, "*") {
		return HostPattern{}, errors.New("`*` may only be the whole pattern or its first label, as in `*.example.com`")
	}
	targets, why := targetsOf(name)
	bare := why == Ambiguous && len(targets) == 1 && strings.Count(name, ":") > 1 // IPv6 without brackets
	switch {
	case why == Ambiguous && !bare:
		return HostPattern{}, fmt.Errorf("%q can be read in several ways; write the address as four decimal numbers, or the name in its xn-- form", name)
	case why != "" && !bare:
		return HostPattern{}, fmt.Errorf("%q is no host name and no address", name)
	case targets[0].Addr.IsValid() && below:
		return HostPattern{}, errors.New("`*.` stands before a name only; write a network such as 10.0.0.0/8")
	case targets[0].Addr.IsValid():
		p.prefix = netip.PrefixFrom(targets[0].Addr, targets[0].Addr.BitLen())
	default:
		p.name, p.below = targets[0].Name, below
	}
	return p, nil
}

// HostPatterns are the patterns of one condition, any of which may match.
type HostPatterns []HostPattern

// Match judges a host by the certainty rule (spec HST-1): a permissive rule
// needs a certain host that matches, a restrictive one any target that does.
func (ps HostPatterns) Match(h Host, mode Mode) eval.Truth {
	if mode == Permissive {
		return ps.permits(h)
	}
	answer := eval.No
	if !h.Known() {
		answer = eval.Unknown
	}
	for _, target := range h.Targets {
		for _, p := range ps {
			if answer = answer.Or(p.restricts(target)); answer == eval.Yes {
				return eval.Yes
			}
		}
	}
	return answer
}

func (ps HostPatterns) permits(h Host) eval.Truth {
	answer := eval.Yes
	if !h.Known() {
		answer = eval.Unknown
	}
	for _, target := range h.Targets {
		one := eval.No
		for _, p := range ps {
			one = one.Or(p.matches(target))
		}
		answer = answer.And(one)
	}
	return answer
}

// matches compares a target as it is written.
func (p HostPattern) matches(t Target) eval.Truth {
	var host bool
	switch {
	case p.any:
		host = true
	case p.prefix.IsValid():
		host = t.Addr.IsValid() && p.prefix.Contains(t.Addr)
	case p.below:
		host = strings.HasSuffix(t.Name, "."+p.name)
	default:
		host = t.Name != "" && t.Name == p.name
	}
	return p.withPort(host, t.Port)
}

// withPort refines the answer about a host by the port.
func (p HostPattern) withPort(host bool, port uint16) eval.Truth {
	switch {
	case !host || p.port != 0 && port != 0 && p.port != port:
		return eval.No
	case p.port != 0 && port == 0:
		return eval.Unknown
	default:
		return eval.Yes
	}
}

// restricts also compares what a target leads to: the machine itself has many
// names, and an IPv6 address can carry an IPv4 address.
func (p HostPattern) restricts(t Target) eval.Truth {
	answer := p.matches(t)
	for _, addr := range t.reaches() {
		host := p.prefix.IsValid() && p.prefix.Contains(addr) || p.isLocal() && addr.IsLoopback()
		answer = answer.Or(p.withPort(host, t.Port))
	}
	return answer
}

// isLocal reports whether the pattern is a name of the machine itself.
func (p HostPattern) isLocal() bool { return !p.below && isLocalName(p.name) }
