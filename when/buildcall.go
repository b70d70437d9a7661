package when

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
	"github.com/plangate/plangate/internal/suggest"
)

// maxRegexSize bounds the instructions of a compiled pattern, because the time
// for each byte of text grows with them.
const maxRegexSize = 1000

func (p *parser) call(at plangate.Range, e *hclsyntax.FunctionCallExpr) node {
	args := p.buildAll(e.Args)
	if e.ExpandFinal {
		return p.refuse(at, "Expanded argument", "Arguments cannot be taken from a list with three dots. Write each of them.")
	}
	if e.Name == regexName {
		return p.regex(at, args)
	}
	fn, ok := functions[e.Name]
	if !ok {
		p.report(codeUnknownFunction, hclsource.Range(e.NameRange), "Unknown function", unknownFunction(e.Name))
		return p.broken(at)
	}
	if len(args) < len(fn.params) || len(args) > len(fn.params) && !fn.more {
		p.argumentCount(at, e.Name, len(fn.params))
		return p.broken(at)
	}
	if fn.vet != nil {
		if wrong := fn.vet(args); wrong != "" {
			p.report(codeBadArgument, args[0].at(), "Bad argument", wrong)
		}
	}
	return &call{place(at), e.Name, fn, args}
}

func (p *parser) argumentCount(at plangate.Range, name string, wanted int) {
	p.report(codeBadArgument, at, "Wrong number of arguments", fmt.Sprintf("The function %s wants %d. Add or remove some.", name, wanted))
}

func unknownFunction(name string) string {
	advice := "The functions are "
	switch name {
	case "try", "can":
		advice = "An argument that is left out makes a condition unknown by itself. Give it a default with coalesce. " + advice
	case "jsonencode", "format", "join", "tostring":
		advice = "Matching on the JSON text of the input is not offered: read the single arguments. " + advice
	}
	for i, known := range functionNames {
		if i > 0 {
			advice += ", "
		}
		advice += known
	}
	return fmt.Sprintf("There is no function %.100q.%s %s.", name, suggest.DidYouMean(name, functionNames), advice)
}

// regex compiles the pattern now, so that its cost is known.
func (p *parser) regex(at plangate.Range, args []node) node {
	if len(args) != 2 {
		p.argumentCount(at, regexName, 2)
		return p.broken(at)
	}
	pattern, constant := constantString(args[1])
	if !constant {
		p.badRegex(args[1], "The pattern must be a string literal: it is compiled before any call.")
		return p.broken(at)
	}
	compiled, size, err := compileRegex(pattern)
	if err != nil {
		p.badRegex(args[1], fmt.Sprintf("RE2 cannot compile it: %s. Correct it.", err))
		return p.broken(at)
	}
	if size > maxRegexSize {
		p.badRegex(args[1], fmt.Sprintf("It compiles to %d instructions, and %d are allowed. Lower its repetitions.", size, maxRegexSize))
		return p.broken(at)
	}
	return &search{place(at), args[0], compiled, 1 + size/2}
}

func (p *parser) badRegex(n node, detail string) {
	p.report(codeBadRegex, n.at(), "Bad regular expression", detail)
}

// compileRegex also returns the number of instructions.
func compileRegex(pattern string) (compiled *regexp.Regexp, size int, err error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, 0, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, 0, err
	}
	if len(program.Inst) > maxRegexSize {
		return nil, len(program.Inst), nil
	}
	compiled, err = regexp.Compile(pattern)
	return compiled, len(program.Inst), err
}

func (p *parser) forLoop(at plangate.Range, e *hclsyntax.ForExpr) node {
	if e.KeyExpr != nil {
		return p.refuse(at, "Expression is not offered", "A for expression in braces makes an object. Use brackets.")
	}
	for _, name := range []string{e.KeyVar, e.ValVar} {
		if slices.Contains(variables, name) {
			return p.refuse(at, "Name is taken", fmt.Sprintf("The name %q means something else. Choose another one for the for expression.", name))
		}
	}
	over := p.build(e.CollExpr)
	if inner, ok := over.(*loop); ok && !inner.splat {
		return p.nested(at)
	}
	return p.loop(at, func() node {
		p.keyName, p.itemName = e.KeyVar, e.ValVar
		n := &loop{place: place(at), over: over, body: p.build(e.ValExpr)}
		if e.CondExpr != nil {
			n.filter = p.build(e.CondExpr)
		}
		return n
	})
}

func (p *parser) splat(at plangate.Range, e *hclsyntax.SplatExpr) node {
	over := p.build(e.Source)
	return p.loop(at, func() node {
		p.keyName, p.itemName = "", ""
		return &loop{place: place(at), over: over, body: p.build(e.Each), splat: true}
	})
}

// loop builds a loop whose collection is built. Loops do not nest, so that
// there is one element at a time and the work stays near the size of the input.
func (p *parser) loop(at plangate.Range, build func() node) node {
	if p.looping {
		return p.nested(at)
	}
	p.looping = true
	defer func() { p.looping = false }()
	return build()
}

func (p *parser) nested(at plangate.Range) node {
	return p.refuse(at, "Nested loop", "A for expression or [*] may not stand inside of another one. Split the condition into two.")
}
