package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lastCommand is the last element of a text.
func lastCommand(t *testing.T, text string) *Command {
	t.Helper()
	list := Parse(text, Bash).Commands
	if len(list) == 0 {
		t.Fatalf("%s: no command", text)
	}
	return list[len(list)-1]
}

// operandList writes operands in short: "text", "?text" for one that is not
// sure, and "prefix…suffix" for one that is not known.
func operandList(list []Operand) string {
	var out []string
	for _, o := range list {
		text := wordText(o.Word)
		if !o.Sure {
			text = "?" + text
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func wordText(w Word) string {
	if w.Known {
		return w.Text
	}
	return w.Text + "…" + w.Suffix
}

// TestOperands covers CMD-19.
func TestOperands(t *testing.T) {
	tests := []struct{ text, want string }{
		// Words and options.
		{"cat a .env ~/x", "a .env ~/x"},
		{"cat - -n", ""},
		{"cat -- -n a", "-n a"},
		{"cat -- -o.env", "-o.env ?.env"},
		{"head -n 5 f", "5 f"},
		{"x --out=f --in", "f"},
		{"x --data=@.env", "@.env ?.env"},
		{"", ""},

		// What stands inside a word.
		{"x -o.env", "?.env"},
		{"x -xzf/etc/p", "?zf/etc/p ?/etc/p"},
		{"x -DA=/etc", "?A=/etc ?/etc"},
		{"rm -rf x", "x"},
		{"tar -czf.env", "?.env"},
		{"tar -czfsecret", "?secret"},
		{"tar -f.env", "?.env"},
		{"cp -tdir a", "?dir a"},
		{"find . -newer=x", ". ?x"},
		{"x a=b", "a=b ?b"},
		{"x a=b=.env", "a=b=.env ?b=.env ?.env"},
		{"curl -d @f", "@f ?f"},
		{"curl -F k=@.env;", "k=@.env ?@.env ?.env"},
		{"curl -F 'k=@.env;type=x'", "k=@.env;type=x ?@.env;type=x ?.env;type=x ?.env ?type=x ?x"},
		{"git show HEAD:.env", "HEAD:.env ?.env"},
		{"scp h:x .", "h:x ?x ."},
		{"docker run -v ./a:/b img", "./a:/b ?./a ?/b img"},
		{"docker run --mount type=bind,src=/e,dst=/f img", "type=bind,src=/e,dst=/f ?bind,src=/e,dst=/f ?src=/e,dst=/f ?/e,dst=/f ?/e ?dst=/f ?/f img"},
		{"x ~/a:b", "~/a:b ?~/a ?b"},
		{"x https://h/a:b=c", "https://h/a:b=c"},
		{"x u=https://h/a:b", "u=https://h/a:b ?https://h/a:b"},
		{"dd if=.env of=/dev/sda bs=1", "if=.env .env of=/dev/sda /dev/sda bs=1 ?1"},
		{"x =:=:=:=:=:=:=:=:=: y", "=:=:=:=:=:=:=:=:=: ?:=:=:=:=:=:=:=:=: ?=:=:=:=:=:=:=:=: ?:=:=:=:=:=:=:=: ?=:=:=:=:=:=:=: ?:=:=:=:=:=:=: ?=:=:=:=:=:=: " +
			"?:=:=:=:=:=: ?=:=:=:=:=: ?:=:=:=:=: ?=:=:=:=: ?:=:=:=: ?=:=:=: ?:=:=: ?=:=: ?:=: ?=: ?… y"},

		// Words that are not known.
		{`cat "$d/.env"`, "…/.env"},
		{`cat $x`, "…"},
		{`cat a$x`, "a…"},
		{`cat "-o$x"`, "-o… ?…"},
		{`x --f="$d/a"`, "--f=…/a ?…/a"},
		{`git show "$c:.env"`, "…:.env ?.env"},
		{`cat *.go`, "….go"},

		// Subcommands.
		{"git push origin", "origin"},
		{"git -C /d status", "/d"},
		{"git --new x status", "x status"},
		{"git ./x", "./x"},
		{"docker run x", "x"},
		{"kubectl -n p get pod", "p pod"},
		{"npm run x", "x"},
		{"cargo build x", "x"},
		{"go test ./...", "./..."},
		{"gh pr view 1", "1"},
		{"gh browse view", "view"},
		{"aws s3 cp a b", "a b"},
		{"aws s3 ./x", "./x"},
		{"git $x status", "… status"},
		{"./git push", "push"},
	}
	for _, test := range tests {
		got := ""
		if test.text != "" {
			got = operandList(lastCommand(t, test.text).Operands())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.text, diff)
		}
	}
}

// textTests has for each name in the table of texts a command whose text is no operand.
var textTests = map[string]struct{ text, want string }{
	"grep": {"grep -rn .env f", "?n f"}, "egrep": {"egrep -e .env f", "f"}, "fgrep": {"fgrep -A 3 .env f", "3 f"}, "rg": {"rg -g x --regexp=.env f", "x f"},
	"ag": {"ag -i .env f", "f"}, "sed": {"sed -n /.env/p f", "f"}, "awk": {"awk -F : /.env/ f", ": f"}, "gawk": {"gawk '{print $1}' f", "f"},
	"mawk": {"mawk -v a=b 1 f", "a=b ?b f"}, "nawk": {"nawk 1 f", "f"}, "jq": {"jq -r .env f", "f"}, "find": {"find d -type f -name .env", "d f"}, "gfind": {"gfind -name .env", ""},
	"git grep": {"git grep -n .env -- f", "f"}, "git commit": {"git commit -am .env f", "f"}, "git tag": {"git tag -a -m .env v1", "v1"}, "git notes": {"git notes add --mess .env", "add"},
}

// TestTextOperands covers CMD-19: what is text.
func TestTextOperands(t *testing.T) {
	for name, row := range textRows {
		test, ok := textTests[name]
		if !ok || row.why == "" {
			t.Errorf("the row %q has no test or no reason", name)
			continue
		}
		if diff := cmp.Diff(test.want, operandList(lastCommand(t, test.text).Operands())); diff != "" {
			t.Errorf("%s: %s", test.text, diff)
		}
	}
}

// TestTextInDoubt: a word counts as text only where that is certain.
func TestTextInDoubt(t *testing.T) {
	tests := map[string]string{
		"grep --exclude-from .env p f":   ".env f",
		"grep --new .env f":              ".env f",
		"grep .env -e p":                 ".env",
		"grep .env --reg=p f":            ".env f",
		"grep .env --regexp p":           ".env",
		"grep .env -f p":                 ".env p",
		`grep .env "$f"`:                 ".env …",
		`grep "a$p" f`:                   "f",
		`grep a* f`:                      "a… f",
		"grep -- .env f":                 "f",
		"./grep .env f":                  ".env f",
		"/usr/bin/grep .env f":           "f",
		"rg --files .env":                ".env",
		"jq -f .env f":                   ".env f",
		`jq 'import "a" as $a; 1' f`:     "… f",
		"sed 'r .env' f":                 "… f",
		"sed -e 'w .env' f":              "… f",
		"sed -i s/a/b/ f":                "s/a/b/ f",
		`awk 'BEGIN{getline < ".env"}'`:  "…",
		"yq .env":                        ".env",
		"git commit -F .env":             ".env",
		`git commit -m "$(cat .env)" f`:  "f",
		"git commit -m $m f":             "… f",
		"git commit -m.env f":            "f",
		"git commit -F -m .env":          ".env",
		"grep --include=*.go .env f":     "--include=….go ?….go f",
		"gcc -o.env":                     "?.env",
		"git commit --new -m .env":       ".env",
		"find -newer -name .env":         ".env",
		"find . -new x -name .env":       ". x .env",
		`find . -name "$n"`:              ".",
		"grep -C .env f":                 "f",
		"grep p f --include=*.go":        "f --include=….go ?….go",
		"git -C .env commit -m .env .go": ".env .go",
	}
	got := map[string]string{}
	for text := range tests {
		got[text] = operandList(lastCommand(t, text).Operands())
	}
	if diff := cmp.Diff(tests, got); diff != "" {
		t.Error(diff)
	}
}
