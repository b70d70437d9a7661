package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

func (x *export) render() {
	switch x.cli {
	case Claude:
		x.renderClaude()
	case Codex:
		x.renderCodex()
	case Gemini:
		x.renderGemini()
	case OpenCode:
		x.renderOpenCode()
	case Amp:
		x.renderAmp()
	case Copilot:
		x.renderCopilot()
	}
}

func (x *export) patternLoss(p *pattern, reason string) {
	x.lose(Loss{Effect: Partial, Rule: p.rule.DecidedBy(), File: p.rule.File, Line: p.rule.Line, Reason: reason})
}

// glob writes a command pattern where a final " *" means that arguments may follow.
func (p *pattern) glob() string {
	if p.exact {
		return p.command
	}
	return p.command + " *"
}

// absolute returns a path pattern that starts at the root, at ~ or, with **, anywhere.
func (x *export) absolute(text string) (string, bool) {
	if !safePath.MatchString(text) || slices.Contains(strings.Split(text, "/"), "..") {
		return "", false
	}
	text = strings.TrimSuffix(text, "/")
	switch {
	case strings.HasPrefix(text, "/"), strings.HasPrefix(text, "~/"), strings.HasPrefix(text, "**/"):
		return text, true
	case x.opts.Workspace == "" || !safePath.MatchString(x.opts.Workspace):
		return "", false
	}
	return strings.TrimSuffix(x.opts.Workspace, "/") + "/" + strings.TrimPrefix(text, "./"), true
}

// spanning writes a path pattern as globs whose * covers slashes.
func (x *export) spanning(p *pattern) []string {
	text, ok := x.absolute(p.path)
	if !ok {
		x.patternLoss(p, "the path "+p.path+" has no form, or needs --workspace")
		return nil
	}
	flat := strings.ReplaceAll(text, "**", "*")
	if name, anywhere := strings.CutPrefix(flat, "*/"); anywhere {
		return []string{name, "*/" + name, name + "/*", "*/" + name + "/*"}
	}
	return []string{flat, flat + "/*"}
}

// object is a JSON object with its keys in the order given. A key that comes again moves to the
// end.
type object struct {
	keys   []string
	values map[string]json.RawMessage
}

func (o *object) add(key string, value any) {
	if o.values == nil {
		o.values = map[string]json.RawMessage{}
	}
	if _, again := o.values[key]; again {
		o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
	}
	o.keys = append(o.keys, key)
	o.values[key] = jsonText(value)
}

func (o *object) raw() json.RawMessage {
	var b bytes.Buffer
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", jsonText(key), o.values[key])
	}
	return json.RawMessage("{" + b.String() + "}")
}

func jsonText(value any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return []byte("null")
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func indented(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return raw
	}
	return append(b.Bytes(), '\n')
}

func (x *export) renderClaude() {
	lists := map[Verdict][]string{Allow: {}, Ask: {}, Deny: {}}
	add := func(v Verdict, text string) {
		if !slices.Contains(lists[v], text) {
			lists[v] = append(lists[v], text)
		}
	}
	for _, t := range x.tools {
		add(t.verdict, t.names[0])
	}
	allows := false
	for _, s := range x.servers {
		add(s.verdict, "mcp__"+s.server+"__"+s.tool)
		allows = allows || s.verdict == Allow
	}
	if allows {
		x.lose(Loss{Effect: Partial, Rule: "tools of servers that no rule names", Reason: "an ask for all of them would also be about those that are allowed; they follow the CLI's mode"})
	} else {
		add(x.rest, "mcp__*")
	}
	for i := range x.patterns {
		p := &x.patterns[i]
		switch p.subject {
		case shell:
			add(Deny, "Bash("+p.glob()+")")
		case fetches:
			if !hostName.MatchString(p.host) {
				x.patternLoss(p, "the host "+p.host+" has no form")
				continue
			}
			add(Deny, "WebFetch(domain:"+p.host+")")
		default:
			text, ok := x.absolute(p.path)
			if !ok {
				x.patternLoss(p, "the path "+p.path+" has no form, or needs --workspace")
				continue
			}
			if !strings.HasPrefix(text, "~/") {
				text = "//" + strings.TrimPrefix(text, "/")
			}
			if p.reading {
				add(Deny, "Read("+text+")")
			}
			if p.writing {
				add(Deny, "Edit("+text+")")
			}
		}
	}
	var permissions, root object
	permissions.add("deny", lists[Deny])
	permissions.add("ask", lists[Ask])
	permissions.add("allow", lists[Allow])
	root.add("permissions", permissions.raw())
	x.Text = indented(root.raw())
}

// single reports whether a server's tool has a name with _ that nothing else can have.
func (x *export) single(s serverVerdict) bool {
	if strings.Contains(s.server+s.tool, "_") || strings.Contains(s.server+s.tool, "*") {
		return false
	}
	for name := range catalogOf(x.cli) {
		if name == s.server+"_"+s.tool {
			return false
		}
	}
	return s.server+"_"+s.tool != "external_directory" && s.server+"_"+s.tool != "doom_loop"
}

func (x *export) dropServer(s serverVerdict) {
	x.lose(Loss{Effect: Dropped, Rule: s.rule.DecidedBy(), File: s.rule.File, Line: s.rule.Line, Tools: []string{s.server + "_" + s.tool},
		Reason: "a tool of another server can have the same name"})
}

func (x *export) renderOpenCode() {
	words := map[Verdict]string{Allow: "allow", Ask: "ask", Deny: "deny"}
	var permission, root object
	permission.add("*", words[x.rest])
	permission.add("external_directory", words[x.rest])
	permission.add("doom_loop", words[x.rest])
	slices.SortStableFunc(x.servers, func(a, b serverVerdict) int { return int(b.verdict) - int(a.verdict) })
	seen := map[string]bool{}
	for _, s := range x.servers {
		key := s.server + "_" + s.tool
		if s.verdict == Allow && !x.single(s) {
			x.dropServer(s)
			continue
		}
		if !seen[key+words[s.verdict]] {
			permission.add(key, words[s.verdict])
		}
		seen[key+words[s.verdict]] = true
	}
	for _, t := range x.tools {
		var inner object
		inner.add("*", words[t.verdict])
		plain := true
		for i := range x.patterns {
			for _, glob := range x.globsFor(&x.patterns[i], t.names[0]) {
				inner.add(glob, "deny")
				plain = false
			}
		}
		if plain || t.verdict == Deny {
			permission.add(t.names[0], words[t.verdict])
		} else {
			permission.add(t.names[0], inner.raw())
		}
	}
	root.add("permission", permission.raw())
	x.Text = indented(root.raw())
}

// globsFor returns what a pattern denies of a tool, as globs over its main argument.
func (x *export) globsFor(p *pattern, name string) []string {
	t, _ := findTool(x.cli, name)
	switch {
	case p.subject == shell && t.subject == shell:
		if x.cli == Amp && !p.exact { // the final star does not cover the bare command here
			return []string{p.command, p.command + " *"}
		}
		return []string{p.glob()}
	case p.subject == fetches && t.subject == fetches:
		host := p.host
		if !hostName.MatchString(host) {
			x.patternLoss(p, "the host "+host+" has no form")
			return nil
		}
		if domain, ok := strings.CutPrefix(host, "*."); ok {
			return []string{"http*://*." + domain, "http*://*." + domain + "/*"}
		}
		return []string{"http*://" + host, "http*://" + host + "/*"}
	case p.subject == reads && (t.subject == reads && p.reading || t.subject == writes && p.writing):
		globs := x.spanning(p)
		if x.cli == OpenCode && x.opts.Workspace != "" {
			for _, glob := range globs {
				if inside, ok := strings.CutPrefix(glob, strings.TrimSuffix(x.opts.Workspace, "/")+"/"); ok {
					globs = append(globs, inside)
				}
			}
		}
		return globs
	}
	return nil
}

func (x *export) renderAmp() {
	words := map[Verdict]string{Allow: "allow", Ask: "ask", Deny: "reject"}
	var list []json.RawMessage
	add := func(name, argument string, value any, v Verdict) {
		var rule object
		rule.add("tool", name)
		if argument != "" {
			var matches object
			matches.add(argument, value)
			rule.add("matches", matches.raw())
		}
		rule.add("action", words[v])
		list = append(list, rule.raw())
	}
	for i := range x.patterns {
		for _, t := range x.tools {
			if globs := x.globsFor(&x.patterns[i], t.names[0]); len(globs) > 0 {
				add(t.names[0], x.ampArgument(t.names[0]), globs, Deny)
			}
		}
	}
	for _, command := range x.exact {
		if strings.HasPrefix(command, "/") {
			continue // it would be read as a regular expression
		}
		add("Bash", "cmd", command, Allow)
		add("shell_command", "command", command, Allow)
	}
	slices.SortStableFunc(x.servers, func(a, b serverVerdict) int { return int(a.verdict) - int(b.verdict) })
	for _, s := range x.servers {
		add("mcp__"+s.server+"__"+s.tool, "", "", s.verdict)
	}
	for _, t := range x.tools {
		add(t.names[0], "", "", t.verdict)
	}
	add("*", "", "", x.rest)
	var root object
	root.add("amp.permissions", list)
	x.Text = indented(root.raw())
}

func (x *export) ampArgument(name string) string {
	switch t, _ := findTool(Amp, name); {
	case name == "Bash":
		return "cmd"
	case t.subject == shell:
		return "command"
	case t.subject == fetches:
		return "url"
	default:
		return "path"
	}
}

func (x *export) renderGemini() {
	var b strings.Builder
	b.WriteString("# Exported from agent.hcl. The first rule that matches wins, the highest priority first.\n")
	words := map[Verdict]string{Allow: "allow", Ask: "ask_user", Deny: "deny"}
	add := func(v Verdict, priority int, lines ...string) {
		fmt.Fprintf(&b, "\n[[rule]]\n%s\ndecision = %q\npriority = %d\n", strings.Join(lines, "\n"), words[v], priority)
	}
	for i := range x.patterns {
		x.geminiPattern(&x.patterns[i], add)
	}
	for _, command := range x.exact {
		pattern := `^\{"command":"` + regexp.QuoteMeta(command) + `"(,"description":"[^"\\]*")?\}$`
		add(Allow, 800, `toolName = "run_shell_command"`, "argsPattern = '"+pattern+"'")
	}
	priority := map[Verdict]int{Deny: 900, Allow: 700, Ask: 600}
	for _, s := range x.servers {
		switch {
		case strings.Contains(s.server, "*") && s.server != "*" || strings.Contains(s.tool, "*") && s.tool != "*":
			x.lose(Loss{Effect: Partial, Rule: s.rule.DecidedBy(), File: s.rule.File, Line: s.rule.Line,
				Reason: "a glob over names of servers or tools has no form: such a tool is asked about"})
		case s.tool == "*":
			add(s.verdict, priority[s.verdict], fmt.Sprintf("mcpName = %q", s.server))
		default:
			add(s.verdict, priority[s.verdict], fmt.Sprintf("mcpName = %q", s.server), fmt.Sprintf("toolName = %q", s.tool))
		}
	}
	for _, t := range x.tools {
		add(t.verdict, priority[t.verdict], fmt.Sprintf("toolName = %q", t.names[0]))
	}
	add(x.rest, 0, `toolName = "*"`)
	x.Text = []byte(b.String())
}

func (x *export) geminiPattern(p *pattern, add func(Verdict, int, ...string)) {
	switch p.subject {
	case shell:
		if p.exact {
			pattern := `"command":"` + regexp.QuoteMeta(p.command) + `"`
			add(Deny, 990, `toolName = "run_shell_command"`, "argsPattern = '"+pattern+"'")
			return
		}
		add(Deny, 990, `toolName = "run_shell_command"`, fmt.Sprintf("commandPrefix = %q", p.command))
	case fetches:
		x.patternLoss(p, "the CLI's web_fetch has the URL inside of a text")
	default:
		text, ok := x.absolute(p.path)
		if !ok || strings.HasPrefix(text, "~") {
			x.patternLoss(p, "the path "+p.path+" has no form, or needs --workspace")
			return
		}
		name, anywhere := strings.CutPrefix(text, "**/")
		re := strings.NewReplacer(`\*\*`, `[^"]*`, `\*`, `[^"/]*`).Replace(regexp.QuoteMeta(name))
		if anywhere {
			re = `([^"]*/)?` + re
		}
		re = `"file_path":"` + re + `(/[^"]*)?"`
		var tools []string
		for _, t := range toolsOf(Gemini) {
			if t.subject == reads && p.reading || t.subject == writes && p.writing {
				tools = append(tools, fmt.Sprintf("%q", t.name))
			}
		}
		if len(tools) > 0 {
			add(Deny, 990, "toolName = ["+strings.Join(tools, ", ")+"]", "argsPattern = '"+re+"'")
		}
	}
}

func (x *export) renderCopilot() {
	var b strings.Builder
	add := func(v Verdict, text string) {
		flag := map[Verdict]string{Allow: "--allow-tool", Deny: "--deny-tool"}[v]
		fmt.Fprintf(&b, "%s='%s'\n", flag, text)
	}
	for _, t := range x.tools {
		if t.verdict == Ask {
			continue // what no flag names is asked about
		}
		if t.names[0] == "url" {
			if t.verdict == Deny {
				x.lose(Loss{Effect: Partial, Rule: t.by, File: t.file, Line: t.line, Tools: t.names, Reason: "there is no flag that denies all URLs"})
			}
			continue
		}
		add(t.verdict, t.names[0])
	}
	for _, s := range x.servers {
		switch {
		case s.verdict == Ask:
		case slices.Contains(copilotKinds, s.server):
			effect := Partial
			if s.verdict == Allow {
				effect = Dropped
			}
			x.lose(Loss{Effect: effect, Rule: s.rule.DecidedBy(), File: s.rule.File, Line: s.rule.Line, Tools: []string{s.server + " " + s.tool},
				Reason: "the name of the server means the CLI's own tools"})
		case s.tool == "*" && s.verdict == Deny:
			add(Deny, s.server)
		default:
			add(s.verdict, s.server+"("+s.tool+")")
		}
	}
	for i := range x.patterns {
		p := &x.patterns[i]
		switch p.subject {
		case shell:
			text := p.command
			if !p.exact {
				text += ":*"
			}
			add(Deny, "shell("+text+")")
		case fetches:
			if !hostName.MatchString(p.host) || strings.HasPrefix(p.host, "*") {
				x.patternLoss(p, "the host "+p.host+" has no form")
				continue
			}
			add(Deny, "url("+p.host+")")
		default:
			text, ok := x.absolute(p.path)
			text = strings.TrimPrefix(text, "**/")
			if !ok || strings.ContainsAny(text, "*~") {
				x.patternLoss(p, "the path "+p.path+" has no form, or needs --workspace")
				continue
			}
			if p.reading {
				add(Deny, "read("+text+")")
			}
			if p.writing {
				add(Deny, "write("+text+")")
			}
		}
	}
	x.Text = []byte(b.String())
}
