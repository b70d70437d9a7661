package archtest

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Limits of style, in lines.
const (
	maxFileLines     = 500
	maxFunctionLines = 80
)

// violation is a place that breaks a rule.
type violation struct {
	rule string
	file string
	line int
	what string
}

// checker runs rules over a tree and collects what breaks them.
type checker struct {
	*tree
	layout  []entry
	effects map[string]string
	found   []violation
}

func (c *checker) add(rule string, at token.Pos, what string) {
	position := c.fset.Position(at)
	c.found = append(c.found, violation{rule, position.Filename, position.Line, what})
}

// rules are all rules, by the names that violations carry.
var rules = []struct {
	name string
	run  func(c *checker, src source)
}{
	{"import", imports},
	{"effect", effectsUsed},
	{"package", packageName},
	{"init", initFunctions},
	{"bool", boolParameters},
	{"doc", docComments},
	{"length", lengths},
}

func (c *checker) run() []violation {
	c.shape()
	for _, src := range c.files {
		for _, rule := range rules {
			rule.run(c, src)
		}
	}
	return c.found
}

// shape checks that the layout has no cycle, and that it lists exactly the
// packages there are.
func (c *checker) shape() {
	above := map[string]bool{}
	there := c.packages()
	for _, e := range c.layout {
		for use := range strings.FieldsSeq(e.ours) {
			if !above[use] {
				c.add("layout", token.NoPos, e.pkg+" may import "+use+", which does not stand above it")
			}
		}
		if !there[e.pkg] {
			c.add("layout", token.NoPos, e.pkg+" is listed but does not exist")
		}
		above[e.pkg] = true
	}
}

// imports holds a file to the line of its package.
func imports(c *checker, src source) {
	i := slices.IndexFunc(c.layout, func(e entry) bool { return e.pkg == src.pkg })
	if i < 0 {
		c.add("import", src.file.Name.Pos(), "package "+src.pkg+" is not in the layout")
		return
	}
	for _, spec := range src.file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if !c.mayImport(c.layout[i], name) {
			c.add("import", spec.Pos(), src.pkg+" may not import "+name)
		}
	}
}

func (c *checker) mayImport(e entry, name string) bool {
	if name == c.module {
		return permits(e.ours, ".")
	}
	if ours, ok := strings.CutPrefix(name, c.module+"/"); ok {
		return permits(e.ours, ours)
	}
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		return true // the standard library; see effectsUsed
	}
	for short, module := range modules {
		if name == module || strings.HasPrefix(name, module+"/") {
			return permits(e.libs, short)
		}
	}
	return false
}

// effectsUsed looks for imports and identifiers that only some may use.
func effectsUsed(c *checker, src source) {
	for _, spec := range src.file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		c.effect(src, spec.Pos(), name)
	}
	ast.Inspect(src.file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := selector.X.(*ast.Ident); ok {
				c.effect(src, selector.Pos(), pkg.Name+"."+selector.Sel.Name)
			}
		}
		return true
	})
}

func (c *checker) effect(src source, at token.Pos, name string) {
	if users, ok := c.effects[name]; ok && !permits(users, src.pkg) {
		c.add("effect", at, src.pkg+" may not use "+name)
	}
}

// packageName refuses names that say nothing, and names that differ from the
// directory.
func packageName(c *checker, src source) {
	name := src.file.Name.Name
	empty := []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "base"}
	if slices.Contains(empty, name) {
		c.add("package", src.file.Name.Pos(), "package "+name+" says nothing of what is in it")
	}
	want := path.Base(src.pkg)
	if src.pkg == "." {
		want = path.Base(c.module)
	}
	if name != want && name != "main" {
		c.add("package", src.file.Name.Pos(), "package "+name+" is in directory "+want)
	}
}

func initFunctions(c *checker, src source) {
	for fn := range functions(src) {
		if fn.Recv == nil && fn.Name.Name == "init" {
			c.add("init", fn.Pos(), "init function")
		}
	}
}

// boolParameters looks at functions that others can call: at the call, true
// says nothing.
func boolParameters(c *checker, src source) {
	for fn := range functions(src) {
		if !public(src, fn) {
			continue
		}
		for _, field := range fn.Type.Params.List {
			if isBool(field.Type) {
				c.add("bool", field.Pos(), fn.Name.Name+" has a bool parameter")
			}
		}
	}
}

func isBool(expr ast.Expr) bool {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name == "bool"
	case *ast.Ellipsis:
		return isBool(expr.Elt)
	case *ast.StarExpr:
		return isBool(expr.X)
	default:
		return false
	}
}

// lengths counts lines of files and functions.
func lengths(c *checker, src source) {
	if lines := c.fset.File(src.file.Pos()).LineCount(); lines > maxFileLines {
		c.add("length", src.file.Name.Pos(), strconv.Itoa(lines)+" lines in a file")
	}
	for fn := range functions(src) {
		lines := 1 + c.fset.Position(fn.End()).Line - c.fset.Position(fn.Pos()).Line
		if lines > maxFunctionLines {
			c.add("length", fn.Pos(), strconv.Itoa(lines)+" lines in "+fn.Name.Name)
		}
	}
}

// functions yields the functions and methods of a file.
func functions(src source) func(yield func(*ast.FuncDecl) bool) {
	return func(yield func(*ast.FuncDecl) bool) {
		for _, decl := range src.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && !yield(fn) {
				return
			}
		}
	}
}

// public reports whether code outside the package can call fn by its name.
func public(src source, fn *ast.FuncDecl) bool {
	if !fn.Name.IsExported() || src.file.Name.Name == "main" {
		return false
	}
	return fn.Recv == nil || receiver(fn.Recv.List[0].Type).IsExported()
}

func receiver(expr ast.Expr) *ast.Ident {
	for {
		switch typ := expr.(type) {
		case *ast.StarExpr:
			expr = typ.X
		case *ast.IndexExpr:
			expr = typ.X
		case *ast.IndexListExpr:
			expr = typ.X
		case *ast.Ident:
			return typ
		default:
			return ast.NewIdent("_")
		}
	}
}
