package when_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/when"
)

// FuzzTest holds that no text and no input makes the package panic, and that
// the same question gets the same answer.
func FuzzTest(f *testing.F) {
	inputs := []string{string(sample.Input), `{}`, `{"x": [1, {"y": null}], "x ": "\u0301"}`, `[1`, ``}
	for _, text := range []string{
		`startswith(input.path, "src/") && input.n < 5`, `contains([for k, v in input: v == null], true)`,
		`input.x[*].y == [1] || input.x[0] % 2 >= -1e3`, `regex(coalesce(input.path, "a"), "(?i)^a{1,9}$") ? true : !input.on`,
		`cidr_contains("10.0.0.0/8", input.ip) && glob(lower("${input.path}x"), "*x")`, `length(input.tags) / input.zero != 1`,
		`input.absent == null`, `call.kind != session.x`, `"%{ if true }"`, `<<E`, "input.e\u0301", `a::b(1, 2...)`,
	} {
		for _, input := range inputs {
			f.Add(text, input)
		}
	}
	f.Fuzz(func(t *testing.T, text, input string) {
		expr, diags := when.Parse(text, "agent.hcl", start)
		call := plangate.Call{ID: text, Input: json.RawMessage(input), Session: json.RawMessage(input)}
		vars := when.NewVars(call)
		got := expr.Test(vars)
		if diags.HasErrors() && got != eval.Unknown {
			t.Errorf("%q is %s beside %v", text, got, diags)
		}
		if again := expr.Test(vars); again != got {
			t.Errorf("%q is %s, then %s", text, got, again)
		}
		expr.Check(json.RawMessage(input))
		for _, d := range diags {
			if d.Code == "" || d.Detail == "" || d.Range.Start.Line < 1 || d.Range.Start.Byte > len(text) {
				t.Errorf("%q: %+v", text, d)
			}
		}
		if !diags.HasErrors() {
			checkNegation(t, text, vars, got)
		}
	})
}

// checkNegation holds that !(x) is yes where x is no, and unknown where x is. A
// text that is near the limits may not have room for it.
func checkNegation(t *testing.T, text string, vars *when.Vars, got eval.Truth) {
	t.Helper()
	if strings.ContainsAny(text, "#/\n") {
		return // a comment may take the bracket
	}
	not, diags := when.Parse("!("+text+")", "agent.hcl", start)
	if diags.HasErrors() {
		return
	}
	want := map[eval.Truth]eval.Truth{eval.Yes: eval.No, eval.No: eval.Yes, eval.Unknown: eval.Unknown}[got]
	if negated := not.Test(vars); negated != want {
		t.Errorf("%q is %s, and its negation %s", text, got, negated)
	}
}

func BenchmarkTest(b *testing.B) {
	expr := parse(b, `startswith(input.path, "src/") && input.n < 5`)
	call := plangate.Call{Operation: "write_file", Input: json.RawMessage(`{"path": "src/main.go", "n": 3}`)}
	b.Run("with NewVars", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if expr.Test(when.NewVars(call)) != eval.Yes {
				b.Fatal("not yes")
			}
		}
	})
	b.Run("decoded", func(b *testing.B) {
		vars := when.NewVars(call)
		b.ReportAllocs()
		for b.Loop() {
			expr.Test(vars)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		when.Parse(`startswith(input.path, "src/") && input.n < 5`, "agent.hcl", start)
	}
}
