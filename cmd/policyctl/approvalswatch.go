package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/errtext"
)

// approvalsWatch is one run of the watch command. One goroutine does everything.
type approvalsWatch struct {
	approvals
	session string
	actor   string
	full    bool
	format  *choice

	known   map[string]gate.Item // what waits
	queue   []string             // ids of known, in the order of asking
	passed  map[string]bool      // those of queue that somebody passed over
	current string               // id of the call that is asked about, or ""
	step    step

	terminal *terminal // nil: only tell
}

// step is what the next line that somebody types means.
type step int

const (
	stepNothing  step = iota // nothing is asked, and the next call may be shown
	stepIdle                 // there is no call to ask about, and that was said
	stepChoice               // what to do with the current call
	stepMessage              // the message of a deny
	stepConfirm              // whether to write the policy that was shown
	stepContinue             // any line: the current call went away meanwhile
)

func newApprovalsWatch(w *world, h human) *cobra.Command {
	a := &approvalsWatch{approvals: approvals{world: w, human: h}, format: newChoice("human", "json")}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Show calls as they come to wait, and answer them",
		Long: `Shows every call that waits, and those that come, until Ctrl-C. In a terminal of a
person it asks about one after the other; a call that was answered elsewhere, has
expired or was superseded meanwhile is told, and is not asked about any more. In
other places it only tells, one line for each change, with secrets masked.

Formats: human, json (one event a line: pending or settled).
Exit codes: 0 ended, 2 wrong usage, or a store or policy that cannot be read.`,
		Example: `  policyctl approvals watch --session s1
  policyctl approvals watch --format json | jq -r .item.call.operation`,
		Args: noArgs("to watch one session: policyctl approvals watch --session %s"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.run(cmd.Context()) },
	}
	a.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&a.session, "session", "", "only calls of this `SESSION`")
	flags.StringVar(&a.actor, "actor", "", "`NAME` of who answers (default user@host)")
	flags.BoolVar(&a.full, "full", false, "leave nothing out of what is shown")
	notEmpty(cmd, "session")
	notEmpty(cmd, "actor")
	a.format.register(cmd, "output format")
	return cmd
}

func (a *approvalsWatch) run(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if _, err := a.exists(); err != nil {
		return err
	}
	defer a.close()
	opened, err := a.open(ctx, "")
	if err != nil {
		return err
	}
	if a.format.value == "human" {
		if a.terminal, err = a.human.person(); err != nil {
			a.terminal = nil
			fmt.Fprintf(a.stderr, "policyctl: only showing: %s\n", escape(err.Error()))
		} else {
			defer a.terminal.close()
		}
	}
	if a.actor == "" {
		a.actor = accountName()
	}
	a.known, a.passed = map[string]gate.Item{}, map[string]bool{}
	changes, err := opened.Gate.Watch(ctx)
	if err != nil {
		return storeError(err)
	}
	err = a.loop(ctx, changes)
	if a.terminal != nil {
		fmt.Fprintln(a.stdout)
	}
	return err
}

// retryAfter is how long a store that does not answer is left alone.
const retryAfter = 5 * time.Second

// loop tells of changes until the context or the terminal ends, or somebody quits.
func (a *approvalsWatch) loop(ctx context.Context, changes <-chan struct{}) error {
	var typed <-chan string
	if a.terminal != nil {
		typed = a.terminal.typed()
	}
	for {
		wait, err := a.refresh(ctx)
		if err == nil {
			err = written(a.stdout.Flush())
		}
		if err != nil {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case _, open := <-changes:
			if !open {
				changes = nil
			}
		case <-timer.C:
		case line, open := <-typed:
			if !open {
				timer.Stop()
				return nil
			}
			if err := a.typed(ctx, line); err != nil {
				timer.Stop()
				return ended(err)
			}
		}
		timer.Stop()
	}
}

// errQuit ends watching.
var errQuit = errors.New("quit")

func ended(err error) error {
	if errors.Is(err, errQuit) {
		return nil
	}
	return err
}

// refresh looks at what waits now, and returns when to look again at the latest: an
// item expires without a change in the store.
func (a *approvalsWatch) refresh(ctx context.Context) (wait time.Duration, err error) {
	waits := map[string]bool{}
	next := a.now().Add(time.Hour)
	for item, err := range a.pending(ctx, gate.PendingQuery{Session: a.session}) {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			fmt.Fprintf(a.stderr, "policyctl: %s; trying again\n", escape(errtext.Plain(err)))
			return retryAfter, nil
		}
		waits[item.ID] = true
		if item.Expires.Before(next) {
			next = item.Expires
		}
		if _, known := a.known[item.ID]; !known {
			a.known[item.ID] = item
			a.queue = append(a.queue, item.ID)
			if err := a.came(&item); err != nil {
				return 0, err
			}
		}
	}
	if ctx.Err() != nil {
		return 0, nil
	}
	for _, id := range slices.Clone(a.queue) {
		if !waits[id] {
			if err := a.went(ctx, id); err != nil {
				return 0, err
			}
		}
	}
	a.ask()
	return max(next.Sub(a.now()), 0) + 10*time.Millisecond, nil
}

// watchEvent is what `watch --format json` prints.
type watchEvent struct {
	Event string     `json:"event"` // pending, settled
	Time  time.Time  `json:"time"`
	Item  listedItem `json:"item"`
}

// came tells of a call that waits.
func (a *approvalsWatch) came(item *gate.Item) error {
	switch {
	case a.format.value == "json":
		return writeVisibleJSON(a.world, watchEvent{"pending", a.now().UTC(), a.masked(item)}, "")
	case a.terminal == nil:
		a.line(item)
	case a.step != stepNothing && a.step != stepIdle:
		fmt.Fprintf(a.stdout, "\n  + %s came: %s (%s)\n", shortOf(item), itemOperation(item), waiting(len(a.queue)))
		a.prompt()
	}
	return nil
}

// went tells of one that does not wait any more.
func (a *approvalsWatch) went(ctx context.Context, id string) error {
	item, err := a.locals[""].Gate.Item(ctx, id)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // somebody ended it, and the loop sees that
	}
	if err != nil {
		return storeError(err)
	}
	a.forget(id)
	switch {
	case a.format.value == "json":
		return writeVisibleJSON(a.world, watchEvent{"settled", a.now().UTC(), a.masked(&item)}, "")
	case a.terminal == nil:
		a.line(&item)
	case id == a.current:
		// What is typed now was meant for this call, and must not hit the next.
		fmt.Fprintf(a.stdout, "\n  - %s: %s. Press Enter to go on.\n", shortOf(&item), settled(&item))
		a.current, a.step = "", stepContinue
	default:
		fmt.Fprintf(a.stdout, "\n  - %s: %s\n", shortOf(&item), settled(&item))
		a.prompt()
	}
	return nil
}

// forget drops a call that does not wait.
func (a *approvalsWatch) forget(id string) {
	delete(a.known, id)
	delete(a.passed, id)
	a.queue = slices.DeleteFunc(a.queue, func(other string) bool { return other == id })
}

// line tells of a call on one line, masked, for logs and notifications.
func (a *approvalsWatch) line(item *gate.Item) {
	safe := a.masked(item)
	fmt.Fprintf(a.stdout, "%s %s %s %s %s %s\n", instant(a.now()), escape(item.ID), settled(item), short(item.Session),
		itemOperation(item), argumentsLine(safe.Call.Input, textWidth))
}

// settled says what became of a call, safe to show.
func settled(item *gate.Item) string {
	if item.Answer == nil {
		return statusOf(item)
	}
	return fmt.Sprintf("%s by %s", pastOf(item.Answer.Decision), short(item.Answer.Actor))
}

func shortOf(item *gate.Item) string { return escape(item.ID[:min(shortestPrefix+2, len(item.ID))]) }

func waiting(n int) string {
	if n == 1 {
		return "1 waits"
	}
	return fmt.Sprintf("%d wait", n)
}
