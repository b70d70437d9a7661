package facts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// farm is a directory with links to try paths in:
//
//	home/.ssh/id_rsa        home/.zshrc -> dev/dotfiles/zshrc
//	home/ws                 the workspace and working directory
//	home/ws/src/a.go
//	home/ws/deep -> ../other/deep/er
//	home/ws/pkg -> src/inner/er
//	home/ws/keys -> ../.ssh
//	home/ws/abs -> (the farm)/home/.ssh
//	home/ws/gone -> nowhere/file
//	home/ws/loop -> loop
//	home/ws/up -> ..
//	home/ws/secret -> ../.ssh/id_rsa
func farm(t testing.TB) (Roots, func(string) string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"home/.ssh", "home/dev/dotfiles", "home/ws/src/inner/er", "home/other/deep/er"} {
		must(t, os.MkdirAll(at(dir), 0o700))
	}
	for _, file := range []string{"home/.ssh/id_rsa", "home/dev/dotfiles/zshrc", "home/ws/src/a.go", "home/other/deep/secret"} {
		must(t, os.WriteFile(at(file), nil, 0o600))
	}
	for name, target := range map[string]string{
		"home/.zshrc":    "dev/dotfiles/zshrc",
		"home/ws/deep":   "../other/deep/er",
		"home/ws/pkg":    "src/inner/er",
		"home/ws/keys":   "../.ssh",
		"home/ws/gone":   "nowhere/file",
		"home/ws/loop":   "loop",
		"home/ws/up":     "..",
		"home/ws/secret": "../.ssh/id_rsa",
		"home/ws/abs":    at("home/.ssh"),
	} {
		must(t, os.Symlink(target, at(name)))
	}
	return Roots{Workspace: at("home/ws"), Home: at("home"), Cwd: at("home/ws")}, at
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPath holds spec PTH-3 to PTH-6. Readings below the farm are written
// without its directory.
func TestPath(t *testing.T) {
	roots, at := farm(t)
	tests := []struct {
		text string
		want Path
	}{
		{"src/a.go", Path{Lexical: "/home/ws/src/a.go", Resolved: "/home/ws/src/a.go"}},
		{"./src//../src/a.go", Path{Lexical: "/home/ws/src/a.go", Resolved: "/home/ws/src/a.go"}},
		{".", Path{Lexical: "/home/ws", Resolved: "/home/ws"}},
		{"src/", Path{Lexical: "/home/ws/src", Resolved: "/home/ws/src"}},
		{"~", Path{Lexical: "/home", Resolved: "/home"}},
		{"~//x", Path{Lexical: "/home/x", Resolved: "/home/x"}},
		{"~/.zshrc", Path{Lexical: "/home/.zshrc", Resolved: "/home/dev/dotfiles/zshrc"}},
		{"keys/id_rsa", Path{Lexical: "/home/ws/keys/id_rsa", Resolved: "/home/.ssh/id_rsa"}},
		{"abs/id_rsa", Path{Lexical: "/home/ws/abs/id_rsa", Resolved: "/home/.ssh/id_rsa"}},
		{"keys/new/file", Path{Lexical: "/home/ws/keys/new/file", Resolved: "/home/.ssh/new/file"}},
		{"gone", Path{Lexical: "/home/ws/gone", Resolved: "/home/ws/nowhere/file"}},
		{"gone/below", Path{Lexical: "/home/ws/gone/below", Resolved: "/home/ws/nowhere/file/below"}},
		{"src/a.go/below", Path{Lexical: "/home/ws/src/a.go/below", Resolved: "/home/ws/src/a.go/below"}},
		{"missing/../up", Path{Lexical: "/home/ws/up", Resolved: "/home"}},
		{"up/ws/up/ws/src", Path{Lexical: "/home/ws/up/ws/up/ws/src", Resolved: "/home/ws/src"}},
		// A kernel goes to the parent of the target, a program that cleans first does not.
		{"deep/../secret", Path{Lexical: "/home/ws/secret", Resolved: "/home/other/deep/secret", Also: []string{"/home/.ssh/id_rsa"}}},
		{"loop", Path{Lexical: "/home/ws/loop", Unknown: Loop}},
		{"loop/x", Path{Lexical: "/home/ws/loop/x", Unknown: Loop}},
		{"", Path{Unknown: Empty}},
		{"~other/x", Path{Unknown: UserHome, Also: []string{"/home/ws/~other/x"}}},
		{"src\x00/x", Path{Lexical: "/home/ws/src", Resolved: "/home/ws/src", Unknown: NUL}},
		{"\xff", Path{Lexical: "/home/ws/\xff", Resolved: "/home/ws/\xff"}},
		{"ssh://h/x", Path{Lexical: "/home/ws/ssh:/h/x", Resolved: "/home/ws/ssh:/h/x", Unknown: URL}},
		{"$HOME/.ssh", Path{Lexical: "/home/ws/$HOME/.ssh", Resolved: "/home/ws/$HOME/.ssh", Also: []string{"/home/.ssh"}}},
		{`src\a.go`, Path{Lexical: `/home/ws/src\a.go`, Resolved: `/home/ws/src\a.go`, Also: []string{"/home/ws/src/a.go"}}},
		{" src", Path{Lexical: "/home/ws/ src", Resolved: "/home/ws/ src", Also: []string{"/home/ws/src"}}},
		{"100%", Path{Lexical: "/home/ws/100%", Resolved: "/home/ws/100%"}},
		{"~/..", Path{Lexical: "/", Resolved: "/"}},
		{"%2e%2E%2f.ssh", Path{Lexical: "/home/ws/%2e%2E%2f.ssh", Resolved: "/home/ws/%2e%2E%2f.ssh", Also: []string{"/home/.ssh"}}},
		{"%252e%252e", Path{Lexical: "/home/ws/%252e%252e", Resolved: "/home/ws/%252e%252e", Also: []string{"/home", "/home/ws/%2e%2e"}}},
	}
	strip := strings.NewReplacer(at("."), "")
	for _, tt := range tests {
		got := NewReader(roots, Settings{}).Path(tt.text)
		got.Lexical, got.Resolved = strip.Replace(got.Lexical), strip.Replace(got.Resolved)
		for i, reading := range got.Also {
			got.Also[i] = strip.Replace(reading)
		}
		tt.want.Given = tt.text
		if tt.text == "~/.." {
			tt.want.Lexical, tt.want.Resolved = "", "" // the farm itself
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Path(%q) (-want +got):\n%s", tt.text, diff)
		}
	}
}

// TestPathSpellings holds spec PTH-6 for texts that lead out of the farm.
func TestPathSpellings(t *testing.T) {
	in := NewReader(Roots{Workspace: "/w", Home: "/h", Cwd: "/w"}, Settings{Files: memory{}})
	tests := map[string][]string{
		"file:///etc/passwd":        {"/etc/passwd"},
		"FILE:/etc/passwd":          {"/etc/passwd"},
		"file://host/etc/pass%77d":  {"/etc/pass%77d", "/etc/passwd"},
		"file:///x?q#f":             {"/x"},
		`D:\secrets\k`:              {"/D:/secrets/k"},
		`\\server\share\k`:          {"/server/share/k"},
		"%2e%2e%2fsecret":           {"/secret"},
		"~/x":                       nil, // nothing is called ~ here
		"${HOME}/x":                 {"/h/x"},
		"$HOMEPAGE/x":               nil,
		"%7e/x":                     {"/h/x"},
		"/etc/passwd\n":             {"/etc/passwd"},
		"C:":                        {"/C:"},
		"src/plain-name_1.0+b@c.go": nil,
	}
	for text, want := range tests {
		got := in.Path(text)
		for _, reading := range want {
			if !contains(got.Also, reading) {
				t.Errorf("Path(%q).Also = %q, want %q in it", text, got.Also, reading)
			}
		}
		if want == nil && got.Also != nil {
			t.Errorf("Path(%q).Also = %q, want none", text, got.Also)
		}
	}
}

func contains(list []string, text string) bool {
	for _, s := range list {
		if s == text {
			return true
		}
	}
	return false
}

// TestTildeThatExists: a tool that does not expand ~ uses the directory of that name.
func TestTildeThatExists(t *testing.T) {
	in := NewReader(Roots{Home: "/h", Cwd: "/w"}, Settings{Files: memory{"/w/~": "/etc"}})
	want := Path{Given: "~/x", Lexical: "/h/x", Resolved: "/h/x", Also: []string{"/etc/x", "/w/~/x"}}
	if diff := cmp.Diff(want, in.Path("~/x")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPathUnknown holds spec PTH-5 and PTH-12.
func TestPathUnknown(t *testing.T) {
	files := memory{"/proc/self": "123", "/proc/123/cwd": "/w", "/dev/stdin": "/proc/self/fd/0", "/p/denied": errDenied, "/p/io": errIO}
	tests := []struct {
		text  string
		roots Roots
		want  Reason
	}{
		{"x", Roots{}, NoCwd},
		{"~/x", Roots{}, NoHome},
		{"/x", Roots{}, ""},
		{"x", Roots{Cwd: "relative"}, NoCwd},
		{"x", Roots{Cwd: "/not/../clean"}, NoCwd},
		{"/p/denied/x", Roots{}, Denied},
		{"/p/io/x", Roots{}, Failed},
		{"/proc/self/cwd/x", Roots{}, ProcessLink},
		{"/dev/stdin", Roots{}, ""},
		{"/dev/stdin/x", Roots{}, ProcessLink},
		{"/" + strings.Repeat("x", MaxPathBytes), Roots{}, TooLong},
	}
	for _, tt := range tests {
		in := NewReader(tt.roots, Settings{Files: files})
		if got := in.Path(tt.text); got.Unknown != tt.want {
			t.Errorf("Path(%.40q).Unknown = %q, want %q", tt.text, got.Unknown, tt.want)
		}
	}
	if got := UnknownPath("$x"); got.Known() || got.Lexical != "" {
		t.Errorf("UnknownPath is known: %+v", got)
	}
}

// TestBounds holds spec PTH-5: look-ups and links are counted.
func TestBounds(t *testing.T) {
	files := &counted{Files: memory{}}
	in := NewReader(Roots{Cwd: "/"}, Settings{Files: files})
	if p := in.Path(strings.Repeat("a/", 2000)); !p.Known() || files.n > 1 {
		t.Errorf("%d look-ups below what does not exist, %q", files.n, p.Unknown)
	}
	in.disk.left = 0
	if p := in.Path("b"); p.Unknown != TooMany {
		t.Errorf("Unknown = %q, want %q", p.Unknown, TooMany)
	}
	chain := memory{}
	for i := range MaxLinks + 1 {
		chain["/l"+strings.Repeat("x", i)] = "/l" + strings.Repeat("x", i+1)
	}
	in = NewReader(Roots{}, Settings{Files: chain})
	if p := in.Path("/l"); p.Unknown != Loop {
		t.Errorf("Unknown = %q, want %q", p.Unknown, Loop)
	}
	if p := in.Path("/lx"); !p.Known() {
		t.Errorf("Unknown = %q, want a path of %d links to be known", p.Unknown, MaxLinks)
	}
}

// TestNoAnswer: a file system that never answers is asked once.
func TestNoAnswer(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	files := &counted{Files: memory{}, wait: release}
	in := NewReader(Roots{Cwd: "/"}, Settings{Files: files, Patience: time.Millisecond})
	for _, text := range []string{"/net/host/x", "/y"} {
		if p := in.Path(text); p.Unknown != NoAnswer {
			t.Errorf("Path(%q).Unknown = %q, want %q", text, p.Unknown, NoAnswer)
		}
	}
}

// TestEnter follows `cd`.
func TestEnter(t *testing.T) {
	in := NewReader(Roots{Cwd: "/w"}, Settings{Files: memory{"/w/link": "/a/b"}})
	tests := map[string]string{"sub": "/w/sub", "/tmp": "/tmp", "..": "/", "link": "/w/link", "link/..": "", `a\b`: "", "": ""}
	for dir, want := range tests {
		if got := in.Enter(in.Path(dir)).roots.Cwd; got != want {
			t.Errorf("after cd %q: %q, want %q", dir, got, want)
		}
	}
	if got := in.In("relative").Path("x").Unknown; got != NoCwd {
		t.Errorf("Unknown = %q, want %q", got, NoCwd)
	}
}

// TestFIFO: a FIFO is a name like any other.
func TestFIFO(t *testing.T) {
	roots, at := farm(t)
	makeFIFO(t, at("home/ws/fifo"))
	if p := NewReader(roots, Settings{}).Path("fifo"); !p.Known() || p.Resolved != at("home/ws/fifo") {
		t.Errorf("got %+v", p)
	}
}
