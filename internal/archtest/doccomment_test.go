package archtest

import "go/ast"

// docComments wants a comment on every exported name. A group of constants or
// variables may share one.
func docComments(c *checker, src source) {
	if src.file.Name.Name == "main" {
		return
	}
	for _, decl := range src.file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if public(src, decl) && decl.Doc == nil {
				c.add("doc", decl.Pos(), decl.Name.Name+" has no comment")
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				c.specComment(decl, spec)
			}
		}
	}
}

func (c *checker) specComment(decl *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && spec.Doc == nil && (decl.Doc == nil || decl.Lparen.IsValid()) {
			c.add("doc", spec.Pos(), spec.Name.Name+" has no comment")
		}
	case *ast.ValueSpec:
		if decl.Doc != nil || spec.Doc != nil {
			return
		}
		for _, name := range spec.Names {
			if name.IsExported() {
				c.add("doc", name.Pos(), name.Name+" has no comment")
			}
		}
	}
}
