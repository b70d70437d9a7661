package ancestry

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const statTail = " 34820 4321 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2"

func TestParseStat(t *testing.T) {
	want := Process{PID: 42, Parent: 7, Group: 42, Session: 7, Terminal: "34820", Foreground: 4321, Start: 98765}
	for _, name := range []string{"bash", "a) S 1 1 1 (b", "x\n) R", ""} {
		got, err := parseStat([]byte("42 (" + name + ") S 7 42 7" + statTail))
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", name, diff)
		}
	}
	for _, bad := range []string{
		"", "42", "42 (bash", "42 (bash) S 7", "x (bash) S 7 42 7" + statTail, "42 (bash) S x 42 7" + statTail,
		"42 (bash) S -7 42 7" + statTail, "0 (bash) S 7 42 7" + statTail, ") 1 (" + statTail,
		"42 (bash) S 7 42 7" + strings.Replace(statTail, "98765", "-1", 1),
	} {
		if got, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q: %+v, want an error", bad, got)
		}
	}
}

func TestParsePS(t *testing.T) {
	const text = `    1     0     1     0 ??       /sbin/launchd
  501     1   501   777 ttys001  -zsh
  777   501   777   777 ttys001  node /opt/homebrew/bin/claude --resume
nonsense
  778   501   778   777
  779   501   779   777 ttys001
`
	want := map[int]Process{
		1:   {PID: 1, Group: 1, Args: []string{"/sbin/launchd"}},
		501: {PID: 501, Parent: 1, Group: 501, Foreground: 777, Terminal: "ttys001", Args: []string{"-zsh"}},
		777: {PID: 777, Parent: 501, Group: 777, Foreground: 777, Terminal: "ttys001",
			Args: []string{"node", "/opt/homebrew/bin/claude", "--resume"}},
		779: {PID: 779, Parent: 501, Group: 779, Foreground: 777, Terminal: "ttys001", Args: []string{}},
	}
	if diff := cmp.Diff(want, parsePS(text)); diff != "" {
		t.Error(diff)
	}
}

func TestVariableNames(t *testing.T) {
	got := variableNames([]string{"A=1", "B=", "C", "D=x=y", ""})
	if diff := cmp.Diff([]string{"A", "D"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("42 (bash) S 7 42 7" + statTail)
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := parseStat([]byte(text)); err == nil && (p.PID <= 0 || p.Parent < 0) {
			t.Errorf("%+v", p)
		}
	})
}

func FuzzParsePS(f *testing.F) {
	f.Add("  501     1   501   777 ttys001  -zsh\n")
	f.Fuzz(func(t *testing.T, text string) {
		for pid, p := range parsePS(text) {
			if p.PID != pid || pid <= 0 || p.Parent < 0 {
				t.Errorf("%d: %+v", pid, p)
			}
		}
	})
}
