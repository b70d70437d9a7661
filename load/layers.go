package load

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// The statuses of a layer that exists and cannot be used. The table then denies
// every call.
const (
	LayerUnreadable eval.LayerStatus = "unreadable" // could not be read
	LayerInvalid    eval.LayerStatus = "invalid"    // was read and has errors
)

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
	if !in.wants(layer) {
		return
	}
	if path == "" { // listed all the same: nobody should look for it in vain
		in.place(layer, "", eval.LayerAbsent)
		return
	}
	if policy := in.readPlace(layer, path, forms(path)); policy != nil {
		in.checkWriters(policy)
	}
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
	text, err := readText(name)
	if err != nil {
		in.fail(layer, name, unreadable(name, err))
		return nil
	}
	same := func(earlier policyText) bool { return os.SameFile(earlier.info, text.info) }
	if slices.ContainsFunc(in.policies, same) {
		return nil
	}
	in.place(layer, name, eval.LayerLoaded)
	in.policies = append(in.policies, policyText{text: text, layer: layer, trusted: true})
	return &in.policies[len(in.policies)-1]
}

func (in *inputs) readCatalog(name string) {
	text, err := readText(name)
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

// TwoForms returns the finding of code two_forms if the policy file of this name
// has the other form beside it, else nil. The name is that of either form; under
// a name that is no layer's nothing is meant to be unique.
func TwoForms(name string) *plangate.Diagnostic {
	native := strings.TrimSuffix(name, jsonSuffix)
	if filepath.Base(native) != FileName {
		return nil
	}
	if found := forms(native); len(found) > 1 {
		return twoForms(found)
	}
	return nil
}

func twoForms(found []string) *plangate.Diagnostic {
	return &plangate.Diagnostic{
		Severity: plangate.SeverityError,
		Code:     "two_forms",
		Summary:  "Two policy files in one place",
		Detail: fmt.Sprintf("Both %s and %s exist, side by side, so it is not clear which one is meant. "+
			"Remove or rename one of them; until then every call is denied.", found[0], found[1]),
		Range: plangate.Range{File: found[0]},
		Related: []plangate.Related{
			{Message: "The other form", Range: plangate.Range{File: found[1]}},
		},
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
