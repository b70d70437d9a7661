package writeback

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
)

// policy is the policy in force and the file of it that is to be written.
type policy struct {
	target Target
	input  compile.Input
	table  *eval.Table
	broken plangate.Diagnostics // errors; only an undo goes on with them

	index int         // of the file in input.Layers
	name  string      // of the file, as in the policy
	real  string      // the same without symbolic links
	info  fs.FileInfo // nil if the file does not exist
	old   []byte
}

// open reads the policy in force and finds the file to write.
func open(target Target, action plangate.Action) (*policy, error) {
	p := &policy{target: target}
	if err := p.checkNamed(); err != nil {
		return nil, err
	}
	opened := load.Open(p.options())
	p.input = opened.Input
	p.input.Layers = slices.Clone(opened.Input.Layers)
	merged, findings := catalog.Merge(present(opened.Catalog, target.Catalog)...)
	p.input.Catalog = merged
	p.input.Findings = slices.Concat(opened.Input.Findings, findings)
	if err := p.choose(action); err != nil {
		return nil, err
	}
	if err := p.examine(); err != nil {
		return nil, err
	}
	p.table, findings = compile.Compile(p.input)
	if findings.HasErrors() {
		p.broken = findings
	}
	return p, nil
}

func present(catalogs ...*catalog.Catalog) []*catalog.Catalog {
	return slices.DeleteFunc(catalogs, func(c *catalog.Catalog) bool { return c == nil })
}

// checkNamed reports why the file that the caller named cannot be written,
// before anything of it is read.
func (p *policy) checkNamed() error {
	name := p.target.File
	if p.target.State == "" {
		return ErrNoStore.because("there is no place for the state of write-back, without which nothing could be undone; " +
			"set HOME to the absolute path of a directory that exists, or XDG_STATE_HOME to an absolute path")
	}
	if name == "" {
		return nil
	}
	if strings.HasSuffix(name, ".json") {
		return ErrNoStore.because("%s is in JSON form, which is not written; add the policy by hand, or turn it into agent.hcl", name)
	}
	_, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.checkMissing()
	case err != nil:
		return ErrNoStore.from(err, "%s cannot be looked at: %v", name, err)
	}
	info, err := os.Stat(name)
	if err != nil {
		return ErrNoStore.from(err, "%s cannot be looked at: %v", name, err)
	}
	if !info.Mode().IsRegular() {
		return ErrNoStore.because("%s is not a regular file", name)
	}
	return nil
}

// checkMissing reports why a file that does not exist is not made.
func (p *policy) checkMissing() error {
	name := p.target.File
	if !p.target.Create {
		return ErrNoStore.because("%s does not exist; make it, or ask for it to be made", name)
	}
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return ErrNoStore.because("the directory of %s does not exist", name)
	}
	if _, err := os.Lstat(name + ".json"); err == nil {
		return ErrNoStore.because("%s.json exists, and two forms of one policy file side by side are an error", name)
	}
	return nil
}

// options are those of the target without a file that is yet to be made.
func (p *policy) options() layers.Options {
	options := p.target.Options
	if p.target.Create && p.target.File != "" {
		options.Files = slices.DeleteFunc(slices.Clone(options.Files), func(name string) bool {
			_, err := os.Lstat(name)
			return name == p.target.File && errors.Is(err, fs.ErrNotExist)
		})
		if len(options.Files) < len(p.target.Options.Files) && len(options.Files) == 0 {
			options.Layers = []plangate.Layer{} // and not the layers on disk instead
		}
	}
	return options
}

// choose finds the file to write among the layers.
func (p *policy) choose(action plangate.Action) error {
	all := p.input.Layers
	if p.target.File == "" {
		p.index = innermost(all, action)
		if p.index >= 0 {
			return nil
		}
		if !p.target.Create || p.target.Options.Dir == "" {
			return ErrNoStore.because("no policy file is in force that could be written; make %s, or name one", layers.FileName)
		}
		p.target.File = filepath.Join(p.target.Options.Dir, layers.FileName)
		if err := p.checkMissing(); err != nil {
			return err
		}
	}
	info, err := os.Stat(p.target.File)
	if err != nil {
		return p.chooseNew()
	}
	p.index = slices.IndexFunc(all, func(l compile.LayerFile) bool {
		other, err := os.Stat(l.File.Name)
		return err == nil && os.SameFile(info, other)
	})
	if p.index < 0 {
		if broken := errorsOf(p.input.Findings); len(broken) > 0 {
			return ErrInvalid.found("the policy does not load, so nothing is written", broken)
		}
		return ErrNoStore.because("%s is not among the policy files in force, so nothing in it would have an effect", p.target.File)
	}
	return nil
}

// innermost returns the file that answers go to by themselves: the innermost
// that counts in full or, for a deny, the innermost of all. -1 if there is none.
func innermost(layers []compile.LayerFile, action plangate.Action) int {
	best := -1
	for i, l := range layers {
		if l.Layer == plangate.LayerManaged || strings.HasSuffix(l.File.Name, ".json") {
			continue
		}
		if l.Trusted || best < 0 && action == plangate.Deny {
			best = i
		}
	}
	return best
}

// chooseNew adds a layer for a file that is to be made.
func (p *policy) chooseNew() error {
	layer, err := p.newLayer()
	if err != nil {
		return err
	}
	lost := layer == plangate.LayerProject && len(p.target.Options.Files) == 0 && p.target.Options.Places.Trust == ""
	p.index = len(p.input.Layers)
	p.input.Layers = append(p.input.Layers, compile.LayerFile{
		Layer: layer, File: &dsl.File{Name: p.target.File}, Trusted: !lost,
	})
	return nil
}

// newLayer says which layer a file belongs to that does not exist yet.
func (p *policy) newLayer() (plangate.Layer, error) {
	options := p.target.Options
	none := ErrNoStore.because("%s would be no policy file in force; a project's is %s in its directory", p.target.File, layers.FileName)
	switch {
	case slices.Contains(options.Files, p.target.File):
		return plangate.LayerProject, nil
	case len(options.Files) > 0:
		return 0, none
	case p.target.File == options.Places.User:
		return plangate.LayerUser, nil
	case p.target.File == options.Places.Managed:
		return plangate.LayerManaged, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(p.target.File))
	if err != nil {
		return 0, none
	}
	below, err := filepath.EvalSymlinks(options.Dir)
	inside := err == nil && (below == dir || strings.HasPrefix(below, strings.TrimSuffix(dir, "/")+"/"))
	if !inside || filepath.Base(p.target.File) != layers.FileName {
		return 0, none
	}
	return plangate.LayerProject, nil
}

// examine looks at the file that was chosen and reports why it cannot be
// written.
func (p *policy) examine() error {
	file := p.input.Layers[p.index].File
	p.name, p.old = file.Name, file.Source
	if strings.HasSuffix(p.name, ".json") {
		return ErrNoStore.because("%s is in JSON form, which is not written; add the policy by hand", p.name)
	}
	absolute, err := filepath.Abs(p.name)
	if err != nil {
		return ErrNoStore.from(err, "%s cannot be found: %v", p.name, err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(absolute))
	if err != nil {
		return ErrNoStore.from(err, "%s cannot be found: %v", p.name, err)
	}
	p.real = filepath.Join(dir, filepath.Base(absolute))
	info, err := os.Lstat(p.real)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if p.real, err = filepath.EvalSymlinks(p.real); err == nil {
		info, err = os.Stat(p.real)
	}
	if err != nil {
		return ErrNoStore.from(err, "%s cannot be found: %v", p.name, err)
	}
	p.info = info
	return p.checkWritable()
}

// checkWritable reports what a new file in place of the old one would change.
func (p *policy) checkWritable() error {
	switch {
	case !p.info.Mode().IsRegular():
		return ErrNoStore.because("%s is not a regular file", p.name)
	case p.info.Mode().Perm()&0o200 == 0:
		return ErrReadOnly.because("%s is write-protected; give its owner write permission (chmod u+w)", p.name)
	case links(p.info) > 1:
		return ErrNoStore.because("%s has several hard links, and writing it would separate it from the others; "+
			"make it a file of its own", p.name)
	case len(p.old) > dsl.MaxBytes:
		return ErrNoStore.because("%s is larger than any policy file that is read", p.name)
	}
	return nil
}

// digest is that of the content before the change, or "" without a file.
func (p *policy) digest() string {
	if p.info == nil {
		return ""
	}
	return digestOf(p.old)
}

// digestOf returns the digest of content as package load writes it.
func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// unchanged reports whether the file still is what was read.
func (p *policy) unchanged() bool {
	info, err := os.Stat(p.real)
	if p.info == nil {
		_, err := os.Lstat(p.real)
		return errors.Is(err, fs.ErrNotExist)
	}
	if err != nil || !os.SameFile(info, p.info) {
		return false
	}
	now, err := os.ReadFile(p.real)
	return err == nil && bytes.Equal(now, p.old)
}

// with compiles the policy with other content of the file.
func (p *policy) with(content []byte) (*eval.Table, *dsl.File, plangate.Diagnostics) {
	in := p.input
	in.Layers = slices.Clone(in.Layers)
	file, findings := dsl.Parse(p.name, content)
	in.Layers[p.index].File = file
	in.Findings = slices.Concat(findings, slices.DeleteFunc(slices.Clone(in.Findings), func(d *plangate.Diagnostic) bool {
		return d.Range.File == p.name && d.Severity != plangate.SeverityError
	}))
	table, all := compile.Compile(in)
	return table, file, all
}

func errorsOf(findings plangate.Diagnostics) plangate.Diagnostics {
	return slices.DeleteFunc(slices.Clone(findings), func(d *plangate.Diagnostic) bool { return d.Severity != plangate.SeverityError })
}
