package persist_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/persist"
	"github.com/plangate/plangate/persist/persisttest"
)

// What goroutines on one handle are tested with, two handles have to pass too.
func TestTwoHandles(t *testing.T) {
	for name, place := range places {
		for race, run := range map[string]func(*testing.T, ...gate.Store){
			"answers": persisttest.RaceAnswers, "epochs": persisttest.RaceEpochs, "plans": persisttest.RacePlans,
		} {
			t.Run(name+" "+race, func(t *testing.T) {
				url := place(t)
				run(t, open(t, url), open(t, url))
			})
		}
	}
}

// Four processes answer the same items; each item gets one answer.
func TestProcesses(t *testing.T) {
	const processes, items = 4, 40
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			url := place(t)
			db := open(t, url)
			addItems(t, db, items)
			won := make([]int, processes)
			var all sync.WaitGroup
			for p := range processes {
				all.Go(func() {
					out, err := start(t, "answer", url, fmt.Sprint(items)).Output()
					if err != nil {
						t.Errorf("process %d: %v", p, err)
					}
					won[p] = strings.Count(string(out), "won\n")
				})
			}
			all.Wait()
			sum := 0
			for _, n := range won {
				sum += n
			}
			if sum != items {
				t.Errorf("processes won %v answers; want %d together", won, items)
			}
			checkAnswers(t, db, items)
		})
	}
}

func TestOpenedAtOnce(t *testing.T) {
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				url := place(t)
				var all sync.WaitGroup
				for i := range 12 {
					all.Go(func() {
						db, err := persist.Open(context.Background(), url)
						if err != nil {
							t.Error(err)
							return
						}
						defer db.Close()
						if db.Damage() != nil {
							t.Errorf("damage: %+v", db.Damage())
						}
						err = db.Update(context.Background(), func(tx gate.Tx) error {
							return tx.AddItems([]gate.Item{persisttest.Item("s", i, 0)})
						})
						if err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				if got := count(t, open(t, url)); got != 12 {
					t.Errorf("%d items; want 12", got)
				}
			}
		})
	}
}

func TestWatchHearsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			url := place(t)
			watching, writing := open(t, url), open(t, url)
			watcher, err := watching.Watch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			settle(watcher)
			for turn := range 3 {
				begin := time.Now()
				update(t, writing, func(tx gate.Tx) error { return tx.AddItems([]gate.Item{persisttest.Item("s", turn, 0)}) })
				select {
				case <-watcher:
					t.Logf("woken after %s", time.Since(begin))
				case <-time.After(5 * time.Second):
					t.Fatal("the other handle was not woken")
				}
			}
		})
	}
}

// settle takes the values that a watcher gets at its beginning.
func settle(watcher <-chan struct{}) {
	for {
		select {
		case <-watcher:
		case <-time.After(1500 * time.Millisecond):
			return
		}
	}
}

func TestClose(t *testing.T) {
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			db, err := persist.Open(context.Background(), place(t))
			if err != nil {
				t.Fatal(err)
			}
			watcher, err := db.Watch(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Close(), db.Close()); err != nil {
				t.Error(err)
			}
			for range watcher { // until it is closed
				continue
			}
			if _, err := db.Watch(context.Background()); !errors.Is(err, persist.ErrClosed) {
				t.Errorf("Watch after Close: %v; want ErrClosed", err)
			}
			if err := db.Update(context.Background(), func(gate.Tx) error { return nil }); !errors.Is(err, persist.ErrClosed) {
				t.Errorf("Update after Close: %v; want ErrClosed", err)
			}
		})
	}
}

func TestOpenRefusesOtherSchemes(t *testing.T) {
	for _, url := range []string{"mysql://x/y", "sqlite:///tmp/x", "Postgres://x"} {
		if db, err := persist.Open(context.Background(), url); err == nil {
			db.Close()
			t.Errorf("%s was opened", url)
		}
	}
}

// The helpers below are for tests of loads.

func update(t testing.TB, db *persist.DB, change func(gate.Tx) error) {
	t.Helper()
	if err := db.Update(context.Background(), change); err != nil {
		t.Fatal(err)
	}
}

// addItems adds waiting items load-0-00 … in plans of ten.
func addItems(t testing.TB, db *persist.DB, n int) {
	t.Helper()
	for from := 0; from < n; from += 1000 {
		var items []gate.Item
		for i := from; i < min(n, from+1000); i++ {
			items = append(items, persisttest.Item("load", i/10, i%10))
		}
		update(t, db, func(tx gate.Tx) error { return tx.AddItems(items) })
	}
}

func itemID(i int) string { return persisttest.Item("load", i/10, i%10).ID }

func count(t testing.TB, db *persist.DB) (n int) {
	t.Helper()
	err := db.View(context.Background(), func(r gate.Reader) error {
		items, err := r.Items(gate.Filter{Limit: gate.MaxPage})
		n = len(items)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkAnswers fails unless each of the items was answered and recorded once.
func checkAnswers(t testing.TB, db *persist.DB, items int) {
	t.Helper()
	err := db.View(context.Background(), func(r gate.Reader) error {
		actors := map[string]string{}
		var last uint64
		for {
			page, err := r.Records(last, gate.MaxPage)
			if err != nil {
				return err
			}
			if len(page) == 0 {
				break
			}
			for _, record := range page {
				if record.Seq != last+1 {
					t.Fatalf("record %d follows %d", record.Seq, last)
				}
				last = record.Seq
				if earlier, twice := actors[record.Item]; twice {
					t.Errorf("%s is answered by %s and %s", record.Item, earlier, record.Actor)
				}
				actors[record.Item] = record.Actor
			}
		}
		for i := range items {
			item, err := r.Item(itemID(i))
			if err != nil {
				return err
			}
			if item.Answer == nil || item.Answer.Actor != actors[item.ID] {
				t.Errorf("%s has answer %+v, recorded is %q", item.ID, item.Answer, actors[item.ID])
			}
		}
		if len(actors) != items {
			t.Errorf("%d answers are recorded; want %d", len(actors), items)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// answerJob answers items and says which it won.
func answerJob(url string, items int) error {
	db, err := persist.Open(context.Background(), url)
	if err != nil {
		return err
	}
	defer db.Close()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for i := range items {
		err := db.Update(context.Background(), persisttest.Answer(itemID(i), fmt.Sprint(os.Getpid())))
		switch {
		case err == nil:
			fmt.Fprintln(out, "won")
		case !errors.Is(err, persisttest.ErrLost):
			return err
		}
	}
	return nil
}
