package catalog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/plangate/plangate"
)

// Limits of input schemas (spec CAT-7). Compiling one takes time quadratic in
// the number of its values, and arithmetic on a number takes memory in
// proportion to its exponent.
const (
	maxSchemaValues   = 4096
	maxNumberLength   = 40
	maxExponentLength = 4 // sign included

	// maxSchemaWork bounds what all schemas of a file cost together, at most a
	// few seconds: the squares of their sizes, and schemaWork for each.
	maxSchemaWork = 1 << 28
	schemaWork    = 1 << 14
)

// schemaURL is the base of relative references. Nothing is loaded from it.
const schemaURL = "catalog:///input_schema"

// schema compiles the schema of an operation and stores it in canonical form.
// It returns n if that went well, else nil.
func (d *decoder) schema(op *Operation, n *node) *node {
	if n == nil || !d.want(object, n, "input_schema") || !d.schemaBounds(n) {
		return nil
	}
	op.InputSchema = n.appendJSON(nil)
	if err := compileSchema(op.InputSchema); err != nil {
		at, detail := schemaError(n, err)
		d.error(codeSchema, at, "Invalid input schema",
			fmt.Sprintf("The schema of operation %q cannot be used: %s.", op.Name, detail))
		return nil
	}
	return n
}

func (d *decoder) schemaBounds(n *node) bool {
	values, ok := 0, true
	n.all(func(part *node) bool {
		values++
		if part.typ == number && !smallNumber(part.text) {
			d.error(codeSchema, part.rng, "Number out of range",
				fmt.Sprintf("A number in a schema has at most %d characters and an exponent of at most three digits.", maxNumberLength))
			ok = false
		}
		return values <= maxSchemaValues
	})
	d.work += values*values + schemaWork
	switch {
	case values > maxSchemaValues:
		d.error(codeSchema, n.rng, "Schema too large",
			fmt.Sprintf("A schema has at most %d values. Leave out the parts that say nothing about the arguments.", maxSchemaValues))
		ok = false
	case d.work > maxSchemaWork:
		d.error(codeSchema, n.rng, "Schemas too large",
			"The schemas of this file are too much together. Split the file.")
		ok = false
	}
	return ok
}

func smallNumber(literal string) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(literal), "e")
	return len(literal) <= maxNumberLength && len(exponent) <= maxExponentLength
}

func compileSchema(text []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(schemaURL, doc); err != nil {
		return err
	}
	_, err = compiler.Compile(schemaURL)
	return err
}

// noLoader keeps a schema from reaching files and servers.
type noLoader struct{}

var errNoLoader = errors.New("a schema may refer to its own parts only")

func (noLoader) Load(string) (any, error) { return nil, errNoLoader }

// schemaError finds the value in the schema that err is about.
func schemaError(n *node, err error) (plangate.Range, string) {
	var meta *jsonschema.SchemaValidationError
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &meta) || meta.URL != schemaURL+"#" || !errors.As(meta.Err, &invalid) {
		return n.rng, err.Error()
	}
	printer := message.NewPrinter(language.English)
	first := slices.MinFunc(leaves(invalid), func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(
			cmp.Compare(n.at(a.InstanceLocation).rng.Start.Byte, n.at(b.InstanceLocation).rng.Start.Byte),
			cmp.Compare(len(b.InstanceLocation), len(a.InstanceLocation)),
			cmp.Compare(a.ErrorKind.LocalizedString(printer), b.ErrorKind.LocalizedString(printer)),
		)
	})
	return n.at(first.InstanceLocation).rng, first.ErrorKind.LocalizedString(printer)
}

func leaves(err *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(err.Causes) == 0 {
		return []*jsonschema.ValidationError{err}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range err.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}
