package toolcalls

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

const (
	maxName  = 500 // bytes; a condition that compares the name stays within its limits
	maxLabel = 80

	mcpPrefix = "mcp__"
	separator = "__"
)

// splits returns the ways to read a name as mcp__SERVER__TOOL (spec DEC-6).
func splits(name string) []pair {
	rest, ok := strings.CutPrefix(name, mcpPrefix)
	if !ok || len(name) > maxName {
		return nil
	}
	var ways []pair
	for i := 1; i+len(separator) < len(rest); i++ {
		if strings.HasPrefix(rest[i:], separator) {
			ways = append(ways, pair{rest[:i], rest[i+len(separator):]})
		}
	}
	return ways
}

// inMatch reports whether a match can hold a name as an exact value (spec LNG-23, LNG-25).
func inMatch(name string) bool {
	return !strings.Contains(name, "*") && !strings.Contains(name, mcpPrefix)
}

// write returns the policy file.
func (c *converter) write(in *object) []byte {
	var b bytes.Buffer
	b.WriteString("# Imported from a policies object (toolCalls, decisions).\n")
	labels := &labels{next: map[string]int{}}
	for _, r := range c.rules {
		b.WriteByte('\n')
		r.write(&b, labels.of(r.label))
	}
	fmt.Fprintf(&b, "\ndefaults {\n  resource    = %[1]q\n  data_source = %[1]q\n  interactive = %[1]q\n}\n", c.fallback.String())
	if len(c.opts.HookCommand) > 0 {
		fmt.Fprintf(&b, "\ndecision_hook {\n  command = %s\n}\n", list(c.opts.HookCommand))
	} else if c.opts.HookURL != "" {
		fmt.Fprintf(&b, "\ndecision_hook {\n  url = %s\n}\n", quote(c.opts.HookURL))
	}
	fmt.Fprintf(&b, "\napprovals {\n  expires_in = \"%ds\"\n  on_expire  = %q\n}\n", in.seconds, in.onExpire)
	return b.Bytes()
}

func (r rule) write(b *bytes.Buffer, label string) {
	fields, conditions := []string{"operation = " + quote(r.operation)}, []string(nil)
	if !inMatch(r.operation) {
		fields[0] = `operation = "*"`
		conditions = append(conditions, "call.operation == "+quote(r.operation))
	}
	switch {
	case r.anyProvider:
	case r.provider == "":
		conditions = append(conditions, `call.provider == ""`)
	case inMatch(r.provider):
		fields = append(fields, "provider = "+quote(r.provider))
	default:
		fields = append(fields, `provider = "*"`)
		conditions = append(conditions, "call.provider == "+quote(r.provider))
	}
	fmt.Fprintf(b, "policy %s {\n  match  = { %s }\n", quote(label), strings.Join(fields, ", "))
	if len(conditions) > 0 {
		fmt.Fprintf(b, "  when   = %s\n", strings.Join(conditions, " && "))
	}
	fmt.Fprintf(b, "  action = %q\n}\n", r.action.String())
}

// labels makes the names of policies: plain, short, and different even if case is ignored.
type labels struct{ next map[string]int } // by lower-case name

func (l *labels) of(wanted string) string {
	label := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" _-.", r)) {
			return r
		}
		return '-'
	}, wanted)
	label = label[:min(len(label), maxLabel)]
	key := strings.ToLower(label)
	l.next[key]++
	if l.next[key] == 1 {
		return label
	}
	// No other label ends so: a # in what is wanted has become a dash.
	return fmt.Sprintf("%s #%d", label, l.next[key])
}

func list(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quote writes a string of HCL. What is not plain text is escaped, and so are the signs that begin
// a template.
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
