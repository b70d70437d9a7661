package install

import (
	"path"
	"slices"
	"strings"
)

// quote writes words as a command line of a POSIX shell.
func quote(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quoteWord(word)
	}
	return strings.Join(quoted, " ")
}

func quoteWord(word string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+=,", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !safe(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// split returns the words at the beginning of a command line, as far as they are plain
// or quoted and nothing is expanded.
func split(line string) []string {
	var words []string
	for {
		line = strings.TrimLeft(line, " \t\n")
		word, rest, ok := cutWord(line)
		if !ok {
			return words
		}
		words = append(words, word)
		line = rest
	}
}

// cutWord cuts the first word off; ok is false if there is none that is plain.
func cutWord(line string) (word, rest string, ok bool) {
	var out strings.Builder
	i := 0
	for i < len(line) {
		switch c := line[i]; c {
		case ' ', '\t', '\n':
			return out.String(), line[i:], true
		case '\'', '"':
			end := strings.IndexByte(line[i+1:], c)
			if end < 0 {
				return "", line, false
			}
			inner := line[i+1 : i+1+end]
			if c == '"' && strings.ContainsAny(inner, "$`\\") {
				return "", line, false
			}
			out.WriteString(inner)
			i += end + 2
		case '\\':
			if i+1 == len(line) {
				return "", line, false
			}
			out.WriteByte(line[i+1])
			i += 2
		case ';', '&', '|', '<', '>', '(', ')', '$', '`', '#', '*', '?', '[', '~', '{':
			return "", line, false
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String(), "", i > 0
}

// isOurs reports whether words begin with a call of `policyctl hook NAME`, or of
// `policyctl-hook NAME`. The program may have any directory, a version in its name, or the
// name of own.
func isOurs(words []string, name, own string) bool {
	if len(words) < 2 || !strings.HasPrefix(baseName(words[0]), "policyctl") && words[0] != own {
		return false
	}
	if words[1] == name {
		return isSmall(words[0])
	}
	return len(words) > 2 && slices.Equal(words[1:3], []string{"hook", name})
}

// baseName is the last element of a program's path on any system, in lower case.
func baseName(program string) string {
	return strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
}
