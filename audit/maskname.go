package audit

import (
	"slices"
	"strings"
	"unicode"
)

// secrecy is how sure it is that the value under a name is a secret.
type secrecy uint8

const (
	harmless secrecy = iota
	// weakName is a word with other meanings, such as key or pass: its value is a
	// secret where somebody assigns it, and not after a colon in prose.
	weakName
	secretName
	// headerName is a secret whose value goes on to the end of the line.
	headerName
)

// The words of names. They are compared in lower case, after a name has been
// split at separators and at changes of case.
var (
	secretWords = setOf(`password passwd passphrase passcode pwd secret token apikey credential credentials
		cookie cookies authorization privatekey secretkey accesskey authkey signingkey encryptionkey authtoken
		accesstoken apitoken refreshtoken bearertoken sessiontoken csrftoken xsrftoken idtoken usertoken
		passin passout userpass dbpass sshpass clientsecret apisecret appsecret webhooksecret
		sessionid jsessionid phpsessid sessid otp totp mnemonic`)
	weakWords   = setOf(`key pass auth pat pin sid`)
	pluralWords = setOf(`passwords passwds secrets keys`)
	headerWords = setOf(`authorization cookie cookies`)
	// A name that ends in one of these says something about a secret.
	aboutWords = setOf(`file files path paths dir name names type types length len count counts limit limits
		expires expiry expiration expire ttl policy url uri endpoint host port header headers field
		fields prompt size min max required enabled disabled budget usage used manager provider store
		format version status state age bits algorithm alg rotation label labels input reset regex pattern
		class parser index changed hint script command cmd env var ref mode jar arn fingerprint checksum`)
	// A key with one of these before it is public, or not for a lock.
	openKeys = setOf(`public primary foreign sort partition cache idempotency index row map hot shortcut
		object group routing composite unique natural surrogate sorted no up down left right arrow`)
	// Words after key or pass that leave it the last word.
	suffixWords = setOf(`prod production dev development staging stage test testing old new live base
		default main backup current previous primary secondary value val data b64 base64 pem raw plain text
		hex string str id env`)
	// Before key, id at the end is the public half: AWS_ACCESS_KEY_ID.
	queryWords = setOf(`sig signature code hmac`)
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// maxNameBytes bounds what is taken for a name.
const maxNameBytes = 128

// secrecyOf judges a name such as DB_PASSWORD, chat.token or X-Api-Key.
func secrecyOf(name string) secrecy {
	if len(name) > maxNameBytes {
		name = name[len(name)-maxNameBytes:]
	}
	if name == "PWD" || name == "OLDPWD" { // the shell's directories
		return harmless
	}
	words := splitName(name)
	if len(words) == 0 || aboutWords[words[len(words)-1]] {
		return harmless
	}
	if len(words) == 1 && headerWords[words[0]] ||
		len(words) == 2 && (headerWords[words[1]] && words[0] != "accept" && !strings.Contains(name, "_")) {
		return headerName
	}
	best := harmless
	for i, word := range words {
		best = max(best, wordSecrecy(words, i, word))
	}
	return best
}

// wordSecrecy judges the word at index i of a name.
func wordSecrecy(words []string, i int, word string) secrecy {
	last := i == len(words)-1
	switch {
	case secretWords[word], hasSecretEnd(word):
		return secretName
	case pluralWords[word] && last:
		if word == "keys" && !secretBefore(words[:i]) {
			return harmless
		}
		return secretName
	case word == "tokens" && last:
		if secretBefore(words[:i]) {
			return secretName
		}
		return harmless
	case !weakWords[word] || !last && !onlySuffixes(words[i+1:]):
		return harmless
	case word == "key" && i > 0 && openKeys[words[i-1]]:
		return harmless
	case word == "key" && slices.Equal(words[i+1:], []string{"id"}):
		return harmless
	case i == 0 && last, word != "key" && word != "pass":
		return weakName
	default:
		return secretName
	}
}

// secretBefore reports whether a plural is of secrets: api_keys, auth_tokens.
func secretBefore(words []string) bool {
	return len(words) > 0 && slices.Contains(
		[]string{"api", "access", "auth", "secret", "private", "refresh", "bearer", "signing", "encryption", "session"},
		words[len(words)-1])
}

func onlySuffixes(words []string) bool {
	for _, word := range words {
		if !suffixWords[word] {
			return false
		}
	}
	return true
}

// hasSecretEnd recognises words that are written together: PGPASSWORD, mytoken.
// The end of tokenizer is another one.
func hasSecretEnd(word string) bool {
	for _, end := range []string{"password", "passwd", "passphrase", "apikey", "authtoken", "accesstoken", "secret", "token", "privatekey", "secretkey"} {
		if len(word) > len(end) && strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// splitName splits a name into lower-case words: at what is no letter or digit,
// before an upper-case letter after a lower-case one, and before the last of
// several upper-case ones (APIKey). Words of digits are left out.
func splitName(name string) []string {
	var words []string
	begin := -1
	flush := func(end int) {
		if begin >= 0 {
			if word := strings.TrimRight(strings.ToLower(name[begin:end]), "0123456789"); word != "" {
				words = append(words, word)
			}
		}
		begin = -1
	}
	for i := range len(name) {
		switch c := name[i]; {
		case !isAlnum(c):
			flush(i)
			continue
		case begin >= 0 && isUpper(c) && (isLower(name[i-1]) ||
			isUpper(name[i-1]) && i+1 < len(name) && isLower(name[i+1])):
			flush(i)
		}
		if begin < 0 {
			begin = i
		}
	}
	flush(len(name))
	return words
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool { return isUpper(c) || isLower(c) || isDigit(c) }
func isSpace(c byte) bool { return c < 0x80 && unicode.IsSpace(rune(c)) }
