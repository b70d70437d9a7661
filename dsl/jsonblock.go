package dsl

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
)

// parseJSON reads the JSON syntax as the JSON profile of HCL says: a property
// of the root is a block type, a labelled block has one more object around it,
// and wherever there is an object there may be an array of them. The key "//"
// is a comment in the root and in a block.
func (p *parser) parseJSON() {
	root, diags := hclsource.ParseJSON(p.file.Name, p.file.Source)
	if p.deceives(diags) {
		return
	}
	p.add(diags...)
	if root == nil {
		return
	}
	p.eachObject(root, "holds the blocks of the file", func(object hcl.Expression) {
		for _, pair := range pairs(object) {
			p.jsonProperty(pair)
		}
	})
}

func (p *parser) jsonProperty(pair hcl.KeyValuePair) {
	b := block{typ: p.jsonText(pair.Key), at: hclsource.Range(pair.Key.Range())}
	b.header = b.at
	b.rng = join(b.at, hclsource.Range(pair.Value.Range()))
	switch {
	case b.typ == "//":
	case slices.Contains(labelledTypes, b.typ):
		p.eachObject(pair.Value, "has the names of the blocks as its keys", func(object hcl.Expression) {
			for _, labelled := range pairs(object) {
				p.jsonLabelled(b, labelled)
			}
		})
	case isOurs(b.typ):
		p.jsonBodies(b, pair.Value)
	case !slices.Contains(foreignTypes, b.typ) && !slices.Contains([]valueType{listValue, objectValue}, p.value(pair.Value).typ):
		p.strayAttribute(b.typ, b.at)
	default:
		p.block(&b)
	}
}

func (p *parser) jsonLabelled(b block, pair hcl.KeyValuePair) {
	b.header = hclsource.Range(pair.Key.Range())
	b.labels = []Lit[string]{{p.jsonText(pair.Key), b.header}}
	p.jsonBodies(b, pair.Value)
}

// jsonBodies reads one or more blocks of the same type and label.
func (p *parser) jsonBodies(b block, expr hcl.Expression) {
	if v := p.value(expr); v.typ == listValue && len(v.items) == 0 {
		p.error(codeBadType, v.rng, "No block",
			"An empty list is no block, so "+quote(p.slice(b.header))+" would vanish. Write an object, or remove the key.")
		return
	}
	p.eachObject(expr, "holds the attributes of the block", func(object hcl.Expression) {
		one := b
		one.rng = join(one.header, hclsource.Range(object.Range()))
		one.attrs = p.jsonAttributes(object)
		p.block(&one)
	})
}

func (p *parser) jsonAttributes(object hcl.Expression) []attribute {
	var attrs []attribute
	seen := map[string]plangate.Range{}
	for _, pair := range pairs(object) {
		a := attribute{p.jsonText(pair.Key), hclsource.Range(pair.Key.Range()), pair.Value}
		if a.name == "//" {
			continue
		}
		if first, twice := seen[a.name]; twice {
			p.second(codeDuplicateAttr, pairOf{a.rng, first}, "Attribute given twice",
				"Each attribute may stand once. Remove one of the two.")
			continue
		}
		seen[a.name] = a.rng
		attrs = append(attrs, a)
	}
	return attrs
}

// eachObject calls visit for an object, or for each object of an array.
func (p *parser) eachObject(expr hcl.Expression, purpose string, visit func(hcl.Expression)) {
	v := hclsource.Range(expr.Range())
	switch p.src[v.Start.Byte] {
	case '{':
		visit(expr)
		return
	case '[':
		for _, item := range items(expr) {
			if p.src[item.Range().Start.Byte] != '{' {
				p.wrongType(p.value(item), "an object, which "+purpose)
				continue
			}
			visit(item)
		}
		return
	}
	p.wrongType(p.value(expr), "an object, which "+purpose)
}
