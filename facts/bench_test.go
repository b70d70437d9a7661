package facts

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/plangate/plangate/eval"
)

// BenchmarkPath reads one path of a call, the file system included.
func BenchmarkPath(b *testing.B) {
	roots, _ := farm(b)
	for name, text := range map[string]string{"plain": "src/a.go", "link": "keys/id_rsa", "encoded": "%2e%2e/x"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				NewReader(roots, Settings{}).Path(text)
			}
		})
		b.Run(name+"/seen", func(b *testing.B) {
			b.ReportAllocs()
			in := NewReader(roots, Settings{})
			for b.Loop() {
				in.Path(text)
			}
		})
	}
}

// BenchmarkPathMatch judges a path that is read already.
func BenchmarkPathMatch(b *testing.B) {
	roots, _ := farm(b)
	in := NewReader(roots, Settings{})
	p := in.Path("src/pkg/deep/a.go")
	for _, n := range []int{1, 10, 100} {
		var patterns []string
		for i := range n {
			patterns = append(patterns, fmt.Sprintf("**/*.k%d", i))
		}
		ps := compileAll(b, patterns...)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ps.Match(p, in, Restrictive)
			}
		})
	}
}

// BenchmarkPathHostile has costly patterns and paths that are accepted: each
// looks as if it matched until its end.
func BenchmarkPathHostile(b *testing.B) {
	in := NewReader(Roots{Workspace: "/", Cwd: "/"}, Settings{Files: memory{}, Folding: FoldAlways})
	for name, c := range map[string][2]string{
		"stars":     {strings.Repeat("*a", maxStars) + "b" + strings.Repeat("a", 900), strings.Repeat("a", MaxPathBytes)},
		"cross":     {strings.Repeat("**/a/", maxStars/2-2) + "**/b/*a", strings.Repeat("a/", MaxPathBytes/2)},
		"names":     {"**/" + strings.Repeat("*a/", maxStars-2) + "b/a", strings.Repeat("a/", MaxPathBytes/2)},
		"braces":    {"/**/{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}*c/*b", strings.Repeat("ababab/", MaxPathBytes/7)},
		"spellings": {"**/" + strings.Repeat("*a/", maxStars-2) + "b/a", "c:" + strings.Repeat("a/", MaxPathBytes/2-10) + `%25%32\a`},
	} {
		ps := compileAll(b, c[0])
		p := in.Path(c[1])
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if ps.Match(p, in, Restrictive) != eval.No {
					b.Fatal("matched")
				}
			}
		})
	}
}

// BenchmarkHost reads and judges a URL.
func BenchmarkHost(b *testing.B) {
	p, err := CompileHost("*.example.com")
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"name": "https://api.example.com/v1", "address": "http://[::ffff:127.0.0.1]/", "hostile": "http://" + strings.Repeat("@0.", MaxHostBytes/3), "idn": "https://b\u00fccher.example/"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				HostPatterns{p}.Match(ReadHost(text), Restrictive)
			}
		})
	}
}

// BenchmarkArguments finds one argument beside a small and a large one.
func BenchmarkArguments(b *testing.B) {
	for _, size := range []int{100, 1_000_000} {
		input := json.RawMessage(`{"content": "` + strings.Repeat("x", size) + `", "path": "src/a.go"}`)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			for b.Loop() {
				Arguments(input, []string{"/path"})
			}
		})
	}
}
