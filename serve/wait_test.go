package serve

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plangate/plangate/gate"
)

type woken struct {
	Items    []gate.Item
	TimedOut bool `json:"timed_out"`
}

func TestWait(t *testing.T) {
	g := newGate(t)
	c := connect(t, context.Background(), Options{Gate: g})
	c.must("open", object{"session": "s"}, nil)
	var w woken
	if c.must("wait", object{"session": "s"}, &w); len(w.Items) != 0 || w.TimedOut {
		t.Errorf("SRV-14 with nothing waiting: %+v", w)
	}
	plan := c.plan("s", "t", "c1 fs.write", "c2 fs.write")
	if c.must("wait", object{"session": "s", "timeout_ms": 30}, &w); len(w.Items) != 0 || !w.TimedOut {
		t.Errorf("SRV-14 in vain: %+v", w)
	}
	id, answer := c.send("wait", object{"session": "s"})
	if r := c.call("cancel", object{"request": id}); string(r.Result) != `{"cancelled":true}` {
		t.Errorf("SRV-14 cancel: %s", r.Result)
	}
	if r := c.await(answer); r.code() != "cancelled" {
		t.Errorf("SRV-14 a cancelled wait: %q", r.code())
	}
	if r := c.call("cancel", object{"request": id}); string(r.Result) != `{"cancelled":false}` {
		t.Errorf("SRV-14 cancel what is over: %s", r.Result)
	}
	_, answer = c.send("wait", object{"session": "s"})
	c.must("resolve", verdictOn(plan.Items[1], "allow"), nil) // while the wait is at work
	r := c.await(answer)
	if got := decode[woken](t, r); len(got.Items) != 1 || got.Items[0].ID != plan.Items[1].ID || got.Items[0].State != gate.Ready {
		t.Errorf("SRV-14 woken by %s", r.Result)
	}
	// A verdict from another process.
	_, answer = c.send("wait", object{"session": "s"})
	other := connect(t, context.Background(), Options{Gate: g})
	other.must("resolve", verdictOn(plan.Items[0], "deny"), nil)
	if got := decode[woken](t, c.await(answer)); len(got.Items) != 1 || got.Items[0].State != gate.Denied {
		t.Errorf("SRV-14 woken by another: %+v", got)
	}
	other.stop()
	c.stop()
}

// TestWaitsBlockNothing: more waits than requests may be at work, and everything else
// goes on.
func TestWaitsBlockNothing(t *testing.T) {
	c := connect(t, context.Background(), Options{Gate: newGate(t)})
	answers := make([]<-chan reply, MaxWaits)
	for i := range 8 {
		id := fmt.Sprint("s", i)
		c.must("open", object{"session": id}, nil)
		c.plan(id, "t", "c1 fs.write")
	}
	for i := range answers {
		_, answers[i] = c.send("wait", object{"session": fmt.Sprint("s", i%8)})
	}
	if r := c.call("wait", object{"session": "s0"}); r.code() != "busy" {
		t.Errorf("SRV-7 a wait too many: %q", r.code())
	}
	c.must("hello", object{}, nil)
	c.in.Close()
	for _, answer := range answers {
		if r := c.await(answer); r.code() != "cancelled" {
			t.Fatalf("SRV-8 a wait at the end of the input: %q", r.code())
		}
	}
	c.stop()
}

// TestBound: beyond MaxRequests nothing is read until something ends.
func TestBound(t *testing.T) {
	var now, most atomic.Int32
	release := make(chan struct{})
	g := newGate(t, func(config *gate.Config) {
		policy := config.Policy
		config.Policy = func() gate.Policy {
			most.Store(max(most.Load(), now.Add(1))) // grows only, so a lost write is made up for
			defer now.Add(-1)
			<-release
			return policy()
		}
	})
	c := connect(t, context.Background(), Options{Gate: g})
	const all = 3 * MaxRequests
	answers := make(chan (<-chan reply), all)
	go func() {
		for range all {
			_, answer := c.send("visible_operations", object{"mode": "apply"})
			answers <- answer
		}
	}()
	for now.Load() < MaxRequests {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	if got := now.Load(); got != MaxRequests {
		t.Errorf("SRV-7 %d requests are at work, want %d", got, MaxRequests)
	}
	close(release)
	for range all {
		if r := c.await(<-answers); r.Error != nil {
			t.Errorf("SRV-7 %s", r.Error.Code)
		}
	}
	if most.Load() > MaxRequests {
		t.Errorf("SRV-7 %d requests were at work", most.Load())
	}
	c.stop()
}

func TestSameID(t *testing.T) {
	c := connect(t, context.Background(), Options{Gate: newGate(t)})
	c.must("open", object{"session": "s"}, nil)
	c.plan("s", "t", "c1 fs.write")
	id, answer := c.send("wait", object{"session": "s"})
	refused := make(chan reply, 1)
	c.mu.Lock()
	c.open[nil] = refused
	c.mu.Unlock()
	fmt.Fprintf(c.in, `{"id":%q,"method":"hello"}`+"\n", id)
	if r := c.await(refused); r.code() != "invalid_request" {
		t.Errorf("SRV-3 a second request with the id: %q", r.code())
	}
	c.must("cancel", object{"request": id}, nil)
	if r := c.await(answer); r.code() != "cancelled" {
		t.Errorf("the first one got %q", r.code())
	}
	c.stop()
}

func TestSessions(t *testing.T) {
	g := newGate(t)
	a, b := connect(t, context.Background(), Options{Gate: g}), connect(t, context.Background(), Options{Gate: g})
	a.must("open", object{"session": "s"}, nil)
	plan := a.plan("s", "t", "c1 db.update", "c2 db.update")
	claim := func(i int) object { return object{"session": "s", "item": plan.Items[i].ID} }
	a.must("claim", claim(0), nil)
	if r := b.call("claim", claim(1)); r.code() != "not_open" {
		t.Errorf("SRV-13 a session that is open elsewhere: %q", r.code())
	}
	b.must("open", object{"session": "s"}, nil)
	for method, params := range map[string]object{
		"claim": claim(1), "plan": {"session": "s", "turn": "u", "calls": []object{}}, "user_message": {"session": "s"},
		"complete": {"session": "s", "item": plan.Items[0].ID, "result": object{"output": 1}},
	} {
		if r := a.call(method, params); r.code() != "session_taken_over" {
			t.Errorf("SRV-13 %s by the kernel that lost: %q", method, r.code())
		}
	}
	var left gate.Left
	if b.must("resume", object{"session": "s"}, &left); len(left.Ready) != 1 || len(left.Interrupted) != 1 {
		t.Errorf("GAT-37 left %d ready, %d interrupted", len(left.Ready), len(left.Interrupted))
	}
	b.must("close", object{"session": "s"}, nil)
	if r := b.call("claim", claim(1)); r.code() != "not_open" {
		t.Errorf("SRV-13 a closed session: %q", r.code())
	}
	a.must("open", object{"session": "s"}, nil)
	a.must("claim", claim(1), nil)
	a.stop()
	b.stop()
}

// TestWaitEndsWithTheHold: an item is told to one wait, so a wait does not outlive its
// hold on the session.
func TestWaitEndsWithTheHold(t *testing.T) {
	c := connect(t, context.Background(), Options{Gate: newGate(t)})
	for _, method := range []string{"open", "close"} {
		c.must("open", object{"session": "s"}, nil)
		c.plan("s", method, "c1 fs.write")
		_, answer := c.send("wait", object{"session": "s"})
		time.Sleep(50 * time.Millisecond) // until the wait has its session
		c.must(method, object{"session": "s"}, nil)
		if r := c.await(answer); r.code() != "cancelled" {
			t.Errorf("SRV-14 a wait after %s: %q", method, r.code())
		}
	}
	c.stop()
}

// TestClients: of 32 connections on one gate, one claim and one verdict wins each.
func TestClients(t *testing.T) {
	g := newGate(t)
	const clients, calls = 32, 16
	first := connect(t, context.Background(), Options{Gate: g})
	first.must("open", object{"session": "s"}, nil)
	names := make([]string, calls)
	for i := range names {
		names[i] = fmt.Sprintf("c%d fs.write", i)
	}
	plan := first.plan("s", "t", names...)
	_, waits := first.send("wait", object{"session": "s"})
	var answered, claimed [calls]atomic.Int32
	var group sync.WaitGroup
	for n := range clients {
		group.Go(func() {
			c := connect(t, context.Background(), Options{Gate: g})
			defer c.stop()
			var each sync.WaitGroup
			for i := range calls {
				each.Go(func() {
					verdict := verdictOn(plan.Items[i], "allow")
					verdict["verdict"].(object)["actor"] = fmt.Sprint("human", n)
					switch r := c.call("resolve", verdict); r.code() {
					case "":
						answered[i].Add(1)
					case "already_answered":
					default:
						t.Errorf("GAT-19 resolve: %s", r.Error.Message)
					}
					switch r := first.call("claim", object{"session": "s", "item": plan.Items[i].ID}); r.code() {
					case "":
						claimed[i].Add(1)
					case "not_ready":
					default:
						t.Errorf("GAT-34 claim: %s", r.Error.Message)
					}
				})
			}
			each.Wait()
		})
	}
	group.Wait()
	for i := range calls {
		if answered[i].Load() != 1 || claimed[i].Load() != 1 {
			t.Errorf("call %d: %d verdicts and %d claims won, want 1 and 1", i, answered[i].Load(), claimed[i].Load())
		}
	}
	if r := first.await(waits); len(decode[woken](t, r).Items) == 0 {
		t.Errorf("SRV-14 the wait got %s", r.Result)
	}
	first.stop()
}

// TestPending reads the list page by page.
func TestPending(t *testing.T) {
	c := connect(t, context.Background(), Options{Gate: newGate(t)})
	c.must("open", object{"session": "s"}, nil)
	c.plan("s", "t", "c1 fs.write", "c2 fs.write", "c3 fs.write", "c4 fs.write")
	seen, pages := map[string]bool{}, 0
	for params := (object{"session": "s", "limit": 2}); ; pages++ {
		var page struct {
			Items []gate.Item
			Next  *object
		}
		c.must("pending", params, &page)
		for _, item := range page.Items {
			seen[item.ID] = true
		}
		if page.Next == nil {
			break
		}
		params["after"] = page.Next
	}
	if len(seen) != 4 || pages != 2 {
		t.Errorf("SRV-15 %d items, next on %d pages; want 4 and 2", len(seen), pages)
	}
	c.stop()
}

// TestConcurrentDenials is K11: the breaker counts every denial of plans that are made
// at the same time.
func TestConcurrentDenials(t *testing.T) {
	c := connect(t, context.Background(), Options{Gate: newGate(t)})
	c.must("open", object{"session": "s"}, nil)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() { c.plan("s", fmt.Sprint("t", i), "c fs.delete_file") })
	}
	group.Wait()
	var got struct{ Tripped []struct{ Bad int } }
	c.must("tripped", object{"session": "s"}, &got)
	if len(got.Tripped) != 3 || got.Tripped[0].Bad != 50 {
		t.Errorf("K11 tripped %+v, want three counters at 50", got.Tripped)
	}
	c.stop()
}
