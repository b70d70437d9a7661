package audit

import "strings"

// secretOption is an option of a program that takes a secret.
type secretOption struct {
	flag string
	// after is the character of the value after which the secret begins, or 0
	// for the whole of it: user:password.
	after byte
}

// secretOptions are options that do not look like secrets by their names.
var secretOptions = map[string][]secretOption{
	"mysql": {{"-p", 0}}, "mysqldump": {{"-p", 0}}, "mysqladmin": {{"-p", 0}}, "mysqlimport": {{"-p", 0}},
	"mariadb": {{"-p", 0}}, "mariadb-dump": {{"-p", 0}}, "mysqlsh": {{"-p", 0}}, "sshpass": {{"-p", 0}},
	"mongo": {{"-p", 0}}, "mongosh": {{"-p", 0}}, "mongodump": {{"-p", 0}}, "docker": {}, "podman": {},
	"login": {{"-p", 0}, {"-t", 0}}, "redis-cli": {{"-a", 0}}, "unzip": {{"-P", 0}}, "zip": {{"-P", 0}}, "7z": {{"-p", 0}},
	"ldapsearch": {{"-w", 0}}, "ldapadd": {{"-w", 0}}, "ldapmodify": {{"-w", 0}}, "sqlcmd": {{"-P", 0}},
	"curl":      {{"-u", ':'}, {"--user", ':'}, {"-U", ':'}, {"--proxy-user", ':'}, {"-b", 0}, {"--oauth2-bearer", 0}},
	"smbclient": {{"-U", '%'}}, "http": {{"-a", ':'}}, "https": {{"-a", ':'}}, "ipmitool": {{"-P", 0}},
	"twine": {{"-p", 0}}, "keytool": {{"-storepass", 0}, {"-keypass", 0}, {"-srcstorepass", 0}, {"-deststorepass", 0}},
	"jarsigner": {{"-storepass", 0}, {"-keypass", 0}}, "security": {{"-w", 0}}, "ssh-keygen": {{"-N", 0}, {"-P", 0}},
	"openssl": {{"-k", 0}, {"-passin", ':'}, {"-passout", ':'}, {"-pass", ':'}}, "rar": {{"-p", 0}}, "unrar": {{"-p", 0}},
	"usermod": {{"-p", 0}}, "useradd": {{"-p", 0}}, "cqlsh": {{"-p", 0}},
	"doctl": {{"-t", 0}}, "glab": {{"-t", 0}},
}

// attachedOnly are programs that ask for the password if it is not attached:
// the next word is the database.
var attachedOnly = setOf("mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump mysqlsh 7z rar unrar")

// programs masks the secrets in options of known programs. Words are the places
// of the words of a text, or of elements of an argument list put together.
func (s *scan) programs(words []span) {
	var options []secretOption
	attached := false
	for i := 0; i < len(words); i++ {
		word := s.text[words[i].begin:words[i].end]
		if word == "" {
			options, attached = nil, false
			continue
		}
		if found, ok := secretOptions[programName(word)]; ok {
			options, attached = found, attachedOnly[programName(word)]
			continue
		}
		for _, option := range options {
			switch {
			case word == option.flag && !attached && i+1 < len(words):
				i++
				s.option(words[i], option)
			case len(word) > len(option.flag) && strings.HasPrefix(word, option.flag) && !strings.HasPrefix(word, "--"):
				s.option(span{words[i].begin + len(option.flag), words[i].end}, option)
			default:
				continue
			}
			break
		}
	}
}

// programName returns the name of a program without its directory and quotes.
func programName(word string) string {
	if len(word) > maxNameBytes {
		return ""
	}
	word = strings.Trim(word, `"'(){}$`+"`")
	return word[strings.LastIndexByte(word, '/')+1:]
}

// option masks the secret in the value of an option.
func (s *scan) option(value span, option secretOption) {
	text := s.text[value.begin:value.end]
	if option.after != 0 {
		i := strings.IndexByte(text, option.after)
		if i < 0 {
			return
		}
		value.begin += i + 1
		text = text[i+1:]
	}
	if text == "" {
		return
	}
	last := len(text) - 1
	if isQuote(text[last]) {
		value.end--
		if text[0] == text[last] && last > 0 {
			value.begin++
		}
	}
	s.mask(value.begin, value.end)
}
