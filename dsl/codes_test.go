package dsl

import (
	"slices"
	"strings"
	"testing"
)

// inPolicy puts attributes into an otherwise fine policy.
func inPolicy(attributes string) string {
	return "policy \"p\" {\n  match  = {}\n  action = \"deny\"\n  " + attributes + "\n}\n"
}

func withMatch(match string) string {
	return "policy \"p\" {\n  match  = " + match + "\n  action = \"deny\"\n}\n"
}

type markedTest struct{ name, marked string }

// blockTests are about the text and the blocks.
func blockTests() []markedTest {
	return []markedTest{
		{"fine", withMatch(`{ operation = "bash", provider = ["a", "b*"], risk = "low", kind = ["resource", "data_source"] }`)},
		{"empty file", ""},
		{"only comments", "# nothing\n"},
		{"empty match", withMatch("{}")},
		{"quoted keys and colons", withMatch(`{ "operation": "bash", provider: "x" }`)},
		{"quoted key is a duplicate", withMatch(`{ operation = "a", «duplicate_match_key|"operation"» = "b" }`)},
		{"parentheses around a constant", withMatch(`({ operation = ("bash") })`)},

		{"syntax", "policy \"a\" {\n  match = «syntax|]»\n}\n"},
		{"syntax error hides only its block", "policy \"a\" {\n  match = «syntax|]»\n}\npolicy \"b\" {\n  match  = {}\n  action = «unknown_value|\"alow\"»\n}\n"},
		{"missing brace", "policy \"a\" «syntax|{»\n  match = {}\npolicy \"b\" {\n  match  = {}\n  action = \"alow\"\n}\n"},
		{"stray attribute with syntax error", "x = «syntax|]»\n"},
		{"single line", "guard \"h\" { match = { kind = \"interactive\" } «single_line_block|action» = \"deny\" }\n«unknown_block|polici» \"a\" {\n}\n"},
		{"duplicate attribute", "policy \"a\" {\n  match  = {}\n  action = \"deny\"\n  «duplicate_attribute|action» = \"ask\"\n}\n"},
		{"NUL", "policy \"a«file_nul|\x00»\" {\n}\n"},

		{"deceptive comment", "# a\r\n# b«deceptive_text|\u202e»c\u202c\n/* «deceptive_text|\u2028» */\n# d«deceptive_text|\r»x = 1\rpolici {\n}\n"},
		{"deceptive text in a kernel block", "provider \"a\" {\n  x = \"«deceptive_text|\u200f»\"\n}\npolici {\n}\n"},
		{"deceptive text that HCL refuses", "x «deceptive_text|\u0085» = ]\n"},
		{"carriage return at the end", "#«deceptive_text|\r»"},
		{"deceptive text spelt as an escape", inPolicy(`reason = "a\u200fb"`)},

		{"unknown block", "«unknown_block|polici» \"a\" {\n  match = {}\n}\n"},
		{"case of a block", "«unknown_block|Policy» \"a\" {\n}\n"},
		{"Cyrillic letter", "«unknown_block|p\u043elicy» \"a\" {\n}\n"},
		{"nested block", "policy \"a\" {\n  match  = {}\n  action = \"deny\"\n  «unknown_block|policy» \"b\" {\n  }\n}\n"},
		{"attribute as block", "policy \"a\" {\n  action = \"deny\"\n  «unknown_block|match» {\n  }\n}\n"},
		{"nested block in defaults", "defaults {\n  «unknown_block|x» {\n  }\n}\n"},
		{"stray attribute", "«unknown_attribute|x» = 1\n"},
		{"block as attribute", "«unknown_attribute|policy» = {}\n"},
		{"unknown attribute", inPolicy(`«unknown_attribute|reson» = "x"`)},
		{"attribute in another case", inPolicy(`«unknown_attribute|Reason» = "x"`)},
		{"match key as attribute", inPolicy(`«unknown_attribute|operation» = "x"`)},
		{"unknown attributes everywhere", "defaults {\n  «unknown_attribute|resorce» = \"ask\"\n}\ndecision_hook {\n  url = \"https://h\"\n  «unknown_attribute|timeot» = \"1s\"\n}\n" +
			"approvals {\n  «unknown_attribute|x» = 1\n}\ncircuit_breaker {\n  «unknown_attribute|x» = 1\n}\n"},
	}
}

// matchTests are about the match.
func matchTests() []markedTest {
	return []markedTest{
		{"unknown match key", withMatch(`{ «unknown_match_key|toolname» = "glob" }`)},
		{"condition as match key", withMatch(`{ «unknown_match_key|command» = "ls" }`)},
		{"number as match key", withMatch(`{ «unknown_match_key|1» = "ls" }`)},
		{"computed match key", withMatch(`{ «not_constant|(operation)» = "ls" }`)},
		{"template match key", withMatch(`{ «not_constant|"${x}"» = "ls" }`)},
		{"duplicate match key", withMatch("{\n    risk = \"low\"\n    «duplicate_match_key|risk» = \"high\"\n    «duplicate_match_key|risk» = 1\n  }")},
		{"alias", withMatch(`{ tool_name = "bash" }`)},
		{"both names", withMatch(`{ tool_name = "bash", «match_alias|operation» = "bash" }`)},
		{"both names the other way", withMatch(`{ operation = "bash", «match_alias|tool_name» = "bash" }`)},
		{"match is a string", withMatch(`«bad_type|"bash"»`)},
		{"match is a list", withMatch(`«bad_type|[]»`)},
		{"match is an expression", withMatch(`«bad_type|merge({}, {})»`)},
		{"match is null", withMatch(`«bad_type|null»`)},
	}
}

// nameTests are about labels and names.
func nameTests() []markedTest {
	long := strings.Repeat("x", MaxNameBytes+1)
	return []markedTest{
		{"missing attributes", "«missing_attribute,missing_attribute|policy \"a\"» {\n}\n"},
		{"missing action of a guard", "«missing_attribute|guard \"a\"» {\n}\n"},

		{"no label", "«bad_label|policy» {\n  match  = {}\n  action = \"deny\"\n}\n"},
		{"two labels", "policy \"a\" «bad_label|\"b\"» {\n  match  = {}\n  action = \"deny\"\n}\n"},
		{"bare label", "policy a {\n  match  = {}\n  action = \"deny\"\n}\n"},
		{"label on defaults", "defaults «bad_label|\"x\"» {\n}\n"},
		{"profile without label", "«bad_label|agent_profile» {\n}\n"},

		{"empty name", "guard «bad_name|\"\"» {\n  action = \"deny\"\n}\n"},
		{"long name", "guard «bad_name|\"" + long + "\"» {\n  action = \"deny\"\n}\n"},
		{"control character in a name", "guard «bad_name|\"a\\tb\"» {\n  action = \"deny\"\n}\n"},
		{"bidi mark in a name", "guard «bad_name|\"a\\u202eb\"» {\n  action = \"deny\"\n}\n"},
		{"zero width space in a name", "guard «bad_name|\"a\u200bb\"» {\n  action = \"deny\"\n}\n"},
		{"filler in a name", "guard «bad_name|\"a\u3164\"» {\n  action = \"deny\"\n}\n"},
		{"joiner in a name", "guard «bad_name|\"a\u034fb\"» {\n  action = \"deny\"\n}\n"},
		{"variation selector in a name", "guard «bad_name|\"a\U000e0100\"» {\n  action = \"deny\"\n}\n"},
		{"name in profiles", inPolicy(`profiles = ["ok", «bad_name|"a\u200bb"»]`)},

		{"duplicate name", withMatch("{}") + strings.Replace(withMatch("{}"), `"p"`, `«duplicate_name|"p"»`, 1)},
		{"duplicate name in another case", withMatch("{}") + strings.Replace(withMatch("{}"), `"p"`, `«duplicate_name|"P"»`, 1)},
		{"duplicate name composed differently", "agent_profile \"\u00e9\" {\n}\nagent_profile «duplicate_name|\"E\u0301\"» {\n}\n"},
		{"sharp s", "agent_profile \"stra\u00dfe\" {\n}\nagent_profile «duplicate_name|\"STRASSE\"» {\n}\n"},
		{"same name of a policy and a guard", withMatch("{}") + "guard \"p\" {\n  action = \"deny\"\n}\n"},
		{"duplicate blocks", "defaults {\n}\n«duplicate_block|defaults» {\n}\napprovals {\n}\n«duplicate_block|approvals» {\n}\n" +
			"circuit_breaker {\n}\n«duplicate_block|circuit_breaker» {\n}\n" +
			"decision_hook {\n  url = \"https://h\"\n}\n«duplicate_block|decision_hook» {\n  url = \"https://h\"\n}\n«duplicate_block|defaults» {\n}\n"},
	}
}

// valueTests are about values.
func valueTests() []markedTest {
	return []markedTest{
		{"types", withMatch(`{ operation = «bad_type|1», provider = «bad_type|true», risk = «bad_type|{}», kind = [«bad_type|null», "resource", «bad_type|[]»] }`)},
		{"types of attributes", "policy \"p\" {\n  match  = {}\n  action = «bad_type|[\"deny\"]»\n  reason = «bad_type|1»\n  expires = «bad_type|2027»\n  profiles = «bad_type|true»\n  command = «bad_type|{}»\n}\n"},
		{"here-document", inPolicy("command = «bad_type|<<EOT\nls\nEOT»")},
		{"here-document as reason", inPolicy("reason = <<-EOT\n    One\n    two.\n  EOT")},

		{"action", "policy \"p\" {\n  match  = {}\n  action = «unknown_value|\"alow\"»\n}\n"},
		{"empty action", "policy \"p\" {\n  match  = {}\n  action = «unknown_value|\"\"»\n}\n"},
		{"risk and kind", withMatch(`{ risk = ["low", «unknown_value|"hihg"»], kind = «unknown_value|"read"» }`)},
		{"default", "defaults {\n  resource = «unknown_value|\"maybe\"»\n}\n"},
		{"guard action", "guard \"g\" {\n  action = «guard_action|\"allow\"»\n}\nguard \"h\" {\n  action = «guard_action|\"hook\"»\n}\nguard \"i\" {\n  action = «unknown_value|\"dany\"»\n}\n"},

		{"empty values", withMatch(`{ operation = «empty_value|""», provider = [«empty_value|""», "a"], risk = «empty_value|[]», kind = «empty_value|""» }`)},
		{"empty conditions", inPolicy("command = «empty_value|[]»\n  path = «empty_value|\"\"»\n  host = [«empty_value|\"\"»]\n  grant = «empty_value|[]»\n  reason = «empty_value|\"\"»\n  profiles = «empty_value|[]»")},
		{"blank command", inPolicy(`command = [«empty_value|"  "»]`)},

		{"not constant", withMatch(`{ operation = «not_constant|bash», provider = «not_constant|"${a}"», risk = [«not_constant|upper("low")»], kind = «not_constant|"a${b}"» }`)},
		{"operators", inPolicy(`reason = «not_constant|"a" == "b"»`)},
		{"escaped template", inPolicy(`command = ["echo $${HOME} %%{x} $HOME 100%"]`)},

		{"interactive policy", withMatch(`{ kind = «kind_interactive|"interactive"» }`)},
		{"interactive policy in a list", withMatch(`{ kind = ["resource", «kind_interactive|"interactive"»] }`)},
		{"interactive guard", "guard \"g\" {\n  match  = { kind = \"interactive\" }\n  action = \"deny\"\n}\n"},

		{"globs", withMatch(`{ operation = ["get*", "a**b", "*", "a?[b]"], provider = "*" }`)},
		{"globs elsewhere", withMatch(`{ risk = «bad_glob|"*"», kind = [«bad_glob|"data*"»] }`)},
		{"MCP spelling", withMatch(`{ operation = [«mcp_spelling|"mcp__ctx__resolve"», «mcp_spelling|"mcp__*"», «mcp_spelling|"mcp__ctx"», «mcp_spelling|"mcp__ctx__*"», «mcp_spelling|"mcp__a__b__c"», "mcp_x"] }`)},
		{"MCP patterns", withMatch(`{ operation = [«mcp_spelling|"mcp_*"», «mcp_spelling|"mcp*"», «mcp_spelling|"mcp*resolve"», «mcp_spelling|"*mcp__ctx__*"», «mcp_spelling|"x_mcp__ctx"»] }`)},
		{"no MCP patterns", withMatch(`{ operation = ["mcp", "mcp_", "m*", "*mcp*", "mcp_x*", "mcpx*"], provider = "mcp*" }`)},

		{"paths", inPolicy(`path = ["/", "**/.env", "~/.ssh/**", «bad_path_pattern|"//etc"», «bad_path_pattern|"a\u0000b"»]`)},
		{"times", inPolicy(`expires = "2027-01-31T18:00:00+02:00"`)},
		{"bad time", inPolicy(`expires = «bad_time|"2027-01-31"»`)},
		{"lax zone", inPolicy(`expires = «bad_time|"2027-01-31T18:00:00+24:00"»`)},
		{"lax time", inPolicy(`expires = «bad_time|"2027-01-31T8:00:00Z"»`)},
		{"reasons", inPolicy(`reason = «bad_reason|"bell\u0007"»`)},
		{"long reason", inPolicy(`reason = «bad_reason|"` + strings.Repeat("x", MaxReasonBytes+1) + `"»`)},
		{"grants", inPolicy(`grant = ["git-push", «unknown_grant|"git-pull"»]`)},

		{"when", inPolicy(`when = input.path != null && length(input.list) > 2`)},
		{"when true", inPolicy(`when = true`)},
		{"when in quotes", inPolicy(`when = «bad_type|"input.x == 1"»`)},
		{"when template", inPolicy(`when = «bad_type|"a${input.x}"»`)},
		{"when number", inPolicy(`when = «bad_type|1»`)},
		{"when object", inPolicy(`when = «bad_type|{ a = b }»`)},
	}
}

// otherTests are about the blocks beside policy and guard.
func otherTests() []markedTest {
	return []markedTest{
		{"durations", "approvals {\n  expires_in = «bad_duration|\"1 hour\"»\n}\ndecision_hook {\n  url = \"https://h\"\n  timeout = «bad_duration|\"-1s\"»\n}\n"},
		{"zero duration", "approvals {\n  expires_in = «bad_duration|\"0s\"»\n}\n"},
		{"longest duration", "approvals {\n  expires_in = \"720h\"\n}\n"},
		{"long duration", "approvals {\n  expires_in = «bad_duration|\"720h1s\"»\n}\n"},
		{"duration as a number", "approvals {\n  expires_in = «bad_type|60»\n  on_expire = «unknown_value|\"allow\"»\n}\n"},
		{"words of approvals", "approvals {\n  hold = «unknown_value|\"turn\"»\n  session_scope = «unknown_value|\"Command\"»\n  audit = «bad_type|true»\n}\n"},
		{"numbers", "circuit_breaker {\n  consecutive = «bad_number|-1»\n  window = «bad_number|1.5»\n  denials = «bad_number|1000001»\n}\n"},
		{"huge number", "circuit_breaker {\n  consecutive = «bad_number|1e999999»\n  window = 1e6\n  denials = «bad_type|\"8\"»\n}\n"},

		{"no hook target", "«hook_target|decision_hook» {\n}\n"},
		{"two hook targets", "decision_hook {\n  url = \"https://h\"\n  «hook_target|command» = [\"x\"]\n}\n"},
		{"hook URL", "decision_hook {\n  url = «hook_target|\"ftp://h\"»\n}\n"},
		{"hook over http", "decision_hook {\n  url = «hook_target|\"http://h\"»\n}\n"},
		{"hook with a password", "decision_hook {\n  url = «hook_target|\"https://u:p@h\"»\n}\n"},
		{"hook over http here", "decision_hook {\n  url = \"http://127.0.0.1:80\"\n}\n"},
		{"hook URL without host", "decision_hook {\n  url = «hook_target|\"https:///x\"»\n}\n"},
		{"hook command", "decision_hook {\n  command = [\"ask\", \"\"]\n  on_error = «unknown_value|\"allow\"»\n  on_timeout = \"ask\"\n}\n"},
		{"hook command for a shell", "decision_hook {\n  command = «bad_type|\"ask --now\"»\n}\n"},
		{"hook command empty", "decision_hook {\n  command = «empty_value|[]»\n}\n"},
		{"hook command without program", "decision_hook {\n  command = [«empty_value|\"\"», \"x\"]\n}\n"},

		{"profile", "agent_profile \"w\" {\n  headless = true\n  allowed_tools = []\n  deny_tools = [\"Bash\", \"mcp__ctx__a-b.c\"]\n  grants = []\n  model = foo(bar)\n  sandbox {\n    x = 1\n  }\n}\n"},
		{"near misses", "agent_profile \"w\" {\n  «unknown_attribute|deny_tool» = []\n  «unknown_attribute|Headless» = 1\n  «unknown_attribute|grant» = x\n  «unknown_block|allowed_tools» {\n  }\n  «unknown_attribute|alowed_tools» {\n  }\n}\n"},
		{"profile types", "agent_profile \"w\" {\n  headless = «bad_type|\"true\"»\n  allowed_tools = «bad_type|{}»\n  deny_tools = [«bad_type|1»]\n  grants = [«unknown_grant|\"git-merge\"»]\n  escalation_grants = «bad_type|null»\n}\n"},
		{"tool names", "agent_profile \"w\" {\n  deny_tools = [«tool_name_rule|\"Bash(git *)\"», «tool_name_mcp|\"mcp__ctx__*\"», «tool_name_mcp|\"mcp__ctx\"», «tool_name_mcp|\"mcp__a__b__c\"», " +
			"«tool_name_mcp|\"mcp__a___b\"», «tool_name|\"*\"», «tool_name|\"\"», «tool_name|\"1x\"», «tool_name|\"a b\"»]\n}\n"},
		{"kernel blocks", "required_providers {\n  x = y\n}\nprovider \"a\" \"b\" {\n  c = foo(1)\n}\nhook \"x\" {\n  y {\n  }\n}\nsettings {\n}\n"},
		{"underscores behind ours", "agent_profile \"w\" {\n  «unknown_attribute|deny_tools_» = []\n  «unknown_attribute|allowed_tools_» = []\n  «unknown_attribute|headless____» = true\n" +
			"  «unknown_attribute|grants" + strings.Repeat("_", 300) + "» = []\n  «unknown_attribute|Headless_» = true\n  «unknown_attribute|escalation_grants_» {\n  }\n  headless_x = 1\n  headless__x_ = 1\n}\n"},
	}
}

// TestCodes has every code with its exact range, in native syntax.
func TestCodes(t *testing.T) {
	for _, tt := range slices.Concat(blockTests(), matchTests(), nameTests(), valueTests(), otherTests()) {
		t.Run(tt.name, func(t *testing.T) { checkMarked(t, "agent.hcl", tt.marked) })
	}
}

// TestDuplicateValue is apart because it is a warning.
func TestDuplicateValue(t *testing.T) {
	file, diags := Parse("agent.hcl", []byte(withMatch(`{ operation = ["a", "b", "a"] }`)))
	if len(diags) != 1 || diags[0].Code != codeDuplicateValue || diags.HasErrors() {
		t.Fatalf("diagnostics %v, want one warning", diags)
	}
	if got := file.Source[diags[0].Range.Start.Byte:diags[0].Range.End.Byte]; string(got) != `"a"` || diags[0].Related[0].Range.Start.Byte >= diags[0].Range.Start.Byte {
		t.Errorf("range %s, related %v", diags[0].Range, diags[0].Related)
	}
	if n := len(file.Policies[0].Match.Operation); n != 2 {
		t.Errorf("%d operations, want 2", n)
	}
}

// TestJSONCodes has the diagnostics that depend on the syntax, in JSON.
func TestJSONCodes(t *testing.T) {
	policy := func(attributes string) string {
		return `{"policy": {"p": {"match": {}, "action": "deny", ` + attributes + `}}}`
	}
	tests := []markedTest{
		{"fine", policy(`"reason": "x", "//": "a comment"`)},
		{"empty", `{}`},
		{"comment", `{"//": ["any", "thing"]}`},
		{"list of roots", `[{"defaults": {"resource": "deny"}}, {}]`},
		{"syntax", `{"policy": «syntax|{»"p": {}`},
		{"trailing comma", "{\"policy\": {}«syntax|,»}"},
		{"root", `«bad_type|"x"»`},
		{"unknown block", `{«unknown_block|"polici"»: {"a": {}}}`},
		{"stray attribute", `{«unknown_attribute|"x"»: 1}`},
		{"no object", `{"policy": {"p": «bad_type|"deny"»}, "defaults": «bad_type|null», "guard": [«bad_type|1»]}`},
		{"no block in a list", `{"guard": {"no_rm": «bad_type|[]», "x": «bad_type|[ ]»}, "defaults": «bad_type|[]», "policy": []}`},
		{"half a surrogate pair", policy(`"reason": "«syntax|\ud800»x"`)},
		{"half a surrogate pair in a name", `{"guard": {"«syntax|\udfff»": {"action": "deny"}}}`},
		{"unknown attribute", policy(`«unknown_attribute|"reson"»: "x"`)},
		{"duplicate attribute", policy(`«duplicate_attribute|"action"»: "ask"`)},
		{"missing", `{"policy": {«missing_attribute,missing_attribute|"p"»: {}}}`},
		{"duplicate name", `{"guard": {"g": [{"action": "deny"}], «duplicate_name|"G"»: {"action": "deny"}}}`},
		{"duplicate name in a list", `{"guard": [{"g": {"action": "deny"}}, {«duplicate_name|"g"»: {"action": "deny"}}]}`},
		{"same type twice", `{"guard": {"g": {"action": "deny"}}, "guard": {"h": {"action": "deny"}}}`},
		{"duplicate block", `{"defaults": {}, «duplicate_block|"defaults"»: {}}`},
		{"bad name", `{"guard": {«bad_name|""»: {"action": "deny"}}}`},
		{"match keys", `{"policy": {"p": {"action": "deny", "match": {"risk": "low", «duplicate_match_key|"risk"»: "low", «unknown_match_key|"//"»: 1, «unknown_match_key|"tool"»: 1}}}}`},
		{"types", `{"policy": {"p": {"action": «bad_type|true», "match": {"risk": «bad_type|1», "operation": [«bad_type|null», «bad_type|{}»]}}}}`},
		{"template", policy(`"reason": «not_constant|"a ${b}"»`)},
		{"template spelt with escapes", policy(`"reason": «not_constant|"a \u0024{b}"»`)},
		{"escaped template", policy(`"reason": "a $${b}"`)},
		{"when", policy(`"when": "${input.x == \"y\"}"`)},
		{"when true", policy(`"when": true`)},
		{"when without template", policy(`"when": «bad_type|"input.x == 1"»`)},
		{"when with text around", policy(`"when": «bad_type|" ${input.x}"»`)},
		{"when with a syntax error", policy(`"when": «bad_type|"${input.}"»`)},
		{"number", `{"circuit_breaker": {"window": «bad_number|1.5»}}`},
		{"kernel", `{"provider": {"a": {"b": "${c("}}, "settings": 1}`},
		{"near miss", `{"agent_profile": {"w": {«unknown_attribute|"deny_tool"»: [], "model": "x"}}}`},
		{"deceptive text", "{\n\t\"//\": \"«deceptive_text|\u2066»\",\n\"polici\": {}«deceptive_text|\u061c»}"},
		{"deceptive text spelt as an escape", policy(`"reason": "a\u200fb"`)},
		{"UTF-8 behind a mark", "\ufeff{«unknown_block|\"\u00fc\"»: {}}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkMarked(t, "agent.hcl.json", tt.marked) })
	}
}

func TestTooManyFindings(t *testing.T) {
	_, diags := Parse("agent.hcl", []byte(strings.Repeat("x {\n}\n", MaxFindings+10)))
	if len(diags) != MaxFindings+1 || diags[MaxFindings].Code != codeTooMany {
		t.Errorf("%d diagnostics, last %v", len(diags), diags[len(diags)-1])
	}
}
