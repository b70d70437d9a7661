//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/install"
)

// switches proves what package harness says of repositories that switch a user's hook
// off: with the setting in the repository, what the policy denies is done. A case that
// begins to fail here is good news, and package harness and the documentation have to
// follow.
func switches(t *testing.T, cli driver, info *harness.Info) {
	t.Helper()
	for _, s := range info.RepoOff {
		text := settingText(s)
		if text == "" {
			continue // it switches something else off
		}
		t.Run(switchName(s), func(t *testing.T) {
			w := newWorld(t, cli, func(*world) script {
				return script{mainMarker: {{Calls: []toolCall{cli.Shell("mkdir denied-shell")}}}}
			})
			cli.Configure(w)
			w.install()
			w.put(w.in(filepath.FromSlash(s.File)), text)
			w.run()
			result, answered := w.model.result(place{marker: mainMarker})
			if !answered {
				t.Fatal("the model was sent no result")
			}
			if !w.exists("denied-shell") {
				t.Errorf("the hook holds against %s; the model saw %q", s.Setting, result)
			}
		})
	}
}

// managed is a driver of a CLI whose administrator can hold against a repository.
type managed interface {
	// Managed is what the administrator puts where, under /etc.
	Managed(w *world) map[string]string
	// Holds says whether that stops a switch.
	Holds(s harness.RepoSwitch) bool
}

// administered proves what the administrator's file is worth against the same switches.
func administered(t *testing.T, cli driver, info *harness.Info) {
	t.Helper()
	admin, ok := cli.(managed)
	if !ok {
		return
	}
	for _, s := range info.RepoOff {
		if settingText(s) == "" {
			continue
		}
		t.Run("administrator against "+s.File+" "+words(s), func(t *testing.T) {
			w := newWorld(t, cli, func(*world) script {
				return script{mainMarker: {{Calls: []toolCall{cli.Shell("mkdir denied-shell")}}}}
			})
			cli.Configure(w)
			w.install()
			w.put(w.in(filepath.FromSlash(s.File)), settingText(s))
			w.administer(t, admin.Managed(w))
			w.run()
			result, answered := w.model.result(place{marker: mainMarker})
			if !answered {
				t.Fatal("the model was sent no result")
			}
			if held := !w.exists("denied-shell"); held != admin.Holds(s) {
				t.Errorf("the hook held: %t, want %t; the model saw %q", held, !held, result)
			}
		})
	}
}

// switchName names the case of a switch, such as "repository turns hook off with
// .codex/config.toml hooks false".
func switchName(s harness.RepoSwitch) string {
	return "repository turns hook off with " + s.File + " " + words(s)
}

func words(s harness.RepoSwitch) string {
	return strings.Join(strings.FieldsFunc(s.Setting, func(r rune) bool { return !unicode.IsLetter(r) }), " ")
}

// settingText is a whole file with the setting, or "" if it does not switch a hook off.
func settingText(s harness.RepoSwitch) string {
	setting := strings.ReplaceAll(s.Setting, "NAME", install.EntryName)
	switch {
	case strings.Contains(setting, "…"):
		return ""
	case strings.HasSuffix(s.File, ".json"):
		return "{" + setting + "}\n"
	default:
		return setting + "\n"
	}
}
