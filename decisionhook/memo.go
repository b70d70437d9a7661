package decisionhook

import (
	"container/list"
	"context"
	"crypto/sha256"
	"sync"
)

// Limits of a memo. The oldest answers are forgotten first.
const (
	MemoAnswers = 10_000
	MemoBytes   = 16 << 20 // of texts in answers
)

// Memo asks once per call: a question with the same [Question.Key] joins the one that is
// running, and later gets the same answer. Errors and timeouts are not remembered; whoever
// joined gets them. The question runs until the last one who waits for it has gone. Make
// one with [NewMemo]. The deadline is that of the one who came first: a hook is told one instant.
type Memo struct {
	asker   Asker
	answers int
	bytes   int

	mu      sync.Mutex
	running map[memoKey]*run
	known   map[memoKey]*list.Element // of remembered
	recent  *list.List                // of remembered, latest use first
	size    int                       // bytes of texts
}

type memoKey = [sha256.Size]byte

type remembered struct {
	key    memoKey
	answer Answer
}

// run is a question that is being asked.
type run struct {
	waiting int
	over    func() error // not nil if it has been cancelled or is late
	cancel  context.CancelFunc
	done    chan struct{} // closed when reply is set
	reply   reply
}

// NewMemo returns a memo in front of an asker, with nothing in it.
func NewMemo(asker Asker) *Memo {
	return &Memo{
		asker: asker, answers: MemoAnswers, bytes: MemoBytes,
		running: map[memoKey]*run{}, known: map[memoKey]*list.Element{}, recent: list.New(),
	}
}

// Ask implements [Asker].
func (m *Memo) Ask(ctx context.Context, q Question) (Answer, error) {
	key := q.digest()
	m.mu.Lock()
	if element := m.known[key]; element != nil {
		m.recent.MoveToFront(element)
		answer := entryOf(element).answer
		m.mu.Unlock()
		return answer, nil
	}
	r := m.join(ctx, key, q)
	m.mu.Unlock()
	select {
	case <-r.done:
		m.leave(key, r)
		return r.reply.answer, r.reply.err
	case <-ctx.Done():
		m.leave(key, r)
		return Answer{}, ctx.Err()
	}
}

// join returns the run of a question and starts one if there is none to wait for. It outlives the ctx of
// whoever came first, since others may wait for it.
func (m *Memo) join(ctx context.Context, key memoKey, q Question) *run {
	r := m.running[key]
	if r == nil || r.over() != nil {
		r = &run{done: make(chan struct{})}
		ctx, r.cancel = keepDeadline(ctx)
		r.over = ctx.Err
		m.running[key] = r
		go m.run(ctx, r, q)
	}
	r.waiting++
	return r
}

func (m *Memo) leave(key memoKey, r *run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.waiting--; r.waiting > 0 {
		return
	}
	r.cancel()
	if m.running[key] == r {
		delete(m.running, key) // who comes now must not join what was cancelled
	}
}

// keepDeadline returns a context that ends with ctx's deadline, but not when ctx is cancelled.
func keepDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	free := context.WithoutCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(free, deadline)
	}
	return context.WithCancel(free)
}

// run asks and tells everybody who waits, whatever becomes of the asker.
func (m *Memo) run(ctx context.Context, r *run, q Question) {
	r.reply = reply{err: errNoReturn}
	defer m.settle(ctx, r, q.digest())
	r.reply = safely(ctx, m.asker, q)
}

func (m *Memo) settle(ctx context.Context, r *run, key memoKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running[key] == r {
		delete(m.running, key)
		if r.reply.err == nil && ctx.Err() == nil {
			m.remember(key, r.reply.answer)
		}
	}
	close(r.done)
}

func (m *Memo) remember(key memoKey, answer Answer) {
	m.known[key] = m.recent.PushFront(&remembered{key, answer})
	m.size += answer.size()
	for m.recent.Len() > m.answers || m.size > m.bytes {
		oldest := entryOf(m.recent.Back())
		m.recent.Remove(m.recent.Back())
		delete(m.known, oldest.key)
		m.size -= oldest.answer.size()
	}
}

// entryOf returns what an element holds; the list has no other elements.
func entryOf(element *list.Element) *remembered {
	entry, _ := element.Value.(*remembered)
	return entry
}
