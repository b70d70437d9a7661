package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/gate"
)

// card shows an item to whoever may answer it: the exact call, with nothing masked
// (case audit-04), and nothing in it obeyed by a terminal (case appr-20).
type card struct {
	style style
	now   time.Time
	full  bool // cut nothing

	out  strings.Builder
	left int // bytes that were left out
}

// labelWidth is the width of the left column.
const labelWidth = 13

func (c *card) String() string { return c.out.String() }

// item writes the whole card.
func (c *card) item(item *gate.Item) {
	fmt.Fprintf(&c.out, "%s  %s\n", c.style.paint(bold, "Approval "+escape(item.ID)), c.stateOf(item))
	c.words("Operation", nameOf(item.Call.Provider, item.Call.Operation))
	c.row("", c.sort(item))
	c.words("Description", item.Description)
	c.words("Session", item.Session)
	c.words("Turn", item.Turn)
	c.words("Call", item.Call.ID)
	c.row("Asked", fmt.Sprintf("%s ago, %s", ago(c.now.Sub(item.Created)), instant(item.Created)))
	c.words("Runs in", item.Call.Cwd)
	c.words("Workspace", item.Call.Workspace)
	c.words("Profile", item.Call.Profile)
	if item.State == gate.Waiting {
		c.row("Expires", fmt.Sprintf("in %s, %s; it is then denied%s", ago(item.Expires.Sub(c.now)), instant(item.Expires), turnEnds(item)))
	}
	c.words("Decided by", item.DecidedBy)
	if rule := item.Outcome.Rule; rule.File != "" {
		c.words("at", fmt.Sprintf("%s:%d", rule.File, rule.Line))
	}
	c.words("Reason", item.Outcome.Reason)
	c.words("Not certain", strings.Join(item.Outcome.Unknown, ", "))
	c.words("Channel", item.Channel)
	c.row("Digest", escape(item.Digest))
	c.text("Question of the decision hook", item.Prompt)
	if len(item.Preview) > 0 {
		c.text("Preview, as the provider says", textOf(item.Preview))
	}
	c.input("Arguments", item.Call.Input)
	if len(item.Original) > 0 {
		c.input("Arguments as the model wrote them", item.Original)
	}
	c.answer(item)
}

// row writes a row if there is something in it. The value is safe to show.
func (c *card) row(label, value string) {
	if value != "" {
		fmt.Fprintf(&c.out, "  %-*s%s\n", labelWidth, label, value)
	}
}

// words writes a row of text from outside. What does not fit goes on below, right of
// the labels: a text that a terminal breaks could look like rows of the card.
func (c *card) words(label, text string) {
	if text == "" {
		return
	}
	lines := passageOf(text, rowWidth).lines
	left := 0
	for i, line := range lines {
		if i < rowLines || c.full {
			c.row(label, line.text)
			label = ""
		} else {
			left += line.bytes
		}
	}
	if left > 0 {
		c.row("", fmt.Sprintf("~ %s of %d left out here; see them with --full", plural(left, "byte"), len(text)))
	}
	c.left += left
}

// input writes arguments, each in full or with its length.
func (c *card) input(title string, input json.RawMessage) {
	members, ok := membersOf(input)
	if !ok || len(members) == 0 {
		c.text(title, cmp.Or(string(input), "none"))
		return
	}
	c.title(fmt.Sprintf("%s (%s)", title, plural(len(input), "byte")))
	for _, m := range members {
		text := textOf(m.value)
		fmt.Fprintf(&c.out, "  %s%s\n", c.style.paint(bold, short(m.name)), lengthOf(text))
		c.passage(text)
	}
}

// text writes a text with a title if there is any.
func (c *card) text(title, text string) {
	if text == "" {
		return
	}
	c.title(title + lengthOf(text))
	c.passage(text)
}

func (c *card) title(text string) { fmt.Fprintf(&c.out, "\n%s\n", c.style.paint(bold, text)) }

func (c *card) passage(text string) {
	p := passageOf(text, passageWidth)
	c.left += p.write(&c.out, "    ", c.full)
	if p.hidden > 0 {
		fmt.Fprintf(&c.out, "    %s\n", c.style.paint(yellow+bold,
			fmt.Sprintf("~ %s written as escapes above", plural(p.hidden, "invisible character"))))
	}
}

// lengthOf tells the length of a text that is not short.
func lengthOf(text string) string {
	if len(text) <= passageWidth && !strings.Contains(text, "\n") {
		return ""
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	return fmt.Sprintf(" (%s, %s)", plural(len(text), "byte"), plural(lines, "line"))
}

// sort says what sort of operation it is.
func (c *card) sort(item *gate.Item) string {
	risk := "risk " + item.Risk.String()
	if item.Risk == plangate.RiskUnspecified {
		risk = "risk unknown"
	}
	if item.Risk >= plangate.High {
		risk = c.style.paint(red+bold, risk)
	}
	return item.Kind.String() + ", " + risk
}

func (c *card) stateOf(item *gate.Item) string {
	status := statusOf(item)
	switch item.State {
	case gate.Waiting:
		return c.style.paint(yellow+bold, status)
	case gate.Denied:
		return c.style.paint(red+bold, status)
	default:
		return c.style.paint(green+bold, status)
	}
}

// answer tells what was answered.
func (c *card) answer(item *gate.Item) {
	a := item.Answer
	if a == nil {
		return
	}
	c.title("Answer")
	c.row("Verdict", fmt.Sprintf("%s %s, %s", pastOf(a.Decision), scopeWords(a.Scope), instant(a.At)))
	c.words("By", a.Actor)
	c.words("Written to", a.Written)
	c.text("Message", a.Message)
}

// scopeWords says how far an answer reaches, behind what it was.
func scopeWords(scope gate.Scope) string {
	switch scope {
	case gate.ScopeSession:
		return "for the session"
	case gate.ScopeAlways:
		return "always"
	case gate.ScopeOnce:
		return "once"
	default:
		return escape(string(scope))
	}
}

// statusOf says in a word or two where an item stands.
func statusOf(item *gate.Item) string {
	switch {
	case item.State == gate.Waiting:
		return "pending"
	case item.State == gate.Ready:
		return "allowed"
	case item.State == gate.Denied && (item.Ending == gate.EndExpired || item.Ending == gate.EndSuperseded):
		return string(item.Ending)
	default:
		return string(item.State)
	}
}

// itemOperation names the operation of an item, safe to show.
func itemOperation(item *gate.Item) string {
	return firstColumns(nameOf(item.Call.Provider, item.Call.Operation), textWidth)
}

func turnEnds(item *gate.Item) string {
	if item.OnExpire == eval.ExpireCancelTurn {
		return " and the turn ends"
	}
	return ""
}

// short shows a name from outside on a line with other things.
func short(name string) string { return firstColumns(name, textWidth/2) }

// instant shows a time for people and programs.
func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// ago shows a duration in its largest unit. What is over is 0s.
func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d/time.Second))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d/time.Hour))
	default:
		return fmt.Sprintf("%dd", int(d/(24*time.Hour)))
	}
}
