package persist_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/pgtest"
	"github.com/plangate/plangate/persist"
	"github.com/plangate/plangate/persist/persisttest"
)

// pending is how many approvals wait, perPlan how many of them in each plan.
const pending, perPlan = 100_000, 10

// BenchmarkPending measures a store with 100,000 approvals that wait. Both databases
// sync every transaction to disk.
func BenchmarkPending(b *testing.B) {
	for name, place := range map[string]func() string{
		"sqlite":   func() string { return filepath.Join(b.TempDir(), "gate.db") },
		"postgres": func() string { return pgtest.Start(b).DSN() },
	} {
		b.Run(name, func(b *testing.B) {
			url := place()
			db := open(b, url)
			b.Run("create", func(b *testing.B) { benchmarkCreate(b, db) })
			if name == "postgres" {
				execute(b, url, "ANALYZE") // as its autovacuum does within a minute
			}
			first, middle := gate.Cursor{}, cursor(pending/2)
			b.Run("list first 50", func(b *testing.B) { benchmarkList(b, db, first) })
			b.Run("list 50 in the middle", func(b *testing.B) { benchmarkList(b, db, middle) })
			b.Run("list 50 of a session", func(b *testing.B) {
				benchmarkItems(b, db, gate.Filter{Session: "load", States: []gate.State{gate.Waiting}, Limit: 50}, 50)
			})
			b.Run("look for expired", func(b *testing.B) {
				benchmarkItems(b, db, gate.Filter{ExpiresBy: persisttest.Item("load", 0, 0).Created, Limit: gate.MaxPage}, 0)
			})
			b.Run("answer", func(b *testing.B) { benchmarkAnswer(b, db) })
			b.Run("open", func(b *testing.B) { benchmarkOpen(b, url) })
		})
	}
}

func cursor(i int) gate.Cursor {
	item := persisttest.Item("load", i/perPlan, i%perPlan)
	return gate.Cursor{Created: item.Created, ID: item.ID}
}

// benchmarkCreate fills the store once: a transaction makes a plan with its items and
// their audit records.
func benchmarkCreate(b *testing.B, db *persist.DB) {
	began := time.Now()
	for turn := range pending / perPlan {
		var items []gate.Item
		var entries []audit.Entry
		for i := range perPlan {
			items = append(items, persisttest.Item("load", turn, i))
			entries = append(entries, audit.Entry{Event: audit.ApprovalCreated, Item: items[i].ID, Input: items[i].Call.Input})
		}
		plan := gate.PlanRecord{ID: items[0].Plan, Session: "load", Turn: items[0].Turn, Items: perPlan, Created: items[0].Created}
		update(b, db, func(tx gate.Tx) error {
			return errors.Join(tx.PutPlan(plan), tx.AddItems(items), tx.Append(entries...))
		})
	}
	took := time.Since(began)
	for b.Loop() { // once was enough
	}
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took.Seconds(), "s/100000")
	b.ReportMetric(float64(took.Microseconds())/(pending/perPlan), "µs/plan")
	b.ReportMetric(float64(memory.HeapAlloc)/(1<<20), "heap-MB")
	b.ReportMetric(residentMB(b), "resident-MB")
}

// residentMB is the memory of this process that is in RAM, without that of a
// database server.
func residentMB(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(status, []byte("VmRSS:"))
	kB, err := strconv.Atoi(string(bytes.Fields(after)[0]))
	if err != nil {
		b.Fatal(err)
	}
	return float64(kB) / 1024
}

func benchmarkList(b *testing.B, db *persist.DB, after gate.Cursor) {
	benchmarkItems(b, db, gate.Filter{States: []gate.State{gate.Waiting}, After: after, Limit: 50}, 50)
}

func benchmarkItems(b *testing.B, db *persist.DB, filter gate.Filter, want int) {
	for b.Loop() {
		err := db.View(context.Background(), func(r gate.Reader) error {
			items, err := r.Items(filter)
			if len(items) != want {
				return fmt.Errorf("%d items; want %d", len(items), want)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(residentMB(b), "resident-MB")
}

// benchmarkAnswer answers one item after the other.
func benchmarkAnswer(b *testing.B, db *persist.DB) {
	var next []gate.Item
	for b.Loop() {
		if len(next) == 0 {
			b.StopTimer()
			err := db.View(context.Background(), func(r gate.Reader) (err error) {
				next, err = r.Items(gate.Filter{States: []gate.State{gate.Waiting}, After: cursor(pending / 2), Limit: gate.MaxPage})
				return err
			})
			if err != nil || len(next) == 0 {
				b.Fatal("nothing waits: ", err)
			}
			b.StartTimer()
		}
		if err := db.Update(context.Background(), persisttest.Answer(next[0].ID, "ann")); err != nil {
			b.Fatal(err)
		}
		next = next[1:]
	}
}

func benchmarkOpen(b *testing.B, url string) {
	for b.Loop() {
		db, err := persist.Open(context.Background(), url)
		if err != nil {
			b.Fatal(err)
		}
		db.Close()
	}
}
