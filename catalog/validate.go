package catalog

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/plangate/plangate"
)

// CheckInput returns nil if the input is an object that the operation's schema
// accepts. Without a schema any object is accepted. Nothing is converted, and no
// default is filled in.
func (o *Operation) CheckInput(input json.RawMessage) error {
	if err := plangate.CheckJSON(input); err != nil {
		return err
	}
	var object map[string]any
	if err := json.Unmarshal(input, &object); err != nil || object == nil {
		return errors.New("the input is not a JSON object")
	}
	if o.InputSchema == nil {
		return nil
	}
	resolved, err := resolveSchema(o.InputSchema)
	if err != nil {
		return fmt.Errorf("the schema of %s cannot be used: %w", o.Name, err)
	}
	return resolved.Validate(object)
}

// resolveSchema prepares the schema of an operation in a catalog, where it has been
// checked.
func resolveSchema(text json.RawMessage) (*jsonschema.Resolved, error) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	if schema.Schema == "" {
		schema.Schema = draft2020
	}
	return schema.Resolve(&jsonschema.ResolveOptions{BaseURI: schemaURL})
}
