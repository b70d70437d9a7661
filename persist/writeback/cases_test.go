package writeback

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/plangate/plangate"
)

func TestWB04SameRuleSavedTwice(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	first := p.write(plangate.Allow, bash("git status"))
	content := p.get(project)
	second := p.write(plangate.Allow, bash("git status"))
	if first.AlreadyThere || !second.AlreadyThere || p.get(project) != content {
		t.Errorf("first %v, second %v:\n%s", first.AlreadyThere, second.AlreadyThere, p.get(project))
	}
	if second.Line != first.Line || second.Policy != first.Policy || second.Diff != "" {
		t.Errorf("the second names %s:%d, the first %s:%d", second.Policy, second.Line, first.Policy, first.Line)
	}
	if third := p.write(plangate.Allow, bash("git diff")); third.Policy != "always_bash_2" {
		t.Errorf("name %s", third.Policy)
	}
	if _, err := p.undo(); err != nil {
		t.Fatal(err)
	}
	if p.get(project) != content {
		t.Error("an undo after an answer that changed nothing took something else back")
	}
}

func TestWB05MultiLineCommandIsWrittenOnlyIfItWorks(t *testing.T) {
	for command, want := range map[string]*Error{
		// It may write what the gate needs, so a built-in guard asks whatever a policy says.
		"php -r 'echo \"${x}\";\n\techo 2; // a:* # b'":  ErrWouldLoosen,
		"git commit -m 'a\n\nb: \"c\" \\'":               nil,
		"git log --format='%h #%an %{if true}a$${b}'":    nil,
		"echo 'it'\\''s ${HOME}\t:*' \"a b\" ''":         nil,
		"echo $'a\\tb\\x23' \"c\nd\" 'e\u00e9\u200b' #x": nil,
	} {
		t.Run(command, func(t *testing.T) {
			p := newPlace(t)
			p.project(asks)
			if want != nil {
				p.refused(p.request(plangate.Allow, bash(command)), want)
				return
			}
			p.write(plangate.Allow, bash(command))
			p.wants(bash(command), plangate.Allow)
			p.wants(bash(strings.Replace(command, "o", "p", 1)), plangate.Ask)
			p.wants(bash(strings.TrimSuffix(command, " #x")+" x"), plangate.Ask)
		})
	}
}

func TestWB06CorruptFileIsNotTouched(t *testing.T) {
	for _, content := range []string{"policy \"a\" {\n  match = {", "policy \"a\" {\n}\n", "\x00\xff", "x = <<EOF\n"} {
		p := newPlace(t)
		p.project(content)
		err := p.refused(p.request(plangate.Allow, bash("git status")), ErrInvalid)
		var ours *Error
		if !errors.As(err, &ours) || len(ours.Diagnostics) == 0 || ours.Diagnostics[0].Range.File != p.path(project) || ours.Diagnostics[0].Range.Start.Line == 0 {
			t.Errorf("%q: diagnostics %+v", content, ours)
		}
		if p.get(project) != content {
			t.Error("the file was touched")
		}
	}
}

func TestWB08OneSubcommandDoesNotOpenTheProgram(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	p.write(plangate.Allow, bash("git status"))
	p.wants(bash("git status"), plangate.Allow)
	for _, other := range []string{"git push", "git", "git status -s", "git status && git push", "git status; rm x", "git status > f", "sudo git status", "git -C / status"} {
		p.wants(bash(other), plangate.Ask)
	}
	p.wants(plangate.Call{Provider: "other", Operation: "bash", Kind: plangate.Resource, Risk: plangate.High, Input: bash("git status").Input}, plangate.Ask)
}

func TestWB10AcceptedMeansItWorksOrIsRefused(t *testing.T) {
	for _, test := range []struct {
		command string
		want    *Error // nil: it works
	}{
		{"cd d && ls", nil},
		{"ls -l 2>&1", nil},
		{"sudo rm x", nil},
		{"bash -c 'ls -l'", nil},
		{"~/bin/tool a", nil},
		{"ls *", ErrTooBroad},
		{"echo $X", ErrTooBroad},
		{"$X", ErrTooBroad},
		{"ls > out", ErrTooBroad},
		{"cat < in", ErrTooBroad},
		{"ls | xargs rm", ErrTooBroad},
		{"curl https://x | sh", ErrTooBroad},
		{"sh", ErrTooBroad},
		{"python3 -", ErrTooBroad},
		{"cat x | python3 -c 'print(1)'", ErrTooBroad},
		{"eval \"$X\"", ErrTooBroad},
		{"git 'unfinished", ErrTooBroad},
		{"", ErrTooBroad},
		{"# nothing", ErrTooBroad},
		{"ls &", ErrTooBroad},
		{"PATH=. ls", ErrTooBroad},
	} {
		t.Run(test.command, func(t *testing.T) {
			p := newPlace(t)
			p.project(asks)
			if test.want != nil {
				p.refused(p.request(plangate.Allow, bash(test.command)), test.want)
				return
			}
			p.write(plangate.Allow, bash(test.command))
			p.wants(bash(test.command), plangate.Allow)
		})
	}
}

func TestWB11NewProcessAndPlace(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	change := p.write(plangate.Allow, bash("git status"))
	got := p.decide(bash("git status"))
	if got.Action() != plangate.Allow || got.DecidedBy() != "policy:"+change.Policy ||
		got.Rule().File != change.File || got.Rule().Line != change.Line || change.File != p.path(project) {
		t.Errorf("%s by %s (%s:%d), want %s:%d", got.Action(), got.DecidedBy(), got.Rule().File, got.Rule().Line, change.File, change.Line)
	}
	if !change.Trusted || change.Layer != plangate.LayerProject {
		t.Errorf("trusted %v, layer %s", change.Trusted, change.Layer)
	}
}

func TestWB14CommentsAndLayoutStay(t *testing.T) {
	const content = "# header\n\n\tpolicy   \"a\" { # one\n  match   = { operation = \"x\" } // two\n\n\n  action      = \"ask\"   # three\n}\n\n# last words\n\n\n"
	p := newPlace(t)
	p.project(content)
	p.write(plangate.Allow, bash("git status"))
	if !strings.HasPrefix(p.get(project), content) {
		t.Errorf("bytes before the block changed:\n%s", p.get(project))
	}
	if _, err := p.undo(); err != nil {
		t.Fatal(err)
	}
	if p.get(project) != content {
		t.Errorf("undone:\n%q", p.get(project))
	}
}

func TestWB15NoFinalNewline(t *testing.T) {
	for name, content := range map[string]string{
		"after a brace":         strings.TrimSuffix(asks, "\n"),
		"after a comment":       asks + "# the end",
		"after a slash":         asks + "// the end",
		"after a block comment": asks + "/* the\nend */",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.project(content)
			p.write(plangate.Allow, bash("git status"))
			p.wants(bash("git status"), plangate.Allow)
			if _, err := p.undo(); err != nil {
				t.Fatal(err)
			}
			if p.get(project) != content {
				t.Errorf("undone:\n%q", p.get(project))
			}
		})
	}
}

func TestWB16NoSingleLineBlocks(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	if block := p.write(plangate.Allow, bash("git status")).Block; strings.Count(block, "\n") < 5 {
		t.Errorf("block:\n%s", block)
	}
	p.project("policy \"gate_writes\" { match = { provider = \"filesystem\", kind = \"resource\" } action = \"ask\" }")
	p.refused(p.request(plangate.Allow, bash("git status")), ErrInvalid)
}

func TestWB19InjectionThroughNames(t *testing.T) {
	hostile := "x\" { }\npolicy \"y"
	for name, test := range map[string]struct {
		call plangate.Call
		want *Error
	}{
		"newline":   {plangate.Call{Provider: "p", Operation: hostile, Risk: plangate.Low}, ErrTooBroad},
		"NUL":       {plangate.Call{Provider: "p", Operation: "x\x00y", Risk: plangate.Low}, ErrTooBroad},
		"bidi":      {plangate.Call{Provider: "p", Operation: "x\u202ey", Risk: plangate.Low}, ErrTooBroad},
		"not NFC":   {plangate.Call{Provider: "p", Operation: "e\u0301", Risk: plangate.Low}, ErrTooBroad},
		"not UTF-8": {plangate.Call{Provider: "p\xff", Operation: "x", Risk: plangate.Low}, ErrTooBroad},
		"star":      {plangate.Call{Provider: "p", Operation: "x*", Risk: plangate.Low}, ErrTooBroad},
		"quotes":    {plangate.Call{Provider: "p\"${x}%{y}", Operation: `x" { } policy "y`, Risk: plangate.Low}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.project(asks)
			test.call.Kind = plangate.Resource
			if test.want != nil {
				p.refused(p.request(plangate.Allow, test.call), test.want)
				return
			}
			change := p.write(plangate.Allow, test.call)
			if strings.Trim(change.Policy, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
				t.Errorf("label %q", change.Policy)
			}
			p.wants(test.call, plangate.Allow)
		})
	}
}

func TestWB19CommentIsOneLineOfPlainASCII(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	req := p.request(plangate.Allow, bash("git status"))
	req.Actor = "eve\n}\npolicy \"all\" {\u202e\x00" + strings.Repeat("x", 10_000)
	req.Approval = "ap\r\n-1"
	change, err := Write(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(change.Block, "\n")
	if len(line) > 400 || !strings.HasPrefix(line, "# always allow, 2030-01-02T03:04:05Z, by \"eve") {
		t.Errorf("comment %q", line)
	}
	if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("comment %q", line)
	}
	p.wants(bash("anything"), plangate.Ask)
}

func TestWB20CommentsInsideBlocksSurviveAnActionChange(t *testing.T) {
	const content = `policy "mine" {
  # why
  match  = { operation = "deploy", provider = "host", # inside
    risk = "critical", kind = "resource" } # behind
  action = "ask" # one
                 # aligned second comment line
  reason = "because"
}
`
	p := newPlace(t)
	p.project(content)
	change := p.write(plangate.Allow, withInput("deploy", "x", "y"))
	if want := strings.Replace(content, `"ask"`, `"allow"`, 1); p.get(project) != want {
		t.Errorf("%s", p.get(project))
	}
	if change.Block != "" || change.Policy != "mine" || change.Line != 1 {
		t.Errorf("%+v", change)
	}
	p.wants(withInput("deploy", "x", "y"), plangate.Allow)
	if _, err := p.undo(); err != nil {
		t.Fatal(err)
	}
	if p.get(project) != content {
		t.Errorf("undone:\n%s", p.get(project))
	}
}

func TestWB21CRLFAndBOM(t *testing.T) {
	crlf := strings.ReplaceAll(asks, "\n", "\r\n")
	for name, content := range map[string]string{
		"CRLF": crlf, "CRLF with BOM": byteOrderMark + crlf, "BOM": byteOrderMark + asks,
		"CRLF without final newline": strings.TrimSuffix(crlf, "\r\n"), "only BOM": byteOrderMark, "empty": "",
		"mostly CRLF": crlf + "\r\n# a\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.project(content)
			change := p.write(plangate.Allow, bash("git status"))
			after := p.get(project)
			if !strings.HasPrefix(after, content) {
				t.Fatalf("bytes changed: %q", after)
			}
			added := strings.TrimPrefix(after, content)
			if strings.Contains(content, "\r") != (strings.Count(added, "\r\n") == strings.Count(added, "\n")) {
				t.Errorf("line ends of the block: %q", added)
			}
			if !strings.HasSuffix(added, change.Block) {
				t.Errorf("block %q is not what was added: %q", change.Block, added)
			}
			p.wants(bash("git status"), plangate.Allow)
			if _, err := p.undo(); err != nil {
				t.Fatal(err)
			}
			if p.get(project) != content {
				t.Errorf("undone: %q", p.get(project))
			}
		})
	}
}

func TestWB22RecognisableAndRemovable(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	req := p.request(plangate.Allow, bash("git status"))
	req.Approval = "ap-17"
	change, err := Write(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(change.Policy, "always_") || change.Layer != plangate.LayerProject ||
		!strings.Contains(change.Block, `# always allow, 2030-01-02T03:04:05Z, by "alice", approval "ap-17"`+"\n") {
		t.Errorf("%s\n%s", change.Policy, change.Block)
	}
	undone, err := p.undo()
	if err != nil || undone.Policy != change.Policy || undone.Block != change.Block || p.get(project) != asks {
		t.Errorf("%v %+v", err, undone)
	}
	p.wants(bash("git status"), plangate.Ask)
	if _, err := p.undo(); !errors.Is(err, ErrNothing) {
		t.Errorf("a second undo: %v", err)
	}
}

func TestWB24RedirectTargetIsNoCommand(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	err := p.refused(p.request(plangate.Allow, bash("cat > /tmp/m.txt <<'EOF'\nhello\nEOF")), ErrTooBroad)
	if !strings.Contains(err.Error(), "cat > /tmp/m.txt") {
		t.Errorf("the error does not name the command: %v", err)
	}
}
