package archtest

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

func TestLayout(t *testing.T) {
	c := &checker{tree: readTree(t, os.DirFS("../..")), layout: layout, effects: effects}
	for _, v := range c.run() {
		t.Errorf("%s:%d: %s [%s]", v.file, v.line, v.what, v.rule)
	}
	if len(c.files) < len(layout) {
		t.Errorf("read %d files only", len(c.files))
	}
}

// TestModules keeps a dependency from being named twice or for nothing.
func TestModules(t *testing.T) {
	gomod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	used := ""
	for _, e := range layout {
		used += " " + e.libs
	}
	for short, module := range modules {
		if !strings.Contains(string(gomod), "\t"+module+" v") {
			t.Errorf("%s is not in go.mod", module)
		}
		if !permits(used, short) {
			t.Errorf("no package may import %s", short)
		}
	}
}

// TestRulesCanFail runs the rules over a module that breaks each of them, in
// the lines that say so.
func TestRulesCanFail(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, file := range txtar.Parse([]byte(broken)).Files {
		fsys[file.Name] = &fstest.MapFile{Data: file.Data}
	}
	long := strings.Repeat("\n", maxFunctionLines)
	fsys["low/long.go"] = &fstest.MapFile{Data: []byte("package low\n\nfunc long() { // want length" + long + "}\n")}
	fsys["low/longer.go"] = &fstest.MapFile{Data: []byte("package low // want length\n" + strings.Repeat("\n", maxFileLines))}

	c := &checker{
		tree: readTree(t, fsys),
		layout: []entry{
			{"low", "", "hcl"},
			{"high", "low later", ""},
			{"later", "", ""},
			{"util", "", ""},
			{"absent", "", ""},
		},
		effects: map[string]string{"os": "high", "time.Now": ""},
	}
	var got []string
	for _, v := range c.run() {
		got = append(got, fmt.Sprintf("%s:%d %s", v.file, v.line, v.rule))
	}
	want := wanted(fsys)
	want = append(want, ":0 layout", ":0 layout") // later stands below high; absent
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	for _, rule := range rules {
		if !slices.ContainsFunc(want, func(v string) bool { return strings.HasSuffix(v, " "+rule.name) }) {
			t.Errorf("nothing breaks the rule %s", rule.name)
		}
	}
}

var want = regexp.MustCompile(`// want (.*)`)

// wanted collects the violations that comments announce.
func wanted(fsys fstest.MapFS) []string {
	var list []string
	for name, file := range fsys {
		number := 0
		for line := range strings.Lines(string(file.Data)) {
			number++
			if match := want.FindStringSubmatch(line); match != nil {
				for rule := range strings.FieldsSeq(match[1]) {
					list = append(list, fmt.Sprintf("%s:%d %s", name, number, rule))
				}
			}
		}
	}
	return list
}

const broken = `
-- go.mod --
module example.com/broken
-- low/low.go --
package low

import (
	"os" // want effect
	"time"

	"example.com/broken/high" // want import
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/spf13/cobra" // want import
	"gopkg.in/unheard.v1" // want import
)

func init() {} // want init

func Undocumented() {} // want doc

// Documented has a comment.
func Documented(yes bool) {} // want bool

// Several has bool parameters of all sorts.
func Several(
	yes *bool, // want bool
	no ...bool, // want bool
) {}

// Type has a comment.
type Type[T any] struct{}

func (Type[T]) Method() {} // want doc

type (
	Grouped int // want doc
)

const Value = 1 // want doc

// The values.
const (
	One = iota
	Two
)

var _, Two2 = time.Now(), 0 // want effect doc

type hidden struct{}

func (hidden) Init(yes bool) {}

func (hidden) init() {}
-- low/low_test.go --
package low

import "net/http"

func init() {}
-- low/testdata/x.go --
package broken syntax
-- high/high.go --
package high

import (
	"os"

	"example.com/broken/low"
)
-- later/other.go --
package other // want package
-- util/util.go --
package util // want package
-- unlisted/unlisted.go --
package unlisted // want import
-- nested/go.mod --
module example.com/nested
-- nested/nested.go --
package anything
`
