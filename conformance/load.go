package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plangate/plangate"
)

const caseName = "case.json"

// The keys that must be there (spec FMT-5, FMT-8).
var (
	decisionKeys   = []string{"id", "action", "decided_by", "matched_action", "downgrade", "reason", "rule", "unknown"}
	diagnosticKeys = []string{"severity", "code", "summary", "detail", "range", "related", "witness"}
)

// usualLayers are the layers that file names stand for if case.json names none.
var usualLayers = []Layer{
	{plangate.LayerManaged, "managed.hcl", true},
	{plangate.LayerUser, "user.hcl", true},
	{plangate.LayerProject, "project.hcl", true},
	{plangate.LayerProject, "agent.hcl", true},
	{plangate.LayerProject, "agent.hcl.json", true},
}

// caseFile is case.json.
type caseFile struct {
	About       string            `json:"about"`
	Covers      []string          `json:"covers"`
	Layers      []Layer           `json:"layers"`
	Catalogs    []Catalog         `json:"catalogs"`
	Now         time.Time         `json:"now"`
	Calls       []callCase        `json:"calls"`
	Diagnostics *[]WantDiagnostic `json:"diagnostics"`
}

// callCase is a call with its expectation. Text stands in for Call where the
// text itself matters, such as one with a doubled key.
type callCase struct {
	Call json.RawMessage `json:"call"`
	Text string          `json:"text"`
	Want Want            `json:"want"`
}

// Load reads every folder of a file system that has a case.json, at any depth.
// Everything else in such a folder is a file of the vector. A vector that says
// nothing checkable is an error, as is any unknown key.
func Load(root fs.FS) ([]Vector, error) {
	var vectors []Vector
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Base(name) != caseName {
			return err
		}
		vector, err := loadVector(root, path.Dir(name))
		if err != nil {
			return fmt.Errorf("conformance: vector %s: %w", path.Dir(name), err)
		}
		vectors = append(vectors, vector)
		return nil
	})
	return vectors, err
}

func loadVector(root fs.FS, dir string) (Vector, error) {
	v := Vector{Name: dir, Request: Request{ID: dir, Files: map[string]string{}, Binary: map[string][]byte{}}}
	entries, err := fs.ReadDir(root, dir)
	if err != nil {
		return v, err
	}
	for _, entry := range entries {
		text, err := fs.ReadFile(root, path.Join(dir, entry.Name()))
		switch {
		case err != nil:
			return v, err
		case entry.Name() == caseName:
			err = v.readCase(text)
		case utf8.Valid(text):
			v.Files[entry.Name()] = string(text)
		default:
			v.Binary[entry.Name()] = text
		}
		if err != nil {
			return v, err
		}
	}
	v.addUsualFiles()
	err = v.check()
	return v, err
}

func (v *Vector) readCase(text []byte) error {
	if err := plangate.CheckJSON(text); err != nil {
		return err
	}
	var c caseFile
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return err
	}
	v.About, v.Covers, v.Now, v.Layers, v.Catalogs = c.About, c.Covers, c.Now, c.Layers, c.Catalogs
	if c.Diagnostics != nil {
		v.Diagnostics, v.Diagnosed = *c.Diagnostics, true
	}
	for i := range c.Calls {
		if err := c.Calls[i].complete(i); err != nil {
			return fmt.Errorf("call %d: %w", i+1, err)
		}
		v.Calls = append(v.Calls, c.Calls[i].Call)
		v.Want = append(v.Want, c.Calls[i].Want)
	}
	return nil
}

// complete checks a call and adds an id to one that has none, so that its echo
// is checked everywhere. Text, and what is no object, stays as it is.
func (c *callCase) complete(index int) (err error) {
	for key := range c.Want {
		if !slices.Contains(decisionKeys, key) {
			return fmt.Errorf("want: unknown key %q; want some of %s", key, strings.Join(decisionKeys, ", "))
		}
	}
	switch {
	case len(c.Want) == 0:
		return errors.New("want is empty")
	case (c.Call == nil) == (c.Text == ""):
		return errors.New("needs either call or text")
	case c.Text != "":
		if c.Call = json.RawMessage(c.Text); !json.Valid(c.Call) {
			return errors.New("text is not JSON, so it cannot be sent")
		}
		return nil
	}
	var members map[string]json.RawMessage
	if notObject := json.Unmarshal(c.Call, &members); notObject != nil || members == nil {
		return nil //nolint:nilerr // such a call is to be refused, by the implementation
	}
	if members["id"] == nil {
		members["id"] = fmt.Appendf(nil, `"call-%d"`, index+1)
		if c.Call, err = json.Marshal(members); err != nil {
			return err
		}
	}
	if c.Want["id"] == nil {
		c.Want["id"] = members["id"]
	}
	return nil
}

// addUsualFiles fills in the layers and the catalog that file names stand for.
func (v *Vector) addUsualFiles() {
	if v.Layers == nil {
		for _, layer := range usualLayers {
			if _, ok := v.source(layer.File); ok {
				v.Layers = append(v.Layers, layer)
			}
		}
	}
	if _, ok := v.source("catalog.json"); ok && v.Catalogs == nil {
		v.Catalogs = []Catalog{{File: "catalog.json"}}
	}
}

// check refuses a vector that could pass without showing anything.
func (v *Vector) check() error {
	switch {
	case v.About == "" || len(v.Covers) == 0:
		return fmt.Errorf("%s needs about and covers", caseName)
	case len(v.Calls) == 0 && !v.Diagnosed:
		return fmt.Errorf("%s needs calls or diagnostics", caseName)
	}
	for _, layer := range v.Layers {
		if _, ok := v.source(layer.File); !ok {
			return fmt.Errorf("layer %s: there is no file %q", layer.Layer, layer.File)
		}
	}
	for _, catalog := range v.Catalogs {
		if _, ok := v.source(catalog.File); !ok {
			return fmt.Errorf("there is no catalog file %q", catalog.File)
		}
	}
	return nil
}
