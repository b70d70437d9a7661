package main

import (
	"fmt"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// block is a named block of a policy file and where it stands.
type block struct {
	title         string // policy "x"
	header, whole plangate.Range
}

// blocksOf returns the policies, guards and profiles of a file.
func blocksOf(file *dsl.File) []block {
	var blocks []block
	for _, policy := range file.Policies {
		blocks = append(blocks, bodyBlock("policy", &policy.Body))
	}
	for _, guard := range file.Guards {
		blocks = append(blocks, bodyBlock("guard", &guard.Body))
	}
	for _, profile := range file.Profiles {
		title := fmt.Sprintf("agent_profile %q", profile.Name.Value)
		blocks = append(blocks, block{title, profile.Header, profile.Range})
	}
	return blocks
}

func bodyBlock(word string, body *dsl.Body) block {
	return block{fmt.Sprintf("%s %q", word, body.Name.Value), body.Header, body.Range}
}

// holds reports whether inner lies within outer.
func holds(outer, inner plangate.Range) bool {
	return outer.Start.Byte <= inner.Start.Byte && inner.End.Byte <= outer.End.Byte
}
