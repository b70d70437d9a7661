// Package errtext turns errors into sentences for people. It is pure.
package errtext

import "strings"

// Plain returns the text of an error without the names of our packages in front of it,
// which mean nothing to somebody who runs a program.
func Plain(err error) string {
	text := err.Error()
	for {
		name, rest, found := strings.Cut(text, ": ")
		switch name {
		case "plangate", "gate", "local", "persist", "audit", "writeback", "load", "layers", "ancestry", "eval",
			"conformance", "harness", "hook":
			if found {
				text = rest
				continue
			}
		}
		return text
	}
}
