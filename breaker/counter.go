package breaker

// key names a counter within its scope.
type key struct {
	name   string
	shared bool
}

// group holds the counters of one scope, a bounded number of them. An adversary who
// invents names gets them all counted together, and cannot push out a counter.
type group[T any] struct {
	counters map[key]*T
}

func (g *group[T]) find(name string) (key, bool) {
	if k := (key{name: name}); len(name) <= MaxKeyBytes && g.counters[k] != nil {
		return k, true
	}
	return key{shared: true}, g.shares(name) && g.sharing() == 1
}

// shares reports whether a name without a counter would get the shared one.
func (g *group[T]) shares(name string) bool {
	return len(name) > MaxKeyBytes || len(g.counters)-g.sharing() >= MaxKeys
}

func (g *group[T]) at(name string) (*T, key) {
	if g.counters == nil {
		g.counters = map[key]*T{}
	}
	k := key{name: name}
	if found := g.counters[k]; found != nil {
		return found, k
	}
	if g.shares(name) {
		k = key{shared: true}
	}
	if g.counters[k] == nil {
		g.counters[k] = new(T)
	}
	return g.counters[k], k
}

// sharing is how many of the counters are the shared one.
func (g *group[T]) sharing() int {
	if g.counters[key{shared: true}] != nil {
		return 1
	}
	return 0
}

func (g *group[T]) drop(k key) { delete(g.counters, k) }

// denials are the latest bad events with their position, for the report.
type denials struct {
	listed []listed
}

type listed struct {
	at   uint64 // events of the counter up to this one
	item string // empty for a crash
}

func (d *denials) add(at uint64, item string) {
	if len(d.listed) == MaxListed {
		copy(d.listed, d.listed[1:])
		d.listed = d.listed[:MaxListed-1]
	}
	d.listed = append(d.listed, listed{at, item})
}

// since returns the items of the denials after a position.
func (d *denials) since(after uint64) []string {
	items := []string{}
	for _, l := range d.listed {
		if l.at > after && l.item != "" {
			items = append(items, l.item)
		}
	}
	return items
}

// counter counts the events of a provider or of the session.
type counter struct {
	events   uint64
	lastGood uint64   // events up to the last good one
	recent   []uint64 // positions of the latest bad events, at most Config.Denials
	denials  denials
}

func (c *counter) good() {
	c.events++
	c.lastGood = c.events
}

func (c *counter) bad(config Config, item string) {
	c.events++
	c.denials.add(c.events, item)
	if config.windowed() {
		c.recent = append(c.recent, c.events)
		c.age(config)
	}
}

// age forgets bad events that left the window. What stays is at most Denials long,
// because that many are enough to trip.
func (c *counter) age(config Config) {
	start := c.windowStart(config)
	old := max(0, len(c.recent)-config.Denials)
	for old < len(c.recent) && c.recent[old] <= start {
		old++
	}
	c.recent = c.recent[old:]
}

// windowStart is the position of the last event before the window.
func (c *counter) windowStart(config Config) uint64 {
	return c.events - min(c.events, uint64(config.Window))
}

func (c *counter) trip(config Config, scope Scope, k key) Trip {
	trip := Trip{Scope: scope, Key: k.name, Shared: k.shared}
	streak := c.events - c.lastGood
	switch {
	case config.inARow(streak):
		trip.Reason, trip.Bad, trip.Denials = ReasonConsecutive, int(streak), c.denials.since(c.lastGood)
	case config.windowed() && len(c.recent) >= config.Denials:
		trip.Reason, trip.Bad = ReasonWindow, len(c.recent)
		trip.Denials = c.denials.since(c.windowStart(config))
	}
	return trip
}

// moment is a position in the session.
type moment struct {
	event     uint64
	successes uint64 // up to it
}

// ruleCounter counts the denials by one rule.
type ruleCounter struct {
	last    moment
	count   uint64 // denials
	streak  uint64 // since the last success of any call
	run     uint64 // with gaps smaller than the window
	denials denials
}

func (r *ruleCounter) bad(config Config, now moment, item string) {
	if r.count > 0 && now.successes != r.last.successes {
		r.streak = 0
	}
	if r.count > 0 && config.windowed() && now.event-r.last.event >= uint64(config.Window) {
		r.run = 0
	}
	r.count++
	r.streak++
	r.run++
	r.last = now
	r.denials.add(r.count, item)
}

func (r *ruleCounter) trip(config Config, k key) Trip {
	trip := Trip{Scope: ScopeRule, Key: k.name, Shared: k.shared}
	switch {
	case config.inARow(r.streak):
		trip.Reason, trip.Bad = ReasonConsecutive, int(r.streak)
	case config.windowed() && r.run >= uint64(config.Denials):
		trip.Reason, trip.Bad = ReasonWindow, int(r.run)
	default:
		return trip
	}
	trip.Denials = r.denials.since(r.count - uint64(trip.Bad))
	return trip
}

func (c Config) inARow(streak uint64) bool {
	return c.Consecutive > 0 && streak >= uint64(c.Consecutive)
}

// windowed reports whether the window can trip at all.
func (c Config) windowed() bool { return 0 < c.Denials && c.Denials <= c.Window }
