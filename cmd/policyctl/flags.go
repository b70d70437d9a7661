package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/internal/suggest"
	"github.com/plangate/plangate/layers"
)

// choice is a flag with a closed set of values.
type choice struct {
	value   string
	options []string
}

// newChoice returns a choice whose default is the first option.
func newChoice(options ...string) *choice { return &choice{value: options[0], options: options} }

// String implements [pflag.Value].
func (c *choice) String() string { return c.value }

// Type implements [pflag.Value]; it stands in the help after the flag's name.
func (c *choice) Type() string { return strings.Join(c.options, "|") }

// Set implements [pflag.Value].
func (c *choice) Set(text string) error {
	for _, option := range c.options {
		if text == option {
			c.value = text
			return nil
		}
	}
	return fmt.Errorf("want one of %s.%s", strings.Join(c.options, ", "), suggest.DidYouMean(text, c.options))
}

// register adds the choice as --format.
func (c *choice) register(cmd *cobra.Command, usage string) {
	cmd.Flags().Var(c, "format", usage)
	complete(cmd, "format", c.options...)
}

// exclusive makes a flag and each of others exclude each other. Saying so to
// cobra too makes a shell complete only the one or the others.
func exclusive(cmd *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(flag, other)
	}
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		for _, other := range others {
			if cmd.Flags().Changed(flag) && cmd.Flags().Changed(other) {
				return fmt.Errorf("--%s and --%s exclude each other; give only one of them", flag, other)
			}
		}
		if before == nil {
			return nil
		}
		return before(cmd, args)
	}
}

// notEmpty refuses a flag that is given without a value, as a script does whose
// variable is not set: to ignore it would be to do something else.
func notEmpty(cmd *cobra.Command, name string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return fmt.Errorf("--%s is empty; give it a value or leave it out", name)
		}
		if before == nil {
			return nil
		}
		return before(cmd, args)
	}
}

// policyFlags say which policy a command works with.
type policyFlags struct {
	files    []string
	catalogs []string
	clis     cliList
	layers   layers.List
}

func (p *policyFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&p.files, "policy", nil,
		"use exactly this `FILE` as policy, trusted, and no layers; may be repeated")
	p.registerLayers(cmd)
	exclusive(cmd, "policy", "layers")
}

// registerLayers is register for a command that takes policy files as arguments.
func (p *policyFlags) registerLayers(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&p.catalogs, "catalog", nil,
		"`FILE` with known operations, .json or .hcl; may be repeated")
	p.clis.register(cmd, "know the tools of this agent CLI, as its hook does")
	flags.Var(&p.layers, "layers", "use only these layers: some of managed,user,project")
	mustComplete(cmd, "layers", completeLayers)
}

func (p *policyFlags) options(w *world) (layers.Options, error) {
	dir, err := os.Getwd()
	if err != nil {
		return layers.Options{}, failed("cannot find the current directory: %v", err)
	}
	return layers.Options{
		Files:    p.files,
		Layers:   p.layers,
		Dir:      dir,
		Catalogs: p.catalogs,
		Builtin:  p.clis,
		Places:   layers.DefaultPlaces(w.getenv),
		Now:      w.now(),
		Version:  cacheVersion(),
	}, nil
}

// checkProfile refuses a profile that the policy does not know: under a
// misspelt name its lists would not apply.
func checkProfile(profile string, known []string) error {
	for _, name := range known {
		if name == profile {
			return nil
		}
	}
	if len(known) == 0 {
		return failed("unknown profile %q; the policy declares none", profile)
	}
	return failed("unknown profile %q; the policy has %s.%s",
		profile, strings.Join(known, ", "), suggest.DidYouMean(profile, known))
}
