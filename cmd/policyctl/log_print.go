package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
)

// The widths of columns of a record, and of its reason.
const (
	eventWidth  = 19
	actionWidth = 5
	callWidth   = 24
	blockWidth  = 22
	reasonWidth = 160
)

// recordLine returns a record as one line for people. Every text in it may be
// written by whoever is being judged, so all of it is escaped (audit-12).
func recordLine(s style, r audit.Record) string {
	fields := []string{
		r.Time.Format(time.RFC3339),
		fmt.Sprintf("%6d", r.Seq),
		padded(string(r.Event), eventWidth),
		actionOf(s, r),
		padded(loggedOperation(r), callWidth),
		padded(r.DecidedBy, blockWidth),
	}
	return strings.TrimRight(strings.Join(append(fields, details(r)...), "  "), " ")
}

// padded escapes a text and fills it up to a width.
func padded(text string, width int) string {
	text = escape(firstColumns(text, callWidth*4))
	return text + strings.Repeat(" ", max(0, width-columns(text)))
}

// actionOf returns the decision in its colour, if the record has one.
func actionOf(s style, r audit.Record) string {
	if r.DecidedBy == "" {
		return strings.Repeat(" ", actionWidth)
	}
	colours := map[plangate.Action]string{plangate.Deny: red, plangate.Ask: yellow, plangate.Allow: green}
	return s.paint(colours[r.Decision], padded(r.Decision.String(), actionWidth))
}

func loggedOperation(r audit.Record) string {
	if r.Provider == "" {
		return r.Operation
	}
	return r.Provider + "." + r.Operation
}

// details returns what else a record says, leaving out what it does not.
func details(r audit.Record) []string {
	var list []string
	add := func(label, text string) {
		if text != "" {
			list = append(list, label+escape(firstColumns(text, reasonWidth)))
		}
	}
	if r.Rule.File != "" {
		add("", fmt.Sprintf("%s:%d", r.Rule.File, r.Rule.Line))
	}
	if r.Downgraded {
		add("downgraded from ", r.MatchedAction.String()+": "+r.Downgrade.String())
	}
	add("item=", r.Item)
	add("call=", r.CallID)
	add("state=", r.State)
	add("scope=", r.Scope)
	add("actor=", r.Actor)
	add("", r.Reason)
	add("", r.Message)
	return list
}
