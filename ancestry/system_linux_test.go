package ancestry_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plangate/plangate/ancestry"
)

// roleVariable makes this test binary play another program.
const roleVariable = "ANCESTRY_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role, program, _ := strings.Cut(os.Getenv(roleVariable), ":"); role {
	case "pass": // start program and hand on what it prints
		cmd := exec.Command(program)
		cmd.Env = []string{roleVariable + "=inspect"} // like env -i
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if cmd.Run() != nil {
			os.Exit(1)
		}
	case "inspect":
		sign, err := ancestry.Inspect(ancestry.System(), os.Getpid())
		if err != nil || json.NewEncoder(os.Stdout).Encode(sign) != nil {
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// inspectBelow runs this test binary under a name, and below that once more as
// itself, and returns the sign that it sees there.
func inspectBelow(t *testing.T, name string, environ ...string) (sign ancestry.Sign, parent string) {
	t.Helper()
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent = filepath.Join(t.TempDir(), name)
	copyFile(t, test, parent)
	cmd := exec.Command(parent)
	cmd.Env = slices.Concat(environ, []string{roleVariable + "=pass:" + test})
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &sign); err != nil {
		t.Fatal(err)
	}
	return sign, parent
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestSystemFindsAgentByName(t *testing.T) {
	sign, parent := inspectBelow(t, "claude")
	if sign.Kind != ancestry.Agent || sign.Agent != "Claude Code" || sign.Mark != parent {
		t.Errorf("got %+v, want Claude Code by %s", sign, parent)
	}
}

func TestSystemFindsRenamedAgentByEnvironmentOfAncestor(t *testing.T) {
	if sign, err := ancestry.Inspect(ancestry.System(), os.Getpid()); err != nil || sign.Kind == ancestry.Agent {
		t.Skipf("the test itself runs under an agent (%v, %v)", sign, err)
	}
	sign, _ := inspectBelow(t, "harmless", "GEMINI_CLI=1")
	if sign.Kind != ancestry.Variable || sign.Mark != "GEMINI_CLI" {
		t.Errorf("got %+v, want GEMINI_CLI", sign)
	}
}

func TestSystemKnowsItself(t *testing.T) {
	p, err := ancestry.System().Process(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if p.PID != os.Getpid() || p.Parent != os.Getppid() || p.Exe != exe || !slices.Equal(p.Args, os.Args) || p.Start == 0 {
		t.Errorf("got %+v", p)
	}
	if _, err := ancestry.System().Process(1 << 30); err == nil {
		t.Error("no error for a process that cannot be")
	}
}
