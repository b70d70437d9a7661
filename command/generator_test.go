package command

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// generator makes scripts of harmless words: programs p0 to p9 and q0 to q2,
// which only record, and builtins without effect outside the shell.
type generator struct {
	rand *rand.Rand
	deep int
	hdoc []string // here-document bodies that follow at the end of the line
}

func (g *generator) pick(list ...string) string { return list[g.rand.IntN(len(list))] }

func (g *generator) chance(percent int) bool { return g.rand.IntN(100) < percent }

// script returns a script that cannot make the bytes which separate records.
func (g *generator) script() string {
	return strings.NewReplacer(`\1`, `\7`, `\2`, `\7`, `\x1`, `\x7`, `\x2`, `\x7`).Replace(g.text())
}

// text returns a script from the grammar, one from it with tokens exchanged,
// or a soup of tokens.
func (g *generator) text() string {
	g.deep = 0
	switch n := g.rand.IntN(10); {
	case n < 7:
		return g.list()
	case n < 9:
		return g.damage(g.list())
	}
	return g.soup()
}

func (g *generator) list() string {
	var b strings.Builder
	for i := range 1 + g.rand.IntN(3) {
		if i > 0 {
			b.WriteString(g.pick("; ", " && ", " || ", " | ", " & ", ";", "&&", "|", "\n", " |& ", "\n\n", " &&\n", " |\n"))
		}
		b.WriteString(g.stmt())
		b.WriteString(g.flush())
	}
	return b.String()
}

// flush ends the line if here-documents are waiting for their bodies. The
// bodies end in a newline, so a separator that may not begin a line needs a word.
func (g *generator) flush() string {
	if len(g.hdoc) == 0 {
		if g.chance(3) {
			return " # p7 comment\n:"
		}
		return ""
	}
	text := "\n" + strings.Join(g.hdoc, "") + ":"
	g.hdoc = nil
	return text
}

func (g *generator) stmt() string {
	if g.deep > 3 {
		return g.simple()
	}
	g.deep++
	defer func() { g.deep-- }()
	switch g.rand.IntN(24) {
	case 0:
		return "{ " + g.inner() + "; }" + g.redirect()
	case 1:
		return "(" + g.inner() + ")" + g.redirect()
	case 2:
		return "if " + g.inner() + "; then " + g.inner() + "; else " + g.inner() + "; fi"
	case 3:
		return "while " + g.inner() + "; do " + g.inner() + "; break; done"
	case 4:
		return "for x in " + g.word() + " " + g.word() + "; do " + g.inner() + "; done"
	case 5:
		return "case " + g.word() + " in " + g.pick("a", "*", "a|b", "(p1)", `"x"`) + ") " + g.inner() + ";; *) " + g.inner() + g.pick("", " ;;") + " esac"
	case 6:
		return g.pick("f() {", "function f {", "f () {", "function f() {") + " " + g.inner() + "; }; f " + g.word()
	case 7:
		return g.pick("! ", "time ", "time -p ", "! time ") + g.simple()
	case 8:
		return g.pick("[[ a == "+g.word()+" ]]", "[[ -n "+g.word()+" && -z "+g.word()+" ]]", "((1+2))", "((x=3, x+1))", "[[ -n $(p4 x) ]]", "[[ a =~ ^(a|b)$ ]]") + g.pick("", " && "+g.simple())
	case 9:
		return "x=" + g.word() + g.pick("", " y="+g.word(), "; "+g.simple())
	case 10:
		return g.wrapped()
	case 11:
		return "cd " + g.pick("sub", "..", "'sub'", ".") + " && " + g.simple()
	case 12:
		return g.hereDocument()
	}
	return g.simple()
}

// inner is a list inside a compound command; bodies of here-documents stay in it.
func (g *generator) inner() string {
	return g.list()
}

func (g *generator) hereDocument() string {
	body := g.pick("plain p1 text\n", "a $(p5 in) b\n", "`p6`\n", "\\$(p5)\n", "$x ${y:-$(p2 d)}\n", "' \" (\n")
	stop := g.pick("EOF", "'EOF'", `"EOF"`, `\EOF`, "E'O'F")
	op := g.pick("<<", "<<-", "<< ")
	if op == "<<-" {
		body = "\t" + body
	}
	g.hdoc = append(g.hdoc, body+"EOF\n")
	return g.program() + " " + op + stop + g.pick("", " "+g.plain())
}

func (g *generator) simple() string {
	var b strings.Builder
	if g.chance(8) {
		b.WriteString(g.pick("x=1 ", "y=a x=b ", "x=$(p9) ", "x='a b' "))
	}
	b.WriteString(g.program())
	for range g.rand.IntN(4) {
		b.WriteString(g.pick(" ", " ", " ", "  ", "\t", " \\\n"))
		b.WriteString(g.word())
	}
	b.WriteString(g.redirect())
	return b.String()
}

func (g *generator) redirect() string {
	if !g.chance(12) {
		return ""
	}
	return g.pick(" >out", " 2>&1", " >>out", " </dev/null", " >/dev/null 2>&1", " &>out", " >|out", " 2>out", " <<<"+g.word(), " < <(p8 y)",
		" > >(p8 z)", " 3>&1", " >&2", " <>out", " >$(p3 f)out", " {fd}>out")
}

func (g *generator) program() string {
	p := "p" + strconv.Itoa(g.rand.IntN(10))
	switch g.rand.IntN(20) {
	case 0:
		return `"` + p + `"`
	case 1:
		return `'` + p + `'`
	case 2:
		return `\` + p
	case 3:
		return p[:1] + `\` + "\n" + p[1:]
	case 4:
		return p[:1] + `""` + p[1:]
	case 5:
		return `$'\x70'` + p[1:]
	case 6:
		return g.pick(":", "true", "echo", "false", "test a = b", "[ -n a ]", "printf %s")
	case 7:
		if g.chance(20) {
			return g.pick("$x", "$(p1)", `"$x"`, "${y}")
		}
	}
	return p
}

func (g *generator) plain() string {
	return g.pick("a", "b", "abc", "-x", "--long", "--opt=v", "-", "--", "0", "1", "a=b", "a,b", "%", "@", "+", ":", "a:b", "p1", "é", "]", "}", "in", "done", "if")
}

func (g *generator) word() string {
	switch g.rand.IntN(30) {
	case 0:
		return `'a b'`
	case 1:
		return `"a b"`
	case 2:
		return `a\ b`
	case 3:
		return `$'a\tb\'c'`
	case 4:
		return `"$x"`
	case 5:
		return `$x`
	case 6:
		if g.deep < 3 {
			return g.substitution()
		}
	case 7:
		return g.pick(`"a;b"`, `';'`, `\;`, `"a|b&c"`, `'#'`, `a#b`, `"(x)"`, `\&`, `\|`, `\<`)
	case 8:
		return g.pick("{a,b}", "{1..3}", "{a}", "{}", "a{,b}", `{a\,b}`, `{"a",b}`, "{a,b", `"{a,b}"`)
	case 9:
		return g.pick("*", "*.q", "[a]", "?", `\*`, `"*"`, "[", "a[", "s*b")
	case 10:
		return g.pick("~", "~/x", `"~"`, `~"/x"`, `"$HOME"`, "$HOME/x", "a~b", "a=~", `\~`)
	case 11:
		return g.pick("$((1+2))", "$[1+2]", `"$((3*4))"`)
	case 12:
		return g.pick("${x:-a}", "${x:-$(p2 dflt)}", `"${x:-'a'}"`, "${#x}", "${x/a/b}", "${x%%.*}", `"${x:+$(p4)}"`, "${x^^}", "${x:=v}")
	case 13:
		return g.pick(`"\$(p1)"`, `'$(p1)'`, `\$\(p1\)`, `"\`+"`p1\\`"+`"`, `'`+"`p1`"+`'`, `"a\\b"`, `"a\"b"`, `"a\b"`, `'a\'`, `$'a\\'`)
	case 14:
		return g.pick(`"$@"`, "$#", "$?", "$*", "$1", "$-", "$$", "$")
	case 15:
		return g.pick("a\\\nb", "\"a\\\nb\"", "'a\\\nb'", "\"a\nb\"")
	case 16:
		return g.plain() + g.pick(`"b"`, `'b'`, `\b`, `""`, `$x`, "$'b'", `$"b"`)
	}
	return g.plain()
}

func (g *generator) substitution() string {
	g.deep++
	defer func() { g.deep-- }()
	saved := g.hdoc
	g.hdoc = nil
	text := g.list()
	text += g.flush()
	g.hdoc = saved
	switch g.rand.IntN(5) {
	case 0:
		return `"$(` + text + `)"`
	case 1:
		return "`" + strings.NewReplacer("`", "\\`", `\`, `\\`, `$`, `\$`).Replace(text) + "`"
	case 2:
		return "<(" + text + ")"
	case 3:
		return `"a$(` + text + `)b"`
	}
	return "$(" + text + " )"
}

// wrapped puts a command of the PATH, or a text, into a wrapper.
func (g *generator) wrapped() string {
	q := "q" + strconv.Itoa(g.rand.IntN(3)) + " " + g.plain()
	text := g.pick(q, q+"; q1 z", "q2 && "+q, "("+q+")", q+" | q1")
	return g.pick("env ", "env -i ID=$ID REC=$REC PATH=$PATH ", "env x=1 ", "timeout 5 ", "timeout -s KILL 5 ", "nice -n 5 ", "nice ", "nohup ", "setsid -w ",
		"stdbuf -oL ", "command ", "exec ", "command -p ", "env -u x ", "nice env timeout 5 ", "time nice ", "builtin command ", "xargs ", "xargs -n1 ", "xargs -I{} ",
		"sh -c '"+text+"' ", "bash -c '"+text+"' ", "bash -ec \""+text+"\" ", "eval '"+text+"' ", "eval ", "trap '"+text+"' EXIT; ", "find . -maxdepth 0 -exec ", "coproc ",
		"env -S '"+q+"' ", "bash -c 'eval \""+text+"\"' ", "sh -c 'exec "+q+"' ") + q + g.pick("", " \\;", " {} +", " {} \\;")
}

var tokens = strings.Split(`p0,p1,p2,p3,p4,a,b,x, , , , ,;,&,|,<,>,(,),{,},$,`+"`"+`,",',\,`+"\n"+`,#,!,$(,$((,)),((,[[,]],if,then,else,fi,for,in,do,done,while,case,esac,=,x=,$x,<<,E,<(,&&,||,;;,@,*,?,[,],%,function,p2(),eval ,exec ,time ,coproc ,let ,declare ,export ,${,:-,-,+,1,$',$",>&,2>,<<<,&>,|&,;&,until,select,f(),command ,builtin ,true,: ,break,:`, ",")

func (g *generator) soup() string {
	var b strings.Builder
	for range 3 + g.rand.IntN(12) {
		b.WriteString(tokens[g.rand.IntN(len(tokens))])
		if g.chance(40) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// damage exchanges, inserts or removes a few tokens.
func (g *generator) damage(text string) string {
	for range 1 + g.rand.IntN(3) {
		i := g.rand.IntN(len(text) + 1)
		j := min(len(text), i+g.rand.IntN(2))
		text = text[:i] + tokens[g.rand.IntN(len(tokens))] + text[j:]
	}
	return text
}
