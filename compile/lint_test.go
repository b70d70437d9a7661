package compile

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
)

// lintCatalog has two shells, and operations without a shell.
func lintCatalog(t *testing.T) *catalog.Catalog {
	t.Helper()
	known, findings := catalog.Parse("catalog.json", []byte(`{"providers": {
  "": {"operations": {"bash": {"kind": "resource", "risk": "high", "roles": {"command": ["/command"]}}}},
  "term": {"operations": {"write": {"kind": "resource", "risk": "high", "roles": {"command": ["/text"]}}}},
  "fs": {"operations": {
    "read_file": {"kind": "data_source", "risk": "read_only", "roles": {"path": ["/path"]}},
    "write_file": {"kind": "resource", "risk": "moderate", "roles": {"path": ["/path"]}}}},
  "web": {"operations": {"fetch": {"kind": "data_source", "risk": "read_only", "roles": {"url": ["/url"]}}}}
}}`))
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	return known
}

func lintMarked(t *testing.T, known *catalog.Catalog, marked string) {
	t.Helper()
	for _, d := range checkMarked(t, known, marked, (*compiler).lintConditions) {
		if d.Severity != plangate.SeverityWarning {
			t.Errorf("%s is an error", d.Code)
		}
	}
}

func commandBlock(action, list string) string {
	return fmt.Sprintf("policy \"p\" {\n  match   = { operation = \"bash\" }\n  command = %s\n  action  = %q\n}\n", list, action)
}

func TestLintCommands(t *testing.T) {
	for name, list := range map[string]string{
		"bare":                 `«bare_program|["sort", "ls", "git", "find"]»`,
		"bare with a star":     `«bare_program|"curl *"»`,
		"whole list":           `["=sort", "=sort -u x"]`,
		"nothing dangerous":    `["ls", "cat", "grep *", "echo"]`,
		"shells":               `[«interpreter|"bash"», «interpreter|"sh -c"», «interpreter|"zsh *"», «interpreter|"bash -c *"», "bash build.sh"]`,
		"interpreters":         `[«interpreter|"python3"», «interpreter|"python3 *"», «interpreter|"node -e"», «interpreter|"/usr/bin/perl"», «interpreter|"python3.12"», «interpreter|"deno run"», "python3 script.py", "python3 -m pytest", "node build.js *"]`,
		"scripts with a star":  `[«interpreter|"python3 *.py"», «interpreter|"bash scripts/*"», "npm run test:*"]`,
		"package runners":      `[«interpreter|"npx"», «interpreter|"npm"», «interpreter|"npm run"», «interpreter|"npm run *"», «interpreter|"yarn dlx"», «interpreter|"pnpm exec *"», «interpreter|"uvx"», «interpreter|"pipx run"», "npm run test", "npm test", "npx eslint"]`,
		"targets":              `[«interpreter|"make"», «interpreter|"make *"», "make test", "=make"]`,
		"containers":           `[«interpreter|"docker run"», «interpreter|"docker exec web"», "docker run alpine", "docker exec web ls", "docker ps"]`,
		"wrappers":             `[«interpreter|"env"», «interpreter|"sudo"», «interpreter|"xargs *"», «interpreter|"eval"», «interpreter|"source"», «interpreter|"ssh"», «interpreter|"ssh host *"», "ssh host uptime"]`,
		"reads its input":      `[«interpreter|"=python3"», «interpreter|"=bash"», «interpreter|"=ssh host"», "=env"]`,
		"only tells":           `["python3 --version", "node -v", "=npm --version"]`,
		"middle star":          `[«middle_star|"git * main"», «middle_star|"=git * main"», «middle_star|"git** status"», «middle_star|"g* status"»]`,
		"star at the end":      `["git diff *", "cp * *", "git push origin feature/*", "npm run test:* --silent"]`,
		"star that is quoted":  `["grep '*' x", "grep a\\* x"]`,
		"star inside a word":   `["git push feat* main"]`,
		"refused value":        `["a; b", «interpreter|"bash"»]`,
		"words of the shell":   `["if", "! x", "A=1 x"]`,
		"text for a shell":     `["bash -c 'a; b'"]`,
		"case and file suffix": `[«interpreter|"Python.EXE"»]`,
	} {
		t.Run(name, func(t *testing.T) { lintMarked(t, nil, commandBlock("allow", list)) })
	}
}

func TestCommandsThatRestrictMayBeWide(t *testing.T) {
	for _, action := range []string{"deny", "ask", "hook"} {
		lintMarked(t, nil, commandBlock(action, `["git * main", "bash", "sort"]`))
	}
	lintMarked(t, nil, "guard \"g\" {\n  command = [\"git * main\", \"python3\"]\n  action = \"deny\"\n}\n")
}

func TestLintPathHints(t *testing.T) {
	for name, test := range map[string]struct{ action, list string }{
		"end anchor":     {"deny", `["**/*.pem", «path_hint|"**/*.env"»]`},
		"templates":      {"deny", `[«path_hint|"**/.env.*"»]`},
		"root only":      {"ask", `[«path_hint|"*.pem"», "/etc/**"]`},
		"two directions": {"ask", `«path_hint,path_hint|".env"»`},
		"complete":       {"deny", `["**/.env*", "**/id_*"]`},
		"allow":          {"allow", `["**/*.env"]`},
	} {
		t.Run(name, func(t *testing.T) {
			lintMarked(t, nil, fmt.Sprintf("policy \"p\" {\n  match  = { operation = \"read_file\" }\n  path   = %s\n  action = %q\n}\n", test.list, test.action))
		})
	}
}

// shellPolicy is about all shells of lintCatalog.
const shellPolicy = `policy "shells" {
  match  = { operation = ["bash", "write"] }
  action = "ask"
}
`

func TestLintOperations(t *testing.T) {
	for name, marked := range map[string]string{
		"path without command": `policy "p" {
  match  = { kind = "resource" }
  path   = «path_only|["src/**"]»
  action = "allow"
}
`,
		"path with command": `policy "p" {
  match   = { kind = "resource" }
  path    = ["src/**"]
  command = ["ls"]
  action  = "allow"
}
`,
		"path with grant": `policy "p" {
  match  = { kind = "resource" }
  path   = ["src/**"]
  grant  = ["git-commit"]
  action = "allow"
}
`,
		"path without shell": `policy "p" {
  match  = { provider = "fs" }
  path   = ["src/**"]
  action = "allow"
}
` + shellPolicy,
		"no such argument": `policy "p" {
  match   = { operation = "fetch" }
  command = «no_such_argument|["ls"]»
  path    = «no_such_argument|"src/**"»
  host    = "example.com"
  grant   = «no_such_argument|["git-commit"]»
  action  = "allow"
}
` + shellPolicy,
		"argument of some": `policy "p" {
  match  = { operation = ["fetch", "read*"] }
  host   = "example.com"
  action = "allow"
}
policy "q" {
  match  = { operation = "*file" }
  host   = «no_such_argument|"example.com"»
  when   = input.path == "x"
  action = "allow"
}
` + shellPolicy,
		"words of commands are paths and hosts": `policy "p" {
  match   = { operation = "bash" }
  command = ["ls"]
  path    = ["src/**"]
  host    = "example.com"
  action  = "allow"
}
guard "g" {
  match  = { operation = "write" }
  action = "ask"
}
`,
		"operation that is not known": `policy "p" {
  match   = { operation = "other" }
  command = ["ls"]
  action  = "allow"
}
policy "q" {
  match   = { provider = "web" }
  command = ["ls"]
  action  = "allow"
}
` + shellPolicy,
		"shell reads": `policy "p" {
  match  = { provider = "fs", kind = "data_source" }
  path   = «shell_reads|["**/.env*"]»
  action = "deny"
}
guard "g" {
  match  = { operation = "read_file" }
  path   = «shell_reads|["**/.ssh/**"]»
  action = "ask"
}
` + shellPolicy,
		"shell is guarded": `policy "p" {
  match  = { provider = "fs" }
  path   = ["**/.env*"]
  action = "deny"
}
guard "g" {
  path   = ["**/.env*"]
  action = "deny"
}
` + shellPolicy,
		"guard of one shell, of a profile, with a condition": `policy "p" {
  match  = { provider = "fs" }
  path   = «shell_reads|["/a/**", "/b/**", "/c/**"]»
  action = "deny"
}
guard "one" {
  match  = { operation = "bash" }
  path   = ["/a/**"]
  action = "deny"
}
guard "profile" {
  path     = ["/b/**"]
  profiles = ["ci"]
  action   = "deny"
}
guard "condition" {
  path    = ["/c/**"]
  command = ["cat"]
  action  = "deny"
}
` + shellPolicy,
	} {
		t.Run(name, func(t *testing.T) { lintMarked(t, lintCatalog(t), marked) })
	}
}

func TestLintShells(t *testing.T) {
	for name, marked := range map[string]string{
		"defaults": `policy "p" {
  match  = { operation = "fetch" }
  action = "ask"
}
defaults {
  resource = «shell_without_rule|"ask"»
}
`,
		"policy": `«shell_without_rule|policy "p"» {
  match  = { operation = "bash" }
  action = "ask"
}
guard "g" {
  path   = ["/a/**"]
  action = "deny"
}
`,
		"guard": `«shell_without_rule|guard "g"» {
  host   = ["example.com"]
  action = "deny"
}
`,
		"guard on commands": `guard "g" {
  command = ["git push"]
  action  = "deny"
}
`,
		"policy of a kind": `policy "p" {
  match  = { kind = "resource" }
  action = "ask"
}
`,
		"no block": "",
	} {
		t.Run(name, func(t *testing.T) { lintMarked(t, lintCatalog(t), marked) })
	}
}

func TestExpiredBlocksAreNotLinted(t *testing.T) {
	text := "guard \"g\" {\n  path = [\"*.pem\"]\n  action = \"deny\"\n  expires = \"2027-01-01T00:00:00Z\"\n}\n"
	now := time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC)
	_, findings := Compile(Input{Layers: []LayerFile{project(t, text)}, Now: now})
	if diff := cmp.Diff([]string{"expired 4"}, found(findings)); diff != "" {
		t.Error(diff)
	}
}
