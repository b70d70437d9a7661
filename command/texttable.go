package command

import "strings"

// textRow is a program, or a subcommand, with arguments that are text and no
// names of files. Its options are those that are certain on all systems: with
// another one, nothing after it is taken for text.
type textRow struct {
	names   string  // programs, or one "program subcommand"
	syntax  wrapper // flags, values and glued are used
	text    string  // options whose value is text
	first   bool    // the first operand is text, ...
	instead danger  // ... unless one of these is there
	words   bool    // options are words after one dash
	opens   func(text string) bool
	why     string
}

// textRows is the table of spec CMD-19. Not in it is yq, for which a first
// operand that exists is a file. Each name has a test.
var textRows = textIndex([]textRow{
	{names: "grep egrep fgrep", first: true, instead: danger{letters: "ef", long: "regexp file"}, text: "e regexp",
		syntax: wrapper{flags: "E F G P i y v w x c L l q s b H h n T Z z r R U a I o 0 1 2 3 4 5 6 7 8 9 extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count color colour context files-without-match files-with-matches only-matching quiet silent no-messages byte-offset with-filename no-filename line-number initial-tab null null-data recursive dereference-recursive binary line-buffered",
			values: "e f A B m d D regexp file after-context before-context max-count label binary-files directories devices exclude exclude-from exclude-dir include", glued: "C"},
		why: "a pattern"},
	{names: "git grep", first: true, instead: danger{letters: "ef"}, text: "e",
		syntax: wrapper{flags: "v i w n l L h H c E G P F q I a cached untracked no-index recurse-submodules", values: "e f A B C m"},
		why:    "a pattern"},
	{names: "rg", first: true, instead: danger{letters: "ef", long: "regexp file files type-list"}, text: "e regexp",
		syntax: wrapper{flags: "i S s w x c l n N H I v F P U u o p a L q 0 hidden no-ignore no-ignore-vcs ignore-case smart-case case-sensitive word-regexp line-regexp count count-matches files-with-matches files-without-match line-number no-line-number with-filename no-filename heading no-heading invert-match fixed-strings pcre2 multiline multiline-dotall unrestricted only-matching pretty json vimgrep column trim stats quiet text follow null",
			values: "e f g t T A B C m M j r E d regexp file glob iglob type type-not after-context before-context context max-count max-columns threads replace encoding max-depth sort sortr color"},
		why: "a pattern"},
	{names: "ag", first: true, instead: danger{letters: "g"},
		syntax: wrapper{flags: "i s S w l L c v Q a u U z H hidden nocolor nogroup noheading numbers column literal ignore-case smart-case case-sensitive word-regexp files-with-matches count all-types all-text unrestricted", values: "G g ignore ignore-dir", glued: "A B C"},
		why:    "a pattern"},
	{names: "sed", first: true, instead: danger{letters: "ef", long: "expression file"}, text: "e expression", opens: sedOpens,
		syntax: wrapper{flags: "n E r s u z posix debug quiet silent regexp-extended separate unbuffered null-data in-place", values: "e f expression file"},
		why:    "a script; one that may name files is unknown"},
	{names: "awk gawk mawk nawk", first: true, instead: danger{letters: "feEi", long: "file exec source include"}, opens: awkOpens,
		syntax: wrapper{values: "F v"},
		why:    "a program; one that may name files is unknown"},
	{names: "jq", first: true, instead: danger{letters: "f", long: "from-file"}, opens: jqOpens,
		syntax: wrapper{flags: "r j a s c n e S C M R raw-output join-output ascii-output slurp compact-output null-input exit-status sort-keys color-output monochrome-output raw-input tab seq stream unbuffered", values: "indent"},
		why:    "a filter; one that may name files is unknown"},
	{names: "find gfind", words: true, text: "name iname path ipath wholename iwholename regex iregex lname ilname",
		syntax: wrapper{flags: "H L P a and o or not print print0 prune quit depth mount xdev empty follow readable writable executable true false ls",
			values: "name iname path ipath wholename iwholename regex iregex lname ilname maxdepth mindepth type xtype size mtime mmin atime amin ctime cmin perm user group uid gid links inum newer anewer cnewer regextype printf"},
		why: "patterns for the names of what is below the operands"},
	{names: "git commit", text: "m message",
		syntax: wrapper{flags: "a p s n v q e o i z all patch signoff no-signoff no-verify verify verbose quiet edit no-edit only include amend allow-empty allow-empty-message gpg-sign no-gpg-sign dry-run short branch porcelain long null status no-status reset-author untracked-files no-post-rewrite",
			values: "m F c C t message file reuse-message reedit-message fixup squash author date template cleanup trailer pathspec-from-file", glued: "S u"},
		why: "a message"},
	{names: "git tag", text: "m message",
		syntax: wrapper{flags: "a s f d l v annotate sign no-sign force delete list verify", values: "m F u message file local-user cleanup", glued: "n"},
		why:    "a message"},
	{names: "git notes", text: "m message",
		syntax: wrapper{flags: "f force allow-empty", values: "m F c C message file reuse-message reedit-message"},
		why:    "a message"},
})

func textIndex(rows []textRow) map[string]*textRow {
	index := make(map[string]*textRow, 2*len(rows))
	for i := range rows {
		row := &rows[i]
		if strings.HasPrefix(row.names, "git ") {
			index[row.names] = row
			continue
		}
		for name := range strings.FieldsSeq(row.names) {
			index[name] = row
		}
	}
	return index
}

func sedOpens(text string) bool { return !safeSed().MatchString(text) }

func awkOpens(text string) bool {
	return strings.Contains(text, "ARG") || strings.Contains(text, "SYMTAB") || awkHas([]Word{{Text: text, Known: true}}, "|@>")
}

func jqOpens(text string) bool {
	return strings.Contains(text, "import") || strings.Contains(text, "include")
}

// commandGroups are the programs whose subcommands may have two words, with the first
// of them; "" is any.
var commandGroups = map[string]string{
	"gh":  "pr issue repo release gist run workflow auth cache secret variable label project search codespace extension alias config gpg-key ssh-key org ruleset",
	"aws": "",
}
