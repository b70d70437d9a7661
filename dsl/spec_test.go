package dsl

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// codes returns the diagnostic codes that a package declares, by constant name.
func codes(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range files {
		file, err := goparser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "code") {
				return true
			}
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				found[spec.Names[0].Name], _ = strconv.Unquote(lit.Value)
			}
			return true
		})
	}
	return found
}

// TestCodesAreDocumented: a code that is not in the specification is no promise.
func TestCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "spec", "diagnostics.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".", filepath.Join("..", "internal", "hclsource")} {
		declared := codes(t, dir)
		if len(declared) == 0 {
			t.Errorf("no codes found in %s", dir)
		}
		for name, code := range declared {
			if !strings.Contains(string(page), "| `"+code+"` |") {
				t.Errorf("%s: code %s is not in spec/diagnostics.md", name, code)
			}
		}
	}
}

// TestCodesAreTested: every code has a case with a place.
func TestCodesAreTested(t *testing.T) {
	var cases strings.Builder
	for _, name := range []string{"codes_test.go", "format_test.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		cases.Write(text)
	}
	for name, code := range codes(t, ".") {
		if text := cases.String(); !strings.Contains(text, code+"|") && !strings.Contains(text, code+",") && !strings.Contains(text, name) {
			t.Errorf("no case for %s", code)
		}
	}
}
