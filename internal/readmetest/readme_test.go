package readmetest

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

func TestPages(t *testing.T) {
	update := flag.Lookup("update").Value.String() == "true"
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	bin := buildTools(t)
	for _, path := range append(pages, filepath.Join(root, "README.md")) {
		t.Run(filepath.Base(path), func(t *testing.T) { runPage(t, path, bin, update) })
	}
}

// TestMain declares the flag before flags are parsed.
func TestMain(m *testing.M) {
	flag.Bool("update", false, "rewrite the output that the pages show")
	flag.Parse()
	os.Exit(m.Run())
}

// buildTools builds the programs and returns their directory.
func buildTools(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", bin+"/", "./cmd/...")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

func runPage(t *testing.T, path, bin string, update bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := parsePage(string(text))
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t, bin)
	for _, b := range p.blocks() {
		if !b.has("skip") {
			s.add(b)
		}
	}
	outputs := s.run()
	for i, step := range s.steps {
		s.judge(step, outputs[i])
	}
	if after := p.String(); update && after != string(text) {
		if err := os.WriteFile(path, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(text), after); diff != "" {
		t.Errorf("what is shown (-) is not what is printed (+); see -update: %s", diff)
	}
}

// session is one shell for all blocks of a page.
type session struct {
	t     *testing.T
	home  string
	bin   string
	steps []*step
}

// step is one command with its place in the page.
type step struct {
	block   *block
	index   int // of the command in a console block
	script  string
	console []command // all commands of the block; the last step sets them
}

func newSession(t *testing.T, bin string) *session {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(home, "plangate")
	copyTree(t, clone)
	commitAll(t, clone)
	return &session{t: t, home: home, bin: bin}
}

// commitAll makes a directory the clone of a repository that it stands for.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	const script = "git init -q && git add -A && git -c user.name=you -c user.email=you@example.com commit -qm all"
	commit := exec.Command("sh", "-c", script)
	commit.Dir = dir
	commit.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := commit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// add turns a block into steps.
func (s *session) add(b *block) {
	switch {
	case b.language == "go" && b.title != "" && !b.has("write"):
		s.compare(b)
	case b.language == "console":
		s.addConsole(b)
	case b.language == "sh":
		s.steps = append(s.steps, &step{block: b, script: "set -e\n" + b.text() + "set +e\n"})
	case b.language == "hcl":
		name := b.title
		if name == "" {
			name = "$HOME/block.hcl"
		}
		s.steps = append(s.steps, &step{block: b, script: write(name, b) + "policyctl check \"" + name + "\"\n"})
	case b.title != "":
		s.steps = append(s.steps, &step{block: b, script: write(b.title, b)})
	}
}

func write(name string, b *block) string {
	return "cat >\"" + name + "\" <<'END_OF_BLOCK'\n" + b.text() + "END_OF_BLOCK\n"
}

func (s *session) addConsole(b *block) {
	list, err := b.commands()
	if err != nil {
		s.t.Fatal(err)
	}
	for i, c := range list {
		s.steps = append(s.steps, &step{block: b, index: i, script: c.text + "\n", console: list})
	}
}

func (s *session) compare(b *block) {
	file, err := os.ReadFile(filepath.Join(root, b.title))
	if err != nil {
		s.t.Fatal(err)
	}
	b.body = strings.Split(strings.TrimSuffix(string(file), "\n"), "\n")
}

// result is what a step printed and how it ended.
type result struct{ output, status string }

const marker = "END-OF-STEP-5f1c2a"

// run runs all steps in one shell and returns a result for each.
func (s *session) run() []result {
	var script strings.Builder
	for _, step := range s.steps {
		// The last line keeps the status for a step that shows it.
		script.WriteString(step.script + "_status=$?\necho " + marker + " $_status\n(exit $_status)\n")
	}
	shell := exec.Command("sh", "-c", script.String())
	shell.Dir = filepath.Join(s.home, "plangate")
	shell.Env = s.environment()
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	if err := shell.Run(); err != nil {
		s.t.Fatalf("%v\n%s", err, out.String())
	}
	text := strings.ReplaceAll(out.String(), s.home, "/home/you")
	var results []result
	for range s.steps {
		output, rest, _ := strings.Cut(text, marker)
		status, rest, found := strings.Cut(rest, "\n")
		if !found {
			s.t.Fatalf("the shell ended early:\n%s", out.String())
		}
		if output != "" && !strings.HasSuffix(output, "\n") {
			output += "\n"
		}
		results = append(results, result{output: output, status: strings.TrimSpace(status)})
		text = rest
	}
	return results
}

// environment is that of a new user who has Go and the modules.
func (s *session) environment() []string {
	env := []string{
		"HOME=" + s.home,
		"PATH=" + s.bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GOBIN=" + s.bin,
		"NO_COLOR=1",
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOTOOLCHAIN"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			s.t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(value)))
	}
	// Builds do not depend on the place of the copy, so they are cached.
	return append(env, "GOFLAGS=-trimpath -buildvcs=false")
}

// judge compares a result with what the block promises, and puts what was
// printed into the block.
func (s *session) judge(step *step, r result) {
	b := step.block
	switch {
	case b.language == "console":
		step.console[step.index].output = r.output
		b.setCommands(step.console)
	case b.language == "hcl" && b.has("error"):
		if r.status != "1" {
			s.t.Errorf("line %d: want an error of check, got status %s\n%s", b.line, r.status, r.output)
		}
	case r.status != "0":
		s.t.Errorf("line %d: status %s\n%s", b.line, r.status, r.output)
	}
}

// copyTree copies the repository without version control and built files.
func copyTree(t *testing.T, target string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		switch {
		case entry.IsDir() && (name == ".git" || name == "bin"):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(target, name), 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("copying: %w", err)
		}
		return os.WriteFile(filepath.Join(target, name), content, 0o755)
	})
	if err != nil {
		t.Fatal(err)
	}
}
