package when_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/when"
)

var start = plangate.Pos{Line: 1, Column: 1}

// sample is the call that tables of tests read.
var sample = plangate.Call{
	ID: "c1", Provider: "filesystem", Operation: "write_file", Kind: plangate.Resource,
	Cwd: "/w/src", Workspace: "/w", Home: "/home/x", Profile: "worker",
	Input: json.RawMessage(`{
		"path": "src/main.go", "n": 3, "big": 9007199254740993, "tenth": 0.1, "huge": 1e999, "on": true, "off": false,
		"none": null, "empty": "", "tags": ["a", "b"], "mixed": ["a", 1], "nested": {"deep": {"x": "y"}},
		"files": [{"p": "a.go", "n": 1}, {"p": "b.go"}], "smile": "\ud83d\ude00é", "ip": "10.1.2.3",
		"decomposed": "e\u0301", "list of": {"two words": 2}, "zero": 0, "index": 1, "key": "path"
	}`),
	Session: json.RawMessage(`{"interactive": true}`),
}

func parse(t testing.TB, text string) *when.Expr {
	t.Helper()
	expr, diags := when.Parse(text, "agent.hcl", start)
	if len(diags) > 0 {
		t.Fatalf("%s: %v", text, diags)
	}
	return expr
}

// judge runs a table: one expression a line, each with the same answer.
func judge(t *testing.T, want eval.Truth, call plangate.Call, expressions string) {
	t.Helper()
	for line := range strings.Lines(expressions) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		expr, diags := when.Parse(line, "agent.hcl", start)
		if len(diags) > 0 {
			t.Errorf("%s: %v", line, diags)
			continue
		}
		if got := expr.Test(when.NewVars(call)); got != want {
			t.Errorf("%s = %s, want %s", line, got, want)
		}
	}
}

// WHN-1, WHN-3.
func TestVariables(t *testing.T) {
	judge(t, eval.Yes, sample, `
		input.path == "src/main.go"
		input["path"] == "src/main.go"
		input[input.key] == "src/main.go"
		input[("path")] == "src/main.go"
		input["list of"]["two words"] == 2
		input.nested.deep.x == "y"
		input.files[0].p == "a.go"
		input.files[input.index].p == "b.go"
		input.files.1.p == "b.go"
		session.interactive
		call.id == "c1" && call.provider == "filesystem" && call["operation"] == "write_file"
		call.kind == "resource" && call.profile == "worker" && call.producer_category == "tool"
		call.cwd == "/w/src" && call.workspace == "/w" && call.home == "/home/x"
		length(input) == 20
		true
	`)
	judge(t, eval.No, sample, `
		input.path == "src/main.g"
		!session.interactive
		call.kind == "data_source"
		false
	`)
	judge(t, eval.Unknown, sample, `
		call.risk == "high"
		call.risk == null
		caller.name == "x"
		caller.name == null
		coalesce(caller.name, "x") == "x"
	`)
	judge(t, eval.Yes, plangate.Call{}, `call.id == "" && call.profile == "" && call.cwd == ""`)
	judge(t, eval.Unknown, plangate.Call{}, `call.kind != "resource"`)
}

// WHN-3.
func TestUnreadableInput(t *testing.T) {
	for _, input := range []string{
		``, ` `, `null`, `[]`, `"x"`, `{`, `{"x": 1} {}`, `{"x": 1, "x": 1}`, "{\"x\": \"\xff\"}", `{"x": "\ud800"}`,
		`{"x": ` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "\ufeff{}",
	} {
		judge(t, eval.Unknown, plangate.Call{Input: json.RawMessage(input)}, `
			input.x == null
			input.x != null
			coalesce(input.x, 1) == 1
			length(input) == 0
			contains([for k, v in input: k], "x")
		`)
	}
	judge(t, eval.Yes, plangate.Call{Input: json.RawMessage(`{}`)}, `input.x == null && length(input) == 0 && coalesce(input.x, 1) == 1`)
}

// WHN-3: numbers are exact, and those out of bounds are unknown.
func TestNumbers(t *testing.T) {
	judge(t, eval.Yes, sample, `
		input.big == 9007199254740993
		input.big != 9007199254740992
		input.tenth + 0.2 == 0.3
		input.tenth == 1e-1
		input.n + 1 == 4 && input.n - 4 == -1 && input.n * 2 == 6 && input.n / 2 == 1.5
		7 % input.n == 1 && -7 % input.n == -1 && 7.5 % 2 == 1.5
		input.n < 4 && input.n <= 3 && input.n > 2 && input.n >= 3
		-input.n == -3
	`)
	judge(t, eval.No, sample, `
		input.big == 9007199254740992
		input.n < 3
		input.n > 3
	`)
	judge(t, eval.Unknown, sample, `
		input.huge > 5
		input.huge == input.huge
		input.huge == null
		1 / input.zero == 1
		1 % input.zero == 1
		input.files[input.huge].n == 1
	`)
	x := `input.n * 1e400`
	judge(t, eval.Unknown, sample, strings.Repeat(x+" * ", 9)+x+" > 0")
	for _, number := range []string{"1e401", "1e-401", "1e99999999999", strings.Repeat("1", 65)} {
		judge(t, eval.Unknown, plangate.Call{Input: json.RawMessage(`{"n": ` + number + `}`)}, `input.n == 0
			input.n > 0`)
	}
}

// WHN-4.
func TestUnknown(t *testing.T) {
	judge(t, eval.Unknown, sample, `
		input.absent
		input.absent == "x"
		input.absent != "x"
		input.absent == input.absent
		!input.absent
		input.absent > 3
		input.absent.more == null
		input.absent[0] == null
		input.none == "x"
		input.none.x == "x"
		input.none == input.none
		input.none == input.absent
		input.n
		input.path
		input.path.x == "x"
		input.n < input.path
		input.path < 3
		input.n + input.path == 3
		-input.path == 3
		input.tags[2] == "a"
		input.tags[input.n] == "a"
		input.tags[-1] == "a"
		input.tags[0.5 + input.zero] == "a"
		input.tags["x"] == "a"
		input.nested[0] == "a"
		input.tags[input.on] == "a"
		startswith(input.n, "x")
		startswith(input.absent, "x")
		startswith(input.path, input.none)
		"${input.n}" == "3"
		"x${input.absent}" == "x"
		input.absent ? true : true
		input.n ? true : true
		[input.absent] == ["x"]
		length(input.n) == 1
		length(input.absent) == 0
		input.path[*] == ["src/main.go"]
		coalesce(input.absent, input.none) == "x"
	`)
}

// WHN-5.
func TestLogic(t *testing.T) {
	const u = "input.absent"
	values := map[string]eval.Truth{"true": eval.Yes, "false": eval.No, u: eval.Unknown, "input.on": eval.Yes, "input.off": eval.No, "input.n": eval.Unknown}
	negated := map[eval.Truth]eval.Truth{eval.Yes: eval.No, eval.No: eval.Yes, eval.Unknown: eval.Unknown}
	for a, x := range values {
		judge(t, negated[x], sample, "!"+a)
		for b, y := range values {
			judge(t, x.And(y), sample, a+" && "+b)
			judge(t, negated[negated[x].And(negated[y])], sample, a+" || "+b)
		}
		judge(t, x, sample, "input.on ? "+a+" : "+u)
		judge(t, x, sample, "input.off ? "+u+" : "+a)
	}
	judge(t, eval.No, sample, `input.off && 1 / input.zero == 1`)
	judge(t, eval.No, sample, `1 / input.zero == 1 && input.off`)
	judge(t, eval.Yes, sample, `startswith(input.n, "x") || input.n == 3`)
}

// WHN-6.
func TestAbsence(t *testing.T) {
	judge(t, eval.Yes, sample, `
		input.absent == null
		null == input.absent
		input.none == null
		input.path != null
		null != input.off
		input.nested.absent == null
		input["no such"] == null
		input.files[1].n == null
		input.absent == null || input.absent.more > 3
		coalesce(input.absent, "d") == "d"
		coalesce(input.none, "d") == "d"
		coalesce(input.absent, input.none, input.path, "d") == "src/main.go"
		coalesce(input.off, true) == false
		coalesce(input.empty, "d") == ""
		null == null
	`)
	judge(t, eval.No, sample, `
		input.absent != null
		input.none != null
		input.path == null
	`)
	judge(t, eval.Unknown, sample, `
		input.decomposed == null
		coalesce(input.huge, 1) == 1
		coalesce(input.absent.more, 1) == 1
		[input.absent][0] == null
	`)
}

// WHN-7.
func TestEquality(t *testing.T) {
	judge(t, eval.Yes, sample, `
		input.tags == ["a", "b"]
		input.tags != ["a"]
		input.on == true
		input.on != input.off
		input.n == 3.0
		input.mixed != ["b", "x"]
	`)
	judge(t, eval.No, sample, `
		input.tags == ["a", "c"]
		input.tags == ["a", "b", "c"]
		input.path == "SRC/main.go"
	`)
	judge(t, eval.Unknown, sample, `
		input.n == "3"
		input.n != "3"
		input.n == "4"
		input.path == 3
		input.on == "true"
		input.tags == "a"
		input.nested == "a"
		input.nested == input.nested
		input.nested.deep != input.nested.deep
		input.mixed == ["a", "1"]
		input.tags == [input.absent, "b"]
		input.files == input.files
	`)
}

// WHN-8.
func TestText(t *testing.T) {
	judge(t, eval.Unknown, sample, `
		input.decomposed == "é"
		input.decomposed != "x"
		startswith(input.decomposed, "x")
		contains([input.decomposed, "a"], "x")
		"${input.path}${input.decomposed}" == "x"
		regex(input.decomposed, "^x")
	`)
	judge(t, eval.Yes, sample, `
		input.smile == "\U0001f600\u00e9"
		length(input.smile) == 2
		contains([input.decomposed, "a"], "a")
		input.path == "src/main.go"
	`)
	judge(t, eval.Unknown, plangate.Call{Input: json.RawMessage("{\"e\u0301\": 1}")}, `
		input.é == null
		input.x == null
		length(input) == 1
	`)
	// U+212A is composed to the ASCII letter K, and two halves to one character.
	judge(t, eval.Unknown, plangate.Call{Input: json.RawMessage("{\"k\": \"\u212a\"}")}, `input.k == "K"
		lower(input.k) == "k"`)
	judge(t, eval.Unknown, plangate.Call{Input: json.RawMessage("{\"a\": \"e\", \"b\": \"\u0301\"}")}, `"${input.a}${input.b}" == "x"`)
	judge(t, eval.Unknown, plangate.Call{ID: "e\u0301", Profile: "\xff"}, `call.id == "x"
		call.profile == "x"`)
}

// WHN-9.
func TestFunctions(t *testing.T) {
	judge(t, eval.Yes, sample, `
		startswith(input.path, "src/") && startswith(input.path, "")
		endswith(input.path, ".go")
		contains(input.tags, "b")
		contains(input.path, "main")
		contains(["x", input.path], "src/main.go")
		contains(input.mixed, "a")
		length("häß") == 3 && length([]) == 0 && length(input.nested) == 1
		lower("ÄB") == "äb"
		glob(input.path, "src/*.go") && glob("", "*") && glob("", "") && glob("abc", "**") && glob("aXbXc", "a*b*c")
		glob("a/b/c", "a*c") && glob("a?[b]", "a?[*]")
		cidr_contains("10.0.0.0/8", input.ip) && cidr_contains("10.0.0.0/8", "::ffff:10.0.0.1") && cidr_contains("fd00::/8", "fd12::1")
	`)
	judge(t, eval.No, sample, `
		startswith(input.path, "rc/")
		endswith(input.path, ".g")
		contains(input.tags, "c")
		contains(input.path, "x")
		contains([], "x")
		glob(input.path, "*.rs")
		glob(input.path, "x*")
		glob("ab", "a")
		glob("aba", "ab*ba")
		glob("abc", "a*bb*c")
		cidr_contains("192.168.0.0/16", input.ip)
	`)
	judge(t, eval.Unknown, sample, `
		contains(input.mixed, "c")
		contains(input.tags, 1)
		contains(input.path, input.n)
		contains(input.files, "x")
		contains([input.absent], "x")
		cidr_contains("10.0.0.0/8", "fe80::1")
		cidr_contains("fd00::/8", input.ip)
		cidr_contains("10.0.0.0/8", "010.0.0.1")
		cidr_contains("fe80::/16", "fe80::1%eth0")
		cidr_contains("10.0.0.0/8", "localhost")
		cidr_contains(input.path, "10.0.0.1")
	`)
}

// WHN-10.
func TestRegex(t *testing.T) {
	judge(t, eval.Yes, sample, `
		regex(input.path, "main")
		regex(input.path, "^src/[a-z]+\\.go$")
		regex("A", "(?i)a")
	`)
	judge(t, eval.No, sample, `
		regex(input.path, "^main")
		regex(input.path, "main$")
	`)
	judge(t, eval.Unknown, sample, `
		regex(input.n, "3")
		regex(input.absent, "")
	`)
}

// WHN-11.
func TestLoops(t *testing.T) {
	judge(t, eval.Yes, sample, `
		contains([for f in input.files: endswith(f.p, ".go")], true)
		!contains([for f in input.files: endswith(f.p, ".go")], false)
		[for i, x in input.tags: i] == [0, 1]
		[for k, v in input.nested: k] == ["deep"]
		length([for x in input.tags: x if x != "a"]) == 1
		input.files[*].p == ["a.go", "b.go"]
		contains([for p in input.files[*].p: lower(p)], "b.go")
		[for k, v in input["list of"]: v + 1] == [3]
	`)
	judge(t, eval.No, sample, `contains(input.files[*].p, "c.go")`)
	judge(t, eval.Unknown, sample, `
		input.files[*].n == [1, 2]
		contains(input.files[*].n, 2)
		contains([for f in input.files: f.n > 5], true)
		length([for f in input.files: f.p if f.n > 0]) == 1
		length([for x in input.path: x]) == 0
		length(input.absent[*].x) == 0
		length(input.none[*].x) == 0
		length(input.nested[*].x) == 1
	`)
	judge(t, eval.Yes, plangate.Call{Input: json.RawMessage(`{"o": {"b": 1, "a": 2, "c": 3}}`)}, `[for k, v in input.o: k] == ["a", "b", "c"]`)
}

// WHN-12.
func TestWorkIsBounded(t *testing.T) {
	big := strings.Repeat("a", 100_000)
	items := strings.Repeat(`"x",`, 100_000)
	call := plangate.Call{Input: json.RawMessage(`{"big": "` + big + `", "items": [` + items + `"y"]}`)}
	judge(t, eval.Unknown, call, `
		contains([for x in input.items: contains(input.big, x)], true)
		contains([for x in input.items: contains(input.items, "z")], true)
		contains([for x in input.items: regex(input.big, "(a|aa){160}b")], true)
		contains([for x in input.items: "${input.big}${x}" == "x"], true)
		contains([for x in input.items: lower(input.big) == x], true)
		contains([for x in input.items: length(input.big) == 1], true)
		contains([for x in input.items: glob(input.big, "b*")], true)
		contains([for x in input.items: startswith(x, input.big)], true)
		contains([for x in input.items: 1 / 3 + 1 / 7 + 1 / 11 == 0], true)
	`)
	judge(t, eval.Yes, call, `contains([for x in input.items: x == "y"], true)`)
	judge(t, eval.No, call, `contains(input.big, "b")`)
}

func TestZeroExpr(t *testing.T) {
	broken, diags := when.Parse("input.", "agent.hcl", start)
	if !diags.HasErrors() || broken == nil {
		t.Fatal(broken, diags)
	}
	for _, expr := range []*when.Expr{broken, {}} {
		if got := expr.Test(when.NewVars(sample)); got != eval.Unknown {
			t.Error(got)
		}
		if found := expr.Check(json.RawMessage(`{"properties": {}}`)); found != nil {
			t.Error(found)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	expr := parse(t, `input.n / 7 + 0.5 < 1 && regex(input.path, "^s") && contains([for x in input.tags: x], "b")`)
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 50 {
				if got := expr.Test(when.NewVars(sample)); got != eval.Yes {
					t.Error(got)
				}
			}
		})
	}
}
