package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestElsewhere holds spec CMD-27.
func TestElsewhere(t *testing.T) {
	for text, want := range map[string]bool{
		"tar -cT - f": true, "tar --files-from=x -c": true, "zip x -@": true, "cpio -o": true, "git hash-object --stdin-paths": true,
		"git cat-file --batch": true, "wc --files0-from=-": true, "tar -cf a b": false, "cat x": false, "git add --pathspec-from-file=x": true, "patch -p1": true, "git apply p": true, "tar xf a": true, "unzip a": true,
	} {
		if got := outerForm(t, text).NamesElsewhere(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string][]string{
		"git -C d x": {"d"}, "make -Cd x": {"d"}, "npm --prefix=d x": {"d"}, "uv --directory d run": {"d"}, "git -C $X x": {""}, "ls d": nil, "git -C a -C b x": {"a", "b"},
	} {
		var got []string
		for _, dir := range outerForm(t, text).MovesTo() {
			got = append(got, dir.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func outerForm(t *testing.T, text string) *Command {
	t.Helper()
	commands := Parse(text, Bash).Commands
	c := commands[len(commands)-1]
	for c.Outer != nil {
		c = c.Outer
	}
	return c
}
