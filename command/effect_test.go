package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// effectTests has for each name in a table a command for which the answer is yes
// and, after "|", one of the same program for which it is no ("" for none).
type effectTests map[string]string

func (tests effectTests) run(t *testing.T, table map[string]*effect, ask func(*Command) bool) {
	t.Helper()
	for name, row := range table {
		test, ok := tests[name]
		if !ok || row.why == "" {
			t.Errorf("the name %q has no test or no reason", name)
			continue
		}
		yes, no, _ := strings.Cut(test, "|")
		if !ask(outermost(t, yes)) {
			t.Errorf("%s: no", yes)
		}
		if no != "" && ask(outermost(t, no)) {
			t.Errorf("%s: yes", no)
		}
	}
	if len(tests) != len(table) {
		t.Errorf("%d tests for %d names", len(tests), len(table))
	}
}

// outermost is the outermost form of the last command.
func outermost(t *testing.T, text string) *Command {
	t.Helper()
	c := lastCommand(t, text)
	for c.Outer != nil {
		c = c.Outer
	}
	return c
}

func answers(t *testing.T, tests map[string]bool, ask func(*Command) bool) {
	t.Helper()
	got := map[string]bool{}
	for text := range tests {
		got[text] = ask(outermost(t, text))
	}
	if diff := cmp.Diff(tests, got); diff != "" {
		t.Error(diff)
	}
}

// TestIgnoresFiles covers CMD-20.
func TestIgnoresFiles(t *testing.T) {
	effectTests{
		"echo": "echo $X .env", "printf": "printf %s a", "true": "true a", "false": "false", ":": ": a", "exit": "exit 1", "return": "return 1", "break": "break",
		"continue": "continue 2", "shift": "shift", "sleep": "sleep 1", "kill": "kill -9 $$", "wait": "wait", "jobs": "jobs", "umask": "umask 022", "ulimit": "ulimit -n",
		"seq": "seq 3", "expr": "expr 1 + 2", "basename": "basename a/b", "dirname": "dirname $f", "tr": "tr a b", "pwd": "pwd", "whoami": "whoami", "id": "id u",
		"groups": "groups", "uname": "uname -a", "arch": "arch", "nproc": "nproc", "tty": "tty", "printenv": "printenv HOME", "date": "date -u +%F|date -r f",
		"type": "type a", "which": "which a", "test": "test -f .env", "[": "[ -f .env ]",
	}.run(t, ignoring, (*Command).IgnoresFiles)
	answers(t, map[string]bool{
		"./echo x": false, "/bin/echo x": true, "/usr/bin/printf x": true, "$X a": false, "cat x": false, "PATH=/x echo": false, "LC_ALL=C echo x": true,
		"x=1 echo a": true, "date $X": false, "date --ref=f": false, "date --file f": false, "hash -p f x": false, "ECHO x": false,
	}, (*Command).IgnoresFiles)
}

// TestOnlyReads covers CMD-20.
func TestOnlyReads(t *testing.T) {
	effectTests{
		"cat": "cat .env $X|./cat a", "tac": "tac f", "nl": "nl f", "rev": "rev f", "head": "head -n 5 f", "tail": "tail -f f", "less": "less f|less -o a f", "more": "more f|more +x f",
		"fold": "fold f", "column": "column f", "strings": "strings f", "od": "od f", "hexdump": "hexdump f", "grep": "grep -r $X f", "egrep": "egrep x f", "fgrep": "fgrep x f",
		"rg": "rg x f|rg --pre=x y", "ag": "ag x|ag --pager x", "cut": "cut -f1 f", "paste": "paste a b", "comm": "comm a b", "join": "join a b", "sort": "sort -u f|sort -o f f", "jq": "jq . f",
		"uniq": "uniq f|uniq a b", "sed": "sed -n 1,5p f|sed -I '' s/a/b/ f", "awk": "awk '{print $1}' f|awk '{print > $1}' f", "gawk": "gawk 1 f|gawk -i inplace 1 f", "mawk": "mawk 1 f",
		"nawk": "nawk 1 f", "base64": "base64 f|base64 -o a f", "wc": "wc -l f", "cksum": "cksum f", "sum": "sum f", "md5sum": "md5sum -c f", "sha1sum": "sha1sum f", "sha224sum": "sha224sum f",
		"sha256sum": "sha256sum f", "sha384sum": "sha384sum f", "sha512sum": "sha512sum f", "b2sum": "b2sum f", "diff": "diff -r a b|diff --output=x a b", "cmp": "cmp a b",
		"ls": "ls -la d", "tree": "tree d|tree -o f d", "du": "du d", "df": "df d", "stat": "stat f", "file": "file f|file -C -m f", "readlink": "readlink f", "realpath": "realpath f",
		"find": "find d -name x|find d -delete", "fd": "fd x|fd x -X rm", "date": "date -r f|date -s x", "cd": "cd d", "pushd": "pushd d", "gofmt": "gofmt -l .|gofmt -w .",
		"git status": "git status $X", "git diff": "git diff HEAD|git diff --output=f", "git log": "git log|git log --outp f", "git show": "git show HEAD:f", "git blame": "git blame f|git blame --contents f g",
		"git shortlog": "git shortlog", "git describe": "git describe", "git ls-files": "git ls-files", "git ls-tree": "git ls-tree HEAD", "git ls-remote": "git ls-remote o|git ls-remote --exec=x o",
		"git grep": "git grep x|git grep -O x", "git rev-parse": "git rev-parse HEAD", "git rev-list": "git rev-list HEAD", "git cat-file": "git cat-file -p HEAD", "git merge-base": "git merge-base a b",
		"git name-rev": "git name-rev a", "git show-ref": "git show-ref", "git for-each-ref": "git for-each-ref", "git check-ignore": "git check-ignore f", "git reflog": "git reflog|git reflog expire",
		"git add": "git add f", "git commit": "git commit -m x f", "git fetch": "git fetch o", "git branch": "git branch|git branch -D x", "git tag": "git tag v1|git tag -d v1", "git remote": "git remote -v|git remote add a b",
		"go vet": "go vet ./...|go vet -fix ./...", "go list": "go list ./...|go -C d list", "go version": "go version f", "go doc": "go doc fmt", "go env": "go env|go env -w A=b",
		"policyctl check": "policyctl check f|policyctl fmt f", "policyctl explain": "policyctl explain x", "policyctl decide": "policyctl decide", "policyctl test": "policyctl test f",
		"policyctl lint": "policyctl lint f", "policyctl version": "policyctl version", "policyctl log": "policyctl log|policyctl --policy log fmt",
	}.run(t, reading, (*Command).OnlyReads)
	answers(t, map[string]bool{
		"echo x": true, "rm x": false, "git push": false, "go test ./...": false, "git -C d status": false, "git --no-pager log": true, "git $x status": false,
		"sort $X": false, "sort a$X": false, `sort "a$X"`: true, "sort *.txt": false, "sort d/*.txt": true, "sort [a]": false, `rg x "$d"`: false, "sed -n p*": false, "sed -n 1p d/*": false,
		"uniq a*": false, `awk 1 "a$x"`: false, "GIT_PAGER=rm git log": false, "less '+!rm x' f": false, "$X f": false, "timeout 5 cat f": false, "tee f": false,
	}, (*Command).OnlyReads)
}

// TestRecursive covers CMD-21.
func TestRecursive(t *testing.T) {
	effectTests{
		"rm": "rm -fr d|rm -f d", "rimraf": "rimraf d", "trash": "trash d", "cp": "cp -a d e|cp d e", "scp": "scp -r d h:|scp f h:", "rsync": "rsync d e", "ditto": "ditto d e", "mv": "mv d e",
		"chmod": "chmod -R 700 d|chmod 700 d", "chown": "chown --recursive u d|chown u d", "chgrp": "chgrp -R g d|chgrp g d", "grep": "grep -rn x d|grep -n x d", "egrep": "egrep -R x d|egrep x d",
		"fgrep": "fgrep --dereference x d|fgrep x d", "rgrep": "rgrep x d", "ack": "ack x d", "rg": "rg -uu x d|rg x d", "ag": "ag --hidden x d|ag x d", "tar": "tar cf a d", "unzip": "unzip a",
		"7z": "7z a b d", "7za": "7za a b d", "zip": "zip -qr a d|zip a f", "diff": "diff -ru d e|diff -u d e", "find": "find d -exec cat {} +|find d -name x", "gfind": "gfind d -delete|gfind d -name x",
		"gzip": "gzip -kr d|gzip f", "zstd": "zstd -r d|zstd f", "xz": "xz -r d|xz f", "bzip2": "bzip2 -r d|bzip2 f", "ugrep": "ugrep -r x d|ugrep x d", "ug": "ug -R x d|ug x d",
		"pcregrep": "pcregrep -r x d|pcregrep x d", "pcre2grep": "pcre2grep -r x d|pcre2grep x d", "zgrep": "zgrep -r x d|zgrep x d",
		"git diff": "git diff --no-index d e|git diff", "git grep": "git grep --untracked x d|git grep x",
		"git clean": "git clean -f", "git rm": "git rm -r d|git rm f", "git mv": "git mv d e", "git checkout": "git -C x checkout d", "git restore": "git restore d", "git stash": "git stash",
		"docker cp": "docker cp d c:", "podman cp": "podman cp d c:", "kubectl cp": "kubectl -n x cp d c:", "aws s3": "aws s3 cp --recursive d e|aws s3 cp d e",
	}.run(t, reaching, (*Command).Recursive)
	answers(t, map[string]bool{
		"rm -R d": true, "rm --rec d": true, "/bin/rm -r d": true, "./RM -r d": true, "rm d -r": true, "rm -- -r": false, "rm -f -- -r": false, "rm $X": true, `rm "$f"`: true, `rm -f -- "$f"`: false,
		`rm "a$f"`: false, "rm a$f": true, "rm *": true, "rm d/*": false, "grep -e -- -r d": true, "grep -d recurse x d": true, "rg --no-ignore x": true, "rg -. x": true, "aws s3 sync d e": true,
		"find d -print $X": true, "find -- d -delete": true, "ls -R d": false, "du d": false, "rmdir d": false, "ln -s d e": false, "git status": false, "git $x": false, "$X -r d": false, "tree d": false,
		"cp -t -- -r d": true,
	}, (*Command).Recursive)
}

// TestWorksInDir covers CMD-21.
func TestWorksInDir(t *testing.T) {
	answers(t, map[string]bool{
		"git clean -fd": true, "git clean -fd d": false, "git clean -f -e x": true, "git clean -f -e x d": false, "git clean -f -- d": false, "git clean --new d": true, "git clean -f $X": true,
		"git clean -f d/*": false, `git clean -f "d$x"`: false,
		"grep -r x": true, "grep -r x d": false, "grep -r -A 3 x": true, "grep -rA3 x d": false, "grep -r -e x": true, "grep -re x d": false, "grep -r --new x d": true, "grep -r x $D": true, "grep x": false,
		`grep -r x "$D"`: true, `grep -r x "d$D"`: false, "grep -r x d/*": false, "grep -r -- x d": false, "egrep -r x": true, "fgrep -r x": true,
		"rg x": false, "rg -u x": true, "rg -u x d": false, "rg -uu x": true, "rg --hidden x": true, "ag -u x": true, "ag -u x d": false, "rgrep x": true, "ack x": true,
		"find -delete": true, "find d -delete": false, "find -name x -delete": true, "gfind -delete": true,
		"rm -r d": false, "mv a b": false, "tar xf a": false, "git stash": false, "git rm -r d": false,
	}, (*Command).WorksInDir)
}
