package layers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// readProject reads the project files from the directory upward: all untrusted
// ones, which can only tighten, up to and with the first trusted one. If an
// untrusted file ended the search, whoever can write below a trusted project
// could take away what that forbids. The directory is resolved first, so that
// the same directory has the same policy whichever way it was reached.
func (in *Inputs) readProject() {
	dir, err := resolveDir(in.Options.Dir)
	if err != nil {
		in.fail(plangate.LayerProject, in.Options.Dir, unreadable(in.Options.Dir, err))
		return
	}
	policies, places, none := len(in.Policies), len(in.Places), true
	trusted := sync.OnceValue(in.trustedFiles)
	for _, dir := range upward(dir) {
		found := forms(filepath.Join(dir, FileName))
		none = none && len(found) == 0
		if len(found) > 0 && in.readFound(found, trusted) {
			break
		}
	}
	if none {
		in.place(plangate.LayerProject, filepath.Join(dir, FileName), eval.LayerAbsent)
	}
	slices.Reverse(in.Policies[policies:]) // outer to inner, as the layers
	slices.Reverse(in.Places[places:])
}

// readFound reads the project file of one directory. It reports whether it ends
// the search, which a file that is an outer layer already does not.
func (in *Inputs) readFound(found []string, trusted func() map[string]string) (last bool) {
	name := found[0]
	if len(found) > 1 {
		in.fail(plangate.LayerProject, name, twoForms(found))
		return true
	}
	text, err := readText(name)
	if err != nil {
		in.fail(plangate.LayerProject, name, unreadable(name, err))
		return true
	}
	policy := Policy{Text: text, Layer: plangate.LayerProject, Trusted: trusted()[name] == text.fingerprint()}
	if !in.counts(policy) {
		return false
	}
	in.Policies = append(in.Policies, policy)
	if policy.Trusted {
		in.place(plangate.LayerProject, name, eval.LayerLoaded)
		return true
	}
	in.place(plangate.LayerProject, name, eval.LayerUntrusted)
	in.report(untrusted(name, in.Options.Places))
	return false
}

// counts reports whether a project file is not there already under another
// name. One that is trusted by this name replaces a link to it further inside:
// a link must not keep the file that it leads to from counting in full.
func (in *Inputs) counts(policy Policy) bool {
	i := slices.IndexFunc(in.Policies, func(p Policy) bool { return os.SameFile(p.info, policy.info) })
	if i < 0 {
		return true
	}
	earlier := in.Policies[i]
	if earlier.Layer != plangate.LayerProject || !policy.Trusted {
		return false
	}
	in.Policies = slices.Delete(in.Policies, i, i+1)
	in.Places = slices.DeleteFunc(in.Places, func(l eval.Layer) bool { return l.File == earlier.Name })
	in.Diagnostics = slices.DeleteFunc(in.Diagnostics, func(d *plangate.Diagnostic) bool { return d.Range.File == earlier.Name })
	return true
}

// upward returns a directory and all above it, the innermost first.
func upward(dir string) []string {
	dirs := []string{dir}
	for parent := filepath.Dir(dir); parent != dir; parent = filepath.Dir(dir) {
		dir = parent
		dirs = append(dirs, dir)
	}
	return dirs
}

// resolveDir returns the directory without symbolic links.
func resolveDir(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", errors.New("the directory is not absolute")
	}
	return filepath.EvalSymlinks(dir)
}

// plainPath reports whether a path means itself in every shell.
func plainPath(path string) bool {
	return strings.IndexFunc(path, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@", r))
	}) < 0
}

// untrusted advises to trust the file only where that is possible.
func untrusted(name string, places Places) *plangate.Diagnostic {
	advice := fmt.Sprintf("Read it, then run `policyctl trust %s`.", name)
	switch {
	case places.Trust == "":
		advice = "It cannot be trusted either, because there is no place for a trust file: neither HOME nor " +
			"XDG_STATE_HOME can be used."
	case !plainPath(name): // the name comes from a repository and must not end up in a shell
		advice = "Read it, then run `policyctl trust` in its directory."
	}
	return &plangate.Diagnostic{
		Severity: plangate.SeverityWarning,
		Code:     "untrusted_layer",
		Summary:  "Policy file is not trusted",
		Detail: fmt.Sprintf("%s is new or has changed since it was trusted, so it can only tighten: its "+
			"allows, grants and hooks count as absent. %s", name, advice),
		Range: plangate.Range{File: name},
	}
}
