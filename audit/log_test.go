package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// writerEnv makes the test binary a process that appends to a log: PATH COUNT,
// or without end if COUNT is 0.
const writerEnv = "PLANGATE_AUDIT_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		os.Exit(appendMany(path, os.Args[1]))
	}
	os.Exit(m.Run())
}

func appendMany(path, count string) int {
	log, err := Open(path, Options{})
	limit, _ := strconv.Atoi(count)
	for i := 0; err == nil && (limit == 0 || i < limit); i++ {
		_, err = log.Append(context.Background(), Entry{Event: Decision, CallID: fmt.Sprint(os.Getpid(), i), Reason: string(make([]byte, 500))})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func writer(t *testing.T, path string, count int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], strconv.Itoa(count))
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func mustOpen(t *testing.T, path string) *Log {
	t.Helper()
	log, err := Open(path, Options{Now: func() time.Time { return instant }})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func mustAppend(t *testing.T, log *Log, entries ...Entry) []Record {
	t.Helper()
	records, err := log.Append(t.Context(), entries...)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// verified checks the log and returns how many records it has.
func verified(t *testing.T, path string) uint64 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	report, err := Verify(file)
	if err != nil || !report.Whole() || report.TornBytes > 0 {
		t.Fatalf("%+v, break %+v, %v", report, report.Break, err)
	}
	return report.Records
}

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "dir", "audit.jsonl")
	log := mustOpen(t, path)
	first := mustAppend(t, log, Entry{CallID: "a"}, Entry{CallID: "b", Time: instant.Add(time.Hour)})
	if len(first) != 2 || first[0].Seq != 1 || first[1].Prev != first[0].Hash || !first[0].Time.Equal(instant) || !first[1].Time.Equal(instant.Add(time.Hour)) {
		t.Errorf("records %+v", first)
	}
	second := mustAppend(t, mustOpen(t, path), Entry{CallID: "c"})
	if second[0].Seq != 3 || second[0].Prev != first[1].Hash {
		t.Errorf("record %+v does not follow", second[0])
	}
	if got := mustAppend(t, log); got != nil {
		t.Errorf("nothing became %v", got)
	}
	if n := verified(t, path); n != 3 {
		t.Errorf("%d records", n)
	}
	content, _ := os.ReadFile(path)
	want := bytes.Join([][]byte{first[0].Line(), first[1].Line(), second[0].Line()}, nil)
	if !bytes.Equal(content, want) {
		t.Errorf("the file is not the lines of the records:\n%s", content)
	}
}

func TestAppendMasks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := mustOpen(t, path)
	for _, test := range secretTexts {
		mustAppend(t, log, Entry{Reason: test.text, Message: test.text, Input: []byte(strconv.Quote("x"))})
		if content, _ := os.ReadFile(path); bytes.Contains(content, []byte(test.secret)) {
			t.Fatalf("audit-03 %s is in the file", test.name)
		}
	}
}

func TestAppendAfterLongRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := mustOpen(t, path)
	long := string(bytes.Repeat([]byte("é"), 1<<16))
	for range 5 {
		mustAppend(t, log, Entry{Session: long, Turn: long, Item: long, Reason: long, Message: long, Provider: long, Operation: long})
	}
	if n := verified(t, path); n != 5 {
		t.Errorf("%d records", n)
	}
}

func TestTornTailIsSetAside(t *testing.T) {
	for _, torn := range []string{"{", string(chain(1)[0][:50]), string(bytes.TrimSuffix(chain(1)[0], []byte("\n"))), "\x00\x00\x00"} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		log := mustOpen(t, path)
		for before := range 3 {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			file.WriteString(torn)
			file.Close()
			records := mustAppend(t, log, Entry{CallID: "a"})
			if want := uint64(2*before + 2); len(records) != 1 || records[0].Seq != want || verified(t, path) != want {
				t.Fatalf("records %+v", records)
			}
		}
		content, _ := os.ReadFile(path)
		if n := bytes.Count(content, []byte(`"event":"torn_tail"`)); n != 3 {
			t.Errorf("%d records tell of it", n)
		}
		aside, err := os.ReadFile(path + tornSuffix)
		if want := bytes.Repeat([]byte(torn+"\n"), 3); err != nil || !bytes.Equal(aside, want) {
			t.Errorf("set aside %q, %v", aside, err)
		}
	}
}

func TestDamagedEndIsRefused(t *testing.T) {
	lines := chain(2)
	for name, end := range map[string][]byte{
		"no JSON": []byte("x\n"), "blank": []byte("\n"), "changed": bytes.Replace(lines[1], []byte(`"seq":2`), []byte(`"seq":9`), 1),
		"long": append(bytes.Repeat([]byte("x"), 4*MaxLineBytes), '\n'), "long and torn": bytes.Repeat([]byte("x"), 4*MaxLineBytes),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			content := append(bytes.Clone(lines[0]), end...)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := mustOpen(t, path).Append(t.Context(), Entry{}); !errors.Is(err, ErrDamaged) {
				t.Errorf("error %v", err)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(after, content) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestManyGoroutines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, other := mustOpen(t, path), mustOpen(t, path)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 10 {
				if _, err := []*Log{log, other}[i%2].Append(context.Background(), Entry{}, Entry{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if n := verified(t, path); n != 160 {
		t.Errorf("%d records", n)
	}
}

func TestManyProcesses(t *testing.T) {
	processes, each := 16, 100
	if testing.Short() {
		processes, each = 4, 10
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var started []*exec.Cmd
	for range processes {
		started = append(started, writer(t, path, each))
	}
	for _, cmd := range started {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if n := verified(t, path); n != uint64(processes*each) {
		t.Errorf("%d records", n)
	}
}

func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := mustOpen(t, path)
	had := uint64(0)
	for i := range 10 {
		cmd := writer(t, path, 0)
		time.Sleep(time.Duration(20+7*i) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		mustAppend(t, log, Entry{CallID: "after"})
		if now := verified(t, path); now <= had {
			t.Fatalf("%d records after %d", now, had)
		} else {
			had = now
		}
	}
	t.Logf("%d records", had)
}

func TestAppendEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := mustOpen(t, path)
	unlock, err := lock(t.Context(), path+lockSuffix)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := log.Append(ctx, Entry{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if n := verified(t, path); n != 0 {
		t.Errorf("%d records", n)
	}
}

func TestParseMode(t *testing.T) {
	for _, mode := range []Mode{Required, BestEffort} {
		if got, err := ParseMode(mode.String()); err != nil || got != mode {
			t.Errorf("%v: %v, %v", mode, got, err)
		}
	}
	if mode, err := ParseMode("never"); err == nil || mode != Required {
		t.Errorf("unknown mode is %v, %v", mode, err)
	}
}

func BenchmarkAppend(b *testing.B) {
	log, err := Open(filepath.Join(b.TempDir(), "audit.jsonl"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := log.Append(b.Context(), Entry{Event: Decision, Reason: "no rule allows it", Input: []byte(`{"command":"ls -la"}`)}); err != nil {
			b.Fatal(err)
		}
	}
}
