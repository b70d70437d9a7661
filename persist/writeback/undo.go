package writeback

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
)

// PreviewUndo says what [Undo] would do. It changes nothing and waits for nobody.
func PreviewUndo(ctx context.Context, req UndoRequest) (*Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if req.State == "" {
		return nil, (&policy{}).checkNamed()
	}
	s := &state{dir: req.State, reached: reachedOr(nil)}
	plan, err := s.prepareUndo(&req)
	if err != nil {
		return nil, err
	}
	return plan.change, nil
}

// Undo takes back the last change that [Write] made to the file and that was not
// undone. If nothing else changed since, the file has the exact bytes of before;
// if other parts of it did, exactly the bytes of that change go. A change that
// somebody took back by hand is passed over. It waits as Write does.
func Undo(ctx context.Context, req UndoRequest) (*Change, error) {
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
		plan, err := s.prepareUndo(&req)
		if err != nil {
			return nil, err
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

func (s *state) prepareUndo(req *UndoRequest) (*planned, error) {
	entries, err := s.entries()
	if err != nil {
		return nil, err
	}
	p, err := openLast(req.Target, entries)
	if err != nil {
		return nil, err
	}
	if req.Expect != "" && req.Expect != p.digest() {
		return nil, ErrChanged.because("%s is not the file that was shown; look at it again", p.name)
	}
	file, findings := dsl.Parse(p.name, p.old)
	if findings.HasErrors() {
		return nil, ErrInvalid.found("the policy file does not parse, so nothing is written", findings)
	}
	if p.info == nil {
		return nil, ErrNothing.because("%s does not exist", p.name)
	}
	for len(entries) > 0 {
		last := lastOf(entries, p.real)
		if last < 0 {
			break
		}
		e := &entries[last]
		back, there, err := e.backwards(file, p.old)
		if err != nil {
			return nil, err
		}
		if there {
			u := undoing{policy: p, file: file, entry: e, back: back}
			return u.run()
		}
		entries = slices.Delete(entries, last, last+1)
	}
	return nil, ErrNothing.because("no change of %s is recorded that could be undone", p.name)
}

// openLast reads the policy for an undo. Without a file it is the one that was
// written last of those in force.
func openLast(target Target, entries []entry) (*policy, error) {
	if target.File != "" {
		return open(target, plangate.Deny)
	}
	for i, e := range slices.Backward(entries) {
		if lastOf(entries, e.File) != i {
			continue
		}
		target.File = e.File
		if p, err := open(target, plangate.Deny); !errors.Is(err, ErrNoStore) {
			return p, err
		}
	}
	return nil, ErrNothing.because("no change of a policy file in force is recorded that could be undone")
}

// backwards is the edit that takes a change back. It reports whether the change
// is still there; an error means that it is there and was edited.
func (e *entry) backwards(file *dsl.File, content []byte) (back edit, there bool, err error) {
	back = edit{offset: e.Offset, removed: e.Inserted, inserted: e.Removed}
	if digestOf(content) == e.After && bytes.HasPrefix(content[min(e.Offset, len(content)):], e.Inserted) {
		return back, true, nil
	}
	policy := policyNamed(file, e.Policy)
	if policy == nil || digestOf(content) == e.Before {
		return back, false, nil
	}
	edited := ErrChanged.because("policy %q (%s:%d) was edited since it was written; change it by hand",
		e.Policy, file.Name, policy.Header.Start.Line)
	if len(e.Removed) > 0 {
		literal := policy.Action.Range
		back.offset = literal.Start.Byte
		switch now := content[literal.Start.Byte:literal.End.Byte]; {
		case bytes.Equal(now, e.Inserted):
			return back, true, nil
		case bytes.Equal(now, e.Removed):
			return back, false, nil
		default:
			return back, false, edited
		}
	}
	back.offset = bytes.Index(content, e.Inserted)
	if back.offset < 0 || bytes.Count(content, e.Inserted) != 1 || !within(policy.Range, back) {
		return back, false, edited
	}
	return back, true, nil
}

// within reports whether a block lies in the piece that an edit removes.
func within(block plangate.Range, back edit) bool {
	return back.offset <= block.Start.Byte && block.End.Byte <= back.offset+len(back.removed)
}

// undoing is a change that is being taken back.
type undoing struct {
	policy *policy
	file   *dsl.File
	entry  *entry
	back   edit
}

func (u *undoing) run() (*planned, error) {
	p, e := u.policy, u.entry
	content := u.back.apply(p.old)
	exact := digestOf(p.old) == e.After
	if exact && e.Before != "" && digestOf(content) != e.Before {
		return nil, ErrJournal.because("the journal does not fit %s: undoing would not give the bytes of before; look at it and move it away", p.name)
	}
	table, _, findings := p.with(content)
	if findings.HasErrors() && len(p.broken) == 0 {
		return nil, ErrInvalid.found("without the change the policy would not load, so nothing is written", findings)
	}
	if _, own := dsl.Parse(p.name, content); own.HasErrors() {
		return nil, ErrInvalid.found("without the change the policy file would not parse, so nothing is written", own)
	}
	change := u.describe(content)
	if !findings.HasErrors() && len(p.broken) == 0 {
		d := difference{in: p.input, before: p.table, after: table, block: blockOf(policyNamed(u.file, e.Policy))}
		change.Cells = d.changed()
	}
	if exact && e.Before == "" {
		change.Removed, change.NewDigest = true, ""
	}
	return &planned{change: change, commit: u.commit(content, change)}, nil
}

func (u *undoing) describe(content []byte) *Change {
	p, e := u.policy, u.entry
	change := &Change{
		File: p.name, Target: p.real, Layer: p.input.Layers[p.index].Layer, Policy: e.Policy,
		Digest: p.digest(), NewDigest: digestOf(content), Diff: unified(p.name, p.old, content),
		Cells: plangate.List[CellChange]{},
	}
	if action, err := plangate.ParseAction(e.Action); err == nil {
		change.Action = action
	}
	if written := policyNamed(u.file, e.Policy); written != nil {
		change.Line = written.Header.Start.Line
	}
	if len(e.Removed) == 0 {
		change.Block = strings.TrimLeft(string(u.back.removed), "\r\n")
	}
	return change
}

func (u *undoing) commit(content []byte, change *Change) commit {
	p := u.policy
	undone := *u.entry
	moved := entry{
		File: p.real, Before: change.Digest, After: change.NewDigest, Trusted: trustedPaths(p.target.Options.Places, p.real, change.Digest),
	}
	change.Trusted = len(moved.Trusted) > 0 && !change.Removed
	return commit{
		policy: p, content: content, remove: change.Removed, entry: moved, late: true,
		journal: func(entries []entry) []entry {
			// Later changes of the file, if any, are those that are no longer there.
			var kept []entry
			found := false
			for _, e := range slices.Backward(entries) {
				if e.File != p.real || found {
					kept = append(kept, e)
					continue
				}
				found = e.Policy == undone.Policy && e.After == undone.After && e.Offset == undone.Offset
			}
			slices.Reverse(kept)
			return kept
		},
	}
}

// blockOf is a policy in the form that [difference] takes.
func blockOf(policy *dsl.Policy) *compile.Block {
	if policy == nil {
		return &compile.Block{}
	}
	m := &policy.Match
	return &compile.Block{
		Operation: firstOf(texts(m.Operation)), Provider: firstOf(texts(m.Provider)),
		Risk: firstOf(values(m.Risk)), Kind: firstOf(values(m.Kind)), Profiles: values(policy.Profiles),
	}
}

func firstOf[T any](list []T) (value T) {
	if len(list) > 0 {
		value = list[0]
	}
	return value
}
