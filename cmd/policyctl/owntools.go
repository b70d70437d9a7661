package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/internal/suggest"
)

// cliList is a flag that names agent CLIs whose own tools are known.
type cliList []string

// String implements [pflag.Value].
func (c *cliList) String() string { return strings.Join(*c, ",") }

// Type implements [pflag.Value].
func (c *cliList) Type() string { return "CLI" }

// Set implements [pflag.Value].
func (c *cliList) Set(name string) error {
	known := catalog.BuiltinNames()
	if !slices.Contains(known, name) {
		return fmt.Errorf("unknown CLI %q; want one of %s.%s", name, strings.Join(known, ", "), suggest.DidYouMean(name, known))
	}
	if !slices.Contains(*c, name) {
		*c = append(*c, name)
	}
	return nil
}

func (c *cliList) register(cmd *cobra.Command, usage string) {
	cmd.Flags().Var(c, "cli", usage)
	complete(cmd, "cli", catalog.BuiltinNames()...)
}

// ownTools gives a call of one CLI, as a person writes it, the names that its hook gives it.
// The zero value does nothing.
type ownTools struct {
	provider string
	names    map[string]string // of operations, by them and by their aliases
}

// tools returns those of the one CLI that is named, if it is one.
func (c *cliList) tools() ownTools {
	if len(*c) != 1 {
		return ownTools{}
	}
	own := ownTools{(*c)[0], map[string]string{}}
	for operation := range catalog.Builtin(own.provider).All() {
		for _, alias := range operation.Aliases {
			own.names[alias] = operation.Name
		}
		own.names[operation.Name] = operation.Name
	}
	return own
}

// rename leaves a call as it is that has a provider, or is of no tool of the CLI.
func (o *ownTools) rename(call *plangate.Call) {
	if name, ok := o.names[call.Operation]; ok && call.Provider == "" {
		call.Provider, call.Operation = o.provider, name
	}
}
