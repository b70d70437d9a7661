package layers

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
	Unreadable eval.LayerStatus = "unreadable" // could not be read
	Invalid    eval.LayerStatus = "invalid"    // was read and has errors
)

// JSONSuffix turns the name of a policy file into that of its JSON form.
const JSONSuffix = ".json"

// Inputs is everything that a table is made from, read but not parsed. It must not be
// changed, and is then safe for concurrent use.
type Inputs struct {
	Options     Options
	Policies    []Policy // outer to inner
	Catalogs    []*Text
	Places      []eval.Layer         // every place looked at, with what became of it
	Diagnostics plangate.Diagnostics // about files as such
}

// Policy is a policy file that counts.
type Policy struct {
	*Text
	Layer   plangate.Layer
	Trusted bool // else it can only tighten (spec LAY-4)
}

// Gather finds and reads all Inputs. What cannot be read is an error among the
// diagnostics; only absence is not.
func Gather(opts Options) *Inputs {
	in := &Inputs{Options: opts}
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

func (in *Inputs) readLayers() {
	in.readOuter(plangate.LayerManaged, in.Options.Places.Managed)
	in.readOuter(plangate.LayerUser, in.Options.Places.User)
	if in.wants(plangate.LayerProject) {
		in.readProject()
	}
}

func (in *Inputs) wants(layer plangate.Layer) bool {
	return in.Options.Layers == nil || slices.Contains(in.Options.Layers, layer)
}

func (in *Inputs) readOuter(layer plangate.Layer, path string) {
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
func (in *Inputs) readPlace(layer plangate.Layer, place string, found []string) *Policy {
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
func (in *Inputs) read(layer plangate.Layer, name string) *Policy {
	text, err := readText(name)
	if err != nil {
		in.fail(layer, name, unreadable(name, err))
		return nil
	}
	same := func(earlier Policy) bool { return os.SameFile(earlier.info, text.info) }
	if slices.ContainsFunc(in.Policies, same) {
		return nil
	}
	in.place(layer, name, eval.LayerLoaded)
	in.Policies = append(in.Policies, Policy{Text: text, Layer: layer, Trusted: true})
	return &in.Policies[len(in.Policies)-1]
}

func (in *Inputs) readCatalog(name string) {
	text, err := readText(name)
	if err != nil {
		in.report(unreadable(name, err))
		return
	}
	in.Catalogs = append(in.Catalogs, text)
}

func (in *Inputs) place(layer plangate.Layer, file string, status eval.LayerStatus) {
	in.Places = append(in.Places, eval.Layer{Layer: layer, File: file, Status: status})
}

func (in *Inputs) fail(layer plangate.Layer, file string, diag *plangate.Diagnostic) {
	in.place(layer, file, Unreadable)
	in.report(diag)
}

func (in *Inputs) report(diag *plangate.Diagnostic) { in.Diagnostics = append(in.Diagnostics, diag) }

// forms returns which of the two forms of a policy file exist. A name that
// cannot be looked up counts as existing, so that reading it reports why: a
// layer must not disappear because of a permission. A dangling link exists.
func forms(path string) []string {
	var found []string
	for _, name := range []string{path, path + JSONSuffix} {
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
	native := strings.TrimSuffix(name, JSONSuffix)
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
func (in *Inputs) checkWriters(policy *Policy) {
	err := privateToWrite(policy.info)
	if err == nil {
		return
	}
	in.report(&plangate.Diagnostic{
		Severity: plangate.SeverityWarning,
		Code:     "file_permissions",
		Summary:  "Others can write this policy file",
		Detail: fmt.Sprintf("%s: %v. Give it to you or root and take write permission "+
			"from group and others (chmod go-w).", policy.Name, err),
		Range: plangate.Range{File: policy.Name},
	})
}
