package rules

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// globMatch matches the whole text; * is any characters, a slash too, and ? one if the
// dialect has it.
func globMatch(pattern, text string, question rune) bool {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	for _, r := range pattern {
		switch {
		case r == '*':
			b.WriteString(`.*`)
		case r == question && r != 0:
			b.WriteByte('.')
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	b.WriteByte('$')
	re, err := regexp.Compile(b.String())
	return err == nil && re.MatchString(text)
}

var safeWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:=@%+,-]*$`)
var starWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,*-][A-Za-z0-9_./:=@%+,*-]*$`)

// commandGlob is a pattern over the text of a simple command, in our own terms.
type commandGlob struct {
	whole bool   // any command
	allow string // a command pattern that matches no more, "" if there is none
	deny  string // one that matches no less, "" if there is none
	regex string // an RE2 that finds no less in the text, for want of deny
}

// readCommandGlob reads a glob where * is any characters and a final " *" means that
// arguments may follow.
func readCommandGlob(text string) commandGlob {
	if strings.Trim(text, "*") == "" {
		return commandGlob{whole: true}
	}
	g := commandGlob{regex: pieces(text)}
	body, open := strings.CutSuffix(text, " *")
	words := strings.Split(body, " ")
	if !safeProgram(words[0]) {
		return g
	}
	for i, word := range words {
		if !starWord.MatchString(word) {
			return g
		}
		if strings.Contains(word, "*") && i < len(words)-1 || strings.HasPrefix(word, "*") {
			g.deny = "-"
		}
	}
	last := words[len(words)-1]
	if !open && !strings.HasSuffix(last, "*") {
		g.allow = "=" + body
	} else {
		g.allow = body
	}
	switch {
	case g.deny == "-" || strings.Contains(strings.TrimSuffix(last, "*"), "*"):
		g.deny = "" // a star inside covers several words, ours one
	case strings.HasSuffix(last, "*") && strings.TrimSuffix(last, "*") == "-":
		g.deny = ""
	default:
		g.deny = body
	}
	return g
}

func safeProgram(word string) bool { return safeWord.MatchString(word) }

// pieces returns an RE2 that finds the literal parts of a glob in their order.
func pieces(glob string) string {
	var parts []string
	for part := range strings.SplitSeq(glob, "*") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, regexp.QuoteMeta(part))
		}
	}
	return "(?s)" + strings.Join(parts, ".*")
}

// pathPatterns are a CLI's path pattern in our terms.
type pathPatterns struct {
	whole bool
	allow []string // match no more
	deny  []string // match no less, nil if there are none
}

var safePath = regexp.MustCompile(`^[A-Za-z0-9_./ @+,=%*-]+$`)

// readSpanningPath reads a glob over a path relative to the workspace, or absolute, where
// * covers slashes too.
func readSpanningPath(glob string) pathPatterns {
	if strings.Trim(glob, "*") == "" {
		return pathPatterns{whole: true}
	}
	clean := strings.TrimPrefix(glob, "./")
	if !safePath.MatchString(glob) || strings.Contains(glob, "//") || slices.Contains(strings.Split(glob, "/"), "..") {
		return pathPatterns{}
	}
	clean = strings.TrimPrefix(strings.ReplaceAll(clean, "**/", "*/"), "")
	stars := strings.Count(strings.ReplaceAll(clean, "**", "*"), "*")
	dir, tree := strings.CutSuffix(strings.ReplaceAll(clean, "**", "*"), "/*")
	switch {
	case stars == 0:
		return pathPatterns{allow: []string{clean}, deny: []string{clean}}
	case tree && stars == 1:
		return pathPatterns{allow: []string{dir + "/*/**"}, deny: []string{dir + "/**"}}
	case stars == 1 && strings.HasPrefix(clean, "*") && !strings.Contains(clean, "/"):
		name := strings.TrimLeft(clean, "*")
		return pathPatterns{allow: []string{"./**/*" + name}, deny: []string{"**/*" + name}}
	case stars == 1 && strings.HasPrefix(clean, "*/") && !strings.HasSuffix(clean, "/"):
		return pathPatterns{deny: []string{"**/" + clean[2:]}}
	}
	return pathPatterns{}
}

// readIgnorePath reads a pattern in the manner of gitignore; root is where it starts, "" for
// the workspace.
func readIgnorePath(pattern, root string) pathPatterns {
	if !safePath.MatchString(pattern) || slices.Contains(strings.Split(pattern, "/"), "..") || strings.Contains(pattern, "***") {
		return pathPatterns{}
	}
	for segment := range strings.SplitSeq(pattern, "/") {
		if strings.Contains(segment, "**") && segment != "**" {
			return pathPatterns{}
		}
	}
	pattern = strings.TrimSuffix(path.Clean("/"+pattern), "/")[0:]
	pattern = strings.TrimPrefix(pattern, "/")
	if pattern == "" {
		return pathPatterns{}
	}
	name := pattern
	if strings.HasSuffix(name, "/**") || name == "**" {
		tree := rooted(root, name) // which has the directory itself in it, as the CLI's does not
		return pathPatterns{allow: []string{strings.TrimSuffix(tree, "**") + "*/**"}, deny: []string{strings.TrimPrefix(tree, "./")}}
	}
	base := rooted(root, name)
	return pathPatterns{allow: []string{base, base + "/**"}, deny: []string{base, base + "/**"}}
}

func rooted(root, pattern string) string {
	switch root {
	case "":
		if strings.HasPrefix(pattern, "**") {
			return "./" + pattern
		}
		return pattern
	case "/":
		return "/" + pattern
	default:
		return root + "/" + pattern
	}
}
