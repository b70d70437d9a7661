package dsl

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seeds are texts from which the fuzzers start: every construct, whole and broken.
func seeds() []string {
	list := []string{
		fullNative, strings.ReplaceAll(fullNative, "\n", "\r\n"), "\ufeff" + fullNative, "",
		"policy \"a\" {\n  match = { # c\n    operation = \"x\", /* d */\n  }\n  action = \"deny\" // e\n}",
		"x = <<-E\n  a ${b} %{ if c }d%{ endif }\n  E\n",
		"guard \"h\" { match = { kind = \"interactive\" } action = \"deny\" }\n",
		"a { x = [for k, v in y : { \"${k}\" = v... } if v] }\n",
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		list = append(list, randomFile(random))
	}
	return list
}

// randomFile writes a file of random blocks from the words of the language,
// some of them in the wrong place.
func randomFile(random *rand.Rand) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	scalar := func() string {
		return pick(`"bash"`, `"low"`, `"deny"`, `"allow"`, `"*"`, `""`, `"git status"`, `"a$${b}"`, `"${x}"`, "1", "true", "null", "x", `"e\u0301"`, "-2", `"10s"`, "(1)")
	}
	value := func() string {
		switch random.IntN(4) {
		case 0:
			return "[" + scalar() + ", " + pick("", "# c\n", "/* c */ ") + scalar() + pick("", ",") + pick("", "\n") + "]"
		case 1:
			return "{" + pick(" ", "\n", " # c\n") + pick("operation", "tool_name", `"risk"`, "kind", "(x)") + pick(" = ", ": ") + scalar() + pick(" ", "\n", ",\n# d\n") + "}"
		}
		return scalar()
	}
	var b strings.Builder
	for range random.IntN(4) {
		b.WriteString(pick("policy \"a\"", "policy \"B\"", "guard \"a\"", "defaults", "agent_profile \"x\"", "decision_hook", "approvals", "circuit_breaker", "hook", "polici") + " {\n")
		for range random.IntN(5) {
			b.WriteString(pick("  ", "\t", "") + pick("match", "match", "action", "command", "path", "when", "reason", "expires", "timeout", "deny_tools", "headless", "window", "resource"))
			b.WriteString(pick(" = ", "=", "   =") + value() + pick("", " # c", " // d") + pick("\n", "\n", "\n\n", "\r\n"))
		}
		b.WriteString(pick("}\n", "}", "} # e\n", "\n}\n\n\n"))
	}
	return b.String()
}

func checkParse(t *testing.T, name string, src []byte) {
	file, diags := Parse(name, src)
	if file == nil {
		t.Fatal("no file")
	}
	checkComplete(t, name, src, diags)
	if diags.HasErrors() {
		return
	}
	again, _ := Parse(name, src)
	if diff := cmp.Diff(file, again, withoutRanges); diff != "" {
		t.Error("not deterministic:", diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkParse(t, "agent.hcl", src) })
}

func FuzzParseJSON(f *testing.F) {
	f.Add([]byte(fullJSON))
	f.Add([]byte(`[{"policy": [{"a": [{"match": {"risk": ["low"]}, "when": "${x}"}]}]}, {"defaults": null}]`))
	f.Add([]byte("\ufeff{\"guard\": {\"\u0600\": {\"reason\": \"\\u0024{x}\"}}}"))
	f.Fuzz(func(t *testing.T, src []byte) { checkParse(t, "agent.hcl.json", src) })
}

// checkFormat holds Format to its promises: same meaning, same comments,
// stable, and the input untouched if it refuses.
func checkFormat(t *testing.T, src []byte) {
	out, diags := Format("agent.hcl", src)
	if diags.HasErrors() {
		if string(out) != string(src) {
			t.Error("refused, but changed")
		}
		return
	}
	before, _ := Parse("agent.hcl", src)
	after, _ := Parse("agent.hcl", out)
	// The text of a when moves with its white space.
	if diff := cmp.Diff(before, after, withoutRanges, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Text" }, cmp.Ignore())); diff != "" {
		t.Error("meaning changed:", diff)
	}
	if diff := cmp.Diff(commentsOf(src), commentsOf(out)); diff != "" {
		t.Error("comments changed:", diff)
	}
	again, diags := Format("agent.hcl", out)
	if diags != nil || string(again) != string(out) {
		t.Errorf("not stable: %v", diags)
	}
	if n := len(out); len(strings.TrimPrefix(string(out), "\ufeff")) > 0 && (out[n-1] != '\n' || strings.HasSuffix(string(out), "\n\n")) {
		t.Errorf("ends in %q", out[max(0, n-4):])
	}
}

func FuzzFormat(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(checkFormat)
}

// TestRandomFiles is what the fuzzers do, on files that are mostly well-formed.
func TestRandomFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 3_000 {
		src := []byte(randomFile(random))
		checkParse(t, "agent.hcl", src)
		checkFormat(t, src)
		if t.Failed() {
			t.Fatalf("%q", src)
		}
	}
}
