package gate

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/plangate/plangate"
)

//go:embed vectors/*.json
var embedded embed.FS

// Vector is a story with one store and one policy.
type Vector struct {
	Name   string   `json:"name"` // file/name
	About  string   `json:"about"`
	Covers []string `json:"covers"` // ids of the specification, rows of the seed, cases
	// Policy is a policy file: an object is the JSON form, a string the native one.
	Policy  json.RawMessage `json:"policy"`
	Catalog json.RawMessage `json:"catalog"` // null for none
	// Script is what stands around the gate; nil if there is nothing. The protocol has
	// no words for it, so only a World in Go can have it.
	Script *Script `json:"script"`
	Steps  []Step  `json:"steps"`
}

// Script says how hooks and previews behave.
type Script struct {
	Hooks []ScriptedHook `json:"hooks"`
	// Ask is what the decision hook answers, by call id. Nil means that there is no
	// decision hook; a call that is not in it gets an error.
	Ask map[string]json.RawMessage `json:"ask"`
	// Preview is what the provider's preview gives, by call id: a JSON value, or the
	// string "!error" or "!late". Nil means that nobody can preview.
	Preview map[string]json.RawMessage `json:"preview"`
	// NoWriter means that there is no policy to write verdicts to.
	NoWriter bool `json:"no_writer"`
	// NoLog means that the audit log cannot be written.
	NoLog bool `json:"no_log"`
}

// ScriptedHook is a member of the hook chain.
type ScriptedHook struct {
	Name string `json:"name"`
	Type string `json:"type"` // observe, transform or veto
	// Does is fail, panic, pass, veto, nothing, or for transform the operation that
	// replaces that of every call.
	Does   string `json:"does"`
	Reason string `json:"reason"`
}

// Step is one thing that happens. Exactly one of Call, Policy, Restart and Finish is set.
type Step struct {
	Kernel string          `json:"kernel"` // which one acts; "" is the first
	Call   string          `json:"call"`   // a method of the protocol
	Params json.RawMessage `json:"params"`
	// Start gives the request a name and does not wait for its answer, Finish does.
	Start  string `json:"start"`
	Finish string `json:"finish"`
	// Policy replaces the policy, in the form of Vector.Policy.
	Policy json.RawMessage `json:"policy"`
	// Restart kills the kernel and starts it again.
	Restart bool `json:"restart"`

	Want  json.RawMessage `json:"want"`  // part of the result
	Error string          `json:"error"` // code; without it the request must succeed
	Data  json.RawMessage `json:"data"`  // part of the data of the error
}

// group is the content of a file: vectors with what they have in common.
type group struct {
	Policy  json.RawMessage `json:"policy"`
	Catalog json.RawMessage `json:"catalog"`
	Vectors []Vector        `json:"vectors"`
}

// Vectors returns the vectors of the specification, by file name and in file order.
func Vectors() ([]Vector, error) { return readAll(embedded) }

func readAll(files fs.FS) ([]Vector, error) {
	names, err := fs.Glob(files, "vectors/*.json")
	if err != nil {
		return nil, err
	}
	var all []Vector
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		vectors, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		area := strings.TrimSuffix(path.Base(name), ".json")
		for _, v := range vectors {
			v.Name = area + "/" + v.Name
			all = append(all, v)
		}
	}
	return all, nil
}

func parse(text []byte) ([]Vector, error) {
	if err := plangate.CheckJSON(text); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var g group
	if err := decoder.Decode(&g); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected text after the vectors")
	}
	seen := map[string]bool{}
	for i := range g.Vectors {
		v := &g.Vectors[i]
		if v.Policy == nil {
			v.Policy = g.Policy
		}
		if v.Catalog == nil {
			v.Catalog = g.Catalog
		}
		if err := v.check(); err != nil {
			return nil, fmt.Errorf("vector %q: %w", v.Name, err)
		}
		if seen[v.Name] {
			return nil, fmt.Errorf("two vectors are named %q", v.Name)
		}
		seen[v.Name] = true
	}
	return g.Vectors, nil
}

func (v *Vector) check() error {
	switch {
	case v.Name == "" || v.About == "" || len(v.Covers) == 0 || len(v.Steps) == 0:
		return errors.New("it needs a name, about, covers and steps")
	case v.Policy == nil:
		return errors.New("it has no policy")
	}
	for i := range v.Steps {
		if err := v.Steps[i].check(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Step) check() error {
	kinds := 0
	for _, is := range []bool{s.Call != "", s.Policy != nil, s.Restart, s.Finish != ""} {
		if is {
			kinds++
		}
	}
	answers := s.Call != "" && s.Start == "" || s.Finish != ""
	switch {
	case kinds != 1:
		return errors.New("want exactly one of call, policy, restart and finish")
	case !answers && (s.Want != nil || s.Error != "" || s.Data != nil):
		return errors.New("there is no answer that could be wanted")
	case s.Want != nil && s.Error != "", s.Data != nil && s.Error == "":
		return errors.New("want a result, or an error with its data")
	case s.Start != "" && s.Call == "", s.Params != nil && s.Call == "":
		return errors.New("only a call has params or can be started")
	default:
		return nil
	}
}

// PolicyText returns the text of a policy and the name of a file that may hold it.
func PolicyText(policy json.RawMessage) (name string, text []byte, err error) {
	if bytes.HasPrefix(policy, []byte{'"'}) {
		var native string
		err := json.Unmarshal(policy, &native)
		return "agent.hcl", []byte(native), err
	}
	return "agent.hcl.json", policy, nil
}
