package command

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Grant reports whether text is certainly an instance of the grant name: one
// plain git command of that kind, written without any shell syntax (spec CMD-16). The names are git-commit, git-rebase and
// git-push; branch is the branch that git-push may push, and without one it
// never matches. No is not a deny.
func Grant(name, text, branch string) bool {
	sub, ok := strings.CutPrefix(name, "git-")
	if !ok {
		return false
	}
	words, ok := bareWords(text)
	if !ok || len(words) == 0 || words[0] != "git" {
		return false
	}
	args, ok := grantGlobals(words[1:])
	if !ok || len(args) == 0 || args[0] != sub {
		return false
	}
	args = args[1:]
	switch sub {
	case "commit":
		return true
	case "rebase":
		return !carries(args, "exec strategy", "xs")
	case "push":
		return grantPush(args, branch)
	}
	return false
}

// bareWords splits a text that has quotes as its only syntax. Quoted words
// are accepted as arguments; the first word must be written plainly.
func bareWords(text string) ([]string, bool) {
	if strings.ContainsAny(text, ";&|<>`$\\({*?[!") || !printable(text) || !strings.HasPrefix(strings.TrimLeft(text, " "), "git ") {
		return nil, false
	}
	var words []string
	for rest := strings.TrimLeft(text, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		word, after, ok := bareWord(rest)
		if !ok {
			return nil, false
		}
		words, rest = append(words, word), after
	}
	return words, true
}

// bareWord takes one word off. A word that begins with "#" would be a comment
// to the shell and an argument to another splitter, so it is refused.
func bareWord(s string) (word, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ':
			return b.String(), s[i:], true
		case c == '#' && i == 0 || c == '~' && i == 0:
			return "", "", false
		case c == '\'' || c == '"':
			n := strings.IndexByte(s[i+1:], c)
			if n < 0 {
				return "", "", false
			}
			b.WriteString(s[i+1 : i+1+n])
			i += n + 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", true
}

// printable refuses control characters, blanks other than the space, and bytes
// that are not UTF-8.
func printable(text string) bool {
	for _, r := range text {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// grantGlobals takes the few options off that may stand before the subcommand.
func grantGlobals(args []string) ([]string, bool) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "--no-pager", "-P":
			args = args[1:]
		case "-c":
			if len(args) < 2 || !identityKey(args[1]) {
				return nil, false
			}
			args = args[2:]
		default:
			return nil, false
		}
	}
	return args, true
}

func identityKey(pair string) bool {
	key, _, ok := strings.Cut(pair, "=")
	key = strings.ToLower(key)
	return ok && (key == "user.name" || key == "user.email")
}

// carries reports whether one of the arguments, also those after "--", is one
// of the long options, any prefix of one, or has one of the letters.
func carries(args []string, long, letters string) bool {
	for _, a := range args {
		name, isLong := strings.CutPrefix(firstPart(a), "--")
		if isLong && name != "" && optionSet(long).abbreviated(name) > 0 || !isLong && bundled(a, letters) {
			return true
		}
	}
	return false
}

const (
	pushRefused = "receive-pack exec delete mirror all branches prune repo push-option force tags follow-tags recurse-submodules"
	pushLetters = "dof"
)

// grantPush wants a remote by name and one refspec that ends in the branch.
func grantPush(args []string, branch string) bool {
	if branch == "" || pushOptions(args) {
		return false
	}
	var operands []string
	for i, a := range args {
		if a == "--" {
			operands = append(operands, args[i+1:]...)
			break
		}
		if !strings.HasPrefix(a, "-") {
			operands = append(operands, a)
		}
	}
	return len(operands) == 2 && remoteName(operands[0]) && ownRefspec(operands[1], branch)
}

// pushOptions reports an option that is refused. The leases are not --force,
// although it is how their names begin.
func pushOptions(args []string) bool {
	for _, a := range args {
		switch firstPart(a) {
		case "--force-with-lease":
			continue
		default:
			if strings.HasPrefix(a, "--force") {
				return true
			}
		}
		if carries([]string{a}, pushRefused, pushLetters) {
			return true
		}
	}
	return false
}

func remoteName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || strings.IndexByte("._-", c) < 0) {
			return false
		}
	}
	return s != ""
}

func ownRefspec(spec, branch string) bool {
	return spec == branch || spec == "refs/heads/"+branch || spec == "HEAD:"+branch || spec == "HEAD:refs/heads/"+branch
}
