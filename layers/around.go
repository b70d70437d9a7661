package layers

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// Around is what a call leaves to where it is made.
type Around struct{ Cwd, Workspace, Home string }

// LookAround looks around the working directory, for calls under a policy from these
// layers.
func LookAround(found []eval.Layer, getenv func(string) string) Around {
	return Around{Cwd: WorkingDir(), Workspace: workspaceOf(found), Home: absoluteHome(getenv("HOME"))}
}

// FillIn sets what a call leaves out.
func (a Around) FillIn(call *plangate.Call) {
	call.Cwd = cmp.Or(call.Cwd, a.Cwd)
	call.Workspace = cmp.Or(call.Workspace, a.Workspace)
	call.Home = cmp.Or(call.Home, a.Home)
}

// WorkingDir is the working directory, or "" if there is none.
func WorkingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

func absoluteHome(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// workspaceOf returns the directory of the innermost trusted project file around
// the current directory, or else that directory itself.
func workspaceOf(all []eval.Layer) string {
	cwd := WorkingDir()
	found := cwd
	for _, layer := range all {
		if layer.Layer != plangate.LayerProject || layer.Status != eval.LayerLoaded {
			continue
		}
		dir, err := filepath.Abs(filepath.Dir(layer.File))
		if err == nil && (dir == cwd || strings.HasPrefix(cwd, strings.TrimSuffix(dir, "/")+"/")) {
			found = dir
		}
	}
	return found
}
