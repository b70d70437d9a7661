package toolcalls

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

var hooked = Options{HookURL: "https://example.com/hook"}

// convert converts and compiles; neither may have errors.
func convert(t testing.TB, text string, opts Options) (table *eval.Table, warnings []string) {
	t.Helper()
	out, diags := Convert("in.json", []byte(text), opts)
	if diags.HasErrors() {
		t.Fatalf("%s\n%s", text, diags.Error())
	}
	for _, d := range diags {
		warnings = append(warnings, fmt.Sprintf("%s %d,%d", d.Code, d.Range.Start.Line, d.Range.Start.Column))
	}
	parsed, diags := dsl.Parse("agent.hcl", out)
	if len(diags) > 0 {
		t.Fatalf("%s\n%s\n%s", text, out, diags.Error())
	}
	formatted, _ := dsl.Format("agent.hcl", out)
	if diff := cmp.Diff(string(formatted), string(out)); diff != "" {
		t.Errorf("not in canonical format: %s", diff)
	}
	table, diags = compile.Compile(compile.Input{
		Layers: []compile.LayerFile{{Layer: plangate.LayerProject, File: parsed, Trusted: true}},
	})
	if diags.HasErrors() {
		t.Fatalf("%s\n%s\n%s", text, out, diags.Error())
	}
	return table, warnings
}

func TestSeed(t *testing.T) {
	const seed = `{"policies": {"toolCalls": {"default": "allow", "byTool": {"create_return": "hook", "delete_account": "deny"}},
		"decisions": {"expiresInSeconds": 3600, "onExpire": "deny"}}}`
	tests := []struct {
		name, text string
		opts       Options
		want       map[string]string // matched action by operation, or by provider.operation
	}{
		{"the seed's object", seed, hooked, map[string]string{"create_return": "hook", "delete_account": "deny", "other": "hook"}},
		{"without a hook", seed, Options{}, map[string]string{"create_return": "deny", "delete_account": "deny", "other": "allow"}},
		{"policies {} is a complete permissive policy", `{"policies": {}}`, Options{},
			map[string]string{"x": "allow", "mcp__a__b": "allow", "p.x": "allow"}},
		{"the bare object", `{}`, Options{}, map[string]string{"x": "allow"}},
		{"empty parts", `{"toolCalls": {"byTool": {}}, "decisions": {}}`, Options{}, map[string]string{"x": "allow"}},
		{"a byTool literal beats the hook", `{"toolCalls": {"byTool": {"lookup_order": "allow", "rm": "deny", "mv": "ask"}}}`, hooked,
			map[string]string{"lookup_order": "allow", "rm": "deny", "mv": "ask", "x": "hook"}},
		{"the hook comes before the default", `{"toolCalls": {"default": "deny"}}`, hooked, map[string]string{"x": "hook"}},
		{"default ask", `{"toolCalls": {"default": "ask", "byTool": {"a": "allow"}}}`, Options{}, map[string]string{"x": "ask", "a": "allow"}},
		{"default hook without a hook", `{"toolCalls": {"default": "hook"}}`, Options{}, map[string]string{"x": "deny"}},
		{"mcp__ names", `{"toolCalls": {"default": "deny", "byTool": {"mcp__github__push": "allow"}}}`, Options{},
			map[string]string{"mcp__github__push": "allow", "github.push": "allow", "push": "deny", "gitlab.push": "deny"}},
		{"an allow is not for the tool of another server", `{"toolCalls": {"default": "deny", "byTool": {"push": "allow"}}}`, Options{},
			map[string]string{"push": "allow", "mcp__evil__push": "deny", "evil.push": "deny"}},
		{"named providers", `{"toolCalls": {"default": "deny", "byTool": {"push": "allow"}}}`, Options{Providers: []string{"shop"}},
			map[string]string{"push": "allow", "shop.push": "allow", "evil.push": "deny", "shop.x": "deny"}},
		{"a deny is for everybody", `{"toolCalls": {"byTool": {"push": "deny"}}}`, Options{},
			map[string]string{"push": "deny", "evil.push": "deny", "mcp__a__push": "deny"}},
		{"a name with a star is exact", `{"toolCalls": {"default": "deny", "byTool": {"a*": "allow", "*": "allow"}}}`, Options{},
			map[string]string{"a*": "allow", "*": "allow", "ab": "deny", "a": "deny", "p.a*": "deny"}},
		{"a denied name with a star is exact", `{"toolCalls": {"byTool": {"a*": "deny"}}}`, Options{},
			map[string]string{"a*": "deny", "ab": "allow", "p.a*": "deny"}},
		{"ambiguous", `{"toolCalls": {"byTool": {"mcp__a__b__c": "deny"}}}`, Options{},
			map[string]string{"mcp__a__b__c": "deny", "mcp__a__b__d": "ask", "a.b__c": "deny", "a__b.c": "deny", "a.b": "allow"}},
		{"a server with a star is not overruled", `{"toolCalls": {"byTool": {"x": "allow", "mcp__s*__x": "deny"}}}`, Options{},
			map[string]string{"mcp__s*__x": "deny", "s*.x": "deny", "x": "allow", "mcp__st__x": "allow"}},
		{"two stars", `{"toolCalls": {"byTool": {"x*": "deny", "mcp__s*__x*": "allow"}}}`, Options{},
			map[string]string{"mcp__s*__x*": "allow", "x*": "deny", "st.x*": "deny", "x": "allow"}},
		{"mcp__ without a split", `{"toolCalls": {"default": "deny", "byTool": {"mcp__x": "allow", "my_mcp__y": "allow"}}}`, Options{},
			map[string]string{"mcp__x": "allow", "my_mcp__y": "allow", "mcp__y": "deny"}},
		{"two names of one tool", `{"toolCalls": {"byTool": {"x": "ask", "mcp__shop__x": "deny"}}}`, Options{Providers: []string{"shop"}},
			map[string]string{"shop.x": "deny", "x": "ask", "other.x": "ask"}},
		{"case is kept", `{"toolCalls": {"byTool": {"Read": "deny", "read": "ask"}}}`, Options{},
			map[string]string{"Read": "deny", "read": "ask", "READ": "allow"}},
		{"composition is kept", `{"toolCalls": {"byTool": {"e\u0301": "deny", "é": "ask"}}}`, Options{},
			map[string]string{"e\u0301": "deny", "é": "ask"}},
		{"hostile text", `{"toolCalls": {"default":"deny","byTool": {"${x}": "allow", "%{if}": "ask", "\"\\\u202e\u0000\n": "allow", "$${": "ask", "a*\"}\n": "allow"}}}`,
			Options{}, map[string]string{"${x}": "allow", "%{if}": "ask", "\"\\\u202e\x00\n": "allow", "$${": "ask", "${": "deny", "a*\"}\n": "allow"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table, _ := convert(t, tt.text, tt.opts)
			for name, want := range tt.want {
				provider, operation, ok := strings.Cut(name, ".")
				if !ok {
					provider, operation = "", name
				}
				for _, call := range everyKind(plangate.Call{Provider: provider, Operation: operation}) {
					if got := table.Decide(call).MatchedAction().String(); got != want {
						t.Errorf("%s %s %s: got %s, want %s", name, call.Kind, call.Risk, got, want)
					}
				}
			}
		})
	}
}

// everyKind returns the call in every kind and risk that there is.
func everyKind(call plangate.Call) (all []plangate.Call) {
	for kind := plangate.KindUnspecified; kind <= plangate.Interactive; kind++ {
		for risk := plangate.RiskUnspecified; risk <= plangate.Critical; risk++ {
			call.Kind, call.Risk = kind, risk
			all = append(all, call)
		}
	}
	return all
}

// TestSameOrStricter compares the compiled file with the seed's own words: byTool[name],
// then the configured hook, then default.
func TestSameOrStricter(t *testing.T) {
	part := rapid.SampledFrom([]string{"mcp__", "mcp_", "a", "b", "x", "x", "__", "_", "*", "é", "${", "\"", "\\", "\u202e", "A"})
	name := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "parts"), "")
	})
	word := rapid.SampledFrom([]string{"allow", "ask", "deny", "hook"})
	rapid.Check(t, func(rt *rapid.T) {
		byTool := rapid.MapOfN(name, word, 0, 6).Draw(rt, "byTool")
		toolCalls := map[string]any{"byTool": byTool}
		fallback := "allow"
		if rapid.Bool().Draw(rt, "has default") {
			fallback = word.Draw(rt, "default")
			toolCalls["default"] = fallback
		}
		opts := Options{Providers: rapid.SampledFrom([][]string{nil, nil, {"a"}, {"a", "b"}}).Draw(rt, "providers")}
		if rapid.Bool().Draw(rt, "hook") {
			opts.HookCommand = []string{"approve", "$${x}"}
		}
		text, err := json.Marshal(map[string]any{"policies": map[string]any{"toolCalls": toolCalls}})
		if err != nil {
			rt.Fatal(err)
		}
		table, warnings := convert(t, string(text), opts)
		seed := reference{byTool, fallback, opts}
		names := append(slices.Sorted(maps(byTool)), rapid.SliceOfN(name, 3, 3).Draw(rt, "names")...)
		for _, name := range names {
			for _, call := range callsOf(name) {
				call.Kind = plangate.Kind(rapid.IntRange(0, 3).Draw(rt, "kind"))
				call.Risk = plangate.Risk(rapid.IntRange(0, 5).Draw(rt, "risk"))
				got := table.Decide(call).MatchedAction()
				want, exact := seed.resolve(call)
				if got > want {
					rt.Fatalf("%s %v: call %q of %q: looser: got %v, want %v", text, opts, call.Operation, call.Provider, got, want)
				}
				if got != want && exact {
					rt.Fatalf("%s %v: call %q of %q: got %v, want %v", text, opts, call.Operation, call.Provider, got, want)
				}
				if got != want && len(warnings) == 0 && len(splits(call.Operation)) < 2 {
					rt.Fatalf("%s %v: call %q of %q: stricter without a warning", text, opts, call.Operation, call.Provider)
				}
			}
		}
	})
}

func maps(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// callsOf returns calls by a name: without a provider, with one, and taken apart.
func callsOf(name string) []plangate.Call {
	calls := []plangate.Call{{Operation: name}, {Operation: name, Provider: "a"}, {Operation: name, Provider: "c"}}
	for _, way := range splits(name) {
		calls = append(calls, plangate.Call{Operation: way.operation, Provider: way.provider}, plangate.Call{Operation: way.operation})
	}
	return calls
}

// reference is the seed's resolution, with names as in the package comment.
type reference struct {
	byTool   map[string]string
	fallback string
	opts     Options
}

// resolve returns what the object says, and whether the file must say exactly that.
func (r reference) resolve(call plangate.Call) (want plangate.Action, exact bool) {
	ways := splits(call.Operation)
	if call.Provider == "" && len(ways) == 1 {
		call.Provider, call.Operation = ways[0].provider, ways[0].operation
	}
	if call.Provider == "" {
		want, _ = r.entry(call.Operation)
		return want, len(ways) == 0
	}
	full := "mcp__" + call.Provider + "__" + call.Operation
	want, named := r.entry(full)
	short, shortNamed := r.entry(call.Operation)
	switch ours := slices.Contains(r.opts.Providers, call.Provider); {
	case ours && named && shortNamed:
		return max(want, short), false // either name is right, and the stricter is taken
	case ours && shortNamed:
		return short, len(splits(call.Operation)) == 0
	case named:
		return want, len(splits(full)) == 1 && call.Provider != ""
	default:
		return want, !shortNamed && len(splits(full)) < 2 && len(splits(call.Operation)) == 0
	}
}

func (r reference) entry(name string) (action plangate.Action, named bool) {
	hook := len(r.opts.HookCommand) > 0
	word, named := r.byTool[name]
	switch {
	case !named && hook:
		word = "hook"
	case !named:
		word = r.fallback
	}
	if word == "hook" && !hook {
		word = "deny"
	}
	action, err := plangate.ParseAction(word)
	if err != nil {
		panic(err)
	}
	return action, named
}

func TestDecisionsAndHook(t *testing.T) {
	tests := []struct {
		name, text string
		opts       Options
		want       string // the end of the file
	}{
		{"defaults", `{}`, Options{}, "approvals {\n  expires_in = \"3600s\"\n  on_expire  = \"deny\"\n}\n"},
		{"given", `{"decisions":{"expiresInSeconds":90,"onExpire":"cancel_turn"}}`, Options{},
			"approvals {\n  expires_in = \"90s\"\n  on_expire  = \"cancel_turn\"\n}\n"},
		{"too long", `{"decisions":{"expiresInSeconds":99999999}}`, Options{},
			"approvals {\n  expires_in = \"2592000s\"\n  on_expire  = \"deny\"\n}\n"},
		{"command", `{}`, Options{HookCommand: []string{"a b", `"c"`}},
			"decision_hook {\n  command = [\"a b\", \"\\\"c\\\"\"]\n}\n\napprovals {\n  expires_in = \"3600s\"\n  on_expire  = \"deny\"\n}\n"},
		{"url", `{}`, hooked,
			"decision_hook {\n  url = \"https://example.com/hook\"\n}\n\napprovals {\n  expires_in = \"3600s\"\n  on_expire  = \"deny\"\n}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, diags := Convert("in.json", []byte(tt.text), tt.opts)
			if diags.HasErrors() || !strings.HasSuffix(string(out), "}\n\n"+tt.want) {
				t.Errorf("got %s\n%v", out, diags)
			}
			convert(t, tt.text, tt.opts)
		})
	}
}

func TestWarnings(t *testing.T) {
	tests := []struct {
		name, text string
		opts       Options
		want       []string
	}{
		{"nothing is lost", `{"toolCalls":{"byTool":{"a":"allow"}}}`, Options{}, nil},
		{"ask", `{"toolCalls":{"default":"ask"}}`, Options{}, []string{"import_loss 1,25"}},
		{"a hook may ask", `{}`, hooked, []string{"import_loss 1,1"}},
		{"hook without a hook", "{\"toolCalls\":\n{\"default\":\"hook\",\"byTool\":{\"é\":\"hook\"}}}", Options{},
			[]string{"import_no_hook 2,12", "import_no_hook 2,33"}},
		{"unreached default", `{"toolCalls":{"default":"deny"}}`, hooked, []string{"import_loss 1,25", "import_unreached 1,25"}},
		{"wide", `{"toolCalls":{"byTool":{"a":"deny","b":"deny"}}}`, Options{}, []string{"import_loss 1,25"}},
		{"narrow", `{"toolCalls":{"default":"deny","byTool":{"a":"allow"}}}`, Options{}, []string{"import_loss 1,42"}},
		{"not narrow", `{"toolCalls":{"default":"deny","byTool":{"a":"allow"}}}`, Options{Providers: []string{"p"}}, nil},
		{"ambiguous", `{"toolCalls":{"byTool":{"mcp__a__b__c":"allow"}}}`, Options{}, []string{"import_loss 1,25"}},
		{"a long wait", `{"decisions":{"expiresInSeconds":2592001}}`, Options{}, []string{"import_loss 1,34"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := convert(t, tt.text, tt.opts); !cmp.Equal(tt.want, got) {
				t.Error(cmp.Diff(tt.want, got))
			}
		})
	}
}

// badObjects have one error each, at this place.
var badObjects = []struct{ name, text, want string }{
	{"empty", "", "import_json 1,1"},
	{"white space", " \n ", "import_json 2,2"},
	{"half", `{"toolCalls":`, "import_json 1,14"},
	{"trailing text", "{}\n{}", "import_json 2,1"},
	{"trailing comma", `{"toolCalls":{},}`, "import_json 1,17"},
	{"comment", "{} // x", "import_json 1,4"},
	{"no UTF-8", "{\n\"a\xff\"", "import_json 2,3"},
	{"byte order mark", "\ufeff{}", "import_json 1,1"},
	{"surrogate", `{"toolCalls":{"byTool":{"\ud800":"deny"}}}`, "import_json 1,26"},
	{"doubled key", "{\"toolCalls\":{\"byTool\":{\"x\":\"deny\",\n \"x\":\"allow\"}}}", "import_json 2,2"},
	{"doubled key escaped", `{"toolCalls":{},"tool\u0043alls":{}}`, "import_json 1,17"},
	{"deep", `{"toolCalls":` + strings.Repeat("[", 1e5), "import_json 1,142"},
	{"too long", `{"toolCalls":{}` + strings.Repeat(" ", plangate.MaxJSONBytes) + "}", "import_json 1,1"},
	{"list", `[]`, "import_type 1,1"},
	{"null", `null`, "import_type 1,1"},
	{"unknown key", `{"toolCall":{}}`, "import_key 1,2"},
	{"key in another case", `{"toolcalls":{}}`, "import_key 1,2"},
	{"both forms", `{"policies":{},"toolCalls":{}}`, "import_key 1,2"},
	{"unknown key inside", `{"toolCalls":{"bytool":{}}}`, "import_key 1,15"},
	{"unknown key in decisions", `{"decisions":{"expires":1}}`, "import_key 1,15"},
	{"null inside", `{"toolCalls":null}`, "import_type 1,14"},
	{"byTool is a list", `{"toolCalls":{"byTool":["x"]}}`, "import_type 1,24"},
	{"unknown word", `{"toolCalls":{"default":"alow"}}`, "import_value 1,25"},
	{"word in another case", `{"toolCalls":{"default":"Deny"}}`, "import_value 1,25"},
	{"no word", `{"toolCalls":{"byTool":{"x":true}}}`, "import_type 1,29"},
	{"null word", `{"toolCalls":{"byTool":{"x":null}}}`, "import_type 1,29"},
	{"empty name", `{"toolCalls":{"byTool":{"":"deny"}}}`, "import_name 1,25"},
	{"long name with a star", `{"toolCalls":{"byTool":{"*` + strings.Repeat("x", maxName) + `":"deny"}}}`, "import_name 1,25"},
	{"a name to compose with a star", `{"toolCalls":{"byTool":{"e\u0301*":"deny"}}}`, "import_name 1,25"},
	{"time is text", `{"decisions":{"expiresInSeconds":"1h"}}`, "import_type 1,34"},
	{"time is zero", `{"decisions":{"expiresInSeconds":0}}`, "import_value 1,34"},
	{"time is negative", `{"decisions":{"expiresInSeconds":-1}}`, "import_value 1,34"},
	{"time is a fraction", `{"decisions":{"expiresInSeconds":1.5}}`, "import_value 1,34"},
	{"time is enormous", `{"decisions":{"expiresInSeconds":1e99}}`, "import_value 1,34"},
	{"onExpire", `{"decisions":{"onExpire":"allow"}}`, "import_value 1,26"},
}

func TestErrors(t *testing.T) {
	for _, tt := range badObjects {
		t.Run(tt.name, func(t *testing.T) {
			out, diags := Convert("in.json", []byte(tt.text), Options{})
			var got []string
			for _, d := range diags {
				got = append(got, fmt.Sprintf("%s %d,%d", d.Code, d.Range.Start.Line, d.Range.Start.Column))
			}
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" || out != nil {
				t.Errorf("%s\n%s", diff, out)
			}
		})
	}
}

func TestManyErrors(t *testing.T) {
	text := `{"toolCalls":{"byTool":{` + strings.TrimSuffix(strings.Repeat(`"x":1,`, 1e5), ",") + `}}}`
	_, diags := Convert("in.json", []byte(text), Options{})
	if len(diags) != maxFindings {
		t.Errorf("%d findings", len(diags))
	}
}

// TestManyWarnings holds that warnings do not crowd out an error.
func TestManyWarnings(t *testing.T) {
	var b strings.Builder
	for i := range 2 * maxFindings {
		fmt.Fprintf(&b, `"x%d":"hook",`, i)
	}
	text := `{"toolCalls":{"byTool":{` + b.String() + `"":"deny"}}}`
	out, diags := Convert("in.json", []byte(text), Options{})
	if len(diags) != 1 || diags[0].Code != "import_name" || out != nil {
		t.Errorf("%s", diags.Error())
	}
}

func TestManyTools(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"toolCalls":{"byTool":{"a":"deny"`)
	for i := range 20_000 {
		fmt.Fprintf(&b, `,"é%d":"deny"`, i)
	}
	b.WriteString(`}}}`)
	table, _ := convert(t, b.String(), Options{})
	if got := table.Decide(plangate.Call{Operation: "é777"}).Action(); got != plangate.Deny {
		t.Error(got)
	}
}

func TestBadProviders(t *testing.T) {
	for _, provider := range []string{"", "a*", "mcp__x", "e\u0301"} {
		if out, diags := Convert("in.json", []byte(`{}`), Options{Providers: []string{provider}}); !diags.HasErrors() || out != nil {
			t.Errorf("%q is accepted", provider)
		}
	}
}

func FuzzConvert(f *testing.F) {
	for _, tt := range badObjects {
		if len(tt.text) < 1000 {
			f.Add(tt.text, "")
		}
	}
	f.Add(`{"policies":{"toolCalls":{"default":"ask","byTool":{"mcp__a__b__c":"deny","x*":"hook"}},"decisions":{"onExpire":"deny"}}}`, "p")
	f.Fuzz(func(t *testing.T, text, provider string) {
		opts := Options{}
		if provider != "" {
			opts.Providers = []string{provider}
		}
		out, diags := Convert("in.json", []byte(text), opts)
		if diags.HasErrors() {
			return
		}
		if err := plangate.CheckJSON([]byte(text)); err != nil {
			t.Fatalf("accepted: %v", err)
		}
		parsed, diags := dsl.Parse("agent.hcl", out)
		if diags.HasErrors() {
			t.Fatalf("%s\n%s", out, diags.Error())
		}
		_, diags = compile.Compile(compile.Input{
			Layers: []compile.LayerFile{{Layer: plangate.LayerProject, File: parsed, Trusted: true}},
		})
		if diags.HasErrors() {
			t.Fatalf("%s\n%s", out, diags.Error())
		}
	})
}
