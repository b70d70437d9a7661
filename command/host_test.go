package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostList writes the words, after "!" if the command connects.
func hostList(c *Command) string {
	words, network := c.HostWords()
	var out []string
	if network {
		out = append(out, "!")
	}
	for _, w := range words {
		out = append(out, wordText(w))
	}
	return strings.Join(out, " ")
}

// hostTests has a command for each name in the table of programs that connect.
var hostTests = map[string]struct{ text, want string }{
	"curl": {"curl -sSLo f -H 'A: b' -x p:80 https://h/x", "! p:80 https://h/x"}, "wget": {"wget -qO f h", "! h"}, "aria2c": {"aria2c -x4 https://h", "! https://h"},
	"xh": {"xh h a=b", "! h a=b"}, "http": {"http POST h", "! POST h"}, "https": {"https h", "! h"}, "ssh": {"ssh -Jj u@h ls", "! j u@h ls"}, "mosh": {"mosh h", "! h"},
	"scp": {"scp ./f u@h:x", "! u@h:x"}, "sftp": {"sftp h", "! h"}, "rsync": {"rsync -a /d h:d", "! h:d"}, "nc": {"nc h 80", "! h 80"}, "ncat": {"ncat h 80", "! h 80"}, "netcat": {"netcat h 80", "! h 80"},
	"telnet": {"telnet h", "! h"}, "ftp": {"ftp h", "! h"}, "ping": {"ping -c 1 h", "! 1 h"}, "ping6": {"ping6 h", "! h"}, "psql": {"psql -hdb --host=e d", "! db e d"}, "mysql": {"mysql -h db", "! db"},
	"openssl s_client": {"openssl s_client -connect h:443", "! h:443"}, "git clone": {"git clone u@h:r ./d", "! u@h:r"}, "git fetch": {"git -C d fetch o", "! o"}, "git pull": {"git pull", "!"},
	"git push": {"git push https://h/r main", "! https://h/r main"}, "git ls-remote": {"git ls-remote $X", "! …"}, "git remote": {"git remote add o h:r", "! add o h:r"},
	"git submodule": {"git submodule add h:r", "! add h:r"}, "git archive": {"git archive --remote=h:r HEAD", "! h:r HEAD"}, "docker pull": {"docker pull h/i", "! h/i"}, "docker push": {"docker push h/i", "! h/i"},
	"docker login": {"docker login h", "! h"}, "podman pull": {"podman pull h/i", "! h/i"}, "podman push": {"podman push h/i", "! h/i"}, "podman login": {"podman login h", "! h"},
}

// TestHostWords covers CMD-22.
func TestHostWords(t *testing.T) {
	for name, row := range networks {
		test, ok := hostTests[name]
		if !ok || row.why == "" {
			t.Errorf("the name %q has no test or no reason", name)
			continue
		}
		if diff := cmp.Diff(test.want, hostList(outermost(t, test.text))); diff != "" {
			t.Errorf("%s: %s", test.text, diff)
		}
	}
}

// TestHostWordsInDoubt covers CMD-22.
func TestHostWordsInDoubt(t *testing.T) {
	tests := map[string]string{
		"curl --proxy=p h":                   "! p h",
		"curl -xp h":                         "! p h",
		"curl --prox p h":                    "! p h",
		"curl --new v h -o f":                "! v h f",
		"curl -K f h":                        "! f h …",
		"curl --conf=f":                      "! f …",
		"curl $X h":                          "! … h",
		"curl -o $X h":                       "! … h",
		`curl -o "$X" h`:                     "! h",
		`curl "https://$h/x"`:                "! https://…/x",
		"curl //h/x /etc/x ../x ~/x . .. - ": "! //h/x",
		"./CURL h":                           "! h",
		"https_proxy=p curl h":               "! p h",
		"wget -i f":                          "! f …",
		"git remote -v":                      "",
		"git archive HEAD":                   "",
		"git -c url.https://e/.x=y push o":   "! url.https://e/.x=y o",
		"git status https://h":               "https://h",
		"npm install git+https://h/x":        "git+https://h/x",
		"pip install --index-url=https://h":  "https://h",
		"pip install 'p @ https://h/x' y":    "https://h/x",
		"x -uhttps://h":                      "uhttps://h",
		"x a=1https://h,b=ftp://i":           "https://h,b=ftp://i ftp://i",
		"echo 'see https://a or http://b'":   "https://a http://b",
		"x :// ://":                          ":// ://",
		"x $X a b":                           "",
		"$X https://h":                       "https://h",
		"cat < /dev/tcp/h/80":                "! h",
		"x > /dev/udp/h/80 a":                "! h",
		"x > /dev/tcp/$h/80":                 "! …",
		"x > /dev/tcp/h/$p":                  "! h",
		"curl h > /dev/tcp/i/80":             "! i h",
		"> /dev/tcp/h/80":                    "! h",
		"x " + strings.Repeat("a://", 20):    strings.Repeat("a://", 20),
	}
	got := map[string]string{}
	for text := range tests {
		got[text] = hostList(outermost(t, text))
	}
	if diff := cmp.Diff(tests, got); diff != "" {
		t.Error(diff)
	}
}
