package command

import "strings"

// globalOptions are the options that a program takes before its subcommand.
// values take a value. A program with a row here has subcommands.
var globalOptions = map[string]*wrapper{
	"git": {flags: "p P h v paginate no-pager bare no-replace-objects literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks no-lazy-fetch no-advice html-path man-path info-path exec-path version help",
		values: "C c git-dir work-tree namespace super-prefix config-env attr-source list-cmds"},
	"docker":    {flags: "D v debug tls tlsverify version", values: "H l c config context host log-level tlscacert tlscert tlskey"},
	"podman":    {flags: "r remote help version", values: "c connection url identity log-level root runroot storage-driver cgroup-manager"},
	"kubectl":   {flags: "insecure-skip-tls-verify match-server-version warnings-as-errors disable-compression", values: "n s v namespace context cluster user kubeconfig server token as as-group as-uid cache-dir certificate-authority client-certificate client-key request-timeout tls-server-name profile profile-output vmodule"},
	"helm":      {flags: "debug", values: "n namespace kube-context kubeconfig kube-apiserver kube-token registry-config repository-cache repository-config"},
	"npm":       {flags: "s g y silent global workspaces ws yes no-audit no-fund json", values: "C w prefix registry userconfig cache loglevel workspace script-shell"},
	"pnpm":      {flags: "r w s recursive workspace-root silent", values: "C F dir filter"},
	"yarn":      {flags: "s silent", values: "cwd"},
	"bun":       {values: "cwd"},
	"terraform": {flags: "version help", values: "chdir"},
	"tofu":      {flags: "version help", values: "chdir"},
	"gh":        {flags: "help version", values: "R repo"},
	"aws":       {flags: "debug no-verify-ssl no-paginate no-sign-request no-cli-pager no-cli-auto-prompt", values: "profile region output endpoint-url query color cli-read-timeout cli-connect-timeout ca-bundle cli-binary-format"},
	"gcloud":    {flags: "q quiet", values: "project account configuration format verbosity billing-project impersonate-service-account"},
	"cargo":     {flags: "q v vv quiet verbose offline locked frozen list version", values: "C Z config color explain"},
	"go":        {values: "C"},
	"poetry":    {flags: "n q v vv vvv no-interaction quiet no-ansi no-plugins no-cache", values: "C P directory project"},
	"pipenv":    {flags: "q v verbose quiet", values: "python"},
	"uv":        {flags: "q v quiet verbose offline no-cache n", values: "directory project config-file cache-dir color"},
	"bundle":    {flags: "V verbose no-color", values: "r retry"},
	"mise":      {flags: "q v y quiet verbose yes", values: "C cd env E"},
	"systemctl": {flags: "q user system no-pager quiet now no-block f force", values: "H M t host machine type state"},
}

// subcommand finds the subcommand of a program: its index in args and its
// text, "" if there is none or it is not certain.
func subcommand(name string, args []Word) (int, string) {
	row := globalOptions[name]
	if row == nil {
		row = &wrapper{}
	}
	for i := 0; i < len(args); {
		word := args[i]
		switch {
		case !word.Known:
			return i, ""
		case strings.HasPrefix(word.Text, "-") && len(word.Text) > 1:
			i += row.globalLength(args[i:])
		case name == "cargo" && strings.HasPrefix(word.Text, "+"):
			i++
		default:
			return i, word.Text
		}
	}
	return len(args), ""
}

// globalLength is how many words a global option takes; an unknown one takes
// one.
func (r *wrapper) globalLength(args []Word) int {
	text := args[0].Text
	if long, ok := strings.CutPrefix(text, "-"); ok && len(long) > 1 && long[0] != '-' && strings.Contains(long, "=") {
		return 1
	}
	if _, used := r.option(nil, args); used > 0 {
		return used
	}
	return 1
}
