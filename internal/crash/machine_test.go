package crash

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/pgtest"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/local"
)

// stores are the kinds of store that everything is proved on; each makes a place for one
// and returns its URL, or "" for the default.
var stores = map[string]func(t testing.TB) string{
	"sqlite":   func(testing.TB) string { return "" },
	"postgres": pgtest.Database,
}

// setting is what machines differ in.
type setting struct {
	Audit, Hold string
	Layer       string // of the policy file: user or project
}

var settings = []setting{
	{"required", "item", "project"},
	{"best_effort", "batch", "user"},
	{"required", "batch", "user"},
	{"best_effort", "item", "project"},
}

func (s setting) policy() string {
	return fmt.Sprintf(`# Kept as it is: this comment, the tab	and the missing line end.
policy "reads" {
  match  = { operation = "read" }
  action = "allow"
}
policy "drops" {
  match  = { operation = "drop" }
  action = "deny"
  reason = "nothing is dropped here"
}
approvals {
  audit      = "%s"
  hold       = "%s"
  expires_in = "1h"
}
circuit_breaker {
  consecutive = 0
  denials     = 0
} # the end`, s.Audit, s.Hold)
}

// machine is a home with a policy, a store, a log and the list of what ran. Many
// processes may share it.
type machine struct {
	Home, Store string
	Setting     setting
}

func newMachine(t testing.TB, store string, s setting) machine {
	t.Helper()
	m := machine{Home: home(t), Store: store, Setting: s}
	for _, dir := range []string{filepath.Dir(m.policyFile()), m.project()} {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(m.policyFile(), []byte(s.policy()), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.Layer == "project" {
		if _, err := layers.TrustFile(m.places(), m.policyFile()); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// memoryDir holds files in memory, where there is such a place. A process that is killed
// loses nothing that it gave to the system, whether or not it reached a disk, so what is
// proved here does not depend on it, and most of the time goes into waiting for disks.
const memoryDir = "/dev/shm"

// home returns a new directory.
func home(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(memoryDir, "plangate-crash-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (m machine) project() string { return filepath.Join(m.Home, "project") }

// executed is the list of what ran; machines that share a home have one for each store.
func (m machine) executed() string { return filepath.Join(m.Home, "executed "+filepath.Base(m.Store)) }

func (m machine) policyFile() string {
	if m.Setting.Layer == "user" {
		return m.places().User
	}
	return filepath.Join(m.project(), layers.FileName)
}

func (m machine) places() layers.Places {
	places := layers.DefaultPlaces(func(name string) string {
		if name == "HOME" {
			return m.Home
		}
		return ""
	})
	places.Managed = filepath.Join(m.Home, "managed.hcl") // none, whatever this machine has
	return places
}

// open opens the gate of the machine.
func (m machine) open(ctx context.Context, clock func() time.Time, configure func(*gate.Config)) (*local.Local, error) {
	l, err := local.Open(ctx, local.Options{
		Load: layers.Options{Dir: m.project(), Places: m.places()}, Store: m.Store, Clock: clock, Configure: configure,
	})
	if err != nil {
		return nil, err
	}
	if damage := l.Store.Damage(); damage != nil {
		_ = l.Close()
		return nil, fmt.Errorf("the store was damaged: %s", damage.Reason)
	}
	return l, nil
}

// run is what stands for running a tool: a line in a file, on disk when it returns.
func (m machine) run(item string) error {
	file, err := os.OpenFile(m.executed(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(item + "\n")
	return cmp.Or(err, file.Sync(), file.Close())
}

// ran returns the items that ran, in order.
func (m machine) ran() ([]string, error) {
	text, err := os.ReadFile(m.executed())
	if os.IsNotExist(err) {
		return nil, nil
	}
	return strings.Fields(string(text)), err
}
