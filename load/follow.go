package load

import (
	"sync"
	"time"

	"github.com/plangate/plangate/layers"
)

// Follower keeps a policy up to date with its files. It is safe for concurrent use.
type Follower struct {
	opts layers.Options
	now  func() time.Time

	mu     sync.Mutex
	digest layers.Digest
	policy *Policy
}

// Follow returns a follower of the policy that opts find. Its Now is replaced by the
// clock at each compilation.
func Follow(opts layers.Options, now func() time.Time) *Follower {
	return &Follower{opts: opts, now: now}
}

// Policy returns what Open would return now. It reads all files, so that no change is
// missed, and compiles them only if one has changed. A file that cannot be read, or does
// not load, gives a table that denies every call, at once and until it is mended.
func (f *Follower) Policy() *Policy {
	f.mu.Lock()
	defer f.mu.Unlock()
	opts := f.opts
	opts.Now = f.now()
	in := layers.Gather(opts)
	digest := in.Digest()
	if f.policy == nil || digest != f.digest || in.Diagnostics.HasErrors() {
		f.policy, f.digest = open(in), digest
	}
	return f.policy
}
