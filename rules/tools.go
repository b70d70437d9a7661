package rules

import (
	"iter"
	"slices"
	"sync"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
)

// subject says what a tool's main argument is.
type subject uint8

const (
	plain   subject = iota // no pattern looks at it
	shell                  // a command
	reads                  // a path that is read
	writes                 // a path that is written
	fetches                // a URL
	spawns                 // the name of a sub-agent
)

// tool is a tool of a CLI and what it does by canonical names.
type tool struct {
	name       string
	operations []string // all of them; empty: the CLI's own name
	subject    subject
	// near marks a tool that does an operation in another way: it is denied and asked
	// about along with it, and never allowed.
	near bool
}

// toolsOf returns the tools of a CLI whose arguments its rules look at, and those that are
// known to them under another name than to its hooks (facts §1.8, §3.5, §4.3, §5.1, §6.4, §7.3).
func toolsOf(cli CLI) []tool {
	one := func(name, operation string, s subject) tool { return tool{name, []string{operation}, s, false} }
	near := func(name, operation string, s subject) tool { return tool{name, []string{operation}, s, true} }
	edits := []string{"edit_file", "write_file", "apply_patch", "delete_file"}
	switch cli {
	case Claude:
		return []tool{
			one("Bash", "bash", shell), one("Read", "read_file", reads), one("Glob", "glob", plain), one("Grep", "grep", plain),
			one("Write", "write_file", plain), one("Edit", "edit_file", writes), near("MultiEdit", "edit_file", writes),
			one("NotebookEdit", "notebook_edit", plain), one("WebFetch", "web_fetch", fetches),
			one("WebSearch", "web_search", plain), one("Agent", "spawn_agent", spawns), near("Task", "spawn_agent", spawns),
			one("PowerShell", "powershell", plain), one("Monitor", "Monitor", plain),
		}
	case Codex:
		return []tool{one("shell", "bash", shell)}
	case Gemini:
		return []tool{
			one("run_shell_command", "bash", shell), one("read_file", "read_file", reads), near("read_many_files", "read_file", plain),
			one("write_file", "write_file", writes), one("replace", "edit_file", writes),
			one("glob", "glob", plain), one("grep_search", "grep", plain), one("list_directory", "list_files", plain),
			one("web_fetch", "web_fetch", plain), one("google_web_search", "web_search", plain),
			one("invoke_agent", "spawn_agent", plain),
		}
	case OpenCode:
		return []tool{
			one("bash", "bash", shell), one("read", "read_file", reads), {"edit", edits, writes, false},
			one("glob", "glob", plain), one("grep", "grep", plain), one("list", "list_files", plain),
			one("webfetch", "web_fetch", fetches), one("websearch", "web_search", plain), one("codesearch", "code_search", plain),
			one("task", "spawn_agent", spawns),
		}
	case Amp:
		return []tool{
			one("Bash", "bash", shell), near("shell_command", "bash", shell), near("async_shell_command", "bash", shell),
			one("Read", "read_file", reads), near("view_media", "read_file", reads), one("edit_file", "edit_file", writes),
			one("create_file", "write_file", writes), one("delete_file", "delete_file", writes), one("apply_patch", "apply_patch", plain),
			one("Grep", "grep", plain), one("Glob", "glob", plain), near("glob", "glob", plain),
			one("read_web_page", "web_fetch", fetches), one("web_search", "web_search", plain),
			one("Task", "spawn_agent", plain), near("oracle", "spawn_agent", plain),
		}
	case Copilot:
		return []tool{
			one("shell", "bash", shell), one("read", "read_file", reads), {"write", edits, writes, false}, one("url", "web_fetch", fetches),
		}
	}
	return nil
}

func findTool(cli CLI, name string) (tool, bool) {
	all := toolsOf(cli)
	i := slices.IndexFunc(all, func(t tool) bool { return t.name == name })
	if i < 0 {
		return tool{}, false
	}
	return all[i], true
}

// operation is a canonical operation of a CLI with all names that the CLI's rules have for it.
type operation struct {
	name    string
	names   []string
	subject subject
}

// operationsOf returns the operations of a CLI that its rules know, and those of more names.
func operationsOf(cli CLI, more []string) []operation {
	var out []operation
	add := func(name, cliName string, s subject) {
		i := slices.IndexFunc(out, func(o operation) bool { return o.name == name })
		if i < 0 {
			out = append(out, operation{name: name, subject: s})
			i = len(out) - 1
		}
		if !slices.Contains(out[i].names, cliName) {
			out[i].names = append(out[i].names, cliName)
		}
	}
	for _, t := range toolsOf(cli) {
		for _, name := range t.operations {
			add(name, t.name, t.subject)
		}
	}
	known := builtin(cli)
	for _, name := range more {
		if _, ok := findTool(cli, name); ok {
			continue
		}
		canonical, aliases := name, []string{name}
		for o := range known.All() {
			if slices.Contains(o.Aliases, name) {
				canonical, aliases = o.Name, append(aliases, o.Aliases...)
			}
		}
		if slices.ContainsFunc(out, func(o operation) bool { return o.name == canonical }) {
			continue // the other name of a tool that is there
		}
		for _, alias := range aliases {
			add(canonical, alias, plain)
		}
	}
	return out
}

// builtins are the catalogs of the CLIs' own tools, read once.
var builtins = sync.OnceValue(func() map[CLI]*catalog.Catalog {
	read := map[CLI]*catalog.Catalog{}
	for _, name := range ExportNames() {
		if read[CLI(name)] = catalog.Builtin(name); read[CLI(name)] == nil {
			read[CLI(name)] = &catalog.Catalog{}
		}
	}
	return read
})

func builtin(cli CLI) *catalog.Catalog { return builtins()[cli] }

// kindOf is what the catalog says of an operation; what it does not know is a resource.
func kindOf(cli CLI, operation string) plangate.Kind {
	if o, ok := builtin(cli).Find(string(cli), operation); ok {
		return o.Kind
	}
	return plangate.Resource
}

// allowed returns the operation whose allow is no more than one of this tool's.
func (t tool) allowed() (operation string, ok bool) {
	if t.near || len(t.operations) == 0 {
		return "", false
	}
	return t.operations[0], true
}

// restricted returns all names that an imported restriction of the tool covers.
func (t tool) restricted() []string {
	names := slices.Clone(t.operations)
	if !slices.Contains(names, t.name) {
		names = append(names, t.name)
	}
	return names
}

// catalogOf yields all names that the catalog of a CLI has for its own tools.
func catalogOf(cli CLI) iter.Seq[string] {
	return func(yield func(string) bool) {
		for o := range builtin(cli).All() {
			if !yield(o.Name) {
				return
			}
			for _, alias := range o.Aliases {
				if !yield(alias) {
					return
				}
			}
		}
	}
}
