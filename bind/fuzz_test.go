package bind_test

import (
	"strings"
	"testing"

	"github.com/plangate/plangate"
)

const someRules = `policy "look" {
  match   = { operation = "bash" }
  command = ["ls", "cat", "git status", "git log", "echo", "rm -rf"]
  action  = "allow"
}
policy "build" {
  match   = { operation = "bash" }
  command = ["rm", "mkdir", "echo", "tee"]
  path    = ["build/**", "/tmp/x/*"]
  action  = "allow"
}
policy "push" {
  match   = { operation = "bash" }
  command = ["git push --force", "curl"]
  action  = "deny"
}
policy "api" {
  match   = { operation = "bash" }
  command = ["curl -s"]
  host    = ["api.example.com"]
  action  = "allow"
}
policy "files" {
  match  = { operation = "write" }
  path   = ["src/**"]
  action = "allow"
}
`

// FuzzDecide holds what must be so for every text: no panic, Decide and Explain
// agree, a command more never loosens (spec CMD-15), a guard more never loosens
// (spec GRD-1).
func FuzzDecide(f *testing.F) {
	for _, test := range cases {
		for _, s := range test.steps {
			f.Add(s.argument)
		}
	}
	for _, text := range []string{
		"rm -rf build/../src", "echo $(cat .env) > build/x", "curl -s https://api.example.com/ -o x", "cat <<E\n$(ls)\nE", "a=(1) ls", "{ ls; } > f",
		"cd build && rm x", "tee build/{a,b}", "cat *.env", "ls ~/.ssh/", "echo \xff", "\x00", "if ls; then cat; fi", "rm -rf -- -x", "()0", "coproc () { ls; }",
	} {
		f.Add(text)
	}
	plain := nowhere.tableOf(f, someRules)
	guarded := nowhere.tableOf(f, someRules+`guard "secrets" {
  path   = ["**/.env", "~/.ssh/**"]
  action = "deny"
}
guard "rm" {
  command = ["rm -r"]
  action  = "ask"
}
guard "host" {
  host   = ["10.0.0.0/8", "*.internal"]
  action = "deny"
}
`)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		for _, tool := range []string{"bash", "write", "read"} {
			before := nowhere.decide(t, plain, tool, text)
			if after := nowhere.decide(t, guarded, tool, text); before.StricterThan(after) {
				t.Errorf("%s %q: %s, and with more guards %s", tool, text, before.Action(), after.Action())
			}
		}
		if strings.Contains(text, "<<") {
			return // what is appended may end a here-document, without which the text is none
		}
		before := nowhere.decide(t, guarded, "bash", text)
		for _, more := range []string{"; x", "\nx", " && x"} {
			if after := nowhere.decide(t, guarded, "bash", text+more); after.Action() == plangate.Allow && before.Action() != plangate.Allow {
				t.Errorf("%q: %s, and with %q %s", text, before.Action(), more, after.Action())
			}
		}
	})
}
