package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/plangate/plangate"
)

// describe writes a call as a query, without its input. Reading the query
// again gives the same call.
func describe(call plangate.Call) string {
	var words []string
	if call.Kind != plangate.KindUnspecified {
		words = append(words, call.Kind.String())
	}
	words = append(words, nameOf(call.Provider, call.Operation))
	if call.Risk != plangate.RiskUnspecified {
		words = append(words, "risk="+call.Risk.String())
	}
	if call.Profile != "" {
		words = append(words, "profile="+bare(call.Profile, "\"="))
	}
	return strings.Join(words, " ")
}

// nameOf writes provider and operation so that they can be told apart.
func nameOf(provider, operation string) string {
	if provider != "" {
		return bare(provider, ".\"=") + "." + bare(operation, "\"=")
	}
	if _, err := plangate.ParseKind(operation); err == nil {
		return quote(operation)
	}
	return bare(operation, ".\"=")
}

// bare returns text as it is if it reads as one word, else in quotes.
func bare(text, special string) string {
	odd := func(r rune) bool { return unicode.IsSpace(r) || !visible(r) || strings.ContainsRune(special, r) }
	if text == "" || strings.ContainsFunc(text, odd) {
		return quote(text)
	}
	return text
}

// quote puts text in quotes, with escapes for all that cannot be seen.
func quote(text string) string { return strconv.Quote(text) }
