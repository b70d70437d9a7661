package main

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

// TestLogOfStore (AUD-3): the chain in the store can be verified and searched like that of a
// file, a changed record is named, and looking makes no store.
func TestLogOfStore(t *testing.T) {
	home, getenv := hookHome(t)
	runHook(t, getenv, strings.NewReader(codexCall("1", "touch x")), "codex")
	resolve(t, getenv, gate.Verdict{Decision: plangate.Allow})
	runHook(t, getenv, strings.NewReader(codexCall("2", "touch x")), "codex")
	store := filepath.Join(home, ".local", "state", "plangate", "gate.db")
	run := func(args ...string) (int, string) {
		w := newTestWorld("")
		w.getenv = getenv
		code := realMain(args, &w.world)
		return code, w.out.String() + w.errs.String()
	}
	if code, out := run("log", "verify", "--store", store); code != codeFine || !strings.HasPrefix(out, "ok: the store with ") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if code, out := run("log", "query", "--store", store, "--event", "approval_answered"); code != codeFine || strings.Count(out, "\n") != 1 || !strings.Contains(out, "ann") {
		t.Errorf("exit code %d: %s", code, out)
	}
	for _, args := range [][]string{{"log", "verify", "--store", store, store}, {"log", "query", "--store", store + ".none"}, {"log", "verify", "--store", ""}} {
		if code, out := run(args...); code != codeUsage {
			t.Errorf("%q: exit code %d: %s", args, code, out)
		}
	}
	db, err := sql.Open("sqlite", store)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), `UPDATE plangate_audit SET body = replace(body, '"actor":"ann"', '"actor":"bob"')`); err != nil {
		t.Fatal(err)
	}
	if code, out := run("log", "verify", "--store", store); code != codeFindings || !strings.Contains(out, "Broken") {
		t.Errorf("a changed record: exit code %d: %s", code, out)
	}
}
