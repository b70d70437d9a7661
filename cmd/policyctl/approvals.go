package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/local"
)

// approvals is what the commands about approvals share.
type approvals struct {
	*world
	human  human
	policy policyFlags
	store  string
	log    string

	locals map[string]*local.Local // by the directory whose policy they have
}

func newApprovals(w *world) *cobra.Command { return newApprovalsOf(w, personAt(w)) }

func newApprovalsOf(w *world, h human) *cobra.Command {
	cmd := group("approvals", "See the calls that wait for an answer, and answer them")
	cmd.Long = `A call that policy asks about waits in the store until somebody answers, its time
is up, or the user sends a newer message. These commands show such calls and
answer them. Any number of people and programs may: the first answer counts.

Exit codes: 0 done, 1 not answered, and why is said, 2 wrong usage, an unknown id,
or a store or policy that cannot be read, 3 internal error.`
	cmd.Example = `  policyctl approvals list
  policyctl approvals show ID
  policyctl approvals allow ID --scope session
  policyctl approvals deny ID --message "Use the staging database."`
	cmd.AddCommand(newApprovalsList(w), newApprovalsShow(w), newApprovalsAllow(w, h), newApprovalsDeny(w, h),
		newApprovalsWatch(w, h), newApprovalsToken(w, h))
	return cmd
}

func (a *approvals) register(cmd *cobra.Command) {
	a.policy.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&a.store, "store", "", "file `PATH` or postgres:// URL (default $PLANGATE_STORE)")
	flags.StringVar(&a.log, "log", "", "audit log `FILE`, or none (default $PLANGATE_LOG)")
	notEmpty(cmd, "store")
	notEmpty(cmd, "log")
}

func (a *approvals) options() (local.Options, error) {
	policy, err := a.policy.options(a.world)
	if err != nil {
		return local.Options{}, err
	}
	return local.Options{
		Load:  policy,
		Store: cmp.Or(a.store, a.getenv("PLANGATE_STORE")),
		Log:   cmp.Or(a.log, a.getenv("PLANGATE_LOG")),
		Clock: a.now,
		Report: func(err error) {
			_, _ = a.stderr.Write([]byte("policyctl: warning: " + escape(errtext.Plain(err)) + "\n"))
		},
	}, nil
}

// exists reports whether there is a store. To look at nothing makes no files. A store
// that somebody named has to be there: under a misspelt name nothing ever waits.
func (a *approvals) exists() (bool, error) {
	opts, err := a.options()
	if err != nil {
		return false, err
	}
	state, err := layers.State{Store: opts.Store, Log: opts.Log}.Resolve(opts.Load.Places)
	if err != nil {
		return false, failed("%s", errtext.Plain(err))
	}
	path := state.Store
	if strings.Contains(path, "://") {
		return true, nil
	}
	_, err = os.Stat(path)
	switch {
	case err == nil:
		return true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, failed("%s: %v", path, withoutName(err))
	case opts.Store != "":
		return false, failed("%s: there is no such store", path)
	default:
		return false, nil
	}
}

// open returns the gate with the policy of a directory; "" is the current one.
func (a *approvals) open(ctx context.Context, dir string) (*local.Local, error) {
	if l := a.locals[dir]; l != nil {
		return l, nil
	}
	opts, err := a.options()
	if err != nil {
		return nil, err
	}
	if dir != "" {
		opts.Load.Dir = dir
	}
	l, err := local.Open(ctx, opts)
	if err != nil {
		return nil, failed("%s", errtext.Plain(err))
	}
	if a.locals == nil {
		a.locals = map[string]*local.Local{}
	}
	a.locals[dir] = l
	return l, nil
}

// openFor returns the gate with the policy of the place where a call is made: an
// answer is judged there and, if it is for always, written there.
func (a *approvals) openFor(ctx context.Context, item *gate.Item) (*local.Local, error) {
	return a.open(ctx, a.policyDir(item))
}

// policyDir returns the directory where the policy of a call is looked for; "" is the
// current one.
func (a *approvals) policyDir(item *gate.Item) string {
	dir := cmp.Or(item.Call.Workspace, item.Call.Cwd)
	if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() || len(a.policy.files) > 0 {
		return ""
	}
	return dir
}

// close closes what was opened.
func (a *approvals) close() {
	for _, l := range a.locals {
		_ = l.Close() // every change is on disk already
	}
	a.locals = nil
}

// shortestPrefix is how much of an id is enough where a person confirms.
const shortestPrefix = 6

// fullID is the length of an id.
const fullID = 26

// find returns the item for an id, or for the beginning of the id of one that waits.
func (a *approvals) find(ctx context.Context, id string) (gate.Item, error) {
	g := a.locals[""].Gate
	id = strings.ToLower(strings.TrimSpace(id))
	if len(id) == fullID {
		item, err := g.Item(ctx, id)
		if errors.Is(err, gate.ErrNotFound) {
			return item, failed("%s: unknown id; policyctl approvals list shows those that wait", id)
		}
		return item, storeError(err)
	}
	if len(id) < shortestPrefix || len(id) > fullID {
		return gate.Item{}, failed("%.64q is no id: it has %d characters, and its first %d are enough", id, fullID, shortestPrefix)
	}
	var found []gate.Item
	for item, err := range a.pending(ctx, gate.PendingQuery{}) {
		if err != nil {
			return gate.Item{}, err
		}
		if strings.HasPrefix(item.ID, id) {
			found = append(found, item)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return gate.Item{}, failed("%s: unknown id: none that waits begins so; one that does not wait needs its whole id", id)
	default:
		return gate.Item{}, failed("%s: %d ids begin so; give more of it", id, len(found))
	}
}

// pending yields what waits, the oldest first, from the gate of the current directory.
func (a *approvals) pending(ctx context.Context, query gate.PendingQuery) func(func(gate.Item, error) bool) {
	return func(yield func(gate.Item, error) bool) {
		for {
			items, err := a.locals[""].Gate.Pending(ctx, query)
			if err != nil {
				yield(gate.Item{}, storeError(err))
				return
			}
			for i := range items {
				if !yield(items[i], nil) {
					return
				}
			}
			if len(items) < gate.MaxPage {
				return
			}
			last := &items[len(items)-1]
			query.After = gate.Cursor{Created: last.Created, ID: last.ID}
		}
	}
}

// storeError is the error for what is no answer of the gate.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: codeUsage, message: errtext.Plain(err)}
}
