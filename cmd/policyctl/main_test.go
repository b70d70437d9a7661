package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"policyctl": main})
}

// TestScripts runs the archives in testdata/script. Those that show a case are
// named after it. Besides the commands of testscript they have those of
// scriptCommands.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, ".home")
			env.Setenv("HOME", home)
			return os.Mkdir(home, 0o700)
		},
		Cmds:                scriptCommands(),
		RequireExplicitExec: true,
	})
}
