package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/internal/suggest"
)

// logQuery is one run of log query.
type logQuery struct {
	*world
	format                        *choice
	filter                        audit.Filter
	event, decision, since, until string
	store                         string
}

func newLogQuery(w *world) *cobra.Command {
	q := &logQuery{world: w, format: newChoice("human", "json")}
	cmd := &cobra.Command{
		Use:   "query [file | -]",
		Short: "Find records in the audit log",
		Long: `Prints the records of the log that pass all filters, oldest first. A text is
compared as a whole. Times are like 2026-01-31T09:00:00Z, or like 24h for so long
ago. Only the hash of each record is checked, see log verify for the chain.

Formats: human, json (the lines of the log as they are).
Exit codes: 0 fine, whether there are records or not; 1 a line is no record;
2 wrong usage or a file that cannot be read.`,
		Example: `  policyctl log query --decision deny --since 24h
  policyctl log query --item plan-7 --format json`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error { return q.run(args) },
	}
	registerStore(cmd, &q.store)
	flags := cmd.Flags()
	for _, filter := range []struct {
		into        *string
		name, usage string
	}{
		{&q.event, "event", "what happened, such as decision or approval_answered"},
		{&q.filter.Session, "session", "id of the session"},
		{&q.filter.Item, "item", "id of the plan item or approval"},
		{&q.filter.CallID, "call", "id of the call"},
		{&q.filter.Provider, "provider", "provider of the operation"},
		{&q.filter.Operation, "operation", "name of the operation"},
		{&q.decision, "decision", "deny, ask or allow"},
		{&q.filter.Actor, "actor", "who did it"},
		{&q.filter.DecidedBy, "decided-by", "block that decided, such as policy:NAME"},
		{&q.since, "since", "not before this `TIME`"},
		{&q.until, "until", "before this `TIME`"},
	} {
		flags.StringVar(filter.into, filter.name, "", filter.usage)
		notEmpty(cmd, filter.name)
	}
	flags.IntVar(&q.filter.Limit, "limit", 0, "at most so many records; 0 for all")
	q.complete(cmd)
	q.format.register(cmd, "output format")
	return cmd
}

func (q *logQuery) complete(cmd *cobra.Command) {
	complete(cmd, "event", eventWords()...)
	complete(cmd, "decision", "deny", "ask", "allow")
	for _, name := range []string{
		"session", "item", "call", "provider", "operation", "actor", "decided-by", "since", "until", "limit",
	} {
		complete(cmd, name)
	}
}

func eventWords() []string {
	var words []string
	for _, event := range audit.Events() {
		words = append(words, string(event))
	}
	return words
}

func (q *logQuery) run(args []string) error {
	if err := q.readFilter(); err != nil {
		return err
	}
	in, err := openRecords(q.world, logSource{q.store, args})
	if err != nil {
		return err
	}
	defer in.close()
	return showRecords(q.world, in.name, audit.Query(in, q.filter), q.show)
}

func (q *logQuery) show(record audit.Record) error {
	if q.format.value == "json" {
		_, err := q.stdout.Write(record.Line())
		return written(err)
	}
	_, err := fmt.Fprintln(q.stdout, recordLine(style{q.colour}, record))
	return written(err)
}

// readFilter reads the flags that are words or times.
func (q *logQuery) readFilter() error {
	if q.event != "" {
		if !permitted(eventWords(), q.event) {
			return fmt.Errorf("--event: unknown event %q.%s", q.event, suggest.DidYouMean(q.event, eventWords()))
		}
		q.filter.Event = audit.Event(q.event)
	}
	if q.decision != "" {
		words := []string{"deny", "ask", "allow"}
		action, err := plangate.ParseAction(q.decision)
		if err != nil || !permitted(words, q.decision) {
			return fmt.Errorf("--decision: %q is none of deny, ask, allow.%s", q.decision, suggest.DidYouMean(q.decision, words))
		}
		q.filter.Decision = &action
	}
	if q.filter.Limit < 0 {
		return fmt.Errorf("--limit: %d is less than nothing", q.filter.Limit)
	}
	if err := q.instant(&q.filter.Since, "since", q.since); err != nil {
		return err
	}
	return q.instant(&q.filter.Until, "until", q.until)
}

func permitted(words []string, word string) bool {
	for _, each := range words {
		if each == word {
			return true
		}
	}
	return false
}

// instant reads a time, or how long ago it was.
func (q *logQuery) instant(into *time.Time, flag, text string) error {
	if text == "" {
		return nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		*into = q.now().Add(-ago)
		return nil
	}
	instant, err := plangate.ParseTime(text)
	if err != nil {
		return fmt.Errorf("--%s: %.64q is no time; write it like 2026-01-31T09:00:00Z, or like 24h for so long ago", flag, text)
	}
	*into = instant
	return nil
}
