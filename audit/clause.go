package audit

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// clauseBytes is how much of a text is looked through for clauses: more than a record
// can hold of it.
const clauseBytes = 256 << 10

// clause is a way to say a secret that needs more than one word to be known.
type clause struct {
	// words are in lower case; a text without any of them has no such clause. Compiling
	// and searching a pattern costs more than all else of a short record.
	words []string
	// pattern has the secret as its first group. It is linear in the length of the text.
	pattern func() *regexp.Regexp
}

func newClause(pattern string, words ...string) clause {
	return clause{words, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
}

func (c *clause) mayBeIn(lower string) bool {
	return slices.ContainsFunc(c.words, func(word string) bool { return strings.Contains(lower, word) })
}

var clauses = []clause{
	// SQL
	newClause(`(?i)\b(?:identified\s+by|password(?:\s+for\s+\S+)?)(?:\s+|\s*=\s*)'([^']+)'`,
		"identified", "password"),
	newClause(`(?i)\bidentified\s+by\s+"([^"]+)"`,
		"identified"),
	// .netrc, Kubernetes and XML configuration
	newClause(`\blogin\s+\S+\s+password\s+(\S+)`,
		"login"),
	newClause(`(?i)\bname:\s*["']?\S*(?:password|secret|token|api_?key)\S*\s*\n\s*value:\s*(\S+)`,
		"name:"),
	newClause(`(?i)\bkey="[^"]*(?:password|secret|token)[^"]*"\s+value="([^"]+)"`,
		`key="`),
	// addresses that are secrets
	newClause(`\bhooks\.slack\.com/services/([A-Za-z0-9/_-]+)`,
		"hooks.slack.com"),
	newClause(`\bdiscord(?:app)?\.com/api/webhooks/([0-9]+/[A-Za-z0-9_-]+)`,
		"discord"),
	newClause(`\bapi\.telegram\.org/bot([0-9]+:[A-Za-z0-9_-]+)`,
		"api.telegram.org"),
	// programs that take a secret as a word of its own
	newClause(`--from-literal[= ][^=\s]+=(\S+)`,
		"--from-literal"),
	newClause(`\bvault\s+login\s+([^-\s]\S*)`,
		"vault"),
	newClause(`\bvault\s+kv\s+(?:put|patch)\s+\S+\s+[^=\s]+=(\S+)`,
		"vault"),
	newClause(`\b(?:flyctl|fly|heroku)\s+(?:secrets\s+set|config:set)\s+[^=\s]+=(\S+)`,
		"fly", "heroku"),
	newClause(`\bsecret\s+set\s+\S+\s+(?:-b|--body)[= ]\s*(\S+)`,
		"secret"),
	newClause(`\bhtpasswd\s+-[A-Za-z]*b[A-Za-z]*\s+(?:\S+\s+)?\S+\s+([^-\s]\S*)`,
		"htpasswd"),
	newClause(`\bhtpasswd\s+-[A-Za-z]*nb[A-Za-z]*\s+\S+\s+(\S+)`,
		"htpasswd"),
	newClause(`\bsqlplus\s+(?:-\S+\s+)*[^/\s]+/([^@\s]+)@`,
		"sqlplus"),
	newClause(`\b(?:authtoken|snyk\s+auth|bw\s+unlock|bw\s+login\s+\S+|encrypt_string|wpa_passphrase\s+\S+)\s+([^-\s]\S*)`,
		"authtoken", "snyk", "bw", "encrypt_string", "wpa_passphrase"),
	newClause(`\bnmcli\b[^\n;|]*\bpassword\s+(\S+)`,
		"nmcli"),
	newClause(`\bnet\s+use\s+\S+\s+([^/\s]\S*)\s+/user:`,
		"/user:"),
	newClause(`\blftp\b[^\n;|]*\s-u\s*[^,\s]+,(\S+)`,
		"lftp"),
	newClause(`(?i)\s/(?:p|pass|password):(\S+)`,
		"/p:", "/pass:", "/password:"),
	// secrets on standard input
	newClause(`\b(?:echo|printf)\s+(?:-n\s+|'?%s'?\s+)?['"]?([^'"|\n]+?)['"]?\s*\|[^|;&\n]*(?:\bsudo\s+-S|-stdin\b|--with-token|\bchpasswd|\bcryptsetup|\bpasswd\b)`,
		"sudo", "-stdin", "--with-token", "chpasswd", "cryptsetup", "passwd"),
	newClause(`\b(?:passwd|secret\s+put|auth\s+login|pass\s+insert|cryptsetup|read\s+-\w*s\w*)\b[^\n;|]*<<<\s*['"]?([^'"\s]+)`,
		"<<<"),
}

// clauses masks secrets that are known by the words around them.
func (s *scan) clauses() {
	text := s.text[:min(len(s.text), clauseBytes)]
	lower := strings.ToLower(text)
	for i := range clauses {
		if !clauses[i].mayBeIn(lower) {
			continue
		}
		for _, place := range clauses[i].pattern().FindAllStringSubmatchIndex(text, -1) {
			s.mask(place[2], place[3])
		}
	}
}
