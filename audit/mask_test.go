package audit

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

// secretTexts hold the secret s3cr3t or another one that the test names. After
// masking no piece of it may be left.
var secretTexts = []struct{ name, text, secret, keeps string }{
	{"audit-03 bare KEY", `KEY="s3cr3t" tool`, "s3cr3t", `KEY="[masked]" tool`},
	{"audit-03 bearer", `curl -H 'Authorization: Bearer s3cr3t' u`, "s3cr3t", `curl -H 'Authorization: [masked]' u`},
	{"audit-03 URL", `git clone https://u:s3cr3t@h/r`, "s3cr3t", `git clone https://u:[masked]@h/r`},
	{"audit-03 mysql", `mysql -ps3cr3t`, "s3cr3t", `mysql -p[masked]`},
	{"audit-03 setting", `agent set chat.token=s3cr3t`, "s3cr3t", `agent set chat.token=[masked]`},
	{"audit-03 *_KEY", `OPENAI_KEY=s3cr3t tool`, "s3cr3t", `OPENAI_KEY=[masked] tool`},

	{"single quotes", `TOKEN='s3cr3t x' tool`, "s3cr3t", `TOKEN='[masked]' tool`},
	{"export", `export DB_PASSWORD=s3cr3t`, "s3cr3t", `export DB_PASSWORD=[masked]`},
	{"lower case", `db_password=s3cr3t`, "s3cr3t", ``},
	{"camel case", `clientSecret = "s3cr3t"`, "s3cr3t", `clientSecret = "[masked]"`},
	{"kebab case", `api-key=s3cr3t`, "s3cr3t", ``},
	{"written together", `apikey=s3cr3t`, "s3cr3t", ``},
	{"PG", `PGPASSWORD=s3cr3t psql -h db`, "s3cr3t", `PGPASSWORD=[masked] psql -h db`},
	{"suffix", `API_KEY_PROD=s3cr3t`, "s3cr3t", ``},
	{"digits", `TOKEN2=s3cr3t`, "s3cr3t", ``},
	{"AWS", `AWS_SECRET_ACCESS_KEY=s3cr3t aws s3 ls`, "s3cr3t", `AWS_SECRET_ACCESS_KEY=[masked] aws s3 ls`},
	{"SECRET_KEY_BASE", `SECRET_KEY_BASE=s3cr3t`, "s3cr3t", ``},
	{"quoted assignment", `docker run -e "API_TOKEN=s3cr3t and more" img`, "s3cr3t and more", `docker run -e "API_TOKEN=[masked]" img`},
	{"two quotes", `A_KEY="s3"cr3t tool`, "cr3t", ``},
	{"mixed quotes", `A_KEY=s3'cr 3t' tool`, "3t", `A_KEY=[masked] tool`},
	{"escaped blank", `A_KEY=s3\ cr3t tool`, "cr3t", `A_KEY=[masked] tool`},
	{"ANSI quotes", `A_KEY=$'s3\'cr3t' tool`, "cr3t", ``},
	{"over lines", "A_KEY=\"one\ns3cr3t\" tool", "s3cr3t", `A_KEY="[masked]" tool`},
	{"triple quotes", "token = \"\"\"one\ns3cr3t\n\"\"\"", "s3cr3t", ``},
	{"windows", `set API_KEY=s3cr3t`, "s3cr3t", ``},
	{"powershell", `$env:API_KEY = "s3cr3t"`, "s3cr3t", ``},
	{"env", `env -i GITHUB_TOKEN=s3cr3t gh pr list`, "s3cr3t", `env -i GITHUB_TOKEN=[masked] gh pr list`},

	{"flag =", `tool --password=s3cr3t --verbose`, "s3cr3t", `tool --password=[masked] --verbose`},
	{"flag blank", `tool --password s3cr3t --verbose`, "s3cr3t", `tool --password [masked] --verbose`},
	{"flag quoted", `tool --api-key "s3cr3t x" run`, "s3cr3t", `tool --api-key "[masked]" run`},
	{"one dash", `java -password s3cr3t`, "s3cr3t", ``},
	{"sshpass", `sshpass -p s3cr3t ssh h`, "s3cr3t", `sshpass -p [masked] ssh h`},
	{"mysql path", `/usr/bin/mysql -u root -ps3cr3t db`, "s3cr3t", `/usr/bin/mysql -u root -p[masked] db`},
	{"mysql quoted", `mysql -p's3cr3t x' db`, "s3cr3t", ``},
	{"mysqldump in pipe", `cd x && mysqldump -ps3cr3t db | gzip`, "s3cr3t", `cd x && mysqldump -p[masked] db | gzip`},
	{"mysql --password", `mysql --password=s3cr3t db`, "s3cr3t", `mysql --password=[masked] db`},
	{"curl -u", `curl -u me:s3cr3t https://h`, "s3cr3t", `curl -u me:[masked] https://h`},
	{"curl -u attached", `curl -ume:s3cr3t https://h`, "s3cr3t", `curl -ume:[masked] https://h`},
	{"curl --user quoted", `curl --user 'me:s3cr3t' https://h`, "s3cr3t", `curl --user 'me:[masked]' https://h`},
	{"curl bearer", `curl --oauth2-bearer s3cr3t u`, "s3cr3t", `curl --oauth2-bearer [masked] u`},
	{"docker login", `docker login -u me -p s3cr3t`, "s3cr3t", `docker login -u me -p [masked]`},
	{"redis", `redis-cli -a s3cr3t ping`, "s3cr3t", `redis-cli -a [masked] ping`},
	{"git config", `git config github.token s3cr3t`, "s3cr3t", `git config github.token [masked]`},
	{"aws configure", `aws configure set aws_secret_access_key s3cr3t`, "s3cr3t", ``},
	{"npm config", `npm config set //r.example.com/:_authToken s3cr3t`, "s3cr3t", ``},
	{"npmrc", `//r.example.com/:_authToken=s3cr3t`, "s3cr3t", ``},
	{"openssl", `openssl rsa -passin pass:s3cr3t -in k`, "s3cr3t", `openssl rsa -passin [masked] -in k`},

	{"basic", `curl -H "Authorization: Basic dXNlcjpzM2NyM3Q=" u`, "dXNlcjpzM2NyM3Q", `curl -H "Authorization: [masked]" u`},
	{"lower header", `authorization: bearer s3cr3t`, "s3cr3t", ``},
	{"header without blank", `curl -H "X-Api-Key:s3cr3t" u`, "s3cr3t", `curl -H "X-Api-Key:[masked]" u`},
	{"proxy", `curl -H 'Proxy-Authorization: Basic s3cr3t' u`, "s3cr3t", ``},
	{"cookie", `curl -H 'Cookie: a=s3cr3t; b=s3cr3t' u`, "s3cr3t", `curl -H 'Cookie: [masked]' u`},
	{"set-cookie", "HTTP/1.1 200 OK\r\nSet-Cookie: sid=s3cr3t; Path=/\r\nX: y", "s3cr3t", "HTTP/1.1 200 OK\r\nSet-Cookie: [masked]\r\nX: y"},
	{"cookie flag", `curl -b 'sid=s3cr3t' u`, "s3cr3t", ``},
	{"git header", `git -c http.extraHeader="AUTHORIZATION: bearer s3cr3t" fetch`, "s3cr3t", ``},
	{"bearer alone", `use Bearer s3cr3tToken1234 here`, "s3cr3tToken1234", ``},

	{"URL token", `git clone https://s3cr3t@github.com/a/b`, "s3cr3t", ``},
	{"postgres URL", `psql postgres://app:s3cr3t@db:5432/x`, "s3cr3t", `psql postgres://app:[masked]@db:5432/x`},
	{"URL slash", `postgres://app:s3/cr3t@db/x`, "cr3t", ``},
	{"URL at", `postgres://app:s3@cr3t@db/x`, "cr3t", `postgres://app:[masked]@db/x`},
	{"redis URL", `redis://:s3cr3t@h:6379/0`, "s3cr3t", ``},
	{"query", `curl 'https://h/?a=1&token=s3cr3t&b=2'`, "s3cr3t", `curl 'https://h/?a=1&token=[masked]&b=2'`},
	{"query key", `curl "https://h/?key=s3cr3t"`, "s3cr3t", `curl "https://h/?key=[masked]"`},
	{"query signature", `https://h/?X-Amz-Signature=s3cr3t&x=1`, "s3cr3t", `https://h/?X-Amz-Signature=[masked]&x=1`},
	{"query sig", `https://h/?sv=1&sig=s3cr3t`, "s3cr3t", ``},
	{"form", `curl -d "grant=x&client_secret=s3cr3t&y=1" u`, "s3cr3t", `curl -d "grant=x&client_secret=[masked]&y=1" u`},

	{"JSON text", `{"user":"u","password":"s3cr3t","n":1}`, "s3cr3t", `{"user":"u","password":"[masked]","n":1}`},
	{"JSON spaced", `{ "api_key" : "s3cr3t" }`, "s3cr3t", `{ "api_key" : "[masked]" }`},
	{"JSON in JSON", `curl -d "{\"password\": \"s3cr3t\", \"a\": 1}"`, "s3cr3t", ``},
	{"JSON number", `{"password":7777777}`, "7777777", `{"password":[masked]}`},
	{"YAML", "db:\n  user: u\n  password: s3cr3t and more\n  host: h", "s3cr3t and more", "db:\n  user: u\n  password: [masked]\n  host: h"},
	{"YAML block", "a: 1\npassword: |\n  s3cr3t\n  s3cr3t\nb: 2", "s3cr3t", "a: 1\npassword: |\n  [masked]\nb: 2"},
	{"TOML", "[x]\npassword = \"s3cr3t\"\n", "s3cr3t", ""},
	{"INI", "[x]\npassword = s3cr3t\nuser = u\n", "s3cr3t", "[x]\npassword = [masked]\nuser = u\n"},
	{"XML", `<password>s3cr3t</password>`, "s3cr3t", `<password>[masked]</password>`},
	{"python", `os.environ["API_KEY"] = "s3cr3t"`, "s3cr3t", ``},
	{"php", `'password' => 's3cr3t',`, "s3cr3t", `'password' => '[masked]',`},
	{"comparison", `if password == "s3cr3t" {`, "s3cr3t", `if password == "[masked]" {`},
	{"connection string", `Server=h;Password=s3cr3t;Database=d`, "s3cr3t", ``},
	{"terraform", `  db_password = "s3cr3t"`, "s3cr3t", ``},

	{"PEM", "x\n-----BEGIN RSA PRIVATE KEY-----\nMIIs3cr3t\nabc\n-----END RSA PRIVATE KEY-----\ny", "s3cr3t", "x\n-----BEGIN RSA PRIVATE KEY-----[masked]-----END RSA PRIVATE KEY-----\ny"},
	{"PEM open", "-----BEGIN PRIVATE KEY-----\nMIIs3cr3t\nabc", "s3cr3t", ""},
	{"PGP", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\ns3cr3t\n-----END PGP PRIVATE KEY BLOCK-----", "s3cr3t", ""},
	{"OpenSSH in echo", `echo "-----BEGIN OPENSSH PRIVATE KEY-----\ns3cr3t\n-----END OPENSSH PRIVATE KEY-----" > k`, "s3cr3t", ""},

	{"AKIA", `id AKIAIOSFODNN7EXAMPLE x`, "IOSFODNN7", `id [masked] x`},
	{"ghp", `echo ghp_abcdefghijklmnopqrstuvwxyz0123456789`, "abcdefghij", ``},
	{"github_pat", `github_pat_11ABCDEFG0abcdefghijkl_mnop`, "11ABCDEFG0", ``},
	{"glpat", `glpat-abcdefghij0123456789`, "abcdefghij", ``},
	{"slack", `xoxb-123456789012-abcdefGHIJ`, "123456789012", ``},
	{"sk", `sk-ant-api03-abcdefGHIJ0123456789`, "abcdefGHIJ", ``},
	{"JWT", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl`, "c2lnbmF0dXJl", ``},
	{"npm", `npm_abcdefghijklmnopqrstuvwxyz0123456789`, "abcdefghij", ``},
	{"google", `AIzaSyA0123456789abcdefghijklmnopqrstuv`, "0123456789", ``},
	{"hf", `hf_abcdefghijklmnopqrstuvwxyz`, "abcdefghij", ``},
}

func TestMaskTextHides(t *testing.T) {
	for _, test := range secretTexts {
		t.Run(test.name, func(t *testing.T) {
			got, found := MaskText(test.text)
			if !found || strings.Contains(got, test.secret) {
				t.Errorf("found %v: %s", found, got)
			}
			if test.keeps != "" && got != test.keeps {
				t.Errorf("got  %s\nwant %s", got, test.keeps)
			}
			if again, more := MaskText(got); again != got || more {
				t.Errorf("masked again: %s", again)
			}
			// The same in the input of a call, alone and as an argument.
			for _, input := range []any{
				map[string]any{"command": test.text}, map[string]any{"files": []any{map[string]any{"content": test.text}}},
				map[string]any{"argv": []string{"sh", "-c", test.text}}, test.text,
			} {
				text, err := json.Marshal(input)
				if err != nil {
					t.Fatal(err)
				}
				masked, found := Mask(text, nil)
				if !found || bytes.Contains(masked, []byte(test.secret)) {
					t.Errorf("Mask found %v: %s", found, masked)
				}
			}
		})
	}
}

func TestMaskTextKeeps(t *testing.T) {
	for _, text := range []string{
		"", "ls -la", "keyboard", "monkey=1", "tokenizer.go", `git commit -m "token parser"`, "turkey=2 donkey: 3",
		"cat tokenizer.go | grep keyboard", "the key to success", "a password is needed", "max_tokens=512", "--max-tokens 512",
		"tokens: 512", `{"max_tokens": 512, "total_tokens": 7}`, "PWD=/home/me", "--password-file=/run/x", "PASSWORD_FILE=/run/x",
		"secret_name=db", "ok pass: 12 fail: 3", "--- PASS: TestX (0.00s)", "PASS", "sort -k 2 --key-size=4", "public_key=abc",
		"primary_key: id", "mkdir -p s3cr3t", "docker run -p 8080:80 img", "ssh -p 22 h", "mysql -p db", "http://h:8080/a@b",
		"ssh://git@host/x", "git@github.com:a/b.git", "mailto:a@b.c", "https://h/a?b=1&c=2", "std::token::parse(x)",
		"Basic authentication is off", "bearer of bad news", "func tokenize(s string) []Token {", "author=me", "authors: a, b",
		"AWS_ACCESS_KEY_ID=x", "npm_config_registry=x", "hf_hub_download", "task-force-0123456789012345", "key: value",
		"for key in a b c; do echo $key; done", "if key == nil {", "KEY= tool", "TOKEN=", `password=""`, "password: null", `"token": true`,
		"token_type=bearer", "password_policy: strict", "secretary: Ann", "gh auth login --with-token < f", "curl -o out https://h",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "go test -run TestToken ./...", "rm -rf keys/", "x := m[key]",
	} {
		t.Run(text, func(t *testing.T) {
			if got, found := MaskText(text); got != text || found {
				t.Errorf("found %v: %s", found, got)
			}
		})
	}
}

func TestMask(t *testing.T) {
	for _, test := range []struct {
		name, input string
		sensitive   []string
		want        string
	}{
		{"nothing", `{"a": 1.50e3, "b": [true, null, "x"]}`, nil, `{"a":1.50e3,"b":[true,null,"x"]}`},
		{"audit-06 short and long alike", `{"password":"x","token":"0123456789"}`, nil, `{"password":"[masked]","token":"[masked]"}`},
		{"number", `{"pin":1234,"password":12}`, nil, `{"pin":"[masked]","password":"[masked]"}`},
		{"object", `{"credentials":{"a":"b"}}`, nil, `{"credentials":"[masked]"}`},
		{"flag and nothing", `{"password":true,"token":null,"secret":""}`, nil, `{"password":true,"token":null,"secret":""}`},
		{"doubled key", `{"token":"a","token":"b"}`, nil, `{"token":"[masked]","token":"[masked]"}`},
		{"headers", `{"headers":{"Authorization":"Bearer x","X-Api-Key":"y","Accept":"z"}}`, nil,
			`{"headers":{"Authorization":"[masked]","X-Api-Key":"[masked]","Accept":"z"}}`},
		{"name and value", `{"env":[{"name":"DB_PASSWORD","value":"x"},{"value":"x","name":"KEY"},{"name":"A","value":"b"}]}`, nil,
			`{"env":[{"name":"DB_PASSWORD","value":"[masked]"},{"value":"[masked]","name":"KEY"},{"name":"A","value":"b"}]}`},
		{"argv", `["mysql","-ps3cr3t","db"]`, nil, `["mysql","-p[masked]","db"]`},
		{"argv flag", `["t","--password","x","--token=y","-v"]`, nil, `["t","--password","[masked]","--token=[masked]","-v"]`},
		{"argv header", `["curl","-H","Authorization: Bearer x","u"]`, nil, `["curl","-H","Authorization: [masked]","u"]`},
		{"argv curl", `["curl","-u","me:x","u"]`, nil, `["curl","-u","me:[masked]","u"]`},
		{"sensitive", `{"a":"x","b":{"c":["y","z"],"d/e":1}}`, []string{"/a", "/b/c/*", "/b/d~1e"},
			`{"a":"[masked]","b":{"c":["[masked]","[masked]"],"d/e":"[masked]"}}`},
		{"sensitive flag", `{"a":false}`, []string{"/a"}, `{"a":"[masked]"}`},
		{"sensitive whole", `{"a":1}`, []string{""}, `"[masked]"`},
		{"sensitive element", `{"a":["x","y"]}`, []string{"/a/1", "/nothing/here"}, `{"a":["x","[masked]"]}`},
		{"secret in a key", `{"ghp_abcdefghijklmnopqrstuvwxyz":1}`, nil, `{"[masked]":1}`},
		{"no JSON", `{"password":"x"`, nil, `"{\"password\":\"[masked]\""`},
		{"no JSON but pointers", `{"plain":"x"`, []string{"/plain"}, `"[masked]"`},
		{"not UTF-8", "\xff password=x", nil, `"\\xff password=[masked]"`},
		{"unseen characters", "{\"a\":\"\u202e\u2028\u007f\u00e9\"}", nil, `{"a":"\u202e\u2028\u007f\u00e9"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := test.input
			got, found := Mask(json.RawMessage(test.input), test.sensitive)
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if found != strings.Contains(test.want, Placeholder) {
				t.Errorf("found %v", found)
			}
			if test.input != before {
				t.Error("audit-04: the input was changed")
			}
		})
	}
}

func TestSensitivePointers(t *testing.T) {
	schema := `{"type":"object","$defs":{"s":{"writeOnly":true}},"properties":{
		"a":{"type":"string","sensitive":true},"b":{"type":"string","sensitive":false},
		"c":{"type":"array","items":{"properties":{"d/e":{"x-sensitive":true}}}},
		"f":{"$ref":"#/$defs/s"},"g":{"anyOf":[{"type":"null"},{"writeOnly":true}]},
		"h":{"additionalProperties":{"sensitive":true}},"sensitive":{"type":"boolean"},"loop":{"$ref":"#"}}}`
	got := map[string]bool{}
	for _, pointer := range SensitivePointers(json.RawMessage(schema)) {
		got[pointer] = true
	}
	for _, want := range []string{"/a", "/c/*/d~1e", "/f", "/g", "/h/*", "/loop/a"} {
		if !got[want] {
			t.Errorf("%s is missing", want)
		}
	}
	for _, not := range []string{"", "/b", "/sensitive", "/c", "/loop"} {
		if got[not] {
			t.Errorf("%q is not sensitive", not)
		}
	}
	for _, bad := range []string{"", "{", "[]", "true", `{"properties":1,"items":[1,{"items":true}]}`} {
		if pointers := SensitivePointers(json.RawMessage(bad)); len(pointers) > 0 {
			t.Errorf("%s: %v", bad, pointers)
		}
	}
}

// maskedBytes is how much the test of time masks: enough to tell n from n².
const maskedBytes = 256 << 10

// hostileTexts are each and made to be slow.
func hostileTexts() map[string]string {
	texts := map[string]string{}
	for _, part := range []string{
		"a", " ", "\n", "\\", `"`, "'", "key=", `key="`, "key='", `"key=`, "password: ", "a.b-c_d", "token =  ", "--token ", "mysql ", "mysql -p ",
		"-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "://", "://a:", "http://a@", "eyJ.", "sk-", "Bearer ", `\"key\":\"`, `{"key":`,
		"password: |\n", "  password: |\n  x\n", "set a.token ", "curl -u a:b ", `<key>`, "?key=", "KEY", "aB", "key[", "\x80", "é", "key=a\"b'c ",
		`key=\`, `\\\\\\\"token\\\\\\\"=`, "| -p", "token:'", "cookie: \"",
	} {
		texts[part] = strings.Repeat(part, maskedBytes/len(part))
	}
	return texts
}

func TestMaskTextIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	for part, text := range hostileTexts() {
		begin := time.Now()
		MaskText(text)
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("%q took %v", part, took)
		} else if took > time.Second/8 {
			t.Logf("%q took %v", part, took)
		}
	}
}

func FuzzMaskText(f *testing.F) {
	for _, test := range secretTexts {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		masked, found := MaskText(text)
		if found == (masked == text) {
			t.Errorf("found %v, %q became %q", found, text, masked)
		}
		if again, more := MaskText(masked); more || again != masked {
			t.Errorf("%q became %q and then %q", text, masked, again)
		}
		// Only placeholders are new: what is left of the text is in its order.
		rest := text
		for piece := range strings.SplitSeq(masked, Placeholder) {
			i := strings.Index(rest, piece)
			if i < 0 {
				t.Fatalf("%q became %q", text, masked)
			}
			rest = rest[i+len(piece):]
		}
	})
}

func FuzzMask(f *testing.F) {
	for _, test := range secretTexts {
		text, _ := json.Marshal(map[string]any{"a": test.text})
		f.Add(text, "/a")
	}
	f.Add([]byte(`{"password":[1,{"b":null}],"x":["--token","y"]}`), "/x/*")
	f.Fuzz(func(t *testing.T, input []byte, pointer string) {
		masked, _ := Mask(input, []string{pointer})
		if !json.Valid(masked) {
			t.Fatalf("no JSON: %s", masked)
		}
		for _, c := range masked {
			if c < ' ' || c > '~' {
				t.Fatalf("byte %#x in %s", c, masked)
			}
		}
		if again, _ := Mask(masked, []string{pointer}); !bytes.Equal(again, masked) {
			t.Errorf("%s became %s", masked, again)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	line := `{"path":"src/main.go","content":"func main() { key := m[\"a\"]; token := next(); fmt.Println(token, key) }"},`
	text := "[" + strings.Repeat(line, plangate.MaxJSONBytes/len(line)-1) + "0]"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Mask(json.RawMessage(text), nil)
	}
}
