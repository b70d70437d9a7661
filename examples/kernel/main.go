// Command kernel is a small agent loop with a gate in it: a scripted model asks for
// calls, policy decides them, people answer what is asked, and a kernel that dies is
// started again and goes on.
//
//	go run ./examples/kernel          play all parts, in a folder that is removed
//	go run ./examples/kernel -dir D   be the kernel of the folder D, until it is done
//
// With -dir, answer from another terminal:
//
//	policyctl approvals list --store D/state/gate.db
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/local"
)

//go:embed agent.hcl
var policy []byte

//go:embed catalog.json
var catalog []byte

func main() {
	if err := realMain(); err != nil {
		fmt.Fprintln(os.Stderr, "kernel:", err)
		os.Exit(1)
	}
}

func realMain() error {
	dir := flag.String("dir", "", "folder to work in; it is made if it does not exist")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *dir == "" {
		return play(ctx, os.Stdout)
	}
	return work(ctx, *dir, os.Stdout)
}

// work is the kernel: it opens the gate and its session and runs the loop.
func work(ctx context.Context, dir string, out io.Writer) error {
	dir, err := prepare(dir)
	if err != nil {
		return err
	}
	l, err := local.Open(ctx, options(dir))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	session, err := l.Gate.Open(ctx, "demo")
	if err != nil {
		return err
	}
	k := &kernel{
		session: session, tools: tools{filepath.Join(dir, "scratch")},
		file: filepath.Join(dir, "history.json"), out: out,
	}
	return k.run(ctx)
}

// options say where the parts of the gate are: all in the folder, beside the scratch
// folder that the tools work in.
func options(dir string) local.Options {
	return local.Options{
		Load: layers.Options{
			Dir: dir, Files: []string{filepath.Join(dir, layers.FileName)}, Catalogs: []string{filepath.Join(dir, "catalog.json")},
		},
		Store: filepath.Join(dir, "state", "gate.db"),
		Log:   filepath.Join(dir, "state", "audit.jsonl"),
	}
}

// prepare makes what is missing in the folder and returns its absolute path.
func prepare(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	scratch := filepath.Join(dir, "scratch")
	if _, err := os.Stat(scratch); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for name, text := range map[string][]byte{layers.FileName: policy, "catalog.json": catalog} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return "", err
		}
	}
	fresh := scratch + ".new"
	if err := os.MkdirAll(fresh, 0o700); err != nil {
		return "", err
	}
	for name, text := range map[string]string{"plan.txt": "tidy up\n", "old-1.log": "", "old-2.log": ""} {
		if err := os.WriteFile(filepath.Join(fresh, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return dir, os.Rename(fresh, scratch)
}
