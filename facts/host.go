package facts

import (
	"net/netip"
	"slices"
	"strings"
)

// MaxHostBytes bounds what stands before the path in a URL.
const MaxHostBytes = 4096

// Target is a host that a URL can lead to: either a name or an address.
type Target struct {
	Name string     // lower case, A-labels, no dot at the end
	Addr netip.Addr // without zone; IPv4 is never mapped into IPv6
	Port uint16     // that of the scheme if the URL has none; 0 if not known
}

// Host is what a text can mean as a URL. It is a value; nothing is looked up.
type Host struct {
	Given   string
	Scheme  string   // lower case; empty if there is none
	User    string   // what stands before @, the password included; treat as a secret
	Targets []Target // every reading, the most common one first
	Unknown Reason   // why it is not certain that the first target is the host
}

// Known reports whether the host is certain: exactly one target, under http or
// https.
func (h Host) Known() bool { return h.Unknown == "" && len(h.Targets) == 1 }

// UnknownHost is the host of a text that is only known in part.
func UnknownHost(text string) Host { return Host{Given: text, Unknown: Dynamic} }

// ReadHost reads a URL in all ways that programs do (spec HST-2 to HST-7).
func ReadHost(text string) Host {
	h := Host{Given: text}
	if text == "" {
		h.Unknown = Empty
		return h
	}
	plain := strings.Trim(strings.Map(dropControl, text), " ")
	h.readURL(plain)
	if slashed := strings.ReplaceAll(plain, `\`, "/"); slashed != plain {
		h.readURL(slashed)
	}
	if plain != text {
		h.doubt(Ambiguous)
	}
	if len(h.Targets) == 0 {
		h.doubt(NoHost)
	}
	if len(h.Targets) > 1 {
		h.doubt(Ambiguous)
	}
	return h
}

// dropControl drops what browsers drop.
func dropControl(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

func (h *Host) doubt(why Reason) { h.Unknown = first(h.Unknown, why) }

func (h *Host) readURL(text string) {
	scheme, rest, found := strings.Cut(text, ":")
	known := found && isScheme(scheme)
	switch web := strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"); {
	case known && web:
		h.Scheme = strings.ToLower(scheme)
		authority := strings.TrimLeft(rest, "/")
		if len(rest)-len(authority) != 2 {
			h.doubt(Ambiguous) // browsers take any number of slashes
		}
		h.readAuthority(authority)
	case known && strings.HasPrefix(rest, "//"):
		h.Scheme = strings.ToLower(scheme)
		h.doubt(OtherScheme)
		h.readAuthority(rest[2:])
	default: // //host/path, host/path, host:port/path, user@host:path
		h.doubt(NoScheme)
		h.readAuthority(strings.TrimLeft(text, "/"))
	}
}

// readAuthority reads what follows the slashes. By the standards it ends at the
// first of / ? # and the last @ in it ends the user; other ends are readings of
// careless programs.
func (h *Host) readAuthority(text string) {
	untilSlash, _, _ := strings.Cut(text, "/")
	if len(untilSlash) > MaxHostBytes {
		h.doubt(TooLong)
		return
	}
	authority := untilSlash
	if end := strings.IndexAny(authority, "?#"); end >= 0 {
		authority = authority[:end]
	}
	if strings.ContainsAny(authority, `\ `) {
		h.doubt(Ambiguous)
	}
	at := strings.LastIndexByte(authority, '@')
	if at >= 0 && h.User == "" {
		h.User = authority[:at]
	}
	if at >= 0 && !plainUser(authority[:at]) {
		h.doubt(Ambiguous) // some programs end the host at one of its characters
	}
	h.addHostPort(authority[at+1:])
	if at := strings.IndexByte(authority, '@'); at >= 0 {
		h.addOther(authority[at+1:])
	}
	if at := strings.LastIndexByte(untilSlash, '@'); at >= len(authority) {
		h.addOther(untilSlash[at+1:])
	}
}

// plainUser reports whether a user and password have no character that anybody
// takes for the end of a host.
func plainUser(user string) bool {
	return strings.Trim(user, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:+") == ""
}

// addOther adds the reading of a careless program, which may be none.
func (h *Host) addOther(hostPort string) {
	why := h.Unknown
	before := len(h.Targets)
	hostPort, _, _ = strings.Cut(hostPort, "@")
	h.addHostPort(hostPort)
	if len(h.Targets) == before {
		h.Unknown = why
	}
}

// addHostPort adds the targets that host:port can mean.
func (h *Host) addHostPort(text string) {
	host, port := splitPort(text)
	number := h.port(port)
	names := []string{host}
	if decoded := percentDecoded(host); decoded != host && !strings.HasPrefix(host, "[") {
		h.doubt(Ambiguous)
		names = append(names, decoded)
	}
	for _, name := range names {
		targets, why := targetsOf(name)
		if why != "" {
			h.doubt(why)
		}
		for _, target := range targets {
			target.Port = number
			if !slices.Contains(h.Targets, target) {
				h.Targets = append(h.Targets, target)
			}
		}
	}
}

// splitPort cuts host:port. An address in brackets has colons of its own, and
// so has one without.
func splitPort(text string) (host, port string) {
	if end := strings.LastIndexByte(text, ']'); strings.HasPrefix(text, "[") && end > 0 {
		if after, ok := strings.CutPrefix(text[end+1:], ":"); ok || after == "" {
			return text[:end+1], after
		}
		return text[:end+1], text[end:] // no port, and never taken for one
	}
	if _, err := netip.ParseAddr(text); err == nil {
		return text, ""
	}
	host, port, _ = strings.Cut(text, ":")
	return host, port
}

func (h *Host) port(text string) uint16 {
	if text == "" {
		return map[string]uint16{"http": 80, "https": 443}[h.Scheme]
	}
	port, ok := parsePort(text)
	if !ok {
		h.doubt(BadPort)
	}
	return port
}

// parsePort reads a decimal number; 0 is no port that can be connected to.
func parsePort(text string) (uint16, bool) {
	number := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' || number > 0xffff {
			return 0, false
		}
		number = 10*number + int(text[i]-'0')
	}
	return uint16(number), 0 < number && number <= 0xffff
}
