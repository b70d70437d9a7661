package bind_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/facts"
	"github.com/plangate/plangate/when"
)

// ordinary is a line of testdata/ordinary.txt.
type ordinary struct {
	line    int
	want    string // allow, ask or deny
	reason  string // why it asks needlessly, if it does
	command string
}

// TestOrdinary decides commands that agents run all day by the example policy
// and reports how many of those that should be allowed ask (docs/overblocking.md).
func TestOrdinary(t *testing.T) {
	corpus := readOrdinary(t)
	if len(corpus) < 300 {
		t.Errorf("%d commands, want at least 300", len(corpus))
	}
	table, workspace := exampleTable(t), repository(t)
	home := t.TempDir()
	for _, o := range corpus {
		call := bashCall(o.command)
		call.Cwd, call.Workspace, call.Home = workspace, workspace, home
		got := table.Decide(call)
		if got.Action().String() != o.want {
			t.Errorf("line %d: %q: %s by %s, want %s", o.line, o.command, got.Action(), got.DecidedBy(), o.want)
		}
	}
	figures := summary(corpus)
	t.Logf("\n%s", figures)
	page, err := os.ReadFile("../docs/overblocking.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), figures) {
		t.Error("docs/overblocking.md has other figures")
	}
}

// summary is the share of needless questions and their reasons, as
// docs/overblocking.md has it.
func summary(corpus []ordinary) string {
	reasons, needless, allowed := map[string]int{}, 0, 0
	for _, o := range corpus {
		switch {
		case o.reason != "":
			reasons[o.reason]++
			needless++
		case o.want == plangate.Allow.String():
			allowed++
		}
	}
	var b strings.Builder
	fine := allowed + needless
	fmt.Fprintf(&b, "%d commands; of %d that should be allowed %d ask: %.1f %%\n", len(corpus), fine, needless, 100*float64(needless)/float64(fine))
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
	}) {
		fmt.Fprintf(&b, "%4d  %s\n", reasons[reason], reason)
	}
	return b.String()
}

func readOrdinary(t *testing.T) (corpus []ordinary) {
	t.Helper()
	text, err := os.ReadFile("testdata/ordinary.txt")
	if err != nil {
		t.Fatal(err)
	}
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n")
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		expected, escaped, ok := strings.Cut(line, "\t")
		want, reason, _ := strings.Cut(expected, ":")
		if !ok || !slices.Contains([]string{"allow", "ask", "deny"}, want) || reason != "" && want != "ask" {
			t.Fatalf("line %d: %q is not EXPECTED, a tab, COMMAND", i+1, line)
		}
		corpus = append(corpus, ordinary{i + 1, want, reason, unescape.Replace(escaped)})
	}
	return corpus
}

// exampleTable compiles the policy and the catalog of examples.
func exampleTable(t *testing.T) *eval.Table {
	t.Helper()
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("../examples", name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	known, diags := catalog.Parse("catalog.json", read("catalog.json"))
	file, more := dsl.Parse("agent.hcl", read("agent.hcl"))
	table, findings := compile.Compile(compile.Input{
		Layers:   []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
		Catalog:  known,
		Binder:   bind.Binder{When: when.Language{}},
		Protect:  compile.Protection{On: true},
		Findings: append(diags, more...),
	})
	if err := findings.Err(); err != nil {
		t.Fatal(err)
	}
	return table
}

// repository makes a workspace with sources, build output and more installed
// packages than are looked at for a call.
func repository(t *testing.T) string {
	t.Helper()
	workspace := t.TempDir()
	files := []string{
		"go.mod", "package.json", "main.go", "README.md", ".env.example", ".git/config", "cmd/server/main.go", "internal/server/server.go",
		"src/app.ts", "src/lib/util.ts", "tests/test_parser.py", "templates/base/index.html", "web/package.json", "build/app.o", "dist/app.js",
	}
	for i := range facts.MaxListed {
		files = append(files, fmt.Sprintf("node_modules/p%d/index.js", i))
	}
	for _, file := range files {
		path := filepath.Join(workspace, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return workspace
}
