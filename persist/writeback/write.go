package writeback

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/layers"
)

// Preview says what [Write] would do. It changes nothing and waits for nobody.
func Preview(ctx context.Context, req Request) (*Change, error) {
	p, err := openFor(ctx, &req)
	if err != nil {
		return nil, err
	}
	plan, err := prepare(p, &req)
	if err != nil {
		return nil, err
	}
	return plan.change, nil
}

// maxTries bounds how often a file is read again that somebody changes without
// our lock.
const maxTries = 5

// Write makes the change and returns it. It waits for other writers until ctx
// ends. When it returns without an error the change is on disk. With an error
// other than one from moving the trust or syncing the directory, nothing was
// written.
func Write(ctx context.Context, req Request) (*Change, error) {
	if req.State == "" {
		return nil, (&policy{}).checkNamed()
	}
	s, err := lock(ctx, req.State, reachedOr(req.reached))
	if err != nil {
		return nil, err
	}
	defer s.unlock()
	if err := s.heal(req.Options.Places); err != nil {
		return nil, err
	}
	for range maxTries {
		p, err := openFor(ctx, &req)
		if err != nil {
			return nil, err
		}
		plan, err := prepare(p, &req)
		if err != nil {
			return nil, err
		}
		if plan.change.AlreadyThere {
			return plan.change, nil
		}
		s.reached("planned")
		err = s.commit(&plan.commit)
		if errors.Is(err, errMoved) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return plan.change, nil
	}
	return nil, ErrChanged.because("%s changes all the time; try again", req.File)
}

// heal completes what a crash cut short, before anything is looked at.
func (s *state) heal(places layers.Places) error {
	entries, err := s.entries()
	if err != nil {
		return err
	}
	return heal(places, entries)
}

func reachedOr(reached func(string)) func(string) {
	if reached == nil {
		return func(string) {}
	}
	return reached
}

// commit is a change of a file that is ready to be made.
type commit struct {
	policy  *policy
	content []byte
	remove  bool // the file, instead of writing it
	entry   entry
	// journal makes what the journal holds afterwards from what it holds now.
	journal func([]entry) []entry
	// late is set if the journal is written after the file and not before it:
	// an undo must not forget what it has not done.
	late bool
}

// planned is a change that was tried and not made yet.
type planned struct {
	change *Change
	commit commit
}

// errMoved means that somebody changed the file while we looked at it.
var errMoved = errors.New("writeback: the file was changed by somebody without the lock")

// commit makes the change: journal, file, trust.
func (s *state) commit(c *commit) error {
	before, err := s.entries()
	if err != nil {
		return err
	}
	entries := c.journal(slices.Clone(before))
	if !c.late {
		if err := s.save(entries); err != nil {
			return ErrNoStore.from(err, "the journal %s cannot be written: %v", s.path(), err)
		}
		s.reached("journalled")
	}
	if err := s.replace(c); err != nil {
		if !c.late && (errors.Is(err, errMoved) || c.policy.unchanged()) {
			err = errors.Join(err, s.save(before))
		}
		return err
	}
	s.reached("replaced")
	if err := c.moveTrust(); err != nil {
		return err
	}
	s.reached("trusted")
	if !c.late {
		return nil
	}
	if err := s.save(entries); err != nil {
		return ErrNoStore.from(err, "the journal %s cannot be written: %v", s.path(), err)
	}
	s.reached("journalled")
	return nil
}

// replace puts the new content in place of the old one.
func (s *state) replace(c *commit) error {
	p := c.policy
	ready := func() error {
		if !p.unchanged() {
			return errMoved
		}
		return nil
	}
	var err error
	if c.remove {
		if err = ready(); err == nil {
			err = os.Remove(p.real)
		}
	} else {
		r := replacement{path: p.real, content: c.content, old: p.info, ready: ready, reached: s.reached}
		if p.info != nil {
			r.mode = p.info.Mode().Perm()
		}
		err = r.put()
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return ErrReadOnly.from(err, "%s cannot be replaced: %v", p.name, err)
	}
	return err
}

// openFor reads the policy for a request.
func openFor(ctx context.Context, req *Request) (*policy, error) {
	if err := checkRequest(req); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return open(req.Target, req.Action)
}

// prepare makes the change in memory and tries it.
func prepare(p *policy, req *Request) (*planned, error) {
	if len(p.broken) > 0 {
		return nil, ErrInvalid.found("the policy does not load, so nothing is written", p.broken)
	}
	if req.Expect != "" && req.Expect != p.digest() {
		return nil, ErrChanged.because("%s is not the file that was shown; look at it again", p.name)
	}
	call := req.Call
	if call.Time.IsZero() {
		call.Time = req.Time
	}
	trace := p.table.Explain(call)
	block, err := narrow(p, &trace, req.Action)
	if err != nil {
		return nil, err
	}
	t := trial{policy: p, req: req, call: call, trace: &trace, block: block}
	return t.run()
}

func checkRequest(req *Request) error {
	switch {
	case req.Action != plangate.Allow && req.Action != plangate.Deny:
		return ErrRequest.because("only allow and deny can be remembered, not %s", req.Action)
	case req.Actor == "":
		return ErrRequest.because("who answered is missing")
	case req.Time.IsZero():
		return ErrRequest.because("when it was answered is missing")
	case len(req.Call.Input) > 0 && plangate.CheckJSON(req.Call.Input) != nil:
		return ErrRequest.because("the input of the call is not one strict JSON value: %v", plangate.CheckJSON(req.Call.Input))
	default:
		return nil
	}
}
