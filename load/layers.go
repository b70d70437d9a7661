package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// LayerUnreadable is the status of a layer that exists and could not be read.
// The table then denies every call.
const LayerUnreadable eval.LayerStatus = "unreadable"

// jsonSuffix turns the name of a policy file into that of its JSON form.
const jsonSuffix = ".json"

// inputs is everything that a table is made from, read but not parsed.
type inputs struct {
	opts     Options
	policies []policyText
	catalogs []*text
	places   []eval.Layer
	diags    plangate.Diagnostics
}

type policyText struct {
	*text
	layer   plangate.Layer
	trusted bool
}

// gather finds and reads all inputs. What cannot be read is an error among the
// diagnostics; only absence is not.
func gather(opts Options) *inputs {
	in := &inputs{opts: opts}
	if len(opts.Files) > 0 {
		for _, name := range opts.Files {
			in.read(plangate.LayerProject, name)
		}
	} else {
		in.readLayers()
	}
	for _, name := range opts.Catalogs {
		in.readCatalog(name)
	}
	return in
}

func (in *inputs) readLayers() {
	in.readOuter(plangate.LayerManaged, in.opts.Places.Managed)
	in.readOuter(plangate.LayerUser, in.opts.Places.User)
	if in.wants(plangate.LayerProject) {
		in.readProject()
	}
}

func (in *inputs) wants(layer plangate.Layer) bool {
	return in.opts.Layers == nil || slices.Contains(in.opts.Layers, layer)
}

func (in *inputs) readOuter(layer plangate.Layer, path string) {
	if path == "" || !in.wants(layer) {
		return
	}
	if policy := in.readPlace(layer, path, forms(path)); policy != nil {
		in.checkWriters(policy)
	}
}

// readProject reads the nearest project file. The directory is resolved first,
// so that the same directory has the same policy whichever way it was reached.
func (in *inputs) readProject() {
	dir, err := resolveDir(in.opts.Dir)
	if err != nil {
		in.fail(plangate.LayerProject, in.opts.Dir, unreadable(in.opts.Dir, err))
		return
	}
	place := filepath.Join(dir, FileName)
	policy := in.readPlace(plangate.LayerProject, place, nearest(dir))
	if policy == nil {
		return
	}
	if in.trusts(policy) {
		return
	}
	policy.trusted = false
	in.places[len(in.places)-1].Status = eval.LayerUntrusted
	in.report(untrusted(policy.name, in.opts.Places))
}

// readPlace reads what was found for one place. It returns nil if that is
// nothing, or nothing to use.
func (in *inputs) readPlace(layer plangate.Layer, place string, found []string) *policyText {
	switch len(found) {
	case 0:
		in.place(layer, place, eval.LayerAbsent)
		return nil
	case 1:
		return in.read(layer, found[0])
	default:
		in.fail(layer, found[0], twoForms(found))
		return nil
	}
}

// read adds a policy file as trusted. It returns nil if the file cannot be read
// or was read before: a file counts once, as the outer layer.
func (in *inputs) read(layer plangate.Layer, name string) *policyText {
	text, err := readText(name, maxFileBytes)
	if err != nil {
		in.fail(layer, name, unreadable(name, err))
		return nil
	}
	for _, earlier := range in.policies {
		if os.SameFile(earlier.info, text.info) {
			return nil
		}
	}
	in.place(layer, name, eval.LayerLoaded)
	in.policies = append(in.policies, policyText{text: text, layer: layer, trusted: true})
	return &in.policies[len(in.policies)-1]
}

func (in *inputs) readCatalog(name string) {
	text, err := readText(name, maxFileBytes)
	if err != nil {
		in.report(unreadable(name, err))
		return
	}
	in.catalogs = append(in.catalogs, text)
}

func (in *inputs) place(layer plangate.Layer, file string, status eval.LayerStatus) {
	in.places = append(in.places, eval.Layer{Layer: layer, File: file, Status: status})
}

func (in *inputs) fail(layer plangate.Layer, file string, diag *plangate.Diagnostic) {
	in.place(layer, file, LayerUnreadable)
	in.report(diag)
}

func (in *inputs) report(diag *plangate.Diagnostic) { in.diags = append(in.diags, diag) }

// resolveDir returns the directory without symbolic links.
func resolveDir(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", errors.New("the directory is not absolute")
	}
	return filepath.EvalSymlinks(dir)
}

// nearest returns the forms of the policy file in dir, or else in the nearest
// directory above it that has one.
func nearest(dir string) []string {
	for {
		if found := forms(filepath.Join(dir, FileName)); len(found) > 0 {
			return found
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

// forms returns which of the two forms of a policy file exist. A name that
// cannot be looked up counts as existing, so that reading it reports why: a
// layer must not disappear because of a permission. A dangling link exists.
func forms(path string) []string {
	var found []string
	for _, name := range []string{path, path + jsonSuffix} {
		_, err := os.Lstat(name)
		switch {
		case err == nil:
			found = append(found, name)
		case !isAbsent(err):
			return []string{name}
		}
	}
	return found
}

func twoForms(found []string) *plangate.Diagnostic {
	return &plangate.Diagnostic{
		Severity: plangate.SeverityError,
		Code:     "two_forms",
		Summary:  "Two policy files in one place",
		Detail: fmt.Sprintf("%s and %s stand side by side, so it is not clear which one is meant. "+
			"Remove or rename one of them; until then every call is denied.", found[0], found[1]),
		Range: plangate.Range{File: found[0]},
		Related: []plangate.Related{
			{Message: "The other form", Range: plangate.Range{File: found[1]}},
		},
	}
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

// checkWriters warns if others may write an outer policy file, since whoever can write it decides what is allowed.
func (in *inputs) checkWriters(policy *policyText) {
	err := privateToWrite(policy.info)
	if err == nil {
		return
	}
	in.report(&plangate.Diagnostic{
		Severity: plangate.SeverityWarning,
		Code:     "file_permissions",
		Summary:  "Others can write this policy file",
		Detail: fmt.Sprintf("%s: %v. Give it to you or root and take write permission "+
			"from group and others (chmod go-w).", policy.name, err),
		Range: plangate.Range{File: policy.name},
	})
}
