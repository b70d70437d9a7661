package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/plangate/plangate"
)

// ruleString is Tool, or Tool(specifier). A specifier ends at the last parenthesis.
type ruleString struct {
	Tool string   `parser:"@Name"`
	Open bool     `parser:"( @Open"`
	Spec []string `parser:"@Text* Close )?"`
}

var ruleStrings = sync.OnceValue(func() *participle.Parser[ruleString] {
	tokens := lexer.MustStateful(lexer.Rules{
		"Root": {{Name: "Name", Pattern: `[^\s()]+`}, {Name: "Open", Pattern: `\(`, Action: lexer.Push("Spec")}},
		"Spec": {{Name: "Close", Pattern: `\)$`, Action: lexer.Pop()}, {Name: "Text", Pattern: `[^)]+|\)`}},
	})
	return participle.MustBuild[ruleString](participle.Lexer(tokens))
})

// readRuleString reads the form that Claude and Copilot write rules in.
func readRuleString(text string) (tool, spec string, has bool, err error) {
	parsed, err := ruleStrings().ParseString("", text)
	if err != nil {
		return "", "", false, fmt.Errorf("%.100q is not TOOL or TOOL(SPECIFIER)", text)
	}
	return parsed.Tool, strings.Join(parsed.Spec, ""), parsed.Open, nil
}

// parseClaude reads permissions.allow, ask and deny of a settings file (facts §1.7).
func parseClaude(source Source) ([]Rule, error) {
	root, err := readTree(source, false)
	if err != nil {
		return nil, err
	}
	permissions := root.get("permissions")
	if permissions == nil {
		return nil, nil
	}
	if permissions.kind != isObject {
		return nil, permissions.errorf(source, "permissions is not an object")
	}
	out := permissions.unread("allow", "ask", "deny")
	for _, group := range []struct {
		key    string
		action Verdict
	}{{"deny", Deny}, {"ask", Ask}, {"allow", Allow}} {
		items := permissions.get(group.key)
		if items == nil {
			continue
		}
		if items.kind != isArray {
			return nil, items.errorf(source, "permissions.%s is not a list of rules", group.key)
		}
		for _, item := range items.items {
			if item.kind != isString {
				return nil, item.errorf(source, "a rule is a string such as %q", "Bash(git status:*)")
			}
			name, spec, has, err := readRuleString(item.text)
			if err != nil {
				return nil, item.errorf(source, "%v", err)
			}
			out = append(out, Rule{Action: group.action, Text: group.key + " " + item.text, Line: item.line,
				Tool: name, Pattern: spec, Has: has && spec != "" && spec != "*"})
		}
	}
	return out, nil
}

// claudeCommand turns a Bash specifier into a glob: :* at the end is " *".
func claudeCommand(spec string) string {
	if stem, ok := strings.CutSuffix(spec, ":*"); ok {
		return stem + " *"
	}
	return spec
}

var parameter = regexp.MustCompile(`^([a-z][A-Za-z0-9_]*):(.*)$`)

// importClaude makes guards of deny and ask, which win whatever the order, and policies of
// allow (facts §1.6, §1.7).
func (d *document) importClaude(parsed []Rule) {
	// Reads inside of the workspace need no permission.
	builtin := entry{text: "built in: reads in the working directory", file: d.source.Name, operations: []string{"read_file"},
		provider: string(Claude), paths: []string{"./*/**"}}
	d.allow(builtin)
	for _, r := range parsed {
		e := d.entryOf(r)
		if strings.HasPrefix(r.Tool, "mcp__") {
			d.claudeMCP(r, e)
			continue
		}
		if r.Action == Allow {
			d.claudeAllow(r, e)
		} else {
			d.claudeRestrict(r, e)
		}
	}
}

func (d *document) claudeMCP(r Rule, e entry) {
	rest := strings.TrimPrefix(r.Tool, "mcp__")
	if r.Has {
		if e.action == plangate.Allow {
			d.loss(Dropped, &e, "an allow of an MCP tool has no specifier")
			return
		}
		d.loss(Stricter, &e, "the specifier is not read: the rule counts for all calls of the tool")
	}
	if !strings.Contains(rest, "__") { // mcp__server, or a glob over both
		rest += "__*"
	}
	for _, way := range splitName(rest, "__") {
		d.mcpTool(e, way[0], way[1])
	}
}

// splitName returns all ways to split a name.
func splitName(name, separator string) (ways [][2]string) {
	for i := 1; i+len(separator) < len(name); i++ {
		if strings.HasPrefix(name[i:], separator) {
			ways = append(ways, [2]string{name[:i], name[i+len(separator):]})
		}
	}
	return ways
}

// mcpTool adds a rule for a tool, or with * all tools, of a server.
func (d *document) mcpTool(e entry, server, operation string) {
	if e.action == plangate.Allow {
		if !exactName(server) || !inMatch(operation) || isCLI(server) {
			d.loss(Dropped, &e, "the server is not named exactly")
			return
		}
		e.provider = server
		if operation != "*" {
			e.operations = []string{operation}
		}
		d.allowOfServer(e)
		return
	}
	e.provider = sanitized(server)
	if !inMatch(e.provider) {
		e.provider = ""
	}
	if operation != "*" && inMatch(operation) {
		e.operations = []string{operation}
	}
	if strings.Trim(e.provider, "*") == "" && len(e.operations) == 0 {
		d.loss(Stricter, &e, "it counts for all tools, not only for those of servers")
		e.provider = ""
	}
	d.restrict(e)
}

// isCLI reports whether a server has the name of a CLI, whose own tools have it as provider.
func isCLI(server string) bool {
	return slices.Contains(append(ExportNames(), "cursor"), server)
}

func (d *document) claudeAllow(r Rule, e entry) {
	t, known := findTool(Claude, r.Tool)
	operation, ok := t.allowed()
	if more := operationsOf(Claude, []string{r.Tool}); !known && !r.Has && !strings.Contains(r.Tool, "*") {
		last := more[len(more)-1]
		operation, ok, known = last.name, slices.Equal(last.names, []string{r.Tool}), true
	}
	if !known || !ok || !exactName(operation) {
		d.loss(Dropped, &e, "there is no operation for the tool "+r.Tool+": its calls are asked about")
		return
	}
	e.operations, e.provider = []string{operation}, string(Claude)
	if !r.Has {
		d.allow(e)
		return
	}
	ok = false
	switch t.subject {
	case shell:
		if parameter.MatchString(r.Pattern) && !strings.HasSuffix(r.Pattern, ":*") {
			break
		}
		ok = d.withCommand(&e, readCommandGlob(claudeCommand(r.Pattern)), "")
	case reads, writes:
		paths := claudePath(r.Pattern, d.source.Base)
		e.paths, ok = paths.allow, len(paths.allow) > 0
		if t.subject == writes {
			e.operations = []string{"edit_file", "write_file"}
		}
	case fetches:
		host, isDomain := strings.CutPrefix(r.Pattern, "domain:")
		e.hosts, ok = []string{host}, isDomain && hostName.MatchString(host)
	case plain, spawns:
	}
	if !ok {
		d.loss(Dropped, &e, "the pattern has no form that allows no more")
		return
	}
	d.allow(e)
}

var hostName = regexp.MustCompile(`^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\.[a-z]{2,}$`)

// claudePath reads a pattern with its anchor: //absolute, ~/home, /settings source, else the
// working directory, where a bare name counts at any depth.
func claudePath(spec, base string) pathPatterns {
	switch {
	case strings.HasPrefix(spec, "//"):
		return readIgnorePath(spec[2:], "/")
	case strings.HasPrefix(spec, "~/"):
		return readIgnorePath(spec[2:], "~")
	case strings.HasPrefix(spec, "/"):
		return readIgnorePath(spec[1:], base)
	}
	spec = strings.TrimPrefix(spec, "./")
	if !strings.Contains(strings.TrimSuffix(spec, "/"), "/") {
		spec = "**/" + spec
	}
	return readIgnorePath(spec, "")
}

func (d *document) claudeRestrict(r Rule, e entry) {
	t, known := findTool(Claude, r.Tool)
	if strings.Contains(r.Tool, "*") {
		if strings.Trim(r.Tool, "*") != "" {
			d.loss(Stricter, &e, "a glob over names of tools counts for all tools")
		}
		d.restrict(e)
		return
	}
	if !known {
		t = tool{name: r.Tool}
		more := operationsOf(Claude, []string{r.Tool})
		t.operations = []string{more[len(more)-1].name}
	}
	e.operations = t.restricted()
	if slices.ContainsFunc(e.operations, func(name string) bool { return !inMatch(name) }) {
		e.operations = nil // no match can hold the name
	}
	if r.Tool == "Write" && r.Has {
		t.subject = writes // the CLI ignores it; it is meant like Edit
	}
	if t.subject == writes {
		e.operations = append(e.operations, "write_file", "edit_file")
		slices.Sort(e.operations)
		e.operations = slices.Compact(e.operations)
	}
	if !r.Has {
		d.restrict(e)
		return
	}
	ok := false
	switch p := parameter.FindStringSubmatch(r.Pattern); {
	case t.subject == shell && (p == nil || strings.HasSuffix(r.Pattern, ":*")):
		ok = d.withCommand(&e, readCommandGlob(claudeCommand(r.Pattern)), "")
	case t.subject == reads || t.subject == writes:
		paths := claudePath(r.Pattern, d.source.Base)
		e.paths, ok = paths.deny, len(paths.deny) > 0
		if t.subject == reads {
			e.operations = append(e.operations, "glob", "grep", "list_files", "edit_file", "write_file")
		}
		if ok {
			e.operations = append(e.operations, "bash")
			d.loss(Stricter, &e, "it also stops commands that may read or write the path")
		}
	case t.subject == fetches && p != nil && p[1] == "domain":
		host := strings.ToLower(p[2])
		e.hosts, ok = []string{host}, hostName.MatchString(host)
		if apex, sub := strings.CutPrefix(host, "*."); sub {
			e.hosts = append(e.hosts, apex)
		}
	}
	if !ok {
		e.commands, e.paths, e.hosts, e.when = nil, nil, nil, ""
		d.loss(Stricter, &e, "the pattern has no form here: the rule counts for all calls of the tool")
	}
	d.restrict(e)
}

// matchClaude is deny, then ask, then allow; for an allow each part of a command must match,
// for a deny one is enough (facts §1.7).
func matchClaude(parsed []Rule, call Call) Verdict {
	verdict := None
	for _, r := range parsed {
		if claudeMatches(r, call) {
			verdict = stricter(verdict, r.Action)
		}
	}
	if verdict != Allow && verdict != None || call.Server != "" || call.Tool != "Bash" {
		return verdict
	}
	// Each part may be allowed by another rule.
	for _, part := range shellParts(call.Arg) {
		matches := func(r Rule) bool { return r.Action == Allow && claudeCommandMatches(r, part, false) }
		if !slices.ContainsFunc(parsed, matches) {
			return None
		}
	}
	return Allow
}

func claudeMatches(r Rule, call Call) bool {
	name := call.Tool
	switch {
	case call.Server != "":
		name = "mcp__" + call.Server + "__" + call.Tool
	case name == "MultiEdit" && r.Tool == "Edit": // its former name
		name = "Edit"
	case name == "Task" && r.Tool == "Agent":
		name = "Agent"
	}
	if call.Server != "" && strings.HasPrefix(r.Tool, "mcp__") && !strings.Contains(strings.TrimPrefix(r.Tool, "mcp__"), "__") &&
		!strings.Contains(r.Tool, "*") {
		return r.Tool == "mcp__"+call.Server
	}
	if r.Tool == "Read" && r.Has && r.Action != Allow && (name == "Edit" || name == "Write") {
		return claudePathMatches(r.Pattern, call)
	}
	if r.Tool == "Edit" && r.Has && name == "Write" {
		return claudePathMatches(r.Pattern, call)
	}
	if !globMatch(r.Tool, name, 0) {
		return false
	}
	if !r.Has || call.Server != "" {
		return true
	}
	switch name {
	case "Bash":
		if r.Action == Allow {
			return false // judged by part
		}
		return slices.ContainsFunc(shellParts(call.Arg), func(part string) bool { return claudeCommandMatches(r, part, true) })
	case "Read", "Edit":
		return claudePathMatches(r.Pattern, call)
	case "WebFetch":
		host, ok := strings.CutPrefix(r.Pattern, "domain:")
		return ok && hostMatches(host, call.Arg)
	case "Agent", "Task":
		return r.Pattern == call.Arg
	}
	return false
}

func claudeCommandMatches(r Rule, part string, deny bool) bool {
	if r.Tool != "Bash" {
		return false
	}
	if !r.Has {
		return true
	}
	pattern := claudeCommand(r.Pattern)
	for _, text := range unwrapped(part, deny) {
		if globMatch(pattern, text, 0) || strings.HasSuffix(pattern, " *") && text == strings.TrimSuffix(pattern, " *") {
			return true
		}
	}
	return false
}

// unwrapped returns a part and what it is without the wrappers that Claude sees through.
func unwrapped(part string, deny bool) []string {
	texts := []string{part}
	prefixes := []string{"timeout 3 ", "xargs "}
	if deny {
		prefixes = append(prefixes, "sudo ", "env A=1 ", "nice -n 5 ", "watch ", "setsid ", "command ", "A=1 ", `\`, "/usr/bin/")
	}
	for _, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(part, prefix); ok {
			texts = append(texts, rest)
		}
	}
	return texts
}

// claudePathMatches compares as gitignore does, a directory with all that is in it.
func claudePathMatches(spec string, call Call) bool {
	root := call.Workspace
	switch {
	case strings.HasPrefix(spec, "//"):
		root, spec = "", spec[2:]
	case strings.HasPrefix(spec, "~/"):
		root, spec = call.Home, spec[2:]
	case strings.HasPrefix(spec, "/"):
		spec = spec[1:]
	default:
		spec = strings.TrimPrefix(spec, "./")
		if !strings.Contains(strings.TrimSuffix(spec, "/"), "/") {
			spec = "**/" + spec
		}
	}
	below, ok := strings.CutPrefix(call.Arg, root+"/")
	if !ok {
		return false
	}
	re := regexp.QuoteMeta(strings.TrimSuffix(spec, "/"))
	re = strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`).Replace(re)
	matched, err := regexp.MatchString(`(?s)^`+re+`(/.*)?$`, below)
	return err == nil && matched
}
