package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// callPlaces are what a call on the command line leaves to where it is made.
type callPlaces struct{ cwd, workspace, home string }

// callPlaces looks around, for calls under a policy from these layers.
func (w *world) callPlaces(layers []eval.Layer) callPlaces {
	return callPlaces{cwd: here(), workspace: workspaceOf(layers), home: absoluteHome(w.getenv("HOME"))}
}

// fillIn sets what a call leaves out.
func (s callPlaces) fillIn(call *plangate.Call) {
	call.Cwd = cmp.Or(call.Cwd, s.cwd)
	call.Workspace = cmp.Or(call.Workspace, s.workspace)
	call.Home = cmp.Or(call.Home, s.home)
}

// here is the current directory, or "" if there is none.
func here() string {
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
func workspaceOf(layers []eval.Layer) string {
	cwd := here()
	found := cwd
	for _, layer := range layers {
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
