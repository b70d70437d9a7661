package facts

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/plangate/plangate/eval"
	"pgregory.net/rapid"
)

func named(name string, port uint16) Target { return Target{Name: name, Port: port} }

func addressed(addr string, port uint16) Target {
	return Target{Addr: netip.MustParseAddr(addr), Port: port}
}

var compareAddr = cmpopts.EquateComparable(netip.Addr{})

// TestReadHost holds spec HST-2 to HST-7.
func TestReadHost(t *testing.T) {
	tests := []struct {
		text    string
		scheme  string
		unknown Reason
		targets []Target
	}{
		{"https://Example.COM/x", "https", "", []Target{named("example.com", 443)}},
		{"HTTP://example.com.:8080?x", "http", "", []Target{named("example.com", 8080)}},
		{"https://example.com:/", "https", "", []Target{named("example.com", 443)}},
		{"https://a_b.example.com", "https", "", []Target{named("a_b.example.com", 443)}},
		{"https://example.com/\\@evil.com:x@y", "https", "", []Target{named("example.com", 443)}},
		{"https://user:pw@example.com", "https", "", []Target{named("example.com", 443)}},
		{"http://good.com@evil.com/", "http", "", []Target{named("evil.com", 80)}},
		{"http://good.com:80@evil.com:81/", "http", "", []Target{named("evil.com", 81)}},
		{"http://a@good.com@evil.com/", "http", Ambiguous, []Target{named("evil.com", 80), named("good.com", 80)}},
		{"http://good.com#@evil.com/", "http", Ambiguous, []Target{named("good.com", 80), named("evil.com", 80)}},
		{"http://good.com?@evil.com/", "http", Ambiguous, []Target{named("good.com", 80), named("evil.com", 80)}},
		{`http://good.com\@evil.com/`, "http", Ambiguous, []Target{named("evil.com", 80), named("good.com", 80)}},
		{"http://ev\til.com\n/", "http", Ambiguous, []Target{named("evil.com", 80)}},
		{" https://example.com", "https", Ambiguous, []Target{named("example.com", 443)}},
		{"http:/evil.com", "http", Ambiguous, []Target{named("evil.com", 80)}},
		{"http:evil.com", "http", Ambiguous, []Target{named("evil.com", 80)}},
		{"http:///evil.com", "http", Ambiguous, []Target{named("evil.com", 80)}},
		{"//evil.com/x", "", NoScheme, []Target{named("evil.com", 0)}},
		{"evil.com/x", "", NoScheme, []Target{named("evil.com", 0)}},
		{"localhost:3000/x", "", NoScheme, []Target{named("localhost", 3000)}},
		{"git@github.com:a/b.git", "", NoScheme, []Target{named("github.com", 0)}},
		{"ssh://git@github.com/a", "ssh", OtherScheme, []Target{named("github.com", 0)}},
		{"file:///etc/passwd", "file", OtherScheme, nil},
		{"http://%65vil.com/", "http", Ambiguous, []Target{named("%65vil.com", 80), named("evil.com", 80)}},
		{"", "", Empty, nil},
		{"http://", "http", NoHost, nil},
		{"http://a..b/", "http", BadHost, []Target{named("a..b", 80)}},
		{"http://a:b/", "http", BadPort, []Target{named("a", 0)}},
		{"http://a:70000/", "http", BadPort, nil},
		{"http://[::1]80/", "http", BadPort, []Target{addressed("::1", 0)}},
		{"http://b\u00fccher.example/", "http", "", []Target{named("xn--bcher-kva.example", 80)}},
		{"http://XN--bcher-KVA.example/", "http", "", []Target{named("xn--bcher-kva.example", 80)}},
		{"http://fa\u00df.de/", "http", Ambiguous, []Target{named("xn--fa-hia.de", 80), named("fass.de", 80)}},
		{"http://\uff45vil\u3002com/", "http", "", []Target{named("evil.com", 80)}},
		{"http://xn--\u00e9/", "http", BadHost, nil},
		{"http://127.0.0.1/", "http", "", []Target{addressed("127.0.0.1", 80)}},
		{"http://[::1]:8080/", "http", "", []Target{addressed("::1", 8080)}},
		{"http://[FE80::1%25eth0]/", "http", "", []Target{addressed("fe80::1", 80)}},
		{"http://[::ffff:127.0.0.1]/", "http", "", []Target{addressed("127.0.0.1", 80)}},
		{"http://[::ffff:7f00:1]/", "http", "", []Target{addressed("127.0.0.1", 80)}},
		{"http://[::1", "http", BadPort, nil},
		{"http://[127.0.0.1]/", "http", BadHost, nil},
		{"http://2130706433/", "http", Ambiguous, []Target{addressed("127.0.0.1", 80)}},
		{"http://0x7f.1/", "http", Ambiguous, []Target{addressed("127.0.0.1", 80)}},
		{"http://0x7F000001/", "http", Ambiguous, []Target{addressed("127.0.0.1", 80)}},
		{"http://0177.0.0.1/", "http", Ambiguous, []Target{addressed("127.0.0.1", 80), addressed("177.0.0.1", 80)}},
		{"http://127.1/", "http", Ambiguous, []Target{addressed("127.0.0.1", 80)}},
		{"http://127.0.0.1./", "http", Ambiguous, []Target{addressed("127.0.0.1", 80)}},
		{"http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/", "http", Ambiguous, []Target{addressed("127.0.0.1", 80)}},
		{"http://0x/", "http", Ambiguous, []Target{addressed("0.0.0.0", 80)}},
		{"http://1.2.3.4.5/", "http", BadHost, nil},
		{"http://256.1.1.1/", "http", BadHost, nil},
		{"http://1.2.3.09/", "http", Ambiguous, []Target{addressed("1.2.3.9", 80)}},
		{"http://" + strings.Repeat("a", MaxHostBytes+1), "http", TooLong, nil},
	}
	for _, tt := range tests {
		h := ReadHost(tt.text)
		got, want := h.Targets, tt.targets
		if h.Scheme != tt.scheme || h.Unknown != tt.unknown {
			t.Errorf("ReadHost(%.60q): scheme %q, unknown %q, want %q, %q", tt.text, h.Scheme, h.Unknown, tt.scheme, tt.unknown)
		}
		if h.Known() {
			if diff := cmp.Diff(want, got, compareAddr); diff != "" {
				t.Errorf("ReadHost(%q) (-want +got):\n%s", tt.text, diff)
			}
			continue
		}
		for _, target := range want {
			if !slices.Contains(got, target) {
				t.Errorf("ReadHost(%q).Targets = %v, want %v in it", tt.text, got, target)
			}
		}
	}
	if got := ReadHost("https://u:p@h/").User; got != "u:p" {
		t.Errorf("User = %q", got)
	}
	if UnknownHost("$x").Known() {
		t.Error("UnknownHost is known")
	}
}

// TestCompileHostErrors holds spec HST-8.
func TestCompileHostErrors(t *testing.T) {
	for _, pattern := range []string{
		"", "https://x", "x/y", "u@x", "x?", "a b", `a\b`, "x:", "x:0", "x:70000", "x:http", "*x.com", "a.*.com", "*.*.com", "**",
		"0x7f.1", "127.1", "0177.0.0.1", "256.1.1.1", "1.2.3.4/40", "10.0.0.1/8", "::ffff:10.0.0.0/104", "*.10.0.0.1", "fa\u00df.de",
		"a..b", ".", "*.", "[::1", "[::1]80", "%65vil.com", "xn--\u00e9", strings.Repeat("a", MaxPatternBytes+1), "a\nb",
	} {
		if p, err := CompileHost(pattern); err == nil {
			t.Errorf("CompileHost(%.40q) = %+v, want an error", pattern, p)
		}
	}
}

// TestHostMatch holds spec HST-1 and HST-8 to HST-11.
func TestHostMatch(t *testing.T) {
	tests := []struct {
		pattern, text string
		restrictive   eval.Truth
		permissive    eval.Truth
	}{
		{"example.com", "https://example.com/", eval.Yes, eval.Yes},
		{"Example.COM.", "https://example.com:8443/", eval.Yes, eval.Yes},
		{"example.com", "https://www.example.com/", eval.No, eval.No},
		{"example.com", "https://example.com.evil.com/", eval.No, eval.No},
		{"example.com", "https://example.com@evil.com/", eval.No, eval.No},
		{"evil.com", "https://example.com@evil.com/", eval.Yes, eval.Yes},
		{"example.com", `https://example.com\@evil.com/`, eval.Yes, eval.No},
		{"evil.com", `https://example.com\@evil.com/`, eval.Yes, eval.No},
		{"*.example.com", "https://a.example.com/", eval.Yes, eval.Yes},
		{"*.example.com", "https://a.b.example.com/", eval.Yes, eval.Yes},
		{"*.example.com", "https://example.com/", eval.No, eval.No},
		{"*.example.com", "https://badexample.com/", eval.No, eval.No},
		{"*", "https://x/", eval.Yes, eval.Yes},
		{"*", "https://1.2.3.4/", eval.Yes, eval.Yes},
		{"*", "x", eval.Yes, eval.Unknown},
		{"*", "ftp://x", eval.Yes, eval.Unknown},
		{"example.com", "example.com/x", eval.Yes, eval.Unknown},
		{"other.com", "example.com/x", eval.Unknown, eval.No},
		{"b\u00fccher.example", "https://xn--bcher-kva.example/", eval.Yes, eval.Yes},
		{"example.com:8443", "https://example.com:8443/", eval.Yes, eval.Yes},
		{"example.com:8443", "https://example.com/", eval.No, eval.No},
		{"example.com:443", "https://example.com/", eval.Yes, eval.Yes},
		{"example.com:443", "example.com/", eval.Unknown, eval.Unknown},
		{"127.0.0.1", "http://127.0.0.1/", eval.Yes, eval.Yes},
		{"127.0.0.1", "http://0x7f.1/", eval.Yes, eval.Unknown},
		{"127.0.0.1", "http://[::ffff:127.0.0.1]/", eval.Yes, eval.Yes},
		{"127.0.0.1", "http://localhost/", eval.Yes, eval.No},
		{"127.0.0.0/8", "http://x.localhost:9/", eval.Yes, eval.No},
		{"127.0.0.0/8", "http://0.0.0.0/", eval.Yes, eval.No},
		{"127.0.0.0/8", "http://[::]/", eval.Yes, eval.No},
		{"localhost", "http://127.9.9.9/", eval.Yes, eval.No},
		{"localhost", "http://localhost:3000/", eval.Yes, eval.Yes},
		{"localhost:3000", "http://[::1]/", eval.No, eval.No},
		{"10.0.0.0/8", "http://10.1.2.3/", eval.Yes, eval.Yes},
		{"10.0.0.0/8", "http://11.1.2.3/", eval.No, eval.No},
		{"10.0.0.0/8", "http://example.com/", eval.No, eval.No},
		{"10.0.0.0/8", "http://[64:ff9b::10.1.2.3]/", eval.Yes, eval.No},
		{"10.0.0.0/8", "http://[2002:a01:203::]/", eval.Yes, eval.No},
		{"10.0.0.0/8", "http://[::10.1.2.3]/", eval.Yes, eval.No},
		{"::1", "http://[::1]/", eval.Yes, eval.Yes},
		{"[::1]:80", "http://[::1]/", eval.Yes, eval.Yes},
		{"fe80::/10", "http://[fe80::1%25en0]/", eval.Yes, eval.Yes},
	}
	for _, tt := range tests {
		p, err := CompileHost(tt.pattern)
		if err != nil {
			t.Errorf("CompileHost(%q): %v", tt.pattern, err)
			continue
		}
		h := ReadHost(tt.text)
		if got := (HostPatterns{p}).Match(h, Restrictive); got != tt.restrictive {
			t.Errorf("restrictive %q on %q: %v, want %v", tt.pattern, tt.text, got, tt.restrictive)
		}
		if got := (HostPatterns{p}).Match(h, Permissive); got != tt.permissive {
			t.Errorf("permissive %q on %q: %v, want %v", tt.pattern, tt.text, got, tt.permissive)
		}
	}
	for _, h := range []Host{UnknownHost("$x"), ReadHost("")} {
		if got := (HostPatterns{{any: true}}).Match(h, Permissive); got != eval.Unknown {
			t.Errorf("%q is permitted: %v", h.Given, got)
		}
	}
	if got := (HostPatterns{{}}).Match(ReadHost("http://x/"), Permissive); got != eval.No {
		t.Errorf("the zero pattern permits: %v", got)
	}
}

// TestHostMonotone: what is permitted is also restricted, and a target more
// makes no answer looser.
func TestHostMonotone(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("htp:/\\@#?.aX0x7f1[]%2 \t\u00df\u3002")))
	pattern := rapid.SampledFrom([]string{"*", "a", "*.a", "127.0.0.0/8", "localhost", "a:80", "::/0"})
	rapid.Check(t, func(t *rapid.T) {
		p, err := CompileHost(pattern.Draw(t, "pattern"))
		if err != nil {
			t.Fatal(err)
		}
		ps := HostPatterns{p}
		h := ReadHost("http://" + text.Draw(t, "text"))
		restrictive, permissive := ps.Match(h, Restrictive), ps.Match(h, Permissive)
		if permissive == eval.Yes && restrictive != eval.Yes {
			t.Errorf("%q: permissive yes, restrictive %v", h.Given, restrictive)
		}
		h.Targets = append(h.Targets, named("elsewhere", 80))
		if strictness(ps.Match(h, Restrictive)) < strictness(restrictive) {
			t.Errorf("%q: a target makes %v looser", h.Given, restrictive)
		}
		if ps.Match(h, Permissive) == eval.Yes {
			t.Errorf("%q is permitted with two targets", h.Given)
		}
	})
}
