package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dangerTests has a command for each row of the table that must escalate, and
// beside it, after "|", one of the same program that must not ("" for none).
var dangerTests = map[string]string{
	"find": "find . -delete|find . -name x", "fd": "fd -x rm|fd x", "sort": "sort -uo f f|sort -u f", "sed": "sed -i s/a/b/ f|sed -n 1,3p f",
	"tar": "tar -tf f --to-command=x|tar -tf f", "zip": "zip -TT x f|zip a b", "rsync": "rsync -e x a b|rsync -a a b", "scp": "scp -o ProxyCommand=x a b|scp a b",
	"sftp": "sftp -b f h|sftp h", "curl": "curl -sOL u|curl -sL u", "wget": "wget -O f u|wget -q u", "javac": "javac -processor E T.java|javac -version",
	"java": "java -jar x|java -version", "rg": "rg --pre x y|rg x", "ag": "ag --pager x|ag x", "ack": "ack --pager=x|ack x", "less": "less -o f x|less x",
	"man": "man -P x y|man y", "tree": "tree -o f|tree -L 2", "file": "file -C -m x|file x", "date": "date -s x|date -u", "yq": "yq -i x f|yq x f",
	"xxd": "xxd -r a b|xxd a", "diff": "diff --to-file=x a|diff -u a b", "openssl": "openssl rand -out f|openssl version", "gofmt": "gofmt -w f|gofmt -l .",
	"prettier": "prettier --write f|prettier --check f", "eslint": "eslint --fix f|eslint f", "pytest": "pytest -p x|pytest tests", "dmesg": "dmesg -C|dmesg",
	"journalctl": "journalctl --vacuum-size=1|journalctl -u x", "hostname": "hostname -F f|hostname", "ip": "ip netns exec x y|ip addr",
	"split": "split --filter=x f|split f", "printf": "printf -v x y|printf x", "history": "history -c|history", "psql": "psql -c x|psql -l",
	"sqlite": "sqlite3 -cmd x f|sqlite3 f", "make": "make SHELL=x|make test",
	"git diff": "git diff --outp=f|git diff --stat", "git log": "git log --ext-diff|git log --oneline", "git show": "git show --output f|git show HEAD",
	"git blame": "git blame --contents f x|git blame x", "git shortlog": "git shortlog --output=f|git shortlog -s", "git whatchanged": "git whatchanged --output=f|git whatchanged",
	"git stash": "git stash show --output=f|git stash list", "git reflog": "git reflog expire|git reflog", "git grep": "git grep -Ovi x|git grep x",
	"git fetch": "git fetch --upload-pack=x|git fetch", "git pull": "git pull --upload-p x|git pull", "git clone": "git clone -c a=b u|git clone u",
	"git ls-remote": "git ls-remote --exec=x|git ls-remote", "git push": "git push --rec x|git push", "git archive": "git archive -o f|git archive HEAD",
	"git format-patch": "git format-patch -o d|git format-patch --stdout", "git rebase": "git rebase -ix y|git rebase main", "git merge": "git merge -s x|git merge main",
	"git bisect": "git bisect run x|git bisect log", "git difftool": "git difftool -x y|git difftool", "git submodule": "git submodule foreach x|git submodule status",
	"git branch": "git branch -D x|git branch --list", "git tag": "git tag -d x|git tag", "git remote": "git remote set-url a b|git remote -v",
	"git config": "git config --global a b|git config --list", "go test": "go test -exec x|go test ./...", "go build": "go build -o f|go build ./...",
	"go vet": "go vet -vettool=x|go vet ./...", "go list": "go list -toolexec=x|go list ./...", "go env": "go env -w A=b|go env",
	"go generate": "go generate|", "cargo": "cargo --config x build|cargo build", "npm": "npm run x --script-shell=y|npm run x", "pnpm": "pnpm --dir x run y|pnpm run y",
	"yarn": "yarn --cwd x run|yarn run", "gh api": "gh api -X DELETE u|gh api u",
	"kubectl": "kubectl describe x --kubeconfig y|kubectl describe x", "aws": "aws s3 ls --endpoint-url=x|aws s3 ls", "docker run": "docker run -v /:/h x|docker run x",
	"terraform": "terraform plan -chdir=x|terraform plan", "python": "python3.11 -c x|python3 x.py", "pypy": "pypy3 -m x|pypy3 x.py", "node": "node --eval x|node x.js",
	"perl": "perl -pi x|perl x.pl", "ruby": "ruby -e x|ruby x.rb", "php": "php -r x|php x.php", "lua": "lua -e x|lua x.lua", "deno": "deno eval x|deno lint",
	"bun": "bun -e x|bun x.ts", "awk": "gawk '{print > \"f\"}'|awk '{print $1}' f", "tee": "tee f|tee", "dd": "dd if=a of=b|dd if=a", "uniq": "uniq a b|uniq a",
	"git switch": "git switch -C x|git switch x", "git checkout": "git checkout -f|git checkout x", "git merge-index": "git merge-index -a|", "git send-email": "git send-email x|", "git instaweb": "git instaweb|",
	"git checkout-index": "git checkout-index --prefix=x/ -a|git checkout-index f", "git bundle": "git bundle create f|git bundle verify f",
	"git bugreport": "git bugreport -o f|git bugreport", "git index-pack": "git index-pack -o f x|git index-pack x", "git read-tree": "git read-tree --index-output=f x|git read-tree x",
	"git fast-export": "git fast-export --export-marks=f x|git fast-export x", "git worktree": "git worktree add d|git worktree list",
	"git cherry-pick": "git cherry-pick --strategy=x y|git cherry-pick y", "git revert": "git revert --strategy=x y|git revert y",
	"go tool": "go tool compile f|", "go mod": "go mod vendor -o d|go mod tidy", "git rev-list": "git rev-list --output=f HEAD|git rev-list HEAD", "git diff-tree": "git diff-tree --output=f HEAD|git diff-tree HEAD",
	"git diff-index": "git diff-index --ext-diff HEAD|git diff-index HEAD", "git diff-files": "git diff-files --output f|git diff-files",
	"git range-diff": "git range-diff --output=f a b c|git range-diff a b c", "git init": "git init --template=x|git init x",
	"shuf": "shuf -o f|shuf f", "iconv": "iconv -o f x|iconv x", "sdiff": "sdiff --diff-program=x a b|sdiff a b", "bat": "bat --pager x f|bat f",
	"gcc": "gcc -o f x|gcc -E x", "cmake": "cmake -P x|cmake --version", "ctest": "ctest -S x|ctest", "ninja": "ninja -C x|ninja",
	"gradle": "gradle test -I x|gradle test", "nm": "nm --plugin=x f|nm f", "git cat-file": "git cat-file --textconv x|git cat-file -p x",
	"go": "go doc -C x y|go doc x", "docker": "docker ps --config x|docker ps", "helm": "helm get x --kubeconfig y|helm list", "pip": "pip list --log f|pip list",
	"jest": "jest --globalSetup x|jest src", "vitest": "vitest run --config x|vitest run", "golangci-lint": "golangci-lint run --output.text.path=x|golangci-lint run",
	"ruff": "ruff check --fix|ruff check", "mypy": "mypy --install-types|mypy src", "flake": "flake8 --output-file=x|flake8 src", "tsc": "tsc --noEmit false|tsc --noEmit",
	"mvn": "mvn -f x test|mvn test", "more": "more +!x f|more f",
	"export": "export PATH=x|export", "declare": "declare x=1|declare", "typeset": "typeset x=1|typeset", "readonly": "readonly x=1|readonly",
	"local": "local x=1|local", "set": "set -x|set", "shopt": "shopt -s x|shopt", "unset": "unset PATH|unset",
}

func TestEscalates(t *testing.T) {
	for name, row := range dangers {
		test, ok := dangerTests[name]
		if !ok {
			t.Errorf("the row %q has no test", name)
			continue
		}
		bad, good, _ := cutLast(test)
		if bad != "" && !lastEscalates(bad) {
			t.Errorf("%s: does not escalate", bad)
		}
		if good != "" && lastEscalates(good) {
			t.Errorf("%s: escalates", good)
		}
		if row.why == "" {
			t.Errorf("%s: no reason", name)
		}
		if !KnownDangerous(name) {
			t.Errorf("%s: not known as dangerous", name)
		}
	}
}

func cutLast(s string) (string, string, bool) {
	i := strings.LastIndexByte(s, '|')
	return s[:i], s[i+1:], true
}

// lastEscalates asks for the outermost form of the last command.
func lastEscalates(text string) bool {
	list := Parse(text, Bash).Commands
	c := list[len(list)-1]
	for c.Outer != nil {
		c = c.Outer
	}
	_, ok := Escalates(c)
	return ok
}

func TestSpecialOperands(t *testing.T) {
	tests := map[string]bool{
		"tar xf a.tar": true, "tar tf a.tar": false, "sed 1d f": false, "sed 's/a/b/g;2p' f": false, "sed 's/a/b/e' f": true, "sed 's/a/b/w f' g": true,
		"sed -e 1p -e '1e id' f": true, "sed --expression='1e id' f": true, "sed -ne 1p f": true, "sed '1w f' g": true, "sed -f s f": true, "sed --in-place s/a/b/ f": true,
		"sed 's|a|b|' f": false, "sed '/a/,/b/p' f": false, "sed '$p' f": false, "sed 'r f' g": true, "awk -F: '{print $1}' f": false, "awk -f p f": true,
		"git -C x status": true, "git --no-pager status": false, "kubectl --context c get x": true, "terraform -chdir=x plan": true,
	}
	got := map[string]bool{}
	for text := range tests {
		got[text] = lastEscalates(text)
	}
	if diff := cmp.Diff(tests, got); diff != "" {
		t.Error(diff)
	}
}

func TestKnownDangerous(t *testing.T) {
	tests := map[string]bool{
		"find": true, "python3.12": true, "/usr/bin/env": true, "xargs": true, "bash": true, "git": true, "git log": true, "git status": false, "ls": false,
		"npm": true, "npx": true, "make": true, "cat": false, "echo": false, "go test": true, "sudo": true, "ssh": true, "": false,
	}
	got := map[string]bool{}
	for name := range tests {
		got[name] = KnownDangerous(name)
	}
	if diff := cmp.Diff(tests, got); diff != "" {
		t.Error(diff)
	}
}
