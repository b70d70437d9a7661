package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/local"
)

// play plays all parts: the kernel in a process of its own, whoever kills it, and the
// person who answers.
func play(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "plangate-kernel-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if dir, err = prepare(dir); err != nil {
		return err
	}
	kernel, err := start(ctx, dir, out)
	if err != nil {
		return err
	}
	item, err := asked(ctx, dir)
	if err != nil {
		return err
	}
	if err := kernel.Process.Kill(); err != nil {
		return err
	}
	_ = kernel.Wait() // it was killed
	fmt.Fprintln(out, "-- the kernel is killed; hours later a person answers:")
	if err := answer(ctx, dir, item, out); err != nil {
		return err
	}
	fmt.Fprintln(out, "-- the kernel is started again:")
	if kernel, err = start(ctx, dir, out); err != nil {
		return err
	}
	if err := kernel.Wait(); err != nil {
		return err
	}
	return show(filepath.Join(dir, "scratch"), out)
}

// start starts this very program as the kernel of the folder.
func start(ctx context.Context, dir string, out io.Writer) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-dir", dir)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd, nil
}

// asked waits for the first item that waits for an answer, once nothing else of its
// plan is left to run.
func asked(ctx context.Context, dir string) (gate.Item, error) {
	l, err := local.Open(ctx, options(dir))
	if err != nil {
		return gate.Item{}, err
	}
	defer l.Close()
	for {
		pending, err := l.Gate.Pending(ctx, gate.PendingQuery{})
		if err != nil {
			return gate.Item{}, err
		}
		if len(pending) > 0 && idle(ctx, l, pending[0].Plan) {
			return pending[0], nil
		}
		select {
		case <-ctx.Done():
			return gate.Item{}, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// idle reports whether nothing of a plan is ready or running.
func idle(ctx context.Context, l *local.Local, plan string) bool {
	busy := true
	err := l.Store.View(ctx, func(r gate.Reader) error {
		items, err := r.Items(gate.Filter{Plan: plan, States: []gate.State{gate.Ready, gate.Running}, Limit: 1})
		busy = len(items) > 0
		return err
	})
	return err == nil && !busy
}

// answer is the person: allowed, with a word to the model.
func answer(ctx context.Context, dir string, item gate.Item, out io.Writer) error {
	l, err := local.Open(ctx, options(dir))
	if err != nil {
		return err
	}
	defer l.Close()
	_, err = l.Gate.Resolve(ctx, item.ID, gate.Verdict{
		Decision: plangate.Allow, Digest: item.Digest, Actor: "ada@example.com", Message: "Go ahead.",
	})
	fmt.Fprintf(out, "ada@example.com: allow %s %s\n", item.Call.Operation, item.Call.Input)
	return err
}

// show lists what is in the folder in the end.
func show(dir string, out io.Writer) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	fmt.Fprint(out, "-- left in the scratch folder:")
	for _, file := range files {
		fmt.Fprint(out, " ", file.Name())
	}
	fmt.Fprintln(out)
	return nil
}
