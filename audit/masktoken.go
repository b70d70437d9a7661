package audit

import "strings"

// tokenShape is how secrets of one issuer begin and go on.
type tokenShape struct {
	prefix string
	min    int    // characters after the prefix, at the least
	also   string // characters besides letters and digits
	digit  bool   // one of them must be a digit
}

// tokenShapes are well-known forms of secrets; no two begin alike.
var tokenShapes = []tokenShape{
	{"AKIA", 16, "", false}, {"ASIA", 16, "", false}, // AWS
	{"ghp_", 16, "", false}, {"gho_", 16, "", false}, {"ghu_", 16, "", false}, // GitHub
	{"ghs_", 16, "", false}, {"ghr_", 16, "", false}, {"github_pat_", 16, "_", false},
	{"glpat-", 12, "_-.", false}, {"gldt-", 12, "_-.", false}, {"glrt-", 12, "_-.", false}, // GitLab
	{"xoxa-", 10, "-", false}, {"xoxb-", 10, "-", false}, {"xoxp-", 10, "-", false}, // Slack
	{"xoxe-", 10, "-", false}, {"xoxr-", 10, "-", false}, {"xoxs-", 10, "-", false}, {"xapp-", 10, "-", false},
	{"sk-", 16, "_-", true}, {"sk_live_", 10, "", false}, {"sk_test_", 10, "", false}, // OpenAI, Anthropic, Stripe
	{"rk_live_", 10, "", false}, {"rk_test_", 10, "", false}, {"whsec_", 16, "+/=", false},
	{"npm_", 20, "", false}, {"pypi-", 20, "_-", false}, {"AIza", 30, "_-", false}, {"ya29.", 16, "_-.", false},
	{"hf_", 20, "", false}, {"gsk_", 20, "", false}, {"nvapi-", 20, "_-", false}, {"r8_", 30, "", false},
	{"dop_v1_", 20, "", false}, {"SG.", 30, "_-.", false}, {"shpat_", 20, "", false}, {"lin_api_", 20, "", false},
	{"dckr_pat_", 16, "_-", false}, {"tskey-", 16, "-", false}, {"hvs.", 20, "_-", false}, {"sntrys_", 20, "_-=+/", false},
	{"ATATT", 30, "_-=", false}, {"AGE-SECRET-KEY-", 20, "", false}, {"eyJ", 16, "_-.", false}, // JWT
}

// shapesByByte finds the shapes by their first byte.
var shapesByByte = func() (table [256][]tokenShape) {
	for _, shape := range tokenShapes {
		table[shape.prefix[0]] = append(table[shape.prefix[0]], shape)
	}
	return table
}()

// tokens masks well-known shapes wherever they begin a word.
func (s *scan) tokens() {
	for i := 0; i < len(s.text); i++ {
		shapes := shapesByByte[s.text[i]]
		if shapes == nil || i > 0 && (isAlnum(s.text[i-1]) || s.text[i-1] == '_') {
			continue
		}
		for _, shape := range shapes {
			if i < s.failed[shape.prefix] {
				continue // the rest of what lacked something lacks it too
			}
			end, ok := shape.match(s.text, i)
			if ok {
				s.mask(i, end)
				i = end - 1
				break
			}
			if end-i > maxNameBytes {
				s.failed[shape.prefix] = end
			}
		}
	}
}

// match returns whether a secret of this shape begins at i, and where what looks
// like one ends.
func (t tokenShape) match(text string, i int) (end int, ok bool) {
	if !strings.HasPrefix(text[i:], t.prefix) {
		return i, false
	}
	begin := i + len(t.prefix)
	digits, dots := 0, 0
	end = begin
	for end < len(text) && (isAlnum(text[end]) || strings.IndexByte(t.also, text[end]) >= 0) {
		if isDigit(text[end]) {
			digits++
		}
		if text[end] == '.' {
			dots++
		}
		end++
	}
	return end, end-begin >= t.min && (!t.digit || digits > 0) && (t.prefix != "eyJ" || dots > 0)
}

// bearers masks what stands after the name of a scheme outside of a header.
func (s *scan) bearers() {
	for i, word := range s.words("earer ", "asic ", "EARER ", "ASIC ") {
		begin := i + len(word)
		for begin < len(s.text) && s.text[begin] == ' ' {
			begin++
		}
		end, digits, uppers, lowers := begin, 0, 0, 0
		for end < len(s.text) && (isAlnum(s.text[end]) || strings.IndexByte("-._~+/=", s.text[end]) >= 0) {
			switch c := s.text[end]; {
			case isDigit(c), c == '=':
				digits++
			case isUpper(c) && end > begin:
				uppers++
			case isLower(c):
				lowers++
			}
			end++
		}
		if n := end - begin; n >= 6 && (digits > 0 || uppers > 0 && lowers > 0) || n >= 24 {
			s.mask(begin, end)
		}
	}
}

// words yields the places of some words and the words.
func (s *scan) words(list ...string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for _, word := range list {
			for from := 0; ; {
				i := strings.Index(s.text[from:], word)
				if i < 0 {
					break
				}
				if !yield(from+i, word) {
					return
				}
				from += i + len(word)
			}
		}
	}
}

// The lines around a private key.
const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemDash  = "-----"
)

// privateKeys masks the body of PEM blocks with private keys. One that does not
// end goes on to the end of the text.
func (s *scan) privateKeys() {
	for at := range s.words(pemBegin) {
		label := s.text[at+len(pemBegin):]
		label = label[:min(len(label), 80)]
		label, _, closed := strings.Cut(label, pemDash)
		if !closed || !strings.Contains(label, "PRIVATE KEY") {
			continue
		}
		begin := at + len(pemBegin) + len(label) + len(pemDash)
		end := len(s.text)
		if i := strings.Index(s.text[begin:], pemEnd); i >= 0 {
			end = begin + i
		}
		if strings.HasPrefix(strings.TrimLeft(s.text[begin:end], "\r\n"), Placeholder) {
			continue
		}
		s.mask(begin, end)
		if end == len(s.text) {
			return
		}
	}
}

// userinfo masks passwords in URLs: scheme://user:password@host.
func (s *scan) userinfo() {
	end, last := 0, 0 // of the URL and of the last @ in it; one URL can hold others
	for at := range s.words("://") {
		begin := at + len("://")
		if begin > end {
			end = len(s.text)
			if n := strings.IndexFunc(s.text[begin:], endsURL); n >= 0 {
				end = begin + n
			}
			last = begin + strings.LastIndexByte(s.text[begin:end], '@')
		}
		s.authority(at, s.text[begin:end], last-begin)
	}
}

func endsURL(r rune) bool {
	return r <= ' ' || r == '"' || r == '\'' || r == '`' || r == '<' || r == '>'
}

// authority masks the password in what follows the scheme of a URL, whose last @
// is at an index.
func (s *scan) authority(scheme int, url string, last int) {
	begin := scheme + len("://")
	first := url
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		first = url[:i]
	}
	at := strings.LastIndexByte(first, '@')
	colon := strings.IndexByte(first, ':')
	if at < 0 && colon > 0 && !strings.HasPrefix(first, "[") && strings.Trim(first[colon+1:], "0123456789") != "" {
		at = last // a password with a slash that should have been escaped
	}
	switch {
	case at < 0:
	case colon >= 0 && colon < at:
		s.mask(begin+colon+1, begin+at)
	case strings.HasSuffix(strings.TrimSuffix(s.text[:scheme], "s"), "http") && url[:at] != "git":
		s.mask(begin, begin+at) // a token in place of the name
	}
}
