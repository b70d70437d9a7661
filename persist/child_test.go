package persist_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/persist"
	"github.com/plangate/plangate/persist/persisttest"
)

// childJob names the environment variable that makes the test binary do a job as a
// process of its own: a word, the URL of a store and a number.
const childJob = "PERSIST_TEST_JOB"

// start returns the command for a job.
func start(t testing.TB, job ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(), childJob+"="+strings.Join(job, "\n"))
	command.Stderr = os.Stderr
	return command
}

// child does a job and returns the exit code.
func child(job string) int {
	words := strings.Split(job, "\n")
	n, err := strconv.Atoi(words[2])
	switch {
	case err != nil:
	case words[0] == "answer":
		err = answerJob(words[1], n)
	case words[0] == "write":
		err = writeJob(words[1], n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// writeJob makes plans for ever and says the number of each that is committed. Each
// transaction raises the epoch of a session and adds that many items and records.
func writeJob(url string, size int) error {
	db, err := persist.Open(context.Background(), url)
	if err != nil {
		return err
	}
	if db.Damage() != nil {
		return fmt.Errorf("damage: %+v", db.Damage())
	}
	for {
		var epoch int
		err := db.Update(context.Background(), func(tx gate.Tx) error {
			session, err := tx.Session("s")
			if err != nil && !errors.Is(err, gate.ErrNotFound) {
				return err
			}
			epoch = session.Epoch + 1
			var items []gate.Item
			var entries []audit.Entry
			for i := range size {
				items = append(items, persisttest.Item("s", epoch, i))
				entries = append(entries, audit.Entry{Event: audit.ApprovalCreated, Item: items[i].ID})
			}
			return errors.Join(tx.PutSession(gate.SessionRecord{ID: "s", Epoch: epoch}), tx.AddItems(items), tx.Append(entries...))
		})
		if err != nil {
			return err
		}
		fmt.Println(epoch)
	}
}
