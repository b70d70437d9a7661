package command

import "strings"

// network is a program, or a subcommand, that connects to hosts.
type network struct {
	of        string // names are subcommands of this program
	names     string
	only      danger  // it connects only with one of these
	syntax    wrapper // options, for programs of which all are told apart
	hosts     string  // those of them whose value names a host
	glued     string  // letters with a host in the same word
	elsewhere danger  // arguments that take hosts from a file or another place
	why       string
}

// networks is the table of spec CMD-22. Each name has a test.
var networks = networkIndex([]network{
	{names: "curl", hosts: "x proxy url resolve connect-to preproxy socks4 socks4a socks5 socks5-hostname doh-url", glued: "x", elsewhere: danger{letters: "K", long: "config"},
		syntax: wrapper{flags: "s S L f i I v k g j J O R N n 4 6 0 1 2 3 # silent show-error location fail include head verbose insecure compressed remote-name remote-header-name no-progress-meter progress-bar globoff http1.1 http2 ipv4 ipv6 fail-with-body no-buffer get G",
			values: "o H d X A e u b c m w T F r x output header data data-raw data-binary data-urlencode json request user-agent referer user cookie cookie-jar max-time connect-timeout write-out upload-file form range retry retry-delay retry-max-time cacert cert key proxy url resolve connect-to preproxy socks4 socks4a socks5 socks5-hostname doh-url"},
		why: "fetches"},
	{names: "wget", elsewhere: danger{letters: "ie", long: "input-file execute config"},
		syntax: wrapper{flags: "q v c N S r p k m np nv nc quiet verbose continue timestamping recursive no-check-certificate no-verbose mirror spider", values: "O o P T t U output-document output-file directory-prefix timeout tries user-agent header"},
		why:    "fetches"},
	{names: "aria2c", elsewhere: danger{letters: "i", long: "input-file conf-path"}, why: "fetches"},
	{names: "xh http https", why: "fetch"},
	{names: "ssh mosh", glued: "JW", why: "run commands elsewhere"},
	{names: "scp sftp rsync", glued: "J", why: "copy to or from elsewhere"},
	{names: "nc ncat netcat telnet ftp", glued: "x", why: "connect"},
	{names: "ping ping6", why: "send packets"},
	{names: "psql mysql", glued: "h", why: "talk to a server"},
	{of: "openssl", names: "s_client", why: "connects"},
	{of: "git", names: "clone fetch pull push ls-remote", why: "talk to another repository"},
	{of: "git", names: "remote", only: danger{name: "remote", words: "add set-url update show prune"}, why: "names another repository"},
	{of: "git", names: "submodule", only: danger{name: "submodule", words: "add update"}, why: "clones"},
	{of: "git", names: "archive", only: danger{name: "archive", long: "remote"}, why: "asks another repository"},
	{of: "docker", names: "pull push login", why: "talk to a registry"},
	{of: "podman", names: "pull push login", why: "talk to a registry"},
})

func networkIndex(rows []network) map[string]*network {
	index := make(map[string]*network, 3*len(rows))
	for i := range rows {
		row := &rows[i]
		for name := range strings.FieldsSeq(row.names) {
			index[strings.TrimSpace(row.of+" "+name)] = row
		}
	}
	return index
}
