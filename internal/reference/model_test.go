package reference_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

// policySet is a random policy in a form that can be rendered, taken apart
// again when a failure is made smaller, and put in another order.
type policySet struct {
	layers     []layerText
	operations []operation // the catalog
	extra      block       // a guard that is added to the first layer for comparison
	protected  bool        // it has the built-in guards
}

// layerText is one policy file.
type layerText struct {
	file    string
	layer   plangate.Layer
	trusted bool
	blocks  []block
}

// block is one block of a file: its header and its attributes, each a line.
type block struct {
	header     string
	attributes []string
}

// operation is an entry of the catalog.
type operation struct {
	provider, name string
	kind           plangate.Kind
	risk           plangate.Risk
}

func (l *layerText) render() []byte {
	var out strings.Builder
	for _, b := range l.blocks {
		out.WriteString(b.render() + "\n")
	}
	return []byte(out.String())
}

func (b block) render() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s {\n", b.header)
	for _, attribute := range b.attributes {
		fmt.Fprintf(&out, "  %s\n", attribute)
	}
	out.WriteString("}\n")
	return out.String()
}

// renderCatalog returns the catalog in its JSON form.
func (s *policySet) renderCatalog() []byte {
	type entry struct {
		Kind plangate.Kind `json:"kind"`
		Risk plangate.Risk `json:"risk"`
	}
	type provider struct {
		Operations map[string]entry `json:"operations"`
	}
	providers := map[string]provider{}
	for _, o := range s.operations {
		if providers[o.provider].Operations == nil {
			providers[o.provider] = provider{map[string]entry{}}
		}
		providers[o.provider].Operations[o.name] = entry{o.kind, o.risk}
	}
	text, err := json.Marshal(map[string]any{"providers": providers})
	if err != nil {
		panic(err)
	}
	return text
}

// String shows the set for a failure message.
func (s *policySet) String() string {
	var out strings.Builder
	for i := range s.layers {
		l := &s.layers[i]
		fmt.Fprintf(&out, "--- %s (%s, trusted: %v)\n%s", l.file, l.layer, l.trusted, l.render())
	}
	fmt.Fprintf(&out, "--- catalog\n%s\n", s.renderCatalog())
	fmt.Fprintf(&out, "--- added guard\n%s--- built-in guards: %v\n", s.extra.render(), s.protected)
	return out.String()
}

func (s *policySet) clone() *policySet {
	c := &policySet{slices.Clone(s.layers), slices.Clone(s.operations), s.extra.clone(), s.protected}
	for i := range c.layers {
		c.layers[i].blocks = slices.Clone(c.layers[i].blocks)
		for j := range c.layers[i].blocks {
			c.layers[i].blocks[j] = c.layers[i].blocks[j].clone()
		}
	}
	return c
}

func (b block) clone() block { return block{b.header, slices.Clone(b.attributes)} }

// remove takes out the block with a header in a file.
func (s *policySet) remove(file, header string) {
	for i := range s.layers {
		if s.layers[i].file == file {
			s.layers[i].blocks = slices.DeleteFunc(s.layers[i].blocks, func(b block) bool { return b.header == header })
		}
	}
}

// callTime is the moment around which expiry times lie.
var callTime = time.Date(2030, 6, 1, 12, 0, 0, 0, time.UTC)
