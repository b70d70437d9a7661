//go:build unix

package decisionhook

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plangate/plangate"
)

// counting answers with the number of the question; gate, if there is one, holds it up.
type counting struct {
	asked atomic.Int64
	gate  chan struct{}
	err   error
}

func (c *counting) Ask(ctx context.Context, _ Question) (Answer, error) {
	n := c.asked.Add(1)
	if c.gate != nil {
		select {
		case <-c.gate:
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		}
	}
	return Answer{Decision: plangate.Allow, Message: strconv.FormatInt(n, 10)}, c.err
}

func ask(t *testing.T, asker Asker, q Question) string {
	t.Helper()
	answer, err := asker.Ask(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Message
}

func TestMemoAnswersOnce(t *testing.T) {
	inner := &counting{}
	memo := NewMemo(inner)
	first := question("c1")
	changed := question("c1")
	changed.Call.Input = []byte(`{"order":"A-1002"}`)
	for i, step := range []struct {
		q    Question
		want string
	}{{first, "1"}, {first, "1"}, {changed, "2"}, {first, "1"}, {question("c2"), "3"}, {changed, "2"}} {
		if got := ask(t, memo, step.q); got != step.want {
			t.Errorf("step %d: got answer %s, want %s", i, got, step.want)
		}
	}
}

func TestMemoJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &counting{gate: make(chan struct{})}
		memo := NewMemo(inner)
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				if got := ask(t, memo, question("c1")); got != "1" {
					t.Errorf("got answer %s", got)
				}
			})
		}
		synctest.Wait()
		close(inner.gate)
		group.Wait()
		if n := inner.asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

func TestMemoForgetsErrors(t *testing.T) {
	inner := &counting{err: errors.New("down")}
	memo := NewMemo(inner)
	for range 2 {
		if _, err := memo.Ask(t.Context(), question("c1")); !errors.Is(err, inner.err) {
			t.Fatal(err)
		}
	}
	inner.err = nil
	if got := ask(t, memo, question("c1")); got != "3" {
		t.Errorf("got answer %s", got)
	}
	panics := NewMemo(Func(func(context.Context, Question) (*Answer, error) { panic("x") }))
	if got := (Hook{Asker: panics}).Decide(t.Context(), question("c1")); got.Failure != FailureError {
		t.Errorf("got %v", got)
	}
}

func TestMemoForgetsTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &counting{gate: make(chan struct{})}
		hook := Hook{Asker: NewMemo(inner), Timeout: time.Second}
		if got := hook.Decide(t.Context(), question("c1")); got.Failure != FailureTimeout {
			t.Errorf("got %v", got)
		}
		time.Sleep(time.Nanosecond) // at the very instant the first one could still answer
		close(inner.gate)
		if got := hook.Decide(t.Context(), question("c1")); got.Answer.Message != "2" {
			t.Errorf("got %v", got)
		}
	})
}

// TestMemoOutlivesTheFirst cancels the one who came first while another waits, and then
// everybody.
func TestMemoOutlivesTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &counting{gate: make(chan struct{})}
		memo := NewMemo(inner)
		first, cancelFirst := context.WithCancel(t.Context())
		second, cancelSecond := context.WithCancel(t.Context())
		errs := make(chan error, 2)
		for _, ctx := range []context.Context{first, second} {
			go func() {
				_, err := memo.Ask(ctx, question("c1"))
				errs <- err
			}()
			synctest.Wait()
		}
		cancelFirst()
		synctest.Wait()
		if err := <-errs; !errors.Is(err, context.Canceled) || len(memo.running) != 1 {
			t.Errorf("got %v, %d running", err, len(memo.running))
		}
		cancelSecond()
		synctest.Wait()
		if err := <-errs; !errors.Is(err, context.Canceled) || len(memo.running) != 0 {
			t.Errorf("got %v, %d running", err, len(memo.running))
		}
		close(inner.gate)
		if got := ask(t, memo, question("c1")); got != "2" {
			t.Errorf("got answer %s", got)
		}
	})
}

func TestMemoIsBounded(t *testing.T) {
	memo := NewMemo(&counting{})
	memo.answers = 3
	for _, id := range []string{"a", "b", "c", "a", "d"} { // d pushes out b, the least used
		ask(t, memo, question(id))
	}
	if got := ask(t, memo, question("a")); got != "1" {
		t.Errorf("got answer %s", got)
	}
	if got := ask(t, memo, question("b")); got != "5" {
		t.Errorf("got answer %s", got)
	}
	if len(memo.known) != 3 || memo.recent.Len() != 3 {
		t.Errorf("%d, %d", len(memo.known), memo.recent.Len())
	}

	large := NewMemo(fixed{Answer{Message: strings.Repeat("x", MaxAnswerBytes)}})
	for i := range 40 {
		ask(t, large, question(strconv.Itoa(i)))
	}
	if large.size != MemoBytes || len(large.known) != MemoBytes/MaxAnswerBytes {
		t.Errorf("%d bytes in %d answers", large.size, len(large.known))
	}
}

func TestMemoConcurrently(t *testing.T) {
	noLeaks(t)
	inner := &counting{}
	memo := NewMemo(inner)
	memo.answers = 5
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*time.Millisecond)
			defer cancel()
			memo.Ask(ctx, question(strconv.Itoa(i%10)))
		})
	}
	group.Wait()
	eventually(t, "empty", func() bool {
		memo.mu.Lock()
		defer memo.mu.Unlock()
		return len(memo.running) == 0 && len(memo.known) <= 5
	})
}
