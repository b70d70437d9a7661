package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/persist/writeback"
)

func newUndo(w *world) *cobra.Command {
	b := &writeBack{world: w, format: newChoice("human", "json")}
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Take back the last answer that was remembered as policy",
		Long: `Takes back the last change that "always" made to a policy file, and gives the file
the exact bytes of before. If other parts of the file were edited since, only that
change is taken out; if it was edited itself, nothing is written. Run again, it
takes back the one before. It shows what would change and asks first.

Without --policy it is the file that "always" writes. Formats: human, json.
Exit codes: 0 done, 1 nothing to undo or edited since, 2 wrong usage or a file that
cannot be read or written.`,
		Example: `  policyctl undo
  policyctl undo --policy agent.hcl --dry-run`,
		Args: noArgs("name the file with --policy %s"),
		RunE: func(cmd *cobra.Command, _ []string) error { return b.undo(cmd.Context()) },
	}
	b.register(cmd, "policy `FILE` to change back")
	return cmd
}

func (b *writeBack) undo(ctx context.Context) error {
	target, err := b.target()
	if err != nil {
		return err
	}
	req := writeback.UndoRequest{Target: target}
	preview, err := writeback.PreviewUndo(ctx, req)
	if err != nil {
		return b.told(err)
	}
	if b.dryRun {
		return b.show(preview, true)
	}
	if b.format.value == "human" {
		b.preview(preview)
	}
	if ok, err := b.confirmed(fmt.Sprintf("Take this out of %s?", escape(preview.File))); !ok {
		return err
	}
	if !b.yes { // somebody saw just this
		req.Expect = preview.Digest
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	change, err := writeback.Undo(ctx, req)
	if err != nil {
		return b.told(err)
	}
	b.record(ctx, audit.Entry{Event: audit.PolicyUndone, Actor: b.getenv("USER")}, change)
	switch {
	case b.format.value == "json":
		return writeJSON(b.stdout, change)
	case change.Removed:
		fmt.Fprintf(b.stdout, "\nRemoved %s, which was made for policy %s.\n", escape(change.File), quote(change.Policy))
	default:
		fmt.Fprintf(b.stdout, "\nTaken back: policy %s in %s.\n", quote(change.Policy), escape(change.File))
	}
	return nil
}
