package persist

import (
	"context"
	"sync"
)

// hub wakes watchers. While there is one, it lets follow look for changes of other
// processes.
type hub struct {
	// follow calls wake after changes of others until ctx ends.
	follow func(ctx context.Context, wake func())

	mu       sync.Mutex
	watchers map[chan struct{}]context.CancelFunc
	stop     context.CancelFunc // ends follow; nil while it does not run
	running  sync.WaitGroup
	closed   bool
}

func newHub(follow func(ctx context.Context, wake func())) *hub {
	return &hub{follow: follow, watchers: map[chan struct{}]context.CancelFunc{}}
}

// wake gives every watcher a value, unless one lies there already.
func (h *hub) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for watcher := range h.watchers {
		select {
		case watcher <- struct{}{}:
		default:
		}
	}
}

// watch adds a watcher until ctx ends or the hub is closed.
func (h *hub) watch(ctx context.Context) (<-chan struct{}, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	watcher := make(chan struct{}, 1)
	h.watchers[watcher] = cancel
	if h.stop == nil {
		var followCtx context.Context
		followCtx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
		h.running.Go(func() { h.follow(followCtx, h.wake) })
	}
	h.running.Go(func() {
		<-ctx.Done()
		h.remove(watcher)
	})
	return watcher, nil
}

// remove ends a watcher, and follow with the last one.
func (h *hub) remove(watcher chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers[watcher]()
	delete(h.watchers, watcher)
	close(watcher)
	if len(h.watchers) == 0 {
		h.stop()
		h.stop = nil
	}
}

// close ends all watchers and waits for follow.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	for _, cancel := range h.watchers {
		cancel()
	}
	h.mu.Unlock()
	h.running.Wait()
}
