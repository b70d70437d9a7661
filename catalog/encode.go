package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
)

// The types of the JSON form.
type (
	fileForm struct {
		Providers map[string]providerForm `json:"providers"`
	}
	providerForm struct {
		Operations map[string]operationForm `json:"operations"`
	}
	operationForm struct {
		Kind        string          `json:"kind"`
		Risk        string          `json:"risk"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema,omitempty"`
		Roles       rolesForm       `json:"roles"`
		Shell       string          `json:"shell,omitempty"`
		Aliases     []string        `json:"aliases,omitempty"`
	}
	rolesForm struct {
		Command []string `json:"command,omitempty"`
		Path    []string `json:"path,omitempty"`
		URL     []string `json:"url,omitempty"`
		Cwd     []string `json:"cwd,omitempty"`
	}
)

// MarshalJSON returns the form that [Parse] reads, sorted and without white
// space. Roles are spelled out, also where they were guessed.
func (c *Catalog) MarshalJSON() ([]byte, error) { return encode(c.form()), nil }

// JSON returns the same for people to read, with a final newline.
func (c *Catalog) JSON() []byte {
	var indented bytes.Buffer
	_ = json.Indent(&indented, encode(c.form()), "", "  ") // cannot fail: it is JSON
	indented.WriteByte('\n')
	return indented.Bytes()
}

// Digest identifies the content: the SHA-256 of [Catalog.MarshalJSON]. Places
// and the order of the text do not count.
func (c *Catalog) Digest() [sha256.Size]byte { return sha256.Sum256(encode(c.form())) }

func (c *Catalog) form() fileForm {
	file := fileForm{Providers: map[string]providerForm{}}
	for op := range c.All() {
		if _, ok := file.Providers[op.Provider]; !ok {
			file.Providers[op.Provider] = providerForm{Operations: map[string]operationForm{}}
		}
		file.Providers[op.Provider].Operations[op.Name] = op.form()
	}
	return file
}

func (o *Operation) form() operationForm {
	form := operationForm{
		Kind:        o.Kind.String(),
		Risk:        o.Risk.String(),
		Description: o.Description,
		InputSchema: o.InputSchema,
		Roles:       rolesForm(o.Roles),
		Aliases:     o.Aliases,
	}
	if o.Shell != defaultShell {
		form.Shell = o.Shell
	}
	return form
}

func (o *Operation) canonical() []byte { return encode(o.form()) }

// encode writes JSON without the escapes that only HTML needs.
func encode(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // cannot fail: strings, and schemas that were read as JSON
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
