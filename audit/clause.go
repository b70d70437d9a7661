package audit

import "regexp"

// clauseBytes is how much of a text is looked through for clauses: more than a record
// can hold of it.
const clauseBytes = 256 << 10

// clauses are ways to say a secret that need more than one word to be known. The first
// group is the secret. All are linear in the length of the text.
var clauses = compileAll(
	// SQL
	`(?i)\b(?:identified\s+by|password(?:\s+for\s+\S+)?)(?:\s+|\s*=\s*)'([^']+)'`,
	`(?i)\bidentified\s+by\s+"([^"]+)"`,
	// .netrc, Kubernetes and XML configuration
	`\blogin\s+\S+\s+password\s+(\S+)`,
	`(?i)\bname:\s*["']?\S*(?:password|secret|token|api_?key)\S*\s*\n\s*value:\s*(\S+)`,
	`(?i)\bkey="[^"]*(?:password|secret|token)[^"]*"\s+value="([^"]+)"`,
	// addresses that are secrets
	`\bhooks\.slack\.com/services/([A-Za-z0-9/_-]+)`,
	`\bdiscord(?:app)?\.com/api/webhooks/([0-9]+/[A-Za-z0-9_-]+)`,
	`\bapi\.telegram\.org/bot([0-9]+:[A-Za-z0-9_-]+)`,
	// programs that take a secret as a word of its own
	`--from-literal[= ][^=\s]+=(\S+)`,
	`\bvault\s+login\s+([^-\s]\S*)`,
	`\bvault\s+kv\s+(?:put|patch)\s+\S+\s+[^=\s]+=(\S+)`,
	`\b(?:flyctl|fly|heroku)\s+(?:secrets\s+set|config:set)\s+[^=\s]+=(\S+)`,
	`\bsecret\s+set\s+\S+\s+(?:-b|--body)[= ]\s*(\S+)`,
	`\bhtpasswd\s+-[A-Za-z]*b[A-Za-z]*\s+(?:\S+\s+)?\S+\s+([^-\s]\S*)`,
	`\bhtpasswd\s+-[A-Za-z]*nb[A-Za-z]*\s+\S+\s+(\S+)`,
	`\bsqlplus\s+(?:-\S+\s+)*[^/\s]+/([^@\s]+)@`,
	`\b(?:authtoken|snyk\s+auth|bw\s+unlock|bw\s+login\s+\S+|encrypt_string|wpa_passphrase\s+\S+)\s+([^-\s]\S*)`,
	`\bnmcli\b[^\n;|]*\bpassword\s+(\S+)`,
	`\bnet\s+use\s+\S+\s+([^/\s]\S*)\s+/user:`,
	`\blftp\b[^\n;|]*\s-u\s*[^,\s]+,(\S+)`,
	`(?i)\s/(?:p|pass|password):(\S+)`,
	// secrets on standard input
	`\b(?:echo|printf)\s+(?:-n\s+|'?%s'?\s+)?['"]?([^'"|\n]+?)['"]?\s*\|[^|;&\n]*(?:\bsudo\s+-S|-stdin\b|--with-token|\bchpasswd|\bcryptsetup|\bpasswd\b)`,
	`\b(?:passwd|secret\s+put|auth\s+login|pass\s+insert|cryptsetup|read\s+-\w*s\w*)\b[^\n;|]*<<<\s*['"]?([^'"\s]+)`,
)

func compileAll(patterns ...string) []*regexp.Regexp {
	compiled := make([]*regexp.Regexp, len(patterns))
	for i, pattern := range patterns {
		compiled[i] = regexp.MustCompile(pattern)
	}
	return compiled
}

// clauses masks secrets that are known by the words around them.
func (s *scan) clauses() {
	text := s.text[:min(len(s.text), clauseBytes)]
	for _, clause := range clauses {
		for _, place := range clause.FindAllStringSubmatchIndex(text, -1) {
			s.mask(place[2], place[3])
		}
	}
}
