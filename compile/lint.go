package compile

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/facts"
)

// lintConditions reports conditions that cover more, or less, than their author
// is likely to think. Values that checkConditions refuses are passed over.
func (c *compiler) lintConditions() {
	x := newInventory(c.Catalog)
	shells := slices.DeleteFunc(slices.Clone(x.all), func(o *catalog.Operation) bool { return len(o.Roles.Command) == 0 })
	guarded := c.guardedPaths(shells)
	for _, e := range slices.Concat(c.policies, c.guards) {
		switch {
		case e.expired:
			continue
		case e.rule.Action == plangate.Allow:
			c.lintCommands(e)
			c.lintPathOnly(e, shells)
		default:
			c.lintPathHints(e)
			c.lintShellReads(e, shells, guarded)
		}
		c.lintArguments(e, x)
	}
	c.lintShells(shells)
}

// condition returns a condition of the entry, or nil.
func (e *entry) condition(typ dsl.ConditionType) *dsl.Condition {
	for i := range e.body.Conditions {
		if e.body.Conditions[i].Type == typ {
			return &e.body.Conditions[i]
		}
	}
	return nil
}

// reached returns those operations that a match fits.
func reached(m *eval.Match, operations []*catalog.Operation) []*catalog.Operation {
	combinations := m.Combinations()
	var fitting []*catalog.Operation
	for _, o := range operations {
		if (len(m.Kinds) == 0 || slices.Contains(m.Kinds, o.Kind)) &&
			(len(m.Risks) == 0 || slices.Contains(m.Risks, o.Risk)) &&
			slices.ContainsFunc(combinations, func(c eval.Combination) bool { return c.Fits(o.Name, o.Provider) }) {
			fitting = append(fitting, o)
		}
	}
	return fitting
}

// lintCommands looks at the commands that a policy allows.
func (c *compiler) lintCommands(e *entry) {
	condition := e.condition(dsl.Command)
	if condition == nil {
		return
	}
	bounded := e.condition(dsl.Path) != nil || e.condition(dsl.Host) != nil
	var bare []string
	for _, value := range condition.Values {
		a, ok := readAllowed(value.Value)
		if !ok {
			continue
		}
		if !bounded && a.bare() {
			bare = append(bare, a.program)
		}
		for _, lint := range []func(*allowed) (code, summary, detail string){interpreter, middleStar} {
			if code, summary, detail := lint(a); detail != "" {
				c.warn(code, value.Range, summary, detail).Context = &e.body.Range
			}
		}
	}
	c.lintBare(e, condition, bare)
}

// lintBare says once which programs are allowed by name alone although their
// arguments can do more than their name says.
func (c *compiler) lintBare(e *entry, condition *dsl.Condition, programs []string) {
	if len(programs) == 0 {
		return
	}
	c.warn("bare_program", condition.Range, "Some arguments are not covered",
		fmt.Sprintf("With some arguments these programs write files or run other programs: %s. The allow does not cover such "+
			"arguments, so they will ask. Write out what is meant, as in %q.",
			strings.Join(programs, ", "), programs[0]+" WORD")).Context = &e.body.Range
}

// allowed is a command pattern of an allow, read as far as findings need it.
type allowed struct {
	program  string         // as written
	name     string         // without directory, version and case
	exact    bool           // matches the whole list of arguments
	words    []command.Word // after the program, without stars at the end
	literals []string       // those words that are fixed and no options
}

func readAllowed(text string) (*allowed, bool) {
	p, err := command.Compile(text)
	if err != nil {
		return nil, false
	}
	text, exact := strings.CutPrefix(strings.TrimSpace(text), "=")
	a := &allowed{program: p.Program(), exact: exact}
	a.name = strings.TrimSuffix(strings.ToLower(path.Base(a.program)), ".exe")
	if name := strings.TrimRight(a.name, "0123456789."); name != "" {
		a.name = name
	}
	// A pattern is written as a command is, so reading it as one gives its words.
	if commands := command.Parse(text, command.Bash).Commands; len(commands) > 0 {
		form := commands[0]
		for form.Outer != nil {
			form = form.Outer
		}
		a.words = form.Args
	}
	for len(a.words) > 0 && isStar(a.words[len(a.words)-1]) {
		a.words = a.words[:len(a.words)-1]
		a.exact = false
	}
	for _, word := range a.words {
		if isFixed(word) {
			a.literals = append(a.literals, word.Text)
		}
	}
	return a, true
}

func isStar(word command.Word) bool {
	return word.Pattern != "" && strings.Trim(word.Pattern, "*") == ""
}

// isFixed reports whether a word names one thing. A name that ends with a star,
// as in test:*, does so too, but a star in a path leads anywhere, through `..`.
func isFixed(word command.Word) bool {
	if strings.HasPrefix(word.Text, "-") {
		return false
	}
	return !strings.Contains(word.Pattern, "*") || word.Text != "" && !strings.Contains(word.Text, "/")
}

// runner is a program, or a subcommand, that runs what its next words name.
type runner struct {
	names string
	words int  // how many words it takes to name what is run
	input bool // without them it runs its input
}

var runners = runnerIndex([]runner{
	{names: "bash,sh,zsh,dash,ksh,ash,fish,csh,tcsh,pwsh,powershell,python,pypy,node,nodejs,tsx,ts-node,bun,bun run,deno," +
		"deno run,deno eval,perl,ruby,php,lua,luajit,rscript,julia,groovy,elixir,osascript,xargs,gxargs,parallel", words: 1, input: true},
	{names: "npx,bunx,bun x,pnpx,uvx,pipx,pipx run,npm,npm run,npm run-script,npm exec,npm x,pnpm,pnpm run,pnpm exec,pnpm dlx," +
		"yarn,yarn run,yarn exec,yarn dlx,uv,uv run,poetry run,pipenv run,bundle exec,mise run,mise exec,go run", words: 1},
	{names: "make,gmake,just,env,sudo,doas,su,eval,exec,source,.,command,builtin,nohup,docker run,podman run", words: 1},
	{names: "docker exec,podman exec,kubectl exec", words: 2},
	{names: "ssh", words: 2, input: true},
})

func runnerIndex(rows []runner) map[string]*runner {
	index := map[string]*runner{}
	for i := range rows {
		for name := range strings.SplitSeq(rows[i].names, ",") {
			index[name] = &rows[i]
		}
	}
	return index
}

// runner returns the row of the command, with how many of its words name what
// is run; nil if it is no runner.
func (a *allowed) runner() (row *runner, words int) {
	if len(a.literals) > 0 {
		if row := runners[a.name+" "+a.literals[0]]; row != nil {
			return row, len(a.literals) - 1
		}
	}
	return runners[a.name], len(a.literals)
}

// interpreter finds programs that are allowed with whatever they are told to run.
func interpreter(a *allowed) (code, summary, detail string) {
	row, words := a.runner()
	if row == nil || words >= row.words || a.exact && !row.input || a.asksVersion() {
		return "", "", ""
	}
	return "interpreter", "Any code is allowed", fmt.Sprintf("%q runs what its arguments or its input say, and nothing here says what. "+
		"Write the script or target out, as in \"python3 script.py\", \"npm run test\" or \"make test\".", a.program)
}

// asksVersion reports whether the program only tells about itself.
func (a *allowed) asksVersion() bool {
	if len(a.words) == 0 {
		return false
	}
	switch a.words[0].Text {
	case "--version", "-V", "-version", "--help", "-v":
		return a.words[0].Text != "-v" || a.name == "command" || a.name == "node"
	}
	return false
}

// bare reports whether a program is allowed by its name alone and its arguments
// can write or run something. Of a runner there is something worse to say.
func (a *allowed) bare() bool {
	return !a.exact && len(a.words) == 0 && !strings.Contains(a.program, "*") &&
		runners[a.name] == nil && command.KnownDangerous(a.program)
}

// middleStar finds stars that stand for more than a value at the end.
func middleStar(a *allowed) (code, summary, detail string) {
	switch {
	case strings.Contains(a.program, "*"):
		detail = "The star stands for any part of a name, so other programs are allowed too. Write one value for each program."
	case slices.ContainsFunc(a.words, isStar):
		detail = "The star stands for any word that may be put in there, such as another subcommand, " +
			"and all words that follow the pattern are allowed too. Write the word out, with one value for each."
	}
	return "middle_star", "Star in the middle of an allow", detail
}

// lintPathOnly finds policies that allow a shell by the paths of its commands.
func (c *compiler) lintPathOnly(e *entry, shells []*catalog.Operation) {
	paths := e.condition(dsl.Path)
	if paths == nil || e.condition(dsl.Command) != nil || e.condition(dsl.Grant) != nil {
		return
	}
	if list := reached(&e.rule.Match, shells); len(list) > 0 {
		c.warn("path_only", paths.Range, "Any program is allowed on these paths",
			fmt.Sprintf("Policy %q also matches %s, and does not say which programs may work on these paths. "+
				"Add a command condition, or match other operations.", e.body.Name.Value, listOperations(list))).Context = &e.body.Range
	}
}

// lintPathHints finds names that are usually meant along with those that are restricted.
func (c *compiler) lintPathHints(e *entry) {
	paths := e.condition(dsl.Path)
	if paths == nil {
		return
	}
	for _, hint := range facts.PathHints(values(paths.Values)) {
		c.warn("path_hint", hintedAt(paths, hint), "Paths are missed",
			fmt.Sprintf("These paths are not matched: %s. If they are meant too, write %q.",
				strings.Join(hint.Missed, ", "), hint.Instead)).Context = &e.body.Range
	}
}

// hintedAt returns the place of the first value that gives the hint by itself.
func hintedAt(paths *dsl.Condition, hint facts.Hint) plangate.Range {
	for _, value := range paths.Values {
		if slices.ContainsFunc(facts.PathHints([]string{value.Value}), func(h facts.Hint) bool { return h.Instead == hint.Instead }) {
			return value.Range
		}
	}
	return paths.Range
}

// guardedPaths are the path patterns that some guard keeps from every shell.
func (c *compiler) guardedPaths(shells []*catalog.Operation) map[string]bool {
	guarded := map[string]bool{}
	for _, g := range c.guards {
		paths := g.condition(dsl.Path)
		if paths == nil || g.expired || len(g.body.Conditions) > 1 || len(g.rule.Profiles) > 0 ||
			len(reached(&g.rule.Match, shells)) < len(shells) {
			continue
		}
		for _, value := range paths.Values {
			guarded[value.Value] = true
		}
	}
	return guarded
}

// lintShellReads finds paths that are kept from some operations but not from a
// shell.
func (c *compiler) lintShellReads(e *entry, shells []*catalog.Operation, guarded map[string]bool) {
	paths := e.condition(dsl.Path)
	if paths == nil || len(shells) == 0 || len(reached(&e.rule.Match, shells)) > 0 ||
		!slices.ContainsFunc(paths.Values, func(value dsl.Lit[string]) bool { return !guarded[value.Value] }) {
		return
	}
	c.warn("shell_reads", paths.Range, "A shell can still reach these files",
		fmt.Sprintf("%q does not match %s, so a shell command can still read or write these files. "+
			"Put the paths into a guard without match.", e.body.Name.Value, listOperations(shells))).Context = &e.body.Range
}

// lintArguments finds conditions on arguments that none of the named operations
// has. Operations outside of the catalog are not known, so they do not count.
func (c *compiler) lintArguments(e *entry, x *inventory) {
	if len(e.rule.Match.Operations) == 0 || len(e.body.Conditions) == 0 {
		return
	}
	operations := reached(&e.rule.Match, x.candidates(&e.rule.Match))
	if len(operations) == 0 {
		return
	}
	for _, condition := range e.body.Conditions {
		has := func(o *catalog.Operation) bool { return hasArgument(o, condition.Type) }
		if !slices.ContainsFunc(operations, has) {
			c.warn("no_such_argument", condition.Range, "Condition never holds",
				fmt.Sprintf("%s has no argument for the condition %s. Correct the match, declare the argument's role "+
					"in the catalog, or remove the condition.", listOperations(operations), condition.Type)).Context = &e.body.Range
		}
	}
}

// hasArgument reports whether a condition can hold for an operation. Commands
// name paths and hosts.
func hasArgument(o *catalog.Operation, typ dsl.ConditionType) bool {
	switch typ {
	case dsl.Path:
		return len(o.Roles.Path)+len(o.Roles.Command) > 0
	case dsl.Host:
		return len(o.Roles.URL)+len(o.Roles.Command) > 0
	case dsl.When:
		return true
	default:
		return len(o.Roles.Command) > 0
	}
}

// lintShells finds shells that only the defaults decide about.
func (c *compiler) lintShells(shells []*catalog.Operation) {
	left := slices.Clone(shells)
	for _, e := range slices.Concat(c.policies, c.guards) {
		if len(left) == 0 {
			return
		}
		if !e.expired && !onlyPlaces(e) {
			fitting := reached(&e.rule.Match, left)
			left = slices.DeleteFunc(left, func(o *catalog.Operation) bool { return slices.Contains(fitting, o) })
		}
	}
	if at, ok := c.headline(); ok && len(left) > 0 {
		c.warn("shell_without_rule", at, "Only the defaults decide about a shell",
			fmt.Sprintf("No policy or guard is about %s, which can run commands. Write a policy for it.", listOperations(left)))
	}
}

// onlyPlaces reports whether the entry is about some files or hosts, whatever
// the operation: that says nothing about the commands of a shell.
func onlyPlaces(e *entry) bool {
	return e.body.Match.Empty() && len(e.body.Conditions) > 0 &&
		!slices.ContainsFunc(e.body.Conditions, func(c dsl.Condition) bool { return c.Type != dsl.Path && c.Type != dsl.Host })
}

// headline is the place for what is said of all files: where the innermost of
// them sets a default, or its first block.
func (c *compiler) headline() (at plangate.Range, ok bool) {
	for _, l := range slices.Backward(c.Layers) {
		switch f := l.File; {
		case len(f.Defaults) > 0:
			return f.Defaults[0].Action.Range, true
		case len(f.Policies) > 0:
			return f.Policies[0].Header, true
		case len(f.Guards) > 0:
			return f.Guards[0].Header, true
		}
	}
	return plangate.Range{}, false
}

// maxListed is how many operations a finding lists.
const maxListed = 5

// listOperations names operations, the first ones if there are many.
func listOperations(list []*catalog.Operation) string {
	var names []string
	for _, o := range list[:min(maxListed, len(list))] {
		names = append(names, fmt.Sprintf("%q of %q", o.Name, o.Provider))
	}
	if more := len(list) - maxListed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
