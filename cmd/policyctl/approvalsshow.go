package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

// approvalsShow is one run of the show command.
type approvalsShow struct {
	approvals
	full   bool
	format *choice
}

func newApprovalsShow(w *world) *cobra.Command {
	s := &approvalsShow{approvals: approvals{world: w}, format: newChoice("human", "json")}
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show the exact call behind an id, and who asks why",
		Long: `Shows one call as the one who answers has to see it: exactly, with nothing masked.
What a terminal would obey or nobody could see is an escape, the start of each
line of a text has a bar, and a long text has its head, its tail and its length.
Of a call that waits the first six characters of the id are enough.

Formats: human, json.
Exit codes: 0 shown, 2 wrong usage, an unknown id, or a store or policy that
cannot be read.`,
		Example: `  policyctl approvals show k3v9aa
  policyctl approvals show k3v9aa --full | less`,
		Args: exactlyOneID,
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context(), args[0]) },
	}
	s.register(cmd)
	cmd.Flags().BoolVar(&s.full, "full", false, "leave nothing out, however long it is")
	s.format.register(cmd, "output format")
	return cmd
}

// exactlyOneID wants one id.
func exactlyOneID(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("give the id of a call; policyctl approvals list shows those that wait")
	}
	if len(args) > 1 {
		return unexpected(args[1], "give one id at a time")
	}
	return nil
}

func (s *approvalsShow) run(ctx context.Context, id string) error {
	defer s.close()
	if err := s.wantStore(ctx); err != nil {
		return err
	}
	item, err := s.find(ctx, id)
	if err != nil {
		return err
	}
	if s.format.value == "json" {
		return writeVisibleJSON(s.world, item, "  ")
	}
	c := &card{style: style{s.colour}, now: s.now(), full: s.full}
	c.item(&item)
	_, err = s.stdout.WriteString(c.String())
	return written(err)
}
