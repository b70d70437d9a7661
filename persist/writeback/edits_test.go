package writeback

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// edits is how many random files are edited: go test -args -edits 10000
var edits = flag.Int("edits", 40, "random files to edit")

// piece draws a piece of a policy file, with its own layout.
func piece(t *rapid.T, n int) string {
	space := rapid.SampledFrom([]string{" ", "  ", "\t", "   \t"}).Draw(t, "space")
	risk := rapid.SampledFrom([]string{"low", "moderate", "high"}).Draw(t, "risk")
	action := rapid.SampledFrom([]string{"ask", "allow", "deny"}).Draw(t, "action")
	switch rapid.IntRange(0, 8).Draw(t, "piece") {
	case 0:
		return "# comment é \"{\n"
	case 1:
		return "// " + strings.Repeat("x", rapid.IntRange(0, 90).Draw(t, "long")) + "\n"
	case 2:
		return "/* one\n  two } */\n\n\n"
	case 3:
		return fmt.Sprintf("policy%s\"p%d\"%s{ # head\n%smatch%s= { operation = \"other%d\", risk = %q } // end\n# between\naction=%q\n}\n",
			space, n, space, space, space, n, risk, action)
	case 4:
		return fmt.Sprintf("guard \"g%d\" {\n  path = [\n    \"**/.env%d\", # one\n    \"~/.ssh/**\",\n  ]\n\n  action = \"deny\"\n}\n", n, n)
	case 5:
		return fmt.Sprintf("policy \"h%d\" {\n  match = { operation = \"heredoc%d\" }\n  action = \"ask\"\n  reason = <<EOT\nlines \" }\n  of text\nEOT\n}\n", n, n)
	case 6:
		return fmt.Sprintf("policy \"i%d\" {\n\tmatch = { operation = \"indented%d\" }\n\taction = \"ask\"\n\treason = <<-EOT\n\t\tlines\n\tEOT\n}\n", n, n)
	case 7:
		return fmt.Sprintf("settings \"s%d\" {\n  anything = [1,\n 2]%s\n}\n", n, space)
	default:
		return strings.Repeat("\n", rapid.IntRange(1, 4).Draw(t, "blank")) + space + "\n"
	}
}

// policyText draws a whole file, sometimes with a policy for the very calls.
func policyText(t *rapid.T) string {
	var b strings.Builder
	for n := range rapid.IntRange(0, 8).Draw(t, "pieces") {
		b.WriteString(piece(t, n))
	}
	if rapid.IntRange(0, 3).Draw(t, "same") == 0 {
		b.WriteString("policy \"same\" {\n  match = { kind=\"resource\", risk = [\"critical\"]\n    provider = \"host\" # why\n operation : \"deploy\" }\n  action   =   \"ask\"   # x\n}\n")
	}
	text := b.String()
	if rapid.IntRange(0, 2).Draw(t, "no newline") == 0 {
		text = strings.TrimRight(text, "\n")
	}
	if rapid.Bool().Draw(t, "CRLF") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if rapid.IntRange(0, 3).Draw(t, "BOM") == 0 {
		text = byteOrderMark + text
	}
	return text
}

// Random files, each edited and undone: every byte outside the change stays, the
// diff of the preview is that of the change, and an undo gives the same bytes.
func TestRandomEdits(t *testing.T) {
	previous := flag.Lookup("rapid.checks").Value.String()
	if err := flag.Set("rapid.checks", fmt.Sprint(*edits)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("rapid.checks", previous) })
	p := newPlace(t)
	count, replaced, refused := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		text := policyText(rt)
		if _, findings := dsl.Parse("x", []byte(text)); findings.HasErrors() {
			rt.Fatalf("the generator made a bad file: %v\n%s", findings, text)
		}
		p.project(text)
		if err := os.RemoveAll(filepath.Join(p.path("state"), journalName)); err != nil {
			rt.Fatal(err)
		}
		calls := []plangate.Call{
			bash(rapid.SampledFrom([]string{"git status", "git log --format='%h ${x}'", "cd a && ls -l", "echo \"a\tb\""}).Draw(rt, "command")),
			withInput("write_file", "path", rapid.SampledFrom([]string{"a.go", "b c/*.go", "é", "../up"}).Draw(rt, "path")),
			withInput("deploy", "to", "x"),
		}
		contents := []string{text}
		for _, i := range rapid.Permutation([]int{0, 1, 2}).Draw(rt, "order") {
			action := rapid.SampledFrom([]plangate.Action{plangate.Allow, plangate.Deny}).Draw(rt, "wanted")
			req := p.request(action, calls[i])
			before := contents[len(contents)-1]
			preview, err := Preview(context.Background(), req)
			if errors.Is(err, ErrTooBroad) && action == plangate.Deny { // a script of two
				refused++
				continue
			}
			if err != nil {
				rt.Fatalf("%v\n%s", err, before)
			}
			if p.get(project) != before {
				rt.Fatal("a preview wrote")
			}
			change, err := Write(context.Background(), req)
			if err != nil {
				rt.Fatal(err)
			}
			after := p.get(project)
			if change.Diff != preview.Diff || change.Block != preview.Block || change.NewDigest != digestOf([]byte(after)) {
				rt.Fatalf("the preview was not what was written:\n%s\n%s", preview.Diff, change.Diff)
			}
			if change.Block == "" {
				replaced++
				checkReplaced(rt, before, after)
			} else if !strings.HasPrefix(after, before) || !strings.HasSuffix(after, change.Block) ||
				strings.Trim(strings.TrimSuffix(after[len(before):], change.Block), "\r\n") != "" {
				rt.Fatalf("bytes changed:\n%q\n%q", before, after)
			}
			checkLineEnds(rt, before, after)
			if got := p.decide(calls[i]); got.Action() != action {
				rt.Fatalf("%s by %s", got.Action(), got.DecidedBy())
			}
			contents = append(contents, after)
			count++
		}
		for len(contents) > 1 {
			contents = contents[:len(contents)-1]
			if _, err := p.undo(); err != nil {
				rt.Fatal(err)
			}
			if p.get(project) != contents[len(contents)-1] {
				rt.Fatalf("undone:\n%q\nwant\n%q", p.get(project), contents[len(contents)-1])
			}
		}
	})
	t.Logf("%d edits, of which %d replaced an action; %d refused", count, replaced, refused)
}

// checkReplaced wants one action word replaced and nothing else.
func checkReplaced(t *rapid.T, before, after string) {
	for _, word := range []string{`"allow"`, `"deny"`} {
		if strings.Replace(before, "action   =   \"ask\"", "action   =   "+word, 1) == after {
			return
		}
	}
	t.Fatalf("more than an action changed:\n%q\n%q", before, after)
}

// checkLineEnds wants no line end of another sort in a file that has one sort.
func checkLineEnds(t *rapid.T, before, after string) {
	count := func(s string) (crlf, lf int) {
		crlf = bytes.Count([]byte(s), []byte("\r\n"))
		return crlf, strings.Count(s, "\n") - crlf
	}
	crlf, lf := count(before)
	newCRLF, newLF := count(after)
	if crlf > 0 && lf == 0 && newLF > 0 || crlf == 0 && newCRLF > 0 {
		t.Fatalf("line ends: %d CRLF and %d LF became %d and %d", crlf, lf, newCRLF, newLF)
	}
}
