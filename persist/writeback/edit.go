package writeback

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
)

// edit replaces a piece of a file; an empty piece is an insertion.
type edit struct {
	offset            int
	removed, inserted []byte
}

// apply returns the new content. It shares no memory with the old one.
func (e *edit) apply(content []byte) []byte {
	return slices.Concat(content[:e.offset], e.inserted, content[e.offset+len(e.removed):])
}

// byteOrderMark may stand at the beginning of a file and is no line.
const byteOrderMark = "\ufeff"

// appended is the edit that adds a block with its comment at the end of a file,
// after the line end that the last line may lack, in the line ends of the file.
func appended(content []byte, comment, block string) edit {
	end := lineEnd(content)
	var b strings.Builder
	if lines := bytes.TrimPrefix(content, []byte(byteOrderMark)); len(lines) > 0 {
		if lines[len(lines)-1] != '\n' {
			b.WriteString(end)
		}
		b.WriteString(end)
	}
	b.WriteString(strings.ReplaceAll(comment+"\n"+block, "\n", end))
	return edit{offset: len(content), inserted: []byte(b.String())}
}

// lineEnd is the prevailing line end of a file.
func lineEnd(content []byte) string {
	if with := bytes.Count(content, []byte("\r\n")); 2*with > bytes.Count(content, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// replaced is the edit that gives a policy another action.
func replaced(policy *dsl.Policy, content []byte, action plangate.Action) edit {
	at := policy.Action.Range
	return edit{
		offset:   at.Start.Byte,
		removed:  bytes.Clone(content[at.Start.Byte:at.End.Byte]),
		inserted: []byte(strconv.Quote(action.String())),
	}
}

// comment is the line above a block: when and by whom.
func comment(req *Request) string {
	line := fmt.Sprintf("# always %s, %s, by %s", req.Action, req.Time.UTC().Format(time.RFC3339), plainText(req.Actor))
	if req.Approval != "" {
		line += ", approval " + plainText(req.Approval)
	}
	return line
}

// plainText writes a name of somebody in quotes, in plain ASCII and bounded, so
// that it stays in its line and looks like what it is.
func plainText(text string) string {
	const longest = 120
	quoted := strconv.QuoteToASCII(text)
	if len(quoted) <= longest {
		return quoted
	}
	return strings.TrimRight(quoted[:longest], `\`) + `" (shortened)`
}

// label makes a name that no policy of any file has.
func label(layers []compile.LayerFile, operation string) string {
	taken := map[string]bool{}
	for _, l := range layers {
		for _, policy := range l.File.Policies {
			taken[strings.ToLower(policy.Name.Value)] = true
		}
	}
	for n := 1; ; n++ {
		if name := fmt.Sprintf("%s%s_%d", labelPrefix, plainName(operation), n); !taken[name] {
			return name
		}
	}
}

// labelPrefix begins the name of every block that is written.
const labelPrefix = "always_"

// plainName keeps what is safe in a name: lower-case letters, digits, _ and -.
func plainName(text string) string {
	const longest = 40
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		default:
			return '_'
		}
	}, text)
	return clean[:min(len(clean), longest)]
}

// same reports whether a policy holds for exactly the calls of a block. Its
// name, action and reason do not count; an end does.
func same(policy *dsl.Policy, block *compile.Block) bool {
	m := &policy.Match
	return policy.Expires == nil &&
		one(texts(m.Operation), block.Operation) && one(texts(m.Provider), block.Provider) &&
		one(values(m.Risk), block.Risk) && one(values(m.Kind), block.Kind) &&
		sameSet(values(policy.Profiles), block.Profiles) && sameConditions(policy.Conditions, block)
}

// one reports whether a list is exactly the value, or empty for the zero value.
func one[T comparable](list []T, value T) bool {
	var zero T
	if value == zero {
		return len(list) == 0
	}
	return len(list) == 1 && list[0] == value
}

func texts(patterns []dsl.Lit[dsl.Pattern]) []string {
	var out []string
	for _, pattern := range patterns {
		out = append(out, string(pattern.Value))
	}
	return out
}

func values[T any](literals []dsl.Lit[T]) []T {
	var out []T
	for _, literal := range literals {
		out = append(out, literal.Value)
	}
	return out
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

func sameConditions(conditions []dsl.Condition, block *compile.Block) bool {
	var command, path, host []string
	when := ""
	for _, c := range conditions {
		switch c.Type {
		case dsl.Command:
			command = values(c.Values)
		case dsl.Path:
			path = values(c.Values)
		case dsl.Host:
			host = values(c.Values)
		case dsl.When:
			when = c.Text
		default:
			return false
		}
	}
	return sameSet(command, block.Command) && sameSet(path, block.Path) && sameSet(host, block.Host) && when == block.When
}
