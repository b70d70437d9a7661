package rules

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/plangate/plangate"
)

// plainText refuses what CLIs do not take apart as we do: redirections, expansions, globs, subshells,
// escapes, comments, line breaks, quotes around a single word, several blanks or one in front, and
// shells with code.
const plainText = `!regex(coalesce(input.command, input.cmd), "^ |[<>$*?(){}\\[\\]\\x60\\\\~!#\\n\\r\\t]|[\"'][^\"' ]*[\"']|  |\\b(ba|da|z|k)?sh -")`

// entry is a rule of a CLI in our terms.
type entry struct {
	action plangate.Action
	text   string // as written
	file   string
	line   int

	operations []string // exact names or globs; empty: any
	provider   string   // exact or a glob; "" for any
	commands   []string
	paths      []string
	hosts      []string
	when       string
}

// document collects what an import writes.
type document struct {
	Result
	cli      CLI
	source   Source
	defaults [3]plangate.Action // resource, data_source, interactive
	blocks   []block
}

// block is an entry and the type of its block.
type block struct {
	entry
	guard bool
}

func newDocument(cli CLI, source Source) *document {
	return &document{cli: cli, source: source, defaults: [3]plangate.Action{plangate.Ask, plangate.Ask, plangate.Allow}}
}

func (d *document) add(e entry, guard bool) {
	same := func(b block) bool {
		return b.guard == guard && b.action == e.action && b.provider == e.provider && b.when == e.when &&
			slices.Equal(b.operations, e.operations) && slices.Equal(b.commands, e.commands) &&
			slices.Equal(b.paths, e.paths) && slices.Equal(b.hosts, e.hosts)
	}
	if !slices.ContainsFunc(d.blocks, same) {
		d.blocks = append(d.blocks, block{e, guard})
	}
}

// allow adds a policy, restrict a guard.
func (d *document) allow(e entry)    { e.action = plangate.Allow; d.add(e, false) }
func (d *document) restrict(e entry) { d.add(e, true) }

// allowOfServer adds an allow of tools of a server to the block of those before it: two globs of
// which neither is narrower must not be two policies (spec SEL-3).
func (d *document) allowOfServer(e entry) {
	e.action = plangate.Allow
	for i := range d.blocks {
		b := &d.blocks[i]
		if b.guard || b.action != e.action || b.provider != e.provider || len(b.operations) == 0 || len(e.operations) == 0 {
			continue
		}
		if !slices.Contains(b.operations, e.operations[0]) {
			b.operations = append(b.operations, e.operations[0])
			b.text += ", " + e.text
		}
		return
	}
	d.add(e, false)
}

func (d *document) loss(effect Effect, e *entry, reason string) {
	d.lose(Loss{Effect: effect, Rule: e.text, File: e.file, Line: e.line, Reason: reason})
}

// write makes the text. Names of blocks are short, plain and different.
func (d *document) write() {
	var b strings.Builder
	fmt.Fprintf(&b, "# Imported from the permission rules of %s: %s\n", d.cli, commentText(d.source.Name))
	b.WriteString("# What no rule decides is asked about, as the CLI asks; a read that would be asked about is denied.\n")
	for i := range d.blocks {
		d.blocks[i].write(&b, i+1)
	}
	fmt.Fprintf(&b, "\ndefaults {\n  resource    = %q\n  data_source = %q\n  interactive = %q\n}\n",
		d.defaults[0].String(), d.defaults[1].String(), d.defaults[2].String())
	d.Text = []byte(b.String())
}

func (b *block) write(out *strings.Builder, number int) {
	kind := "policy"
	if b.guard {
		kind = "guard"
	}
	place := commentText(b.file)
	if b.line > 0 {
		place = fmt.Sprintf("%s:%d", place, b.line)
	}
	fmt.Fprintf(out, "\n# %s: %s\n%s %s {\n", place, commentText(b.text), kind,
		quote(fmt.Sprintf("%d %s", number, label(b.text))))
	var match []string
	if b.provider != "" {
		match = append(match, "provider = "+quote(b.provider))
	}
	if len(b.operations) > 0 {
		match = append(match, "operation = "+list(b.operations))
	}
	attributes := [][2]string{}
	if len(match) > 0 || !b.guard {
		attributes = append(attributes, [2]string{"match", "{ " + strings.Join(match, ", ") + " }"})
	}
	for _, condition := range []struct {
		name   string
		values []string
	}{{"command", b.commands}, {"path", b.paths}, {"host", b.hosts}} {
		if len(condition.values) > 0 {
			attributes = append(attributes, [2]string{condition.name, list(condition.values)})
		}
	}
	if b.when != "" {
		attributes = append(attributes, [2]string{"when", b.when})
	}
	attributes = append(attributes, [2]string{"action", quote(b.action.String())})
	width := 0
	for _, attribute := range attributes {
		width = max(width, len(attribute[0]))
	}
	for _, attribute := range attributes {
		fmt.Fprintf(out, "  %-*s = %s\n", width, attribute[0], attribute[1])
	}
	out.WriteString("}\n")
}

// label keeps what a name may hold.
func label(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" _-.:/*()", r)) {
			return r
		}
		return '-'
	}, text)
	return strings.TrimSpace(text[:min(len(text), 80)])
}

// commentText keeps a comment on its line and shows what it holds.
func commentText(text string) string {
	quoted := quote(text)
	if len(quoted) > 200 {
		quoted = quoted[:200] + "…"
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(strings.Trim(quoted, `"`))
}

func list(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	if len(words) == 1 {
		return quoted[0]
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quote writes a string of HCL. What is not plain text is escaped, and so are the signs that
// begin a template.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '$' || r == '%' || !unicode.IsPrint(r) && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
