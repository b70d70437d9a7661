package facts

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// targetsOf returns what a host can mean, the most common reading first, and
// why it is not certain.
func targetsOf(host string) ([]Target, Reason) {
	if host == "" {
		return nil, NoHost
	}
	if strings.HasPrefix(host, "[") {
		addr, ok := bracketed(host)
		if !ok {
			return nil, BadHost
		}
		return []Target{{Addr: addr}}, ""
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Is4() {
			return []Target{{Addr: addr}}, ""
		}
		return []Target{{Addr: canonical(addr)}}, Ambiguous // no brackets
	}
	names, why := asciiNames(host)
	var targets []Target
	for _, name := range names {
		if name == "" {
			continue
		}
		if !endsInNumber(name) {
			targets = append(targets, Target{Name: name})
			continue
		}
		addresses := looseIPv4(name)
		why = first(why, Ambiguous)
		if len(addresses) == 0 {
			why = BadHost
		}
		for _, addr := range addresses {
			targets = append(targets, Target{Addr: addr})
		}
	}
	return targets, why
}

// bracketed reads an IPv6 address in brackets, with or without a zone.
func bracketed(host string) (netip.Addr, bool) {
	text := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	text, _, _ = strings.Cut(text, "%")
	addr, err := netip.ParseAddr(text)
	return canonical(addr), err == nil && addr.Is6() && strings.HasSuffix(host, "]")
}

func canonical(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// asciiNames returns the A-label form of a name: one for each way to map it.
// The two ways differ for a few letters such as ß.
func asciiNames(host string) ([]string, Reason) {
	lower := strings.ToLower(strings.TrimSuffix(host, "."))
	if isASCII(lower) && !strings.Contains(lower, "xn--") {
		if !validName(lower) {
			return []string{lower}, BadHost
		}
		return []string{lower}, ""
	}
	var names []string
	var why Reason
	for _, transitional := range [...]bool{false, true} {
		profile := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false), idna.Transitional(transitional))
		name, err := profile.ToASCII(host)
		name = strings.TrimSuffix(name, ".")
		if err != nil || !validName(name) {
			why = BadHost
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 1 {
		why = first(why, Ambiguous)
	}
	return names, why
}

// validName accepts letters, digits, hyphens and underscores in labels of up to
// 63 bytes.
func validName(name string) bool {
	if len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, notInName) {
			return false
		}
	}
	return true
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// endsInNumber recognises hosts that are taken for an IPv4 address, as in the
// URL standard: the last label is a number.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// looseIPv4 reads an address of one to four numbers, decimal, octal or
// hexadecimal, of which the last fills what is left. Some programs take a number with
// a zero in front for decimal.
func looseIPv4(name string) []netip.Addr {
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return nil
	}
	var found []netip.Addr
	for _, octal := range [...]bool{true, false} {
		if addr, ok := joinIPv4(parts, octal); ok && !slices.Contains(found, addr) {
			found = append(found, addr)
		}
	}
	return found
}

func joinIPv4(parts []string, octal bool) (netip.Addr, bool) {
	var bits uint64
	for i, part := range parts {
		base := 10
		switch {
		case strings.HasPrefix(part, "0x"):
			part, base = "0"+part[2:], 16
		case octal && strings.HasPrefix(part, "0"):
			base = 8
		}
		number, err := strconv.ParseUint(part, base, 64)
		room := uint64(8)
		if i == len(parts)-1 {
			room = uint64(8 * (5 - len(parts)))
		}
		if err != nil || number >= 1<<room {
			return netip.Addr{}, false
		}
		bits = bits<<room | number
	}
	return netip.AddrFrom4([4]byte{byte(bits >> 24), byte(bits >> 16), byte(bits >> 8), byte(bits)}), true
}

// reaches returns the addresses that a target certainly or possibly leads to,
// besides its own: names of the machine itself, and addresses that carry an
// IPv4 address.
func (t Target) reaches() []netip.Addr {
	loopback4, loopback6 := netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()
	if !t.Addr.IsValid() {
		if isLocalName(t.Name) {
			return []netip.Addr{loopback4, loopback6}
		}
		return nil
	}
	addresses := []netip.Addr{t.Addr}
	if t.Addr.IsUnspecified() {
		addresses = append(addresses, loopback4, loopback6)
	}
	if t.Addr.Is6() {
		addresses = append(addresses, embedded(t.Addr)...)
	}
	return addresses
}

func isLocalName(name string) bool {
	switch name {
	case "localhost", "localhost.localdomain", "localhost6", "localhost6.localdomain6", "ip6-localhost", "ip6-loopback":
		return true
	default:
		return strings.HasSuffix(name, ".localhost")
	}
}

// embedded returns the IPv4 address in a NAT64 (64:ff9b::/96), 6to4
// (2002::/16) or IPv4-compatible (::/96) address.
func embedded(addr netip.Addr) []netip.Addr {
	b := addr.As16()
	last := netip.AddrFrom4([4]byte(b[12:16]))
	switch {
	case b[0] == 0x20 && b[1] == 0x02:
		return []netip.Addr{netip.AddrFrom4([4]byte(b[2:6]))}
	case [12]byte(b[:12]) == [12]byte{0, 0x64, 0xff, 0x9b}:
		return []netip.Addr{last}
	case [12]byte(b[:12]) == [12]byte{} && !addr.IsLoopback() && !addr.IsUnspecified():
		return []netip.Addr{last}
	default:
		return nil
	}
}
