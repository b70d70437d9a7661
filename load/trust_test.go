//go:build unix

package load

import (
	"errors"
	"fmt"
	"github.com/plangate/plangate/layers"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

// workerVariable makes the test binary a process that trusts files.
const workerVariable = "PLANGATE_LOAD_TEST_TRUST"

func TestMain(m *testing.M) {
	if trust := os.Getenv(workerVariable); trust != "" {
		for _, path := range os.Args[1:] {
			if _, err := layers.TrustFile(layers.Places{Trust: trust}, path); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	trustedNow  = "allow policy:p"
	trustedNot  = "ask default:resource"
	digestEmpty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

func TestTrustFollowsContent(t *testing.T) {
	m := newMachine(t)
	first, second := policy("p", "write", "allow"), policy("p", "write", "allow")+"# more\n"
	name := m.write("work/agent.hcl", first)
	assert := func(want string) {
		t.Helper()
		if got := decide(m.options(), "write"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	assert(trustedNot)
	entry, err := layers.TrustFile(m.places, name)
	m.check(err)
	assert(trustedNow)
	digest, err := layers.DigestFile(name)
	if err != nil || digest != entry.Digest || entry.Path != name {
		t.Errorf("%+v, %q, %v", entry, digest, err)
	}
	m.write("work/agent.hcl", second)
	assert(trustedNot)
	m.trust("work/agent.hcl")
	assert(trustedNow)
	m.write("work/agent.hcl", first)
	assert(trustedNot) // an older content is not trusted any more
	_, err = layers.TrustDigest(m.places, name, entry.Digest)
	m.check(err)
	assert(trustedNow)
	m.check(layers.Untrust(m.places, name))
	assert(trustedNot)
	if err := layers.Untrust(m.places, name); !errors.Is(err, layers.ErrNotTrusted) {
		t.Error(err)
	}
}

func TestTrustNames(t *testing.T) {
	m := newMachine(t)
	m.write("work/agent.hcl", "")
	m.write("work/agent.hcl.json", "{}")
	m.link(m.path("work"), "alias")
	m.trust("work/agent.hcl.json")
	t.Chdir(m.path("alias"))
	entry, err := layers.TrustFile(m.places, "agent.hcl")
	m.check(err)
	if entry.Path != m.path("work/agent.hcl") || entry.Digest != digestEmpty {
		t.Errorf("%+v", entry)
	}
	want := []string{m.path("work/agent.hcl"), m.path("work/agent.hcl.json")}
	if diff := cmp.Diff(want, trustedPaths(t, m.places)); diff != "" {
		t.Error(diff)
	}
	m.link(m.path("work/agent.hcl"), "linked/agent.hcl")
	m.trust("linked/agent.hcl") // the link, not what it leads to
	if diff := cmp.Diff(append([]string{m.path("linked/agent.hcl")}, want...), trustedPaths(t, m.places)); diff != "" {
		t.Error(diff)
	}
	m.check(os.RemoveAll(m.path("work")))
	m.check(layers.Untrust(m.places, m.path("work/agent.hcl")))
}

func trustedPaths(t *testing.T, places layers.Places) []string {
	t.Helper()
	list, err := layers.Trusts(places)
	if err != nil {
		t.Error(err)
	}
	var paths []string
	for _, entry := range list {
		paths = append(paths, entry.Path)
	}
	return paths
}

func TestTrustErrors(t *testing.T) {
	m := newMachine(t)
	m.write("work/agent.hcl", "")
	m.write("work/other.hcl", "")
	m.write("work/not\xffutf8/agent.hcl", "")
	m.check(os.Truncate(m.write("large/agent.hcl", ""), layers.MaxBytes+1))
	tests := []struct {
		name string
		err  error
		run  func() error
	}{
		{"no place", layers.ErrNoTrustFile, func() error {
			_, err := layers.TrustFile(layers.Places{}, m.path("work/agent.hcl"))
			return err
		}},
		{"no place to take away", layers.ErrNoTrustFile, func() error { return layers.Untrust(layers.Places{}, m.path("work/agent.hcl")) }},
		{"file name", layers.ErrFileName, func() error {
			_, err := layers.TrustFile(m.places, m.path("work/other.hcl"))
			return err
		}},
		{"absent", os.ErrNotExist, func() error {
			_, err := layers.TrustFile(m.places, m.path("gone/agent.hcl"))
			return err
		}},
		{"directory", layers.ErrNotRegular, func() error {
			_, err := layers.TrustFile(m.places, m.path("work"))
			return err
		}},
		{"too large", layers.ErrTooLarge, func() error {
			_, err := layers.TrustFile(m.places, m.path("large/agent.hcl"))
			return err
		}},
		{"path is not UTF-8", nil, func() error {
			_, err := layers.TrustFile(m.places, m.path("work/not\xffutf8/agent.hcl"))
			return err
		}},
		{"digest", nil, func() error {
			_, err := layers.TrustDigest(m.places, m.path("work/agent.hcl"), strings.ToUpper(digestEmpty))
			return err
		}},
	}
	for _, test := range tests {
		err := test.run()
		if err == nil || test.err != nil && !errors.Is(err, test.err) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.err)
		}
	}
	if list, err := layers.Trusts(m.places); len(list) != 0 || err != nil {
		t.Error(list, err)
	}
	if list, err := layers.Trusts(layers.Places{}); len(list) != 0 || err != nil {
		t.Error(list, err)
	}
}

var damagedTrust = map[string]string{
	"empty":          "",
	"half":           `{"version":1,"files":{"/a/agent.hcl":"sha25`,
	"no members":     `{}`,
	"no files":       `{"version":1}`,
	"files null":     `{"version":1,"files":null}`,
	"array":          `[]`,
	"null":           `null`,
	"version":        `{"version":2,"files":{}}`,
	"version type":   `{"version":"1","files":{}}`,
	"unknown key":    `{"version":1,"files":{},"more":1}`,
	"key case":       `{"version":1,"Files":{}}`,
	"doubled key":    `{"version":1,"files":{},"files":{}}`,
	"doubled path":   `{"version":1,"files":{"/a":"` + digestEmpty + `","/a":"` + digestEmpty + `"}}`,
	"relative path":  `{"version":1,"files":{"a/agent.hcl":"` + digestEmpty + `"}}`,
	"unclean path":   `{"version":1,"files":{"/a/../agent.hcl":"` + digestEmpty + `"}}`,
	"short digest":   `{"version":1,"files":{"/a/agent.hcl":"sha256:00"}}`,
	"no prefix":      `{"version":1,"files":{"/a/agent.hcl":"` + digestEmpty[7:] + `"}}`,
	"digest null":    `{"version":1,"files":{"/a/agent.hcl":null}}`,
	"text after":     `{"version":1,"files":{}} {}`,
	"not UTF-8":      "{\"version\":1,\"files\":{\"/\xff\":\"" + digestEmpty + "\"}}",
	"NUL":            "\x00",
	"deeply nested":  strings.Repeat("[", 100_000),
	"digest in caps": `{"version":1,"files":{"/a/agent.hcl":"` + strings.ToUpper(digestEmpty) + `"}}`,
}

// A trust file that cannot be believed trusts nothing, is reported, and stays
// as it is.
func TestDamagedTrustFile(t *testing.T) {
	for name, content := range damagedTrust {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("work/agent.hcl", policy("p", "write", "allow"))
			m.trust("work/agent.hcl")
			m.write("state/trust.json", content)
			assertDamaged(t, m)
			if m.read(m.places.Trust) != content {
				t.Error("the trust file was changed")
			}
		})
	}
}

func TestForeignTrustFile(t *testing.T) {
	spoil := map[string]func(*machine){
		"others may write": func(m *machine) { m.check(os.Chmod(m.places.Trust, 0o666)) },
		"group may write":  func(m *machine) { m.check(os.Chmod(m.places.Trust, 0o620)) },
		"directory": func(m *machine) {
			m.check(os.Remove(m.places.Trust))
			m.mkdir("state/trust.json")
		},
		"pipe": func(m *machine) {
			m.check(os.Remove(m.places.Trust))
			m.check(syscall.Mkfifo(m.places.Trust, 0o600))
		},
		"foreign": func(m *machine) {
			if os.Geteuid() != 0 {
				m.t.Skip("only the superuser can give files away")
			}
			m.check(os.Chown(m.places.Trust, 65534, -1))
		},
	}
	for name, change := range spoil {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("work/agent.hcl", policy("p", "write", "allow"))
			m.trust("work/agent.hcl")
			change(m)
			assertDamaged(t, m)
		})
	}
}

func assertDamaged(t *testing.T, m *machine) {
	t.Helper()
	_, diags, _ := Table(m.options())
	if diff := cmp.Diff([]string{"trust_unreadable", "untrusted_layer"}, codes(diags)); diff != "" {
		t.Error(diff)
	}
	if diags[0].Severity != plangate.SeverityWarning || diags[0].Range.File != m.places.Trust {
		t.Errorf("%+v", diags[0])
	}
	if got := decide(m.options(), "write"); got != trustedNot {
		t.Error(got)
	}
	_, errTrust := layers.TrustFile(m.places, m.path("work/agent.hcl"))
	_, errList := layers.Trusts(m.places)
	errUntrust := layers.Untrust(m.places, m.path("work/agent.hcl"))
	for _, err := range []error{errTrust, errList, errUntrust} {
		if !errors.Is(err, layers.ErrTrustDamaged) {
			t.Error(err)
		}
	}
}

func TestTrustFileIsPrivate(t *testing.T) {
	m := newMachine(t)
	m.write("work/agent.hcl", "")
	m.trust("work/agent.hcl")
	m.check(os.Chmod(m.places.Trust, 0o644)) // readable is no harm, but is not kept
	m.trust("work/agent.hcl")
	for path, mode := range map[string]os.FileMode{
		m.places.Trust: 0o600, m.places.Trust + ".lock": 0o600, filepath.Dir(m.places.Trust): 0o700 | os.ModeDir,
	} {
		info, err := os.Stat(path)
		m.check(err)
		if info.Mode() != mode {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), mode)
		}
	}
}

func TestTrustConcurrently(t *testing.T) {
	const processes, each = 4, 8
	m := newMachine(t)
	var want []string
	var group sync.WaitGroup
	for p := range processes {
		var paths []string
		for i := range each {
			paths = append(paths, m.write(fmt.Sprintf("p%d/%d/agent.hcl", p, i), ""))
		}
		want = append(want, paths...)
		group.Go(func() {
			worker := exec.Command(os.Args[0], paths...)
			worker.Env = append(os.Environ(), workerVariable+"="+m.places.Trust)
			if out, err := worker.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	for i := range each {
		path := m.write(fmt.Sprintf("p%d/%d/agent.hcl", processes, i), "")
		want = append(want, path)
		group.Go(func() {
			if _, err := layers.TrustFile(m.places, path); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff(want, trustedPaths(t, m.places)); diff != "" {
		t.Error(diff)
	}
}
