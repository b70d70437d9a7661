package command

import "strings"

// danger is a program, or a subcommand, with arguments that make it write a
// file, run another program or change where it acts, so that a rule that
// allows it by its first words must not cover them.
type danger struct {
	name    string // program, or "program subcommand"
	letters string // short options, also bundled
	long    string // long options, also abbreviated
	words   string // whole words
	always  bool   // whatever its arguments are, unless a pattern names the subcommand
	why     string
}

// dangers is the table of spec CMD-14. Each row has a test.
var dangers = dangerIndex([]danger{
	{name: "find", words: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls", why: "runs commands, deletes or writes"},
	{name: "fd", letters: "xX", long: "exec exec-batch", why: "runs commands"},
	{name: "sort", letters: "oT", long: "output compress-program temporary-directory files0-from", why: "writes a file or runs a program"},
	{name: "sed", letters: "ifI", long: "in-place file", why: "edits files or reads its script from a file"},
	{name: "tar", letters: "IFxcruPgA", long: "index-file listed-incremental volno-file catenate concatenate to-command use-compress-program checkpoint-action info-script new-volume-script rsh-command rmt-command extract get create append update delete", why: "runs programs or writes files"},
	{name: "zip", letters: "T", long: "test unzip-command", why: "runs a program"},
	{name: "rsync", letters: "eM", long: "rsh rsync-path remote-option delete remove-source-files", why: "runs a program or deletes files"},
	{name: "scp", letters: "oSFJD", why: "runs a program"},
	{name: "sftp", letters: "oSFJDb", why: "runs a program"},
	{name: "curl", letters: "oOKTDcFdQXwxbE", long: "output remote-name remote-name-all config upload-file dump-header cookie-jar trace trace-ascii stderr libcurl output-dir etag-save hsts alt-svc form data data-binary data-raw data-urlencode json request quote unix-socket abstract-unix-socket proxy preproxy connect-to resolve doh-url write-out expand variable url-query ssl-sessions engine cert cookie netrc-file header-file", why: "writes a file, reads options from one, or sends data"},
	{name: "wget", letters: "OoaiPe", long: "output-document output-file append-output input-file directory-prefix execute use-askpass post-file post-data body-file method config", why: "writes a file or runs a program"},
	{name: "javac", words: "-processor -processorpath --processor-path --processor-module-path -d -s -h", letters: "J", why: "runs an annotation processor or writes files"},
	{name: "java", words: "-jar -cp -classpath -javaagent --class-path", why: "runs code"},
	{name: "rg", letters: "z", long: "pre hostname-bin search-zip", why: "runs a program"},
	{name: "ag", long: "pager", why: "runs a program"},
	{name: "ack", long: "pager output", why: "runs a program"},
	{name: "less", letters: "oOk", long: "log-file LOG-FILE lesskey-file", why: "writes a file"},
	{name: "man", letters: "PHC", long: "pager html config-file", why: "runs a program"},
	{name: "tree", letters: "oR", long: "output", why: "writes a file"},
	{name: "file", letters: "Cm", long: "compile magic-file", why: "writes a file"},
	{name: "date", letters: "s", long: "set", why: "sets the clock"},
	{name: "yq", letters: "i", long: "inplace", why: "edits files"},
	{name: "xxd", letters: "r", long: "revert", why: "writes a file"},
	{name: "diff", long: "to-file from-file output", why: "writes a file"},
	{name: "openssl", words: "-out -engine -provider -keyout", why: "writes a file or loads code"},
	{name: "gofmt", letters: "w", words: "-w -cpuprofile", why: "edits files"},
	{name: "prettier", letters: "w", long: "write plugin config cache-location", why: "edits files or loads code"},
	{name: "eslint", letters: "ocf", long: "fix init output-file config rulesdir resolve-plugins-relative-to plugin format parser cache-location cache-file", why: "edits files or loads code"},
	{name: "pytest", letters: "pcoW", long: "rootdir confcutdir basetemp junitxml junit-xml override-ini log-file debug report-log pastebin", why: "loads code or writes files"},
	{name: "dmesg", letters: "cCDEn", long: "clear read-clear", why: "changes the log"},
	{name: "journalctl", long: "vacuum-size vacuum-time vacuum-files rotate flush", why: "deletes logs"},
	{name: "hostname", letters: "Fb", long: "file", why: "sets the name"},
	{name: "ip", words: "netns -batch -b -force", why: "runs commands"},
	{name: "split", long: "filter", why: "runs a program"},
	{name: "printf", letters: "v", why: "assigns a variable"},
	{name: "history", letters: "cdawrn", why: "writes a file"},
	{name: "psql", letters: "cfoLv", long: "command file output log-file set", why: "runs statements"},
	{name: "sqlite", letters: "c", words: "-cmd -init", why: "runs statements"},
	{name: "make", letters: "fCIEe", long: "file makefile directory eval include-dir environment-overrides", why: "runs another makefile"},

	{name: "git diff", letters: "O", long: "output ext-diff textconv no-index", why: "writes a file or runs a program"},
	{name: "git log", letters: "O", long: "output ext-diff textconv", why: "writes a file or runs a program"},
	{name: "git show", letters: "O", long: "output ext-diff textconv", why: "writes a file or runs a program"},
	{name: "git blame", long: "output contents textconv", why: "writes a file"},
	{name: "git shortlog", long: "output", why: "writes a file"},
	{name: "git whatchanged", letters: "O", long: "output ext-diff textconv", why: "writes a file or runs a program"},
	{name: "git stash", long: "output ext-diff", why: "writes a file or runs a program"},
	{name: "git reflog", words: "expire delete", long: "output", why: "deletes history"},
	{name: "git grep", letters: "O", long: "open-files-in-pager textconv", why: "runs a program"},
	{name: "git fetch", letters: "f", long: "upload-pack force", why: "runs a program"},
	{name: "git pull", letters: "s", long: "upload-pack strategy", why: "runs a program"},
	{name: "git clone", letters: "uc", long: "upload-pack config template separate-git-dir", why: "runs a program"},
	{name: "git ls-remote", long: "upload-pack exec", why: "runs a program"},
	{name: "git push", letters: "fd", long: "receive-pack exec force mirror delete prune", why: "overwrites what others have, or runs a program"},
	{name: "git archive", letters: "o", long: "output exec remote", why: "writes a file or runs a program"},
	{name: "git format-patch", letters: "o", long: "output-directory output", why: "writes files"},
	{name: "git rebase", letters: "xs", long: "exec strategy", why: "runs a program"},
	{name: "git merge", letters: "s", long: "strategy", why: "runs a program"},
	{name: "git bisect", words: "run", why: "runs a program"},
	{name: "git difftool", letters: "x", long: "extcmd", why: "runs a program"},
	{name: "git submodule", words: "foreach", why: "runs a command"},
	{name: "git branch", letters: "dDmMcCfut", long: "track delete move copy force edit-description set-upstream-to unset-upstream", why: "changes branches"},
	{name: "git tag", letters: "dfF", long: "delete force file", why: "changes tags"},
	{name: "git remote", words: "add remove rm rename set-url set-head set-branches prune update", why: "changes remotes"},
	{name: "git config", letters: "ef", long: "add unset unset-all replace-all edit file global system rename-section remove-section", words: "set unset edit", why: "changes configuration"},

	{name: "git switch", letters: "Cf", long: "force-create force discard-changes", why: "throws changes away"},
	{name: "git checkout", letters: "fB", long: "force", why: "throws changes away"},
	{name: "git merge-index", always: true, why: "runs a program"},
	{name: "git send-email", always: true, why: "runs a program"},
	{name: "git instaweb", always: true, why: "runs a program"},
	{name: "git checkout-index", long: "prefix", why: "writes files"},
	{name: "git bundle", words: "create", why: "writes a file"},
	{name: "git bugreport", letters: "o", long: "output-directory", why: "writes a file"},
	{name: "git index-pack", letters: "o", why: "writes a file"},
	{name: "git read-tree", long: "index-output", why: "writes a file"},
	{name: "git fast-export", long: "export-marks", why: "writes a file"},
	{name: "git worktree", words: "add move", why: "writes files"},
	{name: "git cherry-pick", long: "strategy", why: "runs a program"},
	{name: "git revert", long: "strategy", why: "runs a program"},
	{name: "go tool", always: true, why: "runs programs that write files"},
	{name: "go mod", words: "-o", why: "writes files"},
	{name: "git rev-list", long: "output", why: "writes a file"},
	{name: "git diff-tree", letters: "O", long: "output ext-diff textconv", why: "writes a file or runs a program"},
	{name: "git diff-index", letters: "O", long: "output ext-diff textconv", why: "writes a file or runs a program"},
	{name: "git diff-files", letters: "O", long: "output ext-diff textconv", why: "writes a file or runs a program"},
	{name: "git range-diff", long: "output ext-diff textconv", why: "writes a file or runs a program"},
	{name: "git init", long: "template separate-git-dir", why: "brings hooks along"},
	{name: "shuf", letters: "o", long: "output", why: "writes a file"},
	{name: "iconv", letters: "o", long: "output", why: "writes a file"},
	{name: "sdiff", letters: "o", long: "output diff-program", why: "writes a file or runs a program"},
	{name: "bat", long: "pager", why: "runs a program"},
	{name: "gcc", letters: "oBx", words: "-wrapper -specs", why: "writes files or runs programs"},
	{name: "cmake", letters: "PEB", long: "build install", why: "runs commands or writes files"},
	{name: "ctest", letters: "S", why: "runs commands"},
	{name: "ninja", letters: "Cf", why: "runs another build"},
	{name: "gradle", letters: "Ip", long: "init-script project-dir", why: "runs another build"},
	{name: "nm", long: "plugin", why: "loads code"},
	{name: "git cat-file", long: "textconv filters", why: "runs a program"},

	{name: "go", words: "-C -toolexec -overlay -modfile -pkgdir -ldflags -gcflags -asmflags -gccgoflags -vettool -exec -debug-trace -debug-actiongraph -debug-runtime-trace -compiler", why: "runs a program, writes files or acts elsewhere"},
	{name: "go test", words: "-o -c -cpuprofile -memprofile -blockprofile -mutexprofile -coverprofile -trace -outputdir -test.cpuprofile -test.memprofile -test.blockprofile -test.mutexprofile -test.coverprofile -test.trace -test.outputdir -test.testlogfile -test.gocoverdir -test.fuzzcachedir", why: "runs a program or writes files"},
	{name: "go build", words: "-o", why: "runs a program or writes a file"},
	{name: "go vet", words: "-fix", why: "runs a program"},
	{name: "go list", words: "-export", why: "runs a program"},
	{name: "go env", words: "-w -u", why: "changes configuration"},
	{name: "go generate", always: true, why: "runs commands of the sources"},
	{name: "cargo", letters: "C", long: "config lockfile-path manifest-path target-dir out-dir artifact-dir fix logfile emit", why: "runs with another configuration"},
	{name: "npm", long: "script-shell prefix node-options userconfig globalconfig cache logs-dir git editor viewer browser shell python", letters: "C", why: "runs another program"},
	{name: "pnpm", long: "script-shell dir config", letters: "C", why: "runs another program"},
	{name: "yarn", long: "cwd script-shell use-yarnrc", why: "runs another program"},
	{name: "gh api", letters: "XfF", long: "method field raw-field input", why: "sends data"},
	{name: "kubectl", letters: "s", long: "kubeconfig token as as-group cache-dir profile-output server", why: "runs the login program of another configuration"},
	{name: "aws", long: "endpoint-url cli-input-json cli-input-yaml", why: "sends data elsewhere"},
	{name: "docker run", letters: "v", long: "privileged volume mount pid net network device cap-add security-opt userns", why: "reaches the host"},
	{name: "docker", long: "config host context", why: "acts elsewhere"},
	{name: "helm", long: "kubeconfig post-renderer kube-token kube-apiserver kube-context", why: "runs a program or acts elsewhere"},
	{name: "pip", letters: "t", long: "log log-file target prefix root src cache-dir python", why: "writes files"},
	{name: "jest", letters: "c", long: "config outputFile globalSetup globalTeardown testRunner runner transform setupFiles setupFilesAfterEnv reporters cacheDirectory", why: "loads code or writes files"},
	{name: "vitest", letters: "c", long: "config outputFile globalSetup root", why: "loads code or writes files"},
	{name: "golangci-lint", letters: "c", long: "config fix output out-format cpu-profile-path mem-profile-path trace-path", why: "edits or writes files"},
	{name: "ruff", letters: "o", long: "output-file fix fix-only unsafe-fixes add-noqa config cache-dir", why: "edits or writes files"},
	{name: "mypy", long: "install-types python-executable config-file junit-xml cache-dir any-exprs-report cobertura-xml-report html-report linecount-report txt-report xml-report", why: "runs a program or writes files"},
	{name: "flake", long: "output-file config append-config tee", why: "writes files or loads code"},
	{name: "tsc", words: "false", long: "generatetrace generatecpuprofile outdir outfile declarationdir tsbuildinfofile init", why: "writes files"},
	{name: "mvn", letters: "fslD", long: "file settings log-file define", why: "runs with another configuration"},
	{name: "more", why: "runs a command of a word that begins with +"},
	{name: "terraform", words: "-chdir -out -state -state-out -backup -plugin-dir -config-path", why: "acts elsewhere or writes files"},

	{name: "python", letters: "cmi", words: "-", why: "runs code from its arguments or input"},
	{name: "pypy", letters: "cmi", words: "-", why: "runs code"},
	{name: "node", letters: "epri", long: "eval print require import loader experimental-loader", words: "-", why: "runs code"},
	{name: "perl", letters: "eEMmiIx", words: "-", why: "runs code"},
	{name: "ruby", letters: "erIix", words: "-", why: "runs code"},
	{name: "php", letters: "rBREad", words: "-", why: "runs code"},
	{name: "lua", letters: "eli", words: "-", why: "runs code"},
	{name: "deno", words: "eval repl", why: "runs code"},
	{name: "bun", letters: "er", long: "eval preload", why: "runs code"},
	{name: "awk", letters: "fiElD", long: "file include exec load", why: "runs commands or writes files"},
	{name: "tee", why: "writes its operands"},
	{name: "dd", why: "writes files"},
	{name: "uniq", why: "writes its second operand"},
	{name: "export", why: "changes the environment of what follows"},
	{name: "declare", why: "changes variables"},
	{name: "typeset", why: "changes variables"},
	{name: "readonly", why: "changes variables"},
	{name: "local", why: "changes variables"},
	{name: "set", why: "changes the shell"},
	{name: "shopt", why: "changes the shell"},
	{name: "unset", why: "changes the environment of what follows"},
})

func dangerIndex(rows []danger) map[string]*danger {
	index := make(map[string]*danger, len(rows))
	for i := range rows {
		index[rows[i].name] = &rows[i]
	}
	return index
}

// Escalates reports whether a command's arguments are known to make its program
// write a file or run another one, and why. It looks at one form, the one
// given.
func Escalates(c *Command) (reason string, ok bool) { return escalates(c, 0) }

// KnownDangerous reports whether allowing a program by its name alone allows it to
// write files or run other programs. program may be followed by a subcommand.
func KnownDangerous(program string) bool {
	name, sub, _ := strings.Cut(program, " ")
	name = versionless(programName(name))
	if wrappers[name] != nil && name != "git" || codeFlags[name].letters != "" || isAwk(name) {
		return true
	}
	if row := dangers[strings.TrimSpace(name+" "+sub)]; row != nil {
		return true
	}
	return sub == "" && (subcommands(name) || name == "git" || name == "go" || name == "docker" || name == "kubectl")
}
