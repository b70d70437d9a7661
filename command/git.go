package command

import "strings"

// gitRuns reports whether git may run the value of a configuration key.
func gitRuns(key string) bool {
	key = strings.ToLower(key)
	for _, suffix := range []string{"command", "pager", "editor", "sshcommand", "gitproxy", "askpass", "fsmonitor", "external",
		"textconv", "helper", "program", "driver", "clean", "smudge", "process", "cmd", "path", "uploadpack", "receivepack", "hookspath"} {
		if strings.HasSuffix(key, suffix) {
			return true
		}
	}
	return strings.HasPrefix(key, "pager.")
}

// git walks the commands that git is told to run by its arguments.
func (w *walker) git(c *Command) {
	i, sub := subcommand("git", c.Args)
	for k := 0; k < i && k < len(c.Args); k++ {
		if !c.Args[k].Known {
			w.because(c, WrapperOption)
			return
		}
		switch text := c.Args[k].Text; {
		case text == "-c" && k+1 < len(c.Args):
			w.gitConfig(c, c.Args[k+1], i)
			k++
		case strings.HasPrefix(text, "--config-env"):
			w.because(c, HiddenCode)
		}
	}
	if sub != "" && i < len(c.Args) {
		w.gitSub(c, sub, c.Args[i+1:])
	}
}

// gitConfig walks a -c KEY=VALUE that stands before the subcommand at index i.
func (w *walker) gitConfig(c *Command, pair Word, i int) {
	key, value, _ := strings.Cut(pair.Text, "=")
	alias, isAlias := strings.CutPrefix(strings.ToLower(key), "alias.")
	switch {
	case !pair.Known && (value == "" || isAlias || gitRuns(key)):
		w.because(c, HiddenCode)
	case strings.HasPrefix(strings.ToLower(key), "include"):
		w.because(c, HiddenCode)
	case isAlias && i < len(c.Args) && strings.EqualFold(c.Args[i].Text, alias):
		w.gitAlias(c, value, c.Args[i+1:])
		if strings.Count(joined(c.Args[:i]), "alias.") > 1 || strings.HasPrefix(value, "!") && len(c.Args) > i+1 {
			w.because(c, HiddenCode) // it may stand for another alias, and text gets the words that follow
		}
	case gitRuns(key):
		w.nested(strings.TrimPrefix(value, "!"), Sh, c)
	}
}

func joined(words []Word) string {
	var b strings.Builder
	for _, word := range words {
		b.WriteString(strings.ToLower(word.Text) + " ")
	}
	return b.String()
}

// gitAlias walks what an alias stands for: shell text after "!", or a
// subcommand.
func (w *walker) gitAlias(c *Command, value string, rest []Word) {
	if text, ok := strings.CutPrefix(value, "!"); ok {
		w.nested(text, Sh, c)
		return
	}
	if strings.ContainsAny(value, `'"\`) {
		w.because(c, DynamicCode)
		return
	}
	words := []Word{c.Program}
	for field := range strings.FieldsSeq(value) {
		words = append(words, Word{Text: field, Known: true})
	}
	w.inner(c, append(words, rest...))
}

// gitCode lists options of subcommands whose value git gives to a shell or runs.
var gitCode = map[string]string{
	"rebase":        "x exec",
	"difftool":      "x extcmd",
	"clone":         "u upload-pack",
	"fetch":         "upload-pack",
	"pull":          "upload-pack",
	"ls-remote":     "upload-pack exec",
	"push":          "receive-pack exec",
	"archive":       "exec",
	"fetch-pack":    "upload-pack exec",
	"send-pack":     "receive-pack exec",
	"grep":          "O open-files-in-pager",
	"filter-branch": "env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter setup",
	"send-email":    "sendmail-cmd to-cmd cc-cmd header-cmd",
	"instaweb":      "httpd browser",
	"web--browse":   "browser",
	"daemon":        "access-hook",
}

func (w *walker) gitSub(c *Command, sub string, args []Word) {
	switch {
	case sub == "bisect" && len(args) > 1 && args[0].Text == "run":
		w.inner(c, args[1:])
	case sub == "submodule":
		w.gitForeach(c, args)
	case gitCode[sub] != "":
		w.gitOptions(c, gitCode[sub], args)
	}
}

func (w *walker) gitForeach(c *Command, args []Word) {
	for i, a := range args {
		if a.Text == "foreach" {
			rest := args[i+1:]
			for len(rest) > 0 && (rest[0].Text == "--recursive" || rest[0].Text == "-q" || rest[0].Text == "--quiet") {
				rest = rest[1:]
			}
			if len(rest) > 0 {
				w.joined(c, rest)
			}
			return
		}
	}
}

// gitOptions walks the values of options that git runs. Any prefix of a long
// name counts, and a short name may be glued to its value.
func (w *walker) gitOptions(c *Command, list string, args []Word) {
	for i, a := range args {
		name, value, attached := strings.Cut(a.Text, "=")
		long, isLong := strings.CutPrefix(name, "--")
		switch {
		case isLong && len(long) > 1 && optionSet(list).abbreviated(long) > 0:
			if attached {
				w.codeWord(c, Word{Text: value, Known: a.Known})
				continue
			}
		case !isLong && len(name) > 1 && name[0] == '-' && optionSet(list).has(name[1:2]):
			if len(a.Text) > 2 {
				w.codeWord(c, Word{Text: a.Text[2:], Known: a.Known})
				continue
			}
		default:
			continue
		}
		if i+1 < len(args) {
			w.codeWord(c, args[i+1])
		}
	}
}
