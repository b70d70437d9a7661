//go:build unix

package load

import (
	"crypto/sha256"
	"fmt"
	"github.com/plangate/plangate/layers"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/when"
)

// entry returns the path of the entry for the options and whether it is used.
func entry(opts layers.Options) (path string, used bool) {
	in := layers.Gather(opts)
	encoded := in.Cached()
	if encoded == nil {
		return in.CacheFile(), false
	}
	_, err := eval.Load(encoded, bind.Binder{When: when.Language{}})
	return in.CacheFile(), err == nil
}

func cachedMachine(t *testing.T) (*machine, layers.Options) {
	m := newMachine(t)
	m.write("etc/agent.hcl", "guard \"g\" {\n  match  = { operation = \"drop\" }\n  action = \"deny\"\n}\n")
	m.write("config/agent.hcl", policy("p", "write", "allow"))
	opts := m.options()
	Table(opts)
	return m, opts
}

func TestCacheHit(t *testing.T) {
	m, opts := cachedMachine(t)
	path, used := entry(opts)
	if !used {
		t.Fatal("the entry is not used")
	}
	fresh := Open(opts).Table
	cached, diags, layers := Table(opts)
	if fresh.Fingerprint() != cached.Fingerprint() || len(diags) != 0 || len(layers) != 3 {
		t.Errorf("fresh %s, cached %s, %v, %v", fresh.Fingerprint(), cached.Fingerprint(), diags, layers)
	}
	for _, operation := range []string{"write", "drop", "other"} {
		if diff := cmp.Diff(fresh.Explain(call(operation)), cached.Explain(call(operation))); diff != "" {
			t.Error(diff)
		}
	}
	for path, mode := range map[string]os.FileMode{path: 0o600, m.places.Cache: 0o700 | os.ModeDir} {
		info, err := os.Stat(path)
		m.check(err)
		if info.Mode() != mode {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), mode)
		}
	}
}

// An entry that is not exactly what was written for these inputs by this user
// is not used, and is replaced by one that is.
func TestSpoiltEntry(t *testing.T) {
	overwrite := func(change func([]byte) []byte) func(*machine, string) {
		return func(m *machine, path string) {
			m.check(os.WriteFile(path, change([]byte(m.read(path))), 0o600))
		}
	}
	flip := func(at int) func(*machine, string) {
		return overwrite(func(entry []byte) []byte {
			entry[at] ^= 1
			return entry
		})
	}
	spoil := map[string]func(*machine, string){
		"empty":    overwrite(func([]byte) []byte { return nil }),
		"half":     overwrite(func(entry []byte) []byte { return entry[:len(entry)/2] }),
		"key only": overwrite(func(entry []byte) []byte { return entry[:sha256.Size] }),
		"longer":   overwrite(func(entry []byte) []byte { return append(entry, 0) }),
		"key":      flip(0),
		"magic":    flip(sha256.Size),
		"table":    flip(sha256.Size + 40),
		"other inputs": func(m *machine, path string) {
			opts := m.options()
			opts.Version = "2"
			Table(opts)
			other, _ := entry(opts)
			m.check(os.Rename(other, path))
		},
		"group may read": func(m *machine, path string) { m.check(os.Chmod(path, 0o640)) },
		"all may write":  func(m *machine, path string) { m.check(os.Chmod(path, 0o602)) },
		"link": func(m *machine, path string) {
			m.check(os.Rename(path, path+".moved"))
			m.check(os.Symlink(path+".moved", path))
		},
		"foreign": func(m *machine, path string) {
			if os.Geteuid() != 0 {
				m.t.Skip("only the superuser can give files away")
			}
			m.check(os.Chown(path, 65534, -1))
		},
	}
	for name, change := range spoil {
		t.Run(name, func(t *testing.T) {
			m, opts := cachedMachine(t)
			path, _ := entry(opts)
			change(m, path)
			if _, used := entry(opts); used {
				t.Error("the spoilt entry is used")
			}
			if got := decide(opts, "write"); got != "allow policy:p" {
				t.Error(got)
			}
			if _, used := entry(opts); !used {
				t.Error("the entry was not rebuilt")
			}
		})
	}
}

// A cache directory that is not the user's alone is neither read nor written.
func TestSpoiltCacheDirectory(t *testing.T) {
	spoil := map[string]func(*machine){
		"others may read": func(m *machine) { m.check(os.Chmod(m.places.Cache, 0o755)) },
		"link": func(m *machine) {
			m.check(os.Rename(m.places.Cache, m.path("moved")))
			m.link(m.path("moved"), "cache/tables")
		},
		"file": func(m *machine) {
			m.check(os.RemoveAll(m.places.Cache))
			m.write("cache/tables", "")
		},
		"foreign": func(m *machine) {
			if os.Geteuid() != 0 {
				m.t.Skip("only the superuser can give directories away")
			}
			m.check(os.Chown(m.places.Cache, 65534, -1))
		},
	}
	for name, change := range spoil {
		t.Run(name, func(t *testing.T) {
			m, opts := cachedMachine(t)
			change(m)
			before, _ := os.ReadDir(m.places.Cache)
			if _, used := entry(opts); used {
				t.Error("the entry is used")
			}
			m.write("config/agent.hcl", policy("p", "write", "deny"))
			if got := decide(opts, "write"); got != "deny policy:p" {
				t.Error(got)
			}
			if after, _ := os.ReadDir(m.places.Cache); len(after) != len(before) {
				t.Error("an entry was written")
			}
		})
	}
}

func TestCacheFollowsInputs(t *testing.T) {
	m, opts := cachedMachine(t)
	m.write("catalog.json", `{"providers":{}}`)
	m.write("catalog2.json", `{"providers":{}}`)
	m.write("work/agent.hcl", policy("q", "write", "deny"))
	seen := map[string]string{}
	step := func(name, want string) {
		t.Helper()
		if got := decide(opts, "write"); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		path, used := entry(opts)
		if !used {
			t.Errorf("%s: not cached", name)
		}
		if other, ok := seen[path]; ok {
			t.Errorf("%s has the entry of %s", name, other)
		}
		seen[path] = name
	}
	step("untrusted project", "deny policy:q")
	m.trust("work/agent.hcl")
	step("trusted project", "deny policy:q")
	m.write("work/agent.hcl", policy("q", "write", "allow"))
	step("changed project", "allow policy:p")
	m.trust("work/agent.hcl")
	step("changed and trusted project", "allow policy:q")
	m.check(os.Remove(m.path("work/agent.hcl")))
	step("no project", "allow policy:p")
	opts.Dir = m.path("work")
	step("other place for the project", "allow policy:p")
	opts.Catalogs = []string{m.path("catalog.json")}
	step("catalog", "allow policy:p")
	opts.Catalogs = []string{m.path("catalog2.json")}
	step("other catalog", "allow policy:p")
	m.write("catalog2.json", `{"providers": {}}`)
	step("changed catalog", "allow policy:p")
	opts.Version = "2"
	step("other version", "allow policy:p")
	opts.Layers = []plangate.Layer{plangate.LayerUser}
	step("one layer", "allow policy:p")
	opts.Files = []string{m.path("config/agent.hcl")}
	step("given file", "allow policy:p")
	m.write("config/agent.hcl", policy("p", "write", "ask"))
	step("changed file", "ask policy:p")
}

func TestCacheOff(t *testing.T) {
	m := newMachine(t)
	m.write("config/agent.hcl", policy("p", "write", "allow"))
	for _, change := range []func(*layers.Options){
		func(o *layers.Options) { o.Version = "" },
		func(o *layers.Options) { o.Places.Cache = "" },
	} {
		opts := m.options()
		change(&opts)
		if got := decide(opts, "write"); got != "allow policy:p" {
			t.Error(got)
		}
		if _, err := os.Stat(m.places.Cache); err == nil {
			t.Error("a cache was made")
		}
	}
}

// What the user can write must not stand in for a policy that somebody else
// imposes: an entry of before is not read, and none is written.
func TestNoCacheUnderForeignManagedFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the superuser can give files away")
	}
	m, opts := cachedMachine(t)
	path, _ := entry(opts)
	m.check(os.Chown(m.path("etc/agent.hcl"), 65534, -1))
	if _, used := entry(opts); used {
		t.Error("an entry is used")
	}
	m.check(os.Remove(path))
	if got := decide(opts, "drop"); got != "deny guard:g" {
		t.Error(got)
	}
	if names, _ := os.ReadDir(m.places.Cache); len(names) != 0 {
		t.Error("an entry was written")
	}
}

func TestErrorsAreNotCached(t *testing.T) {
	m := newMachine(t)
	m.write("config/agent.hcl", "policy {")
	opts := m.options()
	if got := decide(opts, "write"); got != "deny builtin:policy_error" {
		t.Error(got)
	}
	if names, _ := os.ReadDir(m.places.Cache); len(names) != 0 {
		t.Error("a table with errors was cached")
	}
}

// An entry stays right when a rule expires, because the time of the call counts.
func TestCacheAndTime(t *testing.T) {
	m := newMachine(t)
	m.write("config/agent.hcl", policy("p", "write", "allow")+
		"guard \"g\" {\n  match = { operation = \"write\" }\n  action = \"deny\"\n"+
		"  expires = \"2026-01-02T12:00:00Z\"\n}\n")
	opts := m.options()
	for _, made := range []time.Time{noon.Add(-time.Hour), noon.Add(time.Hour)} {
		opts.Now, opts.Version = made, made.String()
		for _, round := range []string{"first", "cached"} {
			table, _, _ := Table(opts)
			for _, at := range []struct {
				time time.Time
				want plangate.Action
			}{{noon, plangate.Deny}, {noon.Add(1), plangate.Allow}, {time.Time{}, plangate.Ask}} {
				call := call("write")
				call.Time = at.time
				if got := table.Decide(call).Action(); got != at.want {
					t.Errorf("made at %v, %s: at %v got %v, want %v", made, round, at.time, got, at.want)
				}
			}
		}
	}
}

func TestPrune(t *testing.T) {
	m, opts := cachedMachine(t)
	for i := range layers.MaxEntries + 10 {
		old := filepath.Join(m.places.Cache, fmt.Sprintf("%064d.table", i))
		m.check(os.WriteFile(old, nil, 0o600))
		m.check(os.Chtimes(old, time.Time{}, noon.Add(-time.Duration(i)*time.Hour)))
	}
	foreign := filepath.Join(m.places.Cache, "README")
	m.check(os.WriteFile(foreign, nil, 0o600))
	m.write("config/agent.hcl", policy("p", "write", "deny"))
	Table(opts)
	if _, used := entry(opts); !used {
		t.Error("the newest entry was removed")
	}
	names, err := os.ReadDir(m.places.Cache)
	m.check(err)
	if len(names) != layers.MaxEntries+1 {
		t.Errorf("%d files, want %d", len(names), layers.MaxEntries+1)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error("a file that is no entry was removed")
	}
}

func TestCacheConcurrently(t *testing.T) {
	m := newMachine(t)
	m.write("config/agent.hcl", policy("p", "write", "allow"))
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if got := decide(m.options(), "write"); got != "allow policy:p" {
				t.Error(got)
			}
		})
	}
	group.Wait()
}

// Warnings about the text are for Open: a table from the cache has none, so a
// fresh one has none either. Warnings about files are always there.
func TestTableWarnings(t *testing.T) {
	m := newMachine(t)
	m.write("config/agent.hcl", "policy \"p\" {\n  match  = {}\n  action = \"allow\"\n}\n")
	m.check(os.Chmod(m.places.User, 0o622))
	for _, round := range []string{"first", "cached"} {
		_, diags, _ := Table(m.options())
		if diff := cmp.Diff([]string{"file_permissions"}, codes(diags)); diff != "" {
			t.Errorf("%s: %s", round, diff)
		}
	}
	if diags := Open(m.options()).Diagnostics; len(diags) < 2 || diags.HasErrors() {
		t.Errorf("%v", codes(diags))
	}
}
