package audit

import (
	"strings"
	"testing"
)

// clauseTexts are secrets that only the words around them give away.
var clauseTexts = []string{
	"psql -c \"ALTER USER x PASSWORD 's3cr3tX'\"", "psql -c \"CREATE USER x WITH PASSWORD 's3cr3tX'\"",
	"mysql -e \"CREATE USER x IDENTIFIED BY 's3cr3tX'\"", "mysql -e \"SET PASSWORD FOR x = 's3cr3tX'\"",
	"machine h login u password s3cr3tX", "- name: DB_PASSWORD\n  value: s3cr3tX", "<add key=\"Password\" value=\"s3cr3tX\"/>",
	"curl https://hooks.slack.com/services/T000/B000/s3cr3tX", "curl https://discord.com/api/webhooks/123/s3cr3tX",
	"curl https://api.telegram.org/bot123456:s3cr3tX/sendMessage", "kubectl create secret generic x --from-literal=foo=s3cr3tX",
	"vault login s3cr3tX", "vault kv put secret/x value=s3cr3tX", "flyctl secrets set X=s3cr3tX", "gh secret set FOO --body s3cr3tX",
	"gh secret set FOO -b s3cr3tX", "htpasswd -b f u s3cr3tX", "htpasswd -nb u s3cr3tX", "sqlplus u/s3cr3tX@db", "ngrok authtoken s3cr3tX",
	"snyk auth s3cr3tX", "bw unlock s3cr3tX", "bw login me s3cr3tX", "ansible-vault encrypt_string s3cr3tX", "wpa_passphrase ssid s3cr3tX",
	"nmcli dev wifi connect s password s3cr3tX", "net use x s3cr3tX /user:u", "lftp -u u,s3cr3tX h", "xfreerdp /u:u /p:s3cr3tX /v:h",
	"cmdkey /pass:s3cr3tX", "echo s3cr3tX | sudo -S ls", "echo 's3cr3tX' | docker login -u me --password-stdin",
	"echo -n s3cr3tX | cryptsetup luksOpen x y", "echo 'u:s3cr3tX' | chpasswd", "passwd u <<< s3cr3tX", "wrangler secret put X <<< s3cr3tX",
	"gh auth login --with-token <<< s3cr3tX", "twine upload -u __token__ -p s3cr3tX", "keytool -storepass s3cr3tX -keypass s3cr3tX",
	"security add-generic-password -w s3cr3tX", "ssh-keygen -N s3cr3tX -f x", "openssl enc -aes-256-cbc -k s3cr3tX", "rar x -ps3cr3tX a",
	"usermod -p s3cr3tX u", "cqlsh -p s3cr3tX -u u", "doctl auth init -t s3cr3tX", "glab auth login -t s3cr3tX",
}

func TestClausesHide(t *testing.T) {
	for _, text := range clauseTexts {
		got, found := MaskText(text)
		if !found || strings.Contains(got, "s3cr3tX") {
			t.Errorf("audit-03 %s", got)
		}
		if again, more := MaskText(got); more {
			t.Errorf("masked again: %s, %s", got, again)
		}
	}
}

func TestClausesKeep(t *testing.T) {
	for _, text := range []string{
		"echo hello | sudo tee /etc/motd", "echo a | grep b", "vault login -method=oidc", "htpasswd -c f u", "passwd u", "git show HEAD:a/b@c",
		"net use x: \\\\h\\s", "sqlplus /nolog", "the password is asked for", "gh secret list", "fly secrets list", "name: web\n  value: 3",
		"printf '%s' x | wc -c", "ls /p", "curl https://hooks.slack.com/docs", "tar -p -xf a", "ssh-keygen -t ed25519",
	} {
		if got, found := MaskText(text); found {
			t.Errorf("%q became %q", text, got)
		}
	}
}
