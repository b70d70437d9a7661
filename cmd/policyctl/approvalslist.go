package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/gate"
)

// approvalsList is one run of the list command.
type approvalsList struct {
	approvals
	session string
	after   string
	limit   int
	recent  time.Duration
	format  *choice
}

func newApprovalsList(w *world) *cobra.Command {
	l := &approvalsList{approvals: approvals{world: w}, format: newChoice("human", "json")}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the calls that wait for an answer",
		Long: `Lists the calls that wait, the oldest first. With --recent also those of that time
that do not wait any more: what was answered, has expired or was superseded.
Secrets in arguments are masked here; show has the exact call.

Formats: human, json (an object with items and next).
Exit codes: 0 listed, also when nothing waits; 2 wrong usage, or a store or policy
that cannot be read.`,
		Example: `  policyctl approvals list --session s1
  policyctl approvals list --recent 24h --format json`,
		Args: noArgs("to see one call: policyctl approvals show %s"),
		RunE: func(cmd *cobra.Command, _ []string) error { return l.run(cmd.Context()) },
	}
	l.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&l.session, "session", "", "only those of this `SESSION`")
	flags.StringVar(&l.after, "after", "", "continue behind the call with this `ID`")
	flags.IntVar(&l.limit, "limit", 100, "list at most so many, 1 to 999")
	flags.DurationVar(&l.recent, "recent", 0, "also those of this long ago that do not wait any more")
	notEmpty(cmd, "session")
	notEmpty(cmd, "after")
	l.format.register(cmd, "output format")
	return cmd
}

// listedPage is what `list --format json` prints.
type listedPage struct {
	Items plangate.List[listedItem] `json:"items"`
	// Next is what --after takes to go on, or "" at the end.
	Next string `json:"next"`
}

// listedItem is an item whose secrets are masked.
type listedItem struct {
	gate.Item
	Status string `json:"status"`
	Masked bool   `json:"masked"` // something in the arguments or the preview was masked
}

func (l *approvalsList) run(ctx context.Context) error {
	switch {
	case l.limit < 1 || l.limit >= gate.MaxPage:
		return fmt.Errorf("--limit is %d; it is 1 to %d", l.limit, gate.MaxPage-1)
	case l.recent < 0:
		return fmt.Errorf("--recent is %s; it is how long ago, like 24h", l.recent)
	}
	found, err := l.exists()
	if err != nil {
		return err
	}
	var items []gate.Item
	var more bool
	if found {
		defer l.close()
		if items, more, err = l.items(ctx); err != nil {
			return err
		}
	}
	out := listedPage{Items: plangate.List[listedItem]{}}
	for i := range items {
		out.Items = append(out.Items, l.masked(&items[i]))
	}
	if more {
		out.Next = items[len(items)-1].ID
	}
	if l.format.value == "json" {
		return writeVisibleJSON(l.world, out, "  ")
	}
	l.table(&out)
	return nil
}

// items returns a page, and whether there is more.
func (l *approvalsList) items(ctx context.Context) (items []gate.Item, more bool, err error) {
	opened, err := l.open(ctx, "")
	if err != nil {
		return nil, false, err
	}
	query := gate.PendingQuery{Session: l.session, Limit: l.limit + 1}
	if l.after != "" {
		last, err := l.find(ctx, l.after)
		if err != nil {
			return nil, false, err
		}
		query.After = gate.Cursor{Created: last.Created, ID: last.ID}
	}
	// What is due expires here, also for the list of what does not wait any more.
	if items, err = opened.Gate.Pending(ctx, query); err != nil {
		return nil, false, storeError(err)
	}
	if l.recent > 0 {
		err = opened.Store.View(ctx, func(r gate.Reader) (err error) {
			items, err = l.recently(r, query)
			return err
		})
		if err != nil {
			return nil, false, storeError(err)
		}
	}
	if len(items) > l.limit {
		return items[:l.limit], true, nil
	}
	return items, false, nil
}

// recently returns what waits or waited, from l.recent ago on.
func (l *approvalsList) recently(r gate.Reader, query gate.PendingQuery) (items []gate.Item, err error) {
	filter := gate.Filter{Session: l.session, After: query.After, Limit: gate.MaxPage}
	if since := l.now().Add(-l.recent); filter.After.Created.Before(since) {
		filter.After = gate.Cursor{Created: since, ID: "-"} // which comes before every id
	}
	for {
		page, err := r.Items(filter)
		if err != nil {
			return nil, err
		}
		for i := range page {
			if everWaited(&page[i]) {
				items = append(items, page[i])
			}
			if len(items) == query.Limit {
				return items, nil
			}
		}
		if len(page) < filter.Limit {
			return items, nil
		}
		last := &page[len(page)-1]
		filter.After = gate.Cursor{Created: last.Created, ID: last.ID}
	}
}

// everWaited reports whether an item is an approval, and not a call that policy or a
// hook settled at once.
func everWaited(item *gate.Item) bool {
	return item.State == gate.Waiting || item.Answer != nil || item.Ending == gate.EndExpired || item.Ending == gate.EndSuperseded
}

// masked returns an item for a list: secrets in it are nobody's business there (case
// audit-03).
func (a *approvals) masked(item *gate.Item) listedItem {
	out := listedItem{Item: *item, Status: statusOf(item)}
	pointers := sensitiveIn(a.locals[""].Policy.Policy().Catalog, item)
	mask := func(text json.RawMessage, pointers []string) json.RawMessage {
		if len(text) == 0 {
			return text
		}
		safe, found := audit.Mask(text, pointers)
		out.Masked = out.Masked || found
		return safe
	}
	out.Call.Input = mask(item.Call.Input, pointers)
	out.Original = mask(item.Original, pointers)
	out.Preview = mask(item.Preview, nil)
	out.Prompt, _ = audit.MaskText(item.Prompt)
	out.Text, _ = audit.MaskText(item.Text)
	out.Note, _ = audit.MaskText(item.Note)
	if item.Answer != nil {
		answer := *item.Answer
		answer.CorrectedInput = mask(answer.CorrectedInput, pointers)
		answer.Message, _ = audit.MaskText(answer.Message)
		out.Answer = &answer
	}
	if item.Result != nil {
		result := *item.Result
		result.Output = mask(result.Output, nil)
		result.Error, _ = audit.MaskText(result.Error)
		out.Result = &result
	}
	return out
}

// sensitiveIn returns the arguments that the schema of the operation calls secret.
func sensitiveIn(known *catalog.Catalog, item *gate.Item) []string {
	if known == nil {
		return nil
	}
	operation, ok := known.Find(item.Call.Provider, item.Call.Operation)
	if !ok || operation.InputSchema == nil {
		return nil
	}
	return audit.SensitivePointers(operation.InputSchema)
}

// Columns of a row.
const (
	columnGap        = 2
	sessionColumns   = 12
	operationColumns = 24
)

// row is what a list tells of an item beside its arguments.
func (l *approvalsList) row(item *listedItem, width int) []string {
	expires := "-"
	if item.State == gate.Waiting {
		expires = "in " + ago(item.Expires.Sub(l.now()))
	}
	return []string{
		escape(item.ID[:min(width, len(item.ID))]), item.Status, ago(l.now().Sub(item.Created)), expires,
		firstColumns(item.Session, sessionColumns), firstColumns(itemOperation(&item.Item), operationColumns),
	}
}

// widthOf returns how many columns rows take, with the gaps behind their cells.
func widthOf(rows [][]string) int {
	sum := 0
	for i := range rows[0] {
		widest := 0
		for _, row := range rows {
			widest = max(widest, columns(row[i]))
		}
		sum += widest + columnGap
	}
	return sum
}

// width returns how wide the terminal is, or enough for a file.
func (l *approvalsList) width() int {
	if columns, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && columns > 0 {
		return columns
	}
	return 2 * textWidth
}

func (l *approvalsList) table(out *listedPage) {
	if len(out.Items) == 0 {
		fmt.Fprintln(l.stderr, "policyctl: no call waits for an answer")
		return
	}
	rows := [][]string{{"ID", "STATE", "AGE", "EXPIRES", "SESSION", "OPERATION"}}
	width := shortID(out.Items)
	for i := range out.Items {
		rows = append(rows, l.row(&out.Items[i], width))
	}
	room := max(l.width()-widthOf(rows), 24) // no row may reach the next line
	table := tabwriter.NewWriter(l.stdout, 0, 0, columnGap, ' ', 0)
	fmt.Fprintf(table, "%s\tARGUMENTS\n", strings.Join(rows[0], "\t"))
	for i, row := range rows[1:] {
		fmt.Fprintf(table, "%s\t%s\n", strings.Join(row, "\t"), argumentsLine(out.Items[i].Call.Input, room))
	}
	_ = table.Flush() // the writer below keeps its error
	if out.Next != "" {
		fmt.Fprintf(l.stdout, "There are more: policyctl approvals list --after %s\n", escape(out.Next))
	}
}

// shortID returns how much of the ids tells them apart in a list.
func shortID(items []listedItem) int {
	width := shortestPrefix + 2
	seen := map[string]bool{}
	for i := 0; i < len(items) && width < fullID; i++ {
		if prefix := items[i].ID[:min(width, len(items[i].ID))]; seen[prefix] {
			width, i, seen = width+1, -1, map[string]bool{}
		} else {
			seen[prefix] = true
		}
	}
	return width
}

// wantStore refuses to look for a call where there is no store.
func (a *approvals) wantStore(ctx context.Context) error {
	found, err := a.exists()
	if err == nil && !found {
		err = failed("there is no store yet, so no call ever waited")
	}
	if err != nil {
		return err
	}
	_, err = a.open(ctx, "")
	return err
}
