package writeback

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/command"
)

// exactCommand returns a pattern for just this command, or why there is none.
// The pattern names the outermost form: sudo and all.
func exactCommand(c *command.Command, text string, action plangate.Action) (pattern, why string) {
	outermost := c
	for form := c; form != nil; form = form.Outer {
		outermost = form
		if why := unpinned(form); why != "" && action == plangate.Allow {
			return "", why
		}
	}
	mode := command.Restrictive
	if action == plangate.Allow {
		mode = command.Permissive
	}
	candidates := []string{quotedWords(outermost), quotedWords(c)} // the second for sh -c 'ls', which is ls (spec CMD-8)
	if c.Pos < c.End && c.End <= len(text) && !strings.Contains(text[c.Pos:c.End], "*") {
		candidates = append(candidates, "="+text[c.Pos:c.End])
	}
	for _, candidate := range candidates {
		if compiled, err := command.Compile(candidate); err == nil && compiled.Match(c, mode) == command.Yes {
			return candidate, ""
		}
	}
	return "", "a part of it is not certain, or cannot be written as an exact pattern"
}

// unpinned says what a command does that the words of a pattern do not hold
// fast, or "".
func unpinned(c *command.Command) string {
	switch {
	case slices.ContainsFunc(c.Redirects, opensFile):
		return "it reads or writes a file by redirection, which a command pattern does not name"
	case slices.Contains([]string{"xargs", "parallel"}, path.Base(c.Program.Text)):
		return "it makes commands of its input, which a command pattern does not name"
	case obeysInput(c):
		return "it may do what its input says, which a command pattern does not name"
	case c.Opaque != "" && !codeInArguments(c.Args):
		return "it runs code from its input or from elsewhere, which a command pattern does not name"
	default:
		return ""
	}
}

// obedient are programs that take orders, or what to send and where, from their
// standard input.
const obedient = " at batch bc cat-file clickhouse clickhouse-client crontab dc debugfs duckdb ed ex expect fdisk ftp gdb gnuplot irb jdb " +
	"lldb mail mariadb mongo mongosh mutt mysql nc ncat netcat nsupdate octave parted patch psql redis-cli sendmail sfdisk sftp socat " +
	"sqlcmd sqlite sqlite3 sqlplus ssh telnet vi vim "

// obeysInput reports whether a command may do what its standard input says: what comes
// through a pipe or a redirection is not among its words.
func obeysInput(c *command.Command) bool {
	if strings.Contains(obedient, " "+path.Base(c.Program.Text)+" ") {
		return true
	}
	return slices.ContainsFunc(c.Args, func(word command.Word) bool {
		return word.Text == "-" || word.Text == "/dev/stdin" || strings.HasSuffix(word.Text, "=-") || strings.HasPrefix(word.Text, "@-")
	})
}

// opensFile reports whether a redirection does more than joining two outputs or
// throwing one away.
func opensFile(r command.Redirect) bool {
	switch r.Op {
	case ">&", "<&":
		return strings.Trim(r.Target.Text, "0123456789") != "" || !r.Target.Known
	default:
		return r.Target.Text != "/dev/null" || !r.Target.Known
	}
}

// codeInArguments reports whether the code that an interpreter runs is one of
// its arguments, so that a pattern of all arguments holds it fast.
func codeInArguments(args []command.Word) bool {
	for i, arg := range args {
		if slices.Contains([]string{"-c", "-e", "-r", "--eval"}, arg.Text) && i+1 < len(args) {
			return true
		}
	}
	return false
}

// quotedWords writes all words of a command as an exact pattern, which is empty
// if one of them is not known.
func quotedWords(c *command.Command) string {
	var b strings.Builder
	for i, word := range append([]command.Word{c.Program}, c.Args...) {
		if !word.Known {
			return ""
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quotedWord(word.Text, i))
	}
	return "=" + b.String()
}

// quotedWord writes a word for a pattern, which is one line and has no comment.
func quotedWord(text string, position int) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == '#' }) {
		words := command.Quote([]string{"x", text})
		if position == 0 {
			return command.Quote([]string{text})
		}
		return strings.TrimPrefix(words, "x ")
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\\' || c == '\'':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f || c == '#':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
