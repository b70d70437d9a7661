package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plangate/plangate/harness"
)

// Machine says where the configuration files of CLIs are.
type Machine struct {
	Home string // of the user, absolute; "" if it is not known
	Dir  string // the current directory, absolute
	// Runner has the environment, and starts what must be started.
	Runner Runner
}

// Root returns the root of the project: the nearest directory upward that has a .git, else
// the current one.
func (m Machine) Root() string {
	for dir := m.Dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return m.Dir
		}
	}
}

// dirs are the directories from the current one up to the project's root.
func (m Machine) dirs() []string {
	root := m.Root()
	var all []string
	for dir := m.Dir; ; dir = filepath.Dir(dir) {
		all = append(all, dir)
		if dir == root || dir == filepath.Dir(dir) {
			return all
		}
	}
}

// ErrNoHome means that a user's file has no place.
var ErrNoHome = errors.New("HOME is not the absolute path of a directory that exists, so there is no place for the user's settings")

// Path returns the absolute path of a configuration file.
func (m Machine) Path(f harness.ConfigFile) (string, error) {
	if f.Scope == harness.ScopeManaged {
		return filepath.FromSlash(f.Path), nil
	}
	rest, user := strings.CutPrefix(f.Path, "~/")
	if !user {
		return filepath.Join(m.Root(), filepath.FromSlash(f.Path)), nil
	}
	dir, rest := splitHome(rest)
	if f.Env != "" {
		if named := m.Runner.getenv(f.Env); filepath.IsAbs(named) {
			return filepath.Join(named, filepath.FromSlash(rest)), nil
		}
	}
	if inner, ok := strings.CutPrefix(dir, ".config/"); ok && strings.Contains(f.Path, "opencode") {
		if named := m.Runner.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(named) {
			return filepath.Join(named, inner, filepath.FromSlash(rest)), nil
		}
	}
	// A home that does not exist is not ours to make.
	if info, err := os.Stat(m.Home); err != nil || !filepath.IsAbs(m.Home) || !info.IsDir() {
		return "", ErrNoHome
	}
	return filepath.Join(m.Home, filepath.FromSlash(dir), filepath.FromSlash(rest)), nil
}

// splitHome splits a path below the home into the CLI's own directory and the rest.
func splitHome(path string) (dir, rest string) {
	parts := strings.Split(path, "/")
	n := 1
	if parts[0] == ".config" {
		n = 2
	}
	return strings.Join(parts[:n], "/"), strings.Join(parts[n:], "/")
}

// File returns the file of a scope that the hook is installed in.
func (h Hook) File(scope harness.Scope) (harness.ConfigFile, error) {
	format := "json"
	if h.layout() == whole {
		format = "js"
	}
	i := slices.IndexFunc(h.info.Files, func(f harness.ConfigFile) bool { return f.Scope == scope && f.Format == format })
	if i < 0 {
		var have []string
		for _, f := range h.info.Files {
			if f.Format == format && !slices.Contains(have, string(f.Scope)) {
				have = append(have, string(f.Scope))
			}
		}
		return harness.ConfigFile{}, fmt.Errorf("%s has no %s file that policyctl can write; there is %s", h.info.Title, scope,
			strings.Join(have, ", "))
	}
	return h.info.Files[i], nil
}

// files are all files that the hook may be installed in by us.
func (h Hook) files() []harness.ConfigFile {
	var all []harness.ConfigFile
	for _, scope := range []harness.Scope{harness.ScopeUser, harness.ScopeProject, harness.ScopeLocal, harness.ScopeManaged} {
		if f, err := h.File(scope); err == nil {
			all = append(all, f)
		}
	}
	return all
}

// CodexConfig returns the path of Codex's config.toml, where trust is kept.
func (m Machine) CodexConfig(h Hook) (string, error) {
	i := slices.IndexFunc(h.info.Files, func(f harness.ConfigFile) bool {
		return f.Scope == harness.ScopeUser && f.Format == "toml"
	})
	if i < 0 {
		return "", fmt.Errorf("%s keeps no trust", h.info.Title)
	}
	return m.Path(h.info.Files[i])
}
