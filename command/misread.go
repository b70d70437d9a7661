package command

import "strings"

// The parser reads a few texts in another way than Bash, so that a command
// could hide in what it takes for a comment or a literal. Each was found by comparing with
// Bash. They are looked for on the bytes, and a text that may hold one is
// unknown: too many rather than too few, for ordinary texts do not.
func misreadBytes(text string) bool {
	return strings.Contains(text, "\\\n") && (continuedComment(text) || splitOperator(text)) || falseComment(text)
}

// continuedComment reports a line that may end in a comment and a backslash.
// For the shell the comment ends there; the parser reads on in the next line.
func continuedComment(text string) bool {
	comment := false
	for i := range len(text) {
		switch text[i] {
		case '\n':
			if comment && i > 0 && text[i-1] == '\\' {
				return true
			}
			comment = false
		case '#':
			comment = comment || i == 0 || strings.IndexByte(" \t\n;&|()<>`", text[i-1]) >= 0
		}
	}
	return false
}

// splitOperator reports a line continuation inside an operator, such as "$\",
// newline, "(x)". The shell joins the lines first; the parser does not.
func splitOperator(text string) bool {
	const operators = "<>&|;()!"
	for i := 1; i+2 < len(text); i++ {
		if text[i] != '\\' || text[i+1] != '\n' {
			continue
		}
		before, after := text[i-1], text[i+2]
		switch {
		case before == '$', before == '{' && i > 1 && text[i-2] == '$',
			strings.IndexByte(operators, before) >= 0 && strings.IndexByte(operators+"\\", after) >= 0:
			return true
		}
	}
	return false
}

// falseComment reports a "#" right after a quote or an expansion, in a text
// with substitutions. Inside those the parser takes it for a comment.
func falseComment(text string) bool {
	if strings.IndexByte(text, '#') < 0 {
		return false
	}
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") && !strings.Contains(text, "<(") && !strings.Contains(text, ">(") {
		return false
	}
	name := false // the bytes before belong to a $name
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '#' && i > 0 && (name && text[i-1] != '$' || strings.IndexByte("'\"})`", text[i-1]) >= 0):
			return true
		case c == '$':
			name = true
		case !nameByte(c) && strings.IndexByte("?!@*-", c) < 0:
			name = false
		}
	}
	return false
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
