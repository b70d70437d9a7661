package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plangate/plangate/layers"
)

// complete lets a shell complete a flag with fixed words, and never with files.
func complete(cmd *cobra.Command, flag string, words ...string) {
	mustComplete(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// mustComplete panics if there is no such flag or it is completed already.
func mustComplete(cmd *cobra.Command, flag string, words cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, words); err != nil {
		panic(err)
	}
}

// completeLayers completes the last of several layers with those that are not
// listed yet.
func completeLayers(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	done := typed[:strings.LastIndex(typed, ",")+1]
	var words []string
	for _, name := range layers.Names() {
		if !slices.Contains(strings.Split(done, ","), name) {
			words = append(words, done+name)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// plainUsage removes the marks from the usage of all flags when a shell asks for
// completions: only the help of this program understands them.
func plainUsage(cmd *cobra.Command, args []string) {
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return
	}
	visit(cmd, func(flag *pflag.Flag) { flag.Usage = strings.ReplaceAll(flag.Usage, "`", "") })
}

// visit calls do for the flags of a command and of those below it.
func visit(cmd *cobra.Command, do func(*pflag.Flag)) {
	cmd.Flags().VisitAll(do)
	for _, sub := range cmd.Commands() {
		visit(sub, do)
	}
}
