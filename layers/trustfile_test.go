package layers

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzParseTrust(f *testing.F) {
	digest := digestPrefix + strings.Repeat("0", 64)
	for _, content := range []string{
		"", "{", "[]", "null", `{"version":1}`, `{"version":2,"files":{}}`, `{"version":1,"files":{"a":1}}`,
		`{"version":1,"files":{"relative":"` + digest + `"}}`, `{"version":1,"version":1,"files":{}}`,
		`{"version":1,"files":{"/a/agent.hcl":"` + digest + `"}}`,
	} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		files, err := parseTrust(src)
		if err != nil {
			if files != nil {
				t.Error("an error and a value")
			}
			return
		}
		path := filepath.Join(t.TempDir(), "trust.json")
		if err := writeTrust(path, files); err != nil {
			t.Fatal(err)
		}
		again, err := readTrust(path)
		if diff := cmp.Diff(files, again); diff != "" || err != nil {
			t.Error(err, diff)
		}
	})
}
