package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Limits of input schemas (spec CAT-7).
const (
	maxSchemaValues   = 4096
	maxNumberLength   = 40
	maxExponentLength = 4 // sign included: arithmetic takes memory in proportion to the exponent
)

// maxSchemaWork bounds what all schemas of a file cost together, in units of
// about ten nanoseconds. What is kept counts for more than its time, so that
// memory stays within a few hundred megabytes.
const (
	maxSchemaWork = 1 << 27

	subschemaWork = 2500
	textWork      = 4 // for each byte and each schema around it: the library reads it once for each
	pointerWork   = 8 // for each byte of the pointer to a schema, which the library keeps
)

// The base of relative references, from which nothing is loaded.
const (
	schemaScheme = "catalog"
	schemaPath   = "/input_schema"
	schemaURL    = schemaScheme + "://" + schemaPath
)

// The drafts that the library knows. It takes any other for draft2020.
const (
	draft2020 = "https://json-schema.org/draft/2020-12/schema"
	draft07   = "http://json-schema.org/draft-07/schema#"
)

// schema checks the schema of an operation and stores it in canonical form.
// It returns n if that went well, else nil.
func (d *decoder) schema(op *Operation, n *node) *node {
	if n == nil || !d.want(object, n, "input_schema") || !d.schemaBounds(n) {
		return nil
	}
	op.InputSchema = n.appendJSON(nil)
	if err := d.checkSchema(op, n); err != nil {
		at := n.rng
		if f, ok := errors.AsType[*fault](err); ok {
			at = f.at
		}
		d.error(codeSchema, at, "Invalid input schema",
			fmt.Sprintf("The schema of operation %q cannot be used: %.500s.", op.Name, err))
		return nil
	}
	return n
}

// schemaBounds reports whether the schema is small enough to be looked at, and
// whether all of it could be read.
func (d *decoder) schemaBounds(n *node) bool {
	values, ok := 0, true
	n.all(func(part *node) bool {
		values++
		if part.typ == number && !smallNumber(part.text) {
			d.error(codeSchema, part.rng, "Number out of range",
				fmt.Sprintf("A number in a schema has at most %d characters, an exponent of at most three digits, and fits into 64 bits of floating point.", maxNumberLength))
			ok = false
		}
		ok = ok && part.typ != unreadable
		return values <= maxSchemaValues
	})
	if values > maxSchemaValues {
		d.error(codeSchema, n.rng, "Schema too large",
			fmt.Sprintf("A schema has at most %d values. Leave out the parts that say nothing about the arguments.", maxSchemaValues))
		ok = false
	}
	return ok
}

func smallNumber(literal string) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(literal), "e")
	if len(literal) > maxNumberLength || len(exponent) > maxExponentLength {
		return false
	}
	_, err := strconv.ParseFloat(literal, 64)
	return err == nil
}

// checkSchema finds faults itself, so that they have a place, and then asks
// the library, so that a schema that is accepted here can be used.
func (d *decoder) checkSchema(op *Operation, n *node) error {
	draft, err := draftOf(n)
	if err != nil {
		return err
	}
	c := checker{draft7: draft == draft07, root: n, work: &d.work}
	if err := c.check(); err != nil {
		return err
	}
	return compileSchema(op.InputSchema, draft)
}

// draftOf reads the $schema of the root. Elsewhere it counts for nothing.
func draftOf(n *node) (string, error) {
	named := n.get("$schema")
	if named == nil || named.typ != text {
		return draft2020, nil
	}
	switch strings.TrimSuffix(named.text, "#") {
	case "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft/2020-12/schema":
		return draft2020, nil
	case "https://json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema":
		return draft07, nil
	default:
		return "", faultf(n.rng, "its $schema is neither %s nor %s", draft2020, draft07)
	}
}

// compileSchema reaches no file or server: the library loads what it is given
// a loader for.
func compileSchema(text []byte, draft string) error {
	var schema jsonschema.Schema
	err := json.Unmarshal(text, &schema)
	if err == nil {
		schema.Schema = draft
		_, err = schema.Resolve(&jsonschema.ResolveOptions{BaseURI: schemaURL})
	}
	return err
}
