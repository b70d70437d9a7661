package command

import (
	"fmt"
	"strings"
	"testing"
)

const tenWords = "git log --oneline --graph -n 20 --author=me main -- src/a.go src/b.go"

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Parse(tenWords, Bash)
	}
}

func BenchmarkParseAndMatch(b *testing.B) {
	allow, deny := mustCompile(b, "git log"), mustCompile(b, "git push --force")
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range Parse(tenWords, Bash).Commands {
			allow.Match(c, Permissive)
			deny.Match(c, Restrictive)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	c := Parse(tenWords, Bash).Commands[0]
	for _, mode := range []struct {
		name string
		mode Mode
	}{{"permissive", Permissive}, {"restrictive", Restrictive}} {
		b.Run(mode.name, func(b *testing.B) {
			p := mustCompile(b, "git log --oneline")
			b.ReportAllocs()
			for b.Loop() {
				p.Match(c, mode.mode)
			}
		})
	}
}

func BenchmarkLength(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		text := "git log" + strings.Repeat(" src/a.go", n)
		p := mustCompile(b, "git push --force")
		b.Run(fmt.Sprintf("%dwords", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for _, c := range Parse(text, Bash).Commands {
					p.Match(c, Restrictive)
				}
			}
		})
	}
}

func BenchmarkAdversarial(b *testing.B) {
	for name, text := range adversarial {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Parse(text, Bash)
			}
		})
	}
}

func mustCompile(b *testing.B, text string) *Pattern {
	b.Helper()
	p, err := Compile(text)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func BenchmarkReach(b *testing.B) {
	c := Parse(tenWords, Bash).Commands[0]
	b.ReportAllocs()
	for b.Loop() {
		c.Operands()
		c.OnlyReads()
		c.Recursive()
		c.HostWords()
	}
}
