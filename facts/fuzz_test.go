package facts

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plangate/plangate/eval"
)

// FuzzPath: no text and no pattern panics or hangs, and what is permitted is
// also restricted.
func FuzzPath(f *testing.F) {
	for _, seed := range [][2]string{
		{"**/*.env", "a/../.env"}, {"~/.ssh/**", "~//x"}, {"{a,b}/[!c]*", "file:///%2e%2e/\\x"}, {"/tmp/x/", "C:\\a\x00b"},
		{strings.Repeat("*a", 30), strings.Repeat("a", 4000)}, {strings.Repeat("**/a/", 16), strings.Repeat("a/", 2000)},
		{"\u212a/**", "\xff/K"}, {"\\[x\\]", "${HOME}/[x]"},
	} {
		f.Add(seed[0], seed[1])
	}
	files := memory{"/w/link": "/etc", "/w/up": "..", "/w/loop": "loop"}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		in := NewReader(Roots{Workspace: "/w", Home: "/h", Cwd: "/w"}, Settings{Files: files, Folding: FoldAlways})
		p := in.Path(text)
		for _, reading := range p.readings() {
			if !strings.HasPrefix(reading, "/") || strings.Contains(reading, "\x00") || strings.Contains(reading+"/", "/../") {
				t.Errorf("Path(%q) has the reading %q", text, reading)
			}
		}
		compiled, err := CompilePath(pattern)
		if err != nil {
			return
		}
		ps := PathPatterns{compiled}
		restrictive, permissive := ps.Match(p, in, Restrictive), ps.Match(p, in, Permissive)
		if permissive == eval.Yes && restrictive != eval.Yes {
			t.Errorf("%q on %q: permissive yes, restrictive %v", pattern, text, restrictive)
		}
		if strictness(ps.MatchTree(p, in, Restrictive)) < strictness(restrictive) {
			t.Errorf("%q on %q: a tree is looser than its root", pattern, text)
		}
		ps.MatchTree(p, in, Permissive)
		PathHints([]string{pattern})
	})
}

// FuzzHost: no text and no pattern panics, and what is permitted is also
// restricted.
func FuzzHost(f *testing.F) {
	for _, seed := range [][2]string{
		{"*.example.com", "http://a@b\\@c#@d/"}, {"10.0.0.0/8", "http://0x0a.1/"}, {"[::1]:80", "http://[::ffff:7f00:1%25x]:80"},
		{"b\u00fccher.de", "HTTPS://xn--bcher-kva.de./"}, {"localhost", "//%6cocalhost:3000"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		h := ReadHost(text)
		for _, target := range h.Targets {
			if target.Addr.IsValid() == (target.Name != "") || target.Addr.Is4In6() || target.Addr.Zone() != "" {
				t.Errorf("ReadHost(%q) has the target %+v", text, target)
			}
		}
		p, err := CompileHost(pattern)
		if err != nil {
			return
		}
		ps := HostPatterns{p}
		if restrictive := ps.Match(h, Restrictive); ps.Match(h, Permissive) == eval.Yes && restrictive != eval.Yes {
			t.Errorf("%q on %q: permissive yes, restrictive %v", pattern, text, restrictive)
		}
	})
}

// FuzzArguments: no input panics, and what is not known is said.
func FuzzArguments(f *testing.F) {
	f.Add(`{"a": ["b", {"c": null}]}`, "/a/*/c")
	f.Add(`[[[`, "/*/0/~1")
	f.Fuzz(func(t *testing.T, input, pointer string) {
		values := Arguments(json.RawMessage(input), []string{pointer})
		if len(values.Texts) == 0 && values.Unknown == "" {
			t.Errorf("Arguments(%q, %q) knows that there is nothing", input, pointer)
		}
	})
}
