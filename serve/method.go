package serve

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/breaker"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/gate"
)

// method is one that a client may call.
type method struct {
	keys  []string // of its params, see readObject
	waits bool     // may take long and can be cancelled
	run   func(ctx context.Context, s *server, p *fields) (any, error)
}

// methods returns all methods by name.
func methods() map[string]*method {
	return map[string]*method{
		"hello":              {keys: []string{"protocol?"}, run: hello},
		"open":               {keys: []string{"session"}, run: open},
		"close":              {keys: []string{"session"}, run: closeSession},
		"plan":               {keys: []string{"session", "turn", "calls*"}, run: plan},
		"wait":               {keys: []string{"session", "timeout_ms?"}, waits: true, run: wait},
		"cancel":             {keys: []string{"request"}, run: cancel},
		"claim":              {keys: []string{"session", "item"}, run: claim},
		"complete":           {keys: []string{"session", "item", "result*"}, run: complete},
		"resume":             {keys: []string{"session"}, run: resume},
		"outcomes":           {keys: []string{"session", "turn"}, run: outcomes},
		"user_message":       {keys: []string{"session"}, run: userMessage},
		"tripped":            {keys: []string{"session"}, run: tripped},
		"item":               {keys: []string{"item"}, run: item},
		"pending":            {keys: []string{"session?", "after?", "limit?"}, run: pending},
		"resolve":            {keys: []string{"item", "verdict*"}, run: resolve},
		"visible_operations": {keys: []string{"mode", "template?"}, run: visibleOperations},
		"test_clock":         {keys: []string{"advance"}, run: testClock},
	}
}

// offered reports whether this server has a method.
func (s *server) offered(name string) bool {
	switch name {
	case "resolve":
		return !s.opts.RefuseVerdicts
	case "test_clock":
		return s.opts.Advance != nil
	default:
		return true
	}
}

// names returns the methods of this server, sorted.
func (s *server) names() []string {
	names := slices.Sorted(maps.Keys(methods()))
	return slices.DeleteFunc(names, func(name string) bool { return !s.offered(name) })
}

func (s *server) method(name string) (*method, error) {
	m := methods()[name]
	switch {
	case m != nil && s.offered(name):
		return m, nil
	case name == "resolve":
		return nil, fault(CodeNotPermitted, "verdicts are not taken on this connection")
	default:
		return nil, fault(CodeUnknownMethod, "unknown method %.64q; there are %s", name, strings.Join(s.names(), ", "))
	}
}

type helloResult struct {
	Protocol int            `json:"protocol"`
	Version  string         `json:"version"`
	Methods  []string       `json:"methods"`
	Limits   map[string]int `json:"limits"`
}

func hello(_ context.Context, s *server, p *fields) (any, error) {
	if p.number("protocol", Protocol); p.err != nil {
		return nil, p.err
	}
	return helloResult{Protocol, s.opts.Version, s.names(), map[string]int{
		"line_bytes": MaxLine, "requests": MaxRequests, "waits": MaxWaits, "sessions": MaxSessions,
		"id_bytes": gate.MaxIDBytes, "calls": gate.MaxCalls, "call_bytes": plangate.MaxJSONBytes,
		"result_bytes": gate.MaxResultBytes, "message_bytes": gate.MaxTextBytes, "actor_bytes": gate.MaxActorBytes,
	}}, nil
}

func open(ctx context.Context, s *server, p *fields) (any, error) {
	id := p.text("session")
	if p.err != nil {
		return nil, p.err
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	s.mu.Lock()
	full := len(s.sessions) >= MaxSessions && s.sessions[id] == nil
	s.mu.Unlock()
	if full {
		return nil, fault(CodeBusy, "%d sessions are open; close one first", MaxSessions)
	}
	session, err := s.opts.Gate.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(id)
	hold := &held{Session: session}
	hold.gone, hold.let = context.WithCancel(context.Background())
	s.sessions[id] = hold
	return map[string]string{"session": id}, nil
}

// drop forgets a session and ends its waits. The lock is held.
func (s *server) drop(id string) {
	if hold := s.sessions[id]; hold != nil {
		hold.let()
		delete(s.sessions, id)
	}
}

func closeSession(_ context.Context, s *server, p *fields) (any, error) {
	session, err := s.session(p)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[session.ID()] == session {
		s.drop(session.ID())
	}
	return nil, nil
}

// session returns the session that the params name.
func (s *server) session(p *fields) (*held, error) {
	id := p.text("session")
	if p.err != nil {
		return nil, p.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.sessions[id]; session != nil {
		return session, nil
	}
	return nil, fault(CodeNotOpen, "the session %.64q is not open here; open it first", id)
}

func plan(ctx context.Context, s *server, p *fields) (any, error) {
	turn, calls := p.text("turn"), p.list("calls")
	session, err := s.session(p)
	if err != nil {
		return nil, err
	}
	return session.PlanJSON(ctx, turn, calls)
}

type wokenResult struct {
	gate.Woken
	TimedOut bool `json:"timed_out"`
}

func wait(ctx context.Context, s *server, p *fields) (any, error) {
	limit := time.Duration(p.number("timeout_ms", MaxWait.Milliseconds())) * time.Millisecond
	session, err := s.session(p)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	keep := context.AfterFunc(session.gone, func() { end(errGone) })
	defer keep()
	patience := ctx
	if limit > 0 {
		var done context.CancelFunc
		patience, done = context.WithTimeout(ctx, limit)
		defer done()
	}
	woken, err := session.Wait(patience)
	if errors.Is(err, gate.ErrTakenOver) && s.reopened(session) {
		end(errGone)
	}
	switch {
	case err == nil:
		return wokenResult{Woken: woken}, nil
	case ctx.Err() != nil:
		return nil, fault(CodeCancelled, "the wait ended before anything happened: %v", context.Cause(ctx))
	case patience.Err() != nil:
		return wokenResult{gate.Woken{Items: []gate.Item{}, Tripped: []breaker.Trip{}}, true}, nil
	default:
		return nil, err
	}
}

// reopened reports whether a session that was taken over was so by this connection. An
// open that has got that far is waited for.
func (s *server) reopened(session *held) bool {
	s.opening.Lock()
	defer s.opening.Unlock()
	return session.gone.Err() != nil
}

func cancel(_ context.Context, s *server, p *fields) (any, error) {
	var r request
	if err := r.setID(p.values["request"]); err != nil {
		return nil, fault(CodeInvalidParams, "key \"request\": want the id of a request at work")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flights[r.key]
	found := f != nil && f.cancel != nil
	if found {
		f.cancel(errCancelled)
	}
	return map[string]bool{"cancelled": found}, nil
}

func claim(ctx context.Context, s *server, p *fields) (any, error) {
	id := p.text("item")
	session, err := s.session(p)
	if err != nil {
		return nil, err
	}
	return itemResult(session.Claim(ctx, id))
}

func complete(ctx context.Context, s *server, p *fields) (any, error) {
	id, given := p.text("item"), p.object("result", "output?*", "error?", "crashed?")
	result := gate.Result{Output: given.values["output"], Error: given.text("error"), Crashed: given.flag("crashed")}
	session, err := s.session(p)
	switch {
	case err != nil:
		return nil, err
	case given.err != nil:
		return nil, given.err
	}
	return itemResult(session.Complete(ctx, id, result))
}

func resume(ctx context.Context, s *server, p *fields) (any, error) {
	session, err := s.session(p)
	if err != nil {
		return nil, err
	}
	return result(session.Resume(ctx))
}

func outcomes(ctx context.Context, s *server, p *fields) (any, error) {
	turn := p.text("turn")
	session, err := s.session(p)
	if err != nil {
		return nil, err
	}
	return result(session.Outcomes(ctx, turn))
}

func userMessage(ctx context.Context, s *server, p *fields) (any, error) {
	session, err := s.session(p)
	if err != nil {
		return nil, err
	}
	items, err := session.UserMessage(ctx)
	return itemsResult{Items: plangate.List[gate.Item](items)}, err
}

func tripped(_ context.Context, s *server, p *fields) (any, error) {
	session, err := s.session(p)
	if err != nil {
		return nil, err
	}
	return map[string]plangate.List[breaker.Trip]{"tripped": session.Tripped()}, nil
}

func item(ctx context.Context, s *server, p *fields) (any, error) {
	id := p.text("item")
	if p.err != nil {
		return nil, p.err
	}
	return itemResult(s.opts.Gate.Item(ctx, id))
}

// itemsResult is a list of items. Next is where it goes on, if it may.
type itemsResult struct {
	Items plangate.List[gate.Item] `json:"items"`
	Next  *cursor                  `json:"next,omitempty"`
}

type cursor struct {
	Created time.Time `json:"created"`
	ID      string    `json:"id"`
}

func pending(ctx context.Context, s *server, p *fields) (any, error) {
	query := gate.PendingQuery{Session: p.text("session"), Limit: int(p.number("limit", gate.MaxPage))}
	if p.has("after") {
		after := p.object("after", "created", "id")
		text := after.text("created")
		query.After.ID = after.text("id")
		created, err := plangate.ParseTime(text)
		switch {
		case after.err != nil:
			p.err = after.err
		case p.err == nil && err != nil:
			p.err = fault(CodeInvalidParams, "key \"after\": %v", err)
		}
		query.After.Created = created
	}
	if p.err != nil {
		return nil, p.err
	}
	items, err := s.opts.Gate.Pending(ctx, query)
	if err != nil {
		return nil, err
	}
	page := itemsResult{Items: items}
	if full := query.Limit; len(items) > 0 && (len(items) == full || len(items) == gate.MaxPage) {
		last := items[len(items)-1]
		page.Next = &cursor{last.Created, last.ID}
	}
	return page, nil
}

func resolve(ctx context.Context, s *server, p *fields) (any, error) {
	id := p.text("item")
	v := p.object("verdict", "decision?", "scope?", "digest?", "actor?", "message?", "corrected_input?*")
	if p.err != nil {
		return nil, p.err
	}
	verdict := gate.Verdict{
		Scope: gate.Scope(v.text("scope")), Digest: v.text("digest"), CorrectedInput: v.values["corrected_input"],
		Actor: v.text("actor"), Message: v.text("message"),
	}
	decision := v.text("decision")
	if v.err != nil {
		return nil, v.err
	}
	// A word that is no action must not become one, and the zero action is a deny.
	if err := verdict.Decision.UnmarshalText([]byte(decision)); err != nil {
		return nil, fault("invalid_verdict", "the decision %.64q is neither allow nor deny", decision)
	}
	return result(s.opts.Gate.Resolve(ctx, id, verdict))
}

type operation struct {
	Provider    string          `json:"provider"`
	Operation   string          `json:"operation"`
	Kind        plangate.Kind   `json:"kind"`
	Risk        plangate.Risk   `json:"risk"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
}

func visibleOperations(_ context.Context, s *server, p *fields) (any, error) {
	mode := gate.Mode(p.text("mode"))
	template := plangate.Call{}
	if p.has("template") {
		template = p.template("template")
	}
	switch {
	case p.err != nil:
		return nil, p.err
	case mode != gate.ModeApply && mode != gate.ModePlan:
		return nil, fault(CodeInvalidParams, "key \"mode\": want apply or plan")
	}
	visible := plangate.List[operation]{}
	for _, o := range s.opts.Gate.VisibleOperations(mode, template) {
		visible = append(visible, operationOf(o))
	}
	return map[string]plangate.List[operation]{"operations": visible}, nil
}

func operationOf(o *catalog.Operation) operation {
	return operation{o.Provider, o.Name, o.Kind, o.Risk, o.Description, o.InputSchema}
}

// template reads a call without what makes it one: what all calls of a turn share.
func (f *fields) template(key string) plangate.Call {
	shared := f.object(key, "profile?", "session?", "caller?", "cwd?", "workspace?", "home?")
	if f.err != nil {
		return plangate.Call{}
	}
	shared.values["operation"] = json.RawMessage(`"any"`)
	text, err := json.Marshal(shared.values)
	if err == nil {
		var call plangate.Call
		if call, err = plangate.ParseCall(text); err == nil {
			call.Operation = ""
			return call
		}
	}
	f.err = fault(CodeInvalidParams, "key %q: %v", key, err)
	return plangate.Call{}
}

func testClock(_ context.Context, s *server, p *fields) (any, error) {
	step, err := time.ParseDuration(p.text("advance"))
	if err != nil && p.err == nil {
		p.err = fault(CodeInvalidParams, "key \"advance\": want a duration such as 5m or -10s")
	}
	if p.err != nil {
		return nil, p.err
	}
	return map[string]time.Time{"now": s.opts.Advance(step)}, nil
}

// result makes a value of any type a result, unless there is an error.
func result[T any](value T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return value, nil
}

func itemResult(item gate.Item, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]gate.Item{"item": item}, nil
}
