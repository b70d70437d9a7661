package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/rules"
)

// newImportRules returns a command for each CLI whose rules can be read.
func newImportRules(w *world) []*cobra.Command {
	what := map[rules.CLI]string{
		rules.Claude:   "permissions of a settings.json of Claude Code",
		rules.Codex:    "prefix rules (*.rules) of Codex",
		rules.Gemini:   "policy rules (*.toml) of Gemini CLI",
		rules.OpenCode: "permission of an opencode.json",
		rules.Amp:      "amp.permissions of a settings.json of Amp",
	}
	var all []*cobra.Command
	for _, name := range rules.ImportNames() {
		all = append(all, newImportRulesOf(w, rules.CLI(name), what[rules.CLI(name)]))
	}
	return all
}

func newImportRulesOf(w *world, cli rules.CLI, what string) *cobra.Command {
	var losses lossFlags
	name := string(cli)
	cmd := &cobra.Command{
		Use:   name + " FILE",
		Short: "Turn the " + what + " into a policy file",
		Long: "Reads the " + what + `, "-" for standard
input, and prints a policy file. It is never looser than the rules: what denies
or asks becomes a guard, an allow that cannot be said exactly is left out, and
each difference is a loss on standard error. A comment before every block has
the rule and its line.

Exit codes: 0 written, 1 written with losses under --strict, 2 wrong usage or a
file that cannot be read.`,
		Example: "  policyctl import " + name + " " + exampleFile(cli) + " > agent.hcl",
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("which file? Give a FILE, or - for standard input")
			case len(args) > 1:
				return unexpected(args[1], "")
			}
			return w.importRules(cli, args[0], &losses)
		},
	}
	losses.register(cmd)
	return cmd
}

func exampleFile(cli rules.CLI) string {
	switch cli {
	case rules.Claude:
		return ".claude/settings.json"
	case rules.Codex:
		return "~/.codex/rules/default.rules"
	case rules.Gemini:
		return "~/.gemini/policies/mine.toml"
	case rules.OpenCode:
		return "opencode.json"
	default:
		return "~/.config/amp/settings.json"
	}
}

func (w *world) importRules(cli rules.CLI, name string, losses *lossFlags) error {
	shown, src, err := w.read(name, rules.MaxBytes)
	if err != nil {
		return err
	}
	source := rules.Source{Name: shown, Text: src}
	if cli == rules.Claude && w.isUserFile(name) {
		source.Base = "~/.claude"
	}
	result, err := rules.Import(cli, source)
	if err != nil {
		return failed("%v", err)
	}
	return losses.tell(w, &result)
}

// isUserFile reports whether a file is Claude's settings of the user, where a leading slash means
// another directory than in a project.
func (w *world) isUserFile(name string) bool {
	home := w.getenv("HOME")
	path, err := filepath.Abs(name)
	return err == nil && home != "" && strings.HasPrefix(path, filepath.Join(home, ".claude")+string(filepath.Separator))
}
