package gate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plangate/plangate"
)

// notAFailure ends every denial: models work around failures, but respect decisions.
const notAFailure = " This is a decision and not a failure of the tool: do not try again, and do not look for another way to the same effect."

// denialText is the tool result of a denied item (spec GAT-15): the call, the block
// that decided, and the reason or what somebody said, once.
func denialText(item *Item, message string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s was denied (%s); this call was not executed.", nameOf(item), item.DecidedBy)
	switch {
	case message != "" && item.Ending == EndHuman:
		fmt.Fprintf(&b, " Message from a person: %s", quoted(message))
	case message != "":
		fmt.Fprintf(&b, " Reason: %s", quoted(message))
	case item.Ending == EndHuman:
		b.WriteString(" A person said no.")
	case item.Ending == EndExpired:
		b.WriteString(" Nobody answered in time. Nothing ran, and a later answer changes nothing.")
		return b.String()
	case item.Ending == EndSuperseded:
		b.WriteString(" The user sent a newer message before it was answered. Follow that message.")
		return b.String()
	default:
		fmt.Fprintf(&b, " Reason: %s", quoted(item.Outcome.Reason))
		if item.Outcome.Downgrade != plangate.DowngradeNone {
			b.WriteString(" Nobody can be asked about this call, so it cannot be approved.")
		}
	}
	return b.String() + notAFailure
}

func interruptedText(item *Item) string {
	return fmt.Sprintf("%s was started and its end is not known: the program that ran it stopped. "+
		"It was not run again. Find out what it did before you repeat it.", nameOf(item))
}

func downgradeWarning(item *Item) string {
	o := &item.Outcome
	return fmt.Sprintf("%s says %s about %s, and nobody can be asked (%s): the call was denied",
		o.DecidedBy, o.MatchedAction, nameOf(item), o.Downgrade)
}

// nameOf names the operation of an item on one line.
func nameOf(item *Item) string {
	name := item.Call.Operation
	if item.Call.Provider != "" {
		name = item.Call.Provider + "." + name
	}
	if !printable(name, MaxIDBytes) {
		return clipText(strconv.QuoteToGraphic(name))
	}
	return name
}

// quoted bounds a text from outside and makes it one that no reader takes for ours.
func quoted(text string) string { return clipText(visible(text)) }

// visible replaces control and format characters, except line breaks and tabs, by
// escapes, and what is not UTF-8 by U+FFFD.
func visible(text string) string {
	if printable(strings.NewReplacer("\n", "", "\t", "").Replace(text), len(text)) {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "�") {
		if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
			escaped := strconv.QuoteRuneToASCII(r)
			b.WriteString(escaped[1 : len(escaped)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// clipText bounds a text to MaxTextBytes and says so where it cuts.
func clipText(text string) string {
	if len(text) <= MaxTextBytes {
		return text
	}
	cut := MaxTextBytes
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… [%d bytes more]", text[:cut], len(text)-cut)
}

// printable reports whether a text is UTF-8 without control and format characters
// and not longer than limit.
func printable(text string, limit int) bool {
	if len(text) > limit || !utf8.ValidString(text) {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) < 0
}
