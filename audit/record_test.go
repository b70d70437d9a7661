package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plangate/plangate"
)

var instant = time.Date(2026, 1, 31, 9, 0, 0, 5, time.UTC)

// chain returns the lines of a log of so many records.
func chain(count int) [][]byte {
	var lines [][]byte
	var head Head
	for i := range count {
		record := Seal(head, Entry{Event: Decision, Time: instant, CallID: fmt.Sprint(i), DecidedBy: "policy:a"})
		lines = append(lines, record.Line())
		head = record.Head()
	}
	return lines
}

func headOf(t *testing.T, line []byte) Head {
	t.Helper()
	record, err := ParseLine(line)
	if err != nil {
		t.Fatal(err)
	}
	return record.Head()
}

// TestShape holds the schema of version 1: these fields in this order, in every
// record (audit-07).
func TestShape(t *testing.T) {
	want := `{"version":1,"seq":1,"prev":"","event":"","time":"0001-01-01T00:00:00Z","session":"","turn":"","item":"",` +
		`"call_id":"","provider":"","operation":"","kind":"","risk":"","profile":"","decision":"deny","matched_action":"deny",` +
		`"downgraded":false,"downgrade":"none","decided_by":"",` +
		`"rule":{"type":"builtin","name":"","layer":"builtin","file":"","line":0},"reason":"","unknown":[],"policy":"","grant":"",` +
		`"actor":"","scope":"","message":"","state":"","harness":"","cli_tool":"","input_digest":"","input":null,` +
		`"input_masked":false,"hash":"HASH"}` + "\n"
	record := Seal(Head{}, Entry{})
	got := strings.Replace(string(record.Line()), record.Hash, "HASH", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit-07 the empty record (-want +got):\n%s", diff)
	}
}

func keysOf(t *testing.T, line []byte) (keys []string) {
	t.Helper()
	root, err := parseTree(line)
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range root.keys {
		keys = append(keys, key)
		if key == "input" {
			continue // has the shape of the operation
		}
		for _, sub := range root.values[i].keys {
			keys = append(keys, key+"."+sub)
		}
	}
	return keys
}

func TestDecided(t *testing.T) {
	rule := plangate.Rule{Type: plangate.RulePolicy, Name: "p", Layer: plangate.LayerProject, File: "agent.hcl", Line: 7}
	grant := plangate.Rule{Type: plangate.RuleGrant, Name: "git-commit"}
	call := plangate.Call{
		ID: "c", Provider: "fs", Operation: "read", Kind: plangate.DataSource, Input: json.RawMessage(`{"password":"s3cr3t"}`),
	}
	outcomes := map[string]plangate.Outcome{
		"audit-01 allow by rule":    {Action: plangate.Allow, MatchedAction: plangate.Allow, Rule: rule, DecidedBy: rule.DecidedBy()},
		"audit-01 allow by default": {Action: plangate.Allow, MatchedAction: plangate.Allow, DecidedBy: "default:data_source", Rule: plangate.Rule{Type: plangate.RuleDefault, Name: "data_source"}},
		"audit-01 deny by rule":     {Rule: rule, DecidedBy: rule.DecidedBy(), Reason: "no"},
		"audit-01 allow by grant":   {Action: plangate.Allow, MatchedAction: plangate.Allow, Rule: grant, DecidedBy: grant.DecidedBy()},
		"audit-07 error":            plangate.InvalidCall("c", errors.New("no JSON")).Outcome(),
		"audit-11 downgrade":        {MatchedAction: plangate.Ask, Downgrade: plangate.DowngradeNoApplyStep, Rule: rule, DecidedBy: rule.DecidedBy()},
	}
	shape := keysOf(t, Seal(Head{}, Entry{}).Line())
	for name, outcome := range outcomes {
		t.Run(name, func(t *testing.T) {
			entry := Decided(call, plangate.NewDecision("c", &outcome))
			line := Seal(Head{}, entry).Line()
			if diff := cmp.Diff(shape, keysOf(t, line)); diff != "" {
				t.Errorf("audit-07 another shape (-want +got):\n%s", diff)
			}
			record, err := ParseLine(line)
			if err != nil {
				t.Fatal(err)
			}
			if record.Decision != outcome.Action || record.MatchedAction != outcome.MatchedAction || record.Rule != outcome.Rule ||
				record.DecidedBy != outcome.DecidedBy || record.Downgraded != (outcome.Downgrade != 0) || record.Kind != "data_source" {
				t.Errorf("lost: %s", line)
			}
			if want := map[bool]string{true: "git-commit"}[outcome.Rule == grant]; record.Grant != want {
				t.Errorf("grant %q", record.Grant)
			}
			if string(record.Input) != `{"password":"[masked]"}` || !record.InputMasked {
				t.Errorf("audit-03 input %s, masked %v", record.Input, record.InputMasked)
			}
			if string(call.Input) != `{"password":"s3cr3t"}` || record.InputDigest != Digest(call.Input) {
				t.Errorf("audit-04 the raw input was changed, or the digest does not lead to it")
			}
		})
	}
}

func TestSealMasksTexts(t *testing.T) {
	for _, test := range secretTexts {
		entry := Entry{
			Reason: test.text, Message: test.text, Actor: test.text,
			Input: json.RawMessage(`{"plain":"0p3n"}`), Sensitive: []string{"/plain"},
		}
		line := Seal(Head{}, entry).Line()
		if bytes.Contains(line, []byte(test.secret)) || bytes.Contains(line, []byte("0p3n")) {
			t.Errorf("audit-03 %s: %s", test.name, line)
		}
	}
}

// hostile generates texts with what breaks lines and terminals in them.
func hostile() *rapid.Generator[string] {
	pieces := []string{
		"\n", "\r\n", "\x1b[2K", "\u202e", "\u2028", "\u2029", "\x00", "\xff", "\xed\xa0\x80", "\u200b", "\U000e0001", "\u00e9", "\U0001f600",
		"\x7f", "\\", `"`, "<&>", "\ufeff", strings.Repeat("\x01", 5000), strings.Repeat("a", 5000), "token=", "[masked]", "x",
	}
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "any") {
			return rapid.String().Draw(t, "text")
		}
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), "")
	})
}

func anyEntry(t *rapid.T) Entry {
	text := func(name string) string { return hostile().Draw(t, name) }
	input := []byte(text("raw"))
	if rapid.Bool().Draw(t, "json") {
		input, _ = json.Marshal(map[string]any{text("key"): text("value"), "list": []string{text("a"), text("b")}})
	}
	return Entry{
		Event: Event(text("event")), Time: time.Unix(rapid.Int64().Draw(t, "time"), rapid.Int64Range(0, math.MaxInt64).Draw(t, "ns")),
		Session: text("session"), Turn: text("turn"), Item: text("item"), CallID: text("call"), Provider: text("provider"),
		Operation: text("operation"), Kind: text("kind"), Risk: text("risk"), Profile: text("profile"),
		Decision:      plangate.Action(rapid.Uint8().Draw(t, "decision")),
		MatchedAction: plangate.Action(rapid.Uint8().Draw(t, "matched")),
		Downgrade:     plangate.Downgrade(rapid.Uint8().Draw(t, "downgrade")), DecidedBy: text("by"),
		Rule: plangate.Rule{
			Type: plangate.RuleType(rapid.Uint8().Draw(t, "type")), Layer: plangate.Layer(rapid.Uint8().Draw(t, "layer")),
			Name: text("rule"), File: text("file"), Line: rapid.Int().Draw(t, "line"),
		},
		Reason: text("reason"), Unknown: rapid.SliceOf(hostile()).Draw(t, "unknown"), Policy: text("policy"), Grant: text("grant"),
		Actor: text("actor"), Scope: text("scope"), Message: text("message"), State: text("state"), Harness: text("harness"),
		CLITool: text("tool"), InputDigest: text("digest"), Input: input, Sensitive: []string{text("pointer")},
	}
}

func TestLineProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := Head{Seq: rapid.Uint64().Draw(t, "seq"), Hash: Digest([]byte("x"))}
		record := Seal(head, anyEntry(t))
		line := record.Line()
		if n := bytes.Count(line, []byte("\n")); n != 1 || line[len(line)-1] != '\n' {
			t.Fatalf("audit-12 %d line feeds", n)
		}
		for _, c := range line[:len(line)-1] {
			if c < ' ' || c > '~' {
				t.Fatalf("audit-12 byte %#x", c)
			}
		}
		if len(line) > MaxLineBytes {
			t.Fatalf("%d bytes", len(line))
		}
		back, err := ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(record, back); diff != "" {
			t.Fatalf("(-sealed +read):\n%s", diff)
		}
		if !bytes.Equal(back.Line(), line) {
			t.Fatal("the record that was read has another line")
		}
	})
}

func TestLineOfWhatWasNotSealed(t *testing.T) {
	line := Record{Prev: "\n", Hash: "\x1b", Entry: Entry{Rule: plangate.Rule{Type: 99}, Input: json.RawMessage("{")}}.Line()
	if !json.Valid(line) || bytes.Count(line, []byte("\n")) != 1 || bytes.Contains(line, []byte("\x1b")) {
		t.Errorf("audit-12 %s", line)
	}
	if _, err := ParseLine(line); err == nil {
		t.Error("it counts as a record")
	}
}

func TestLongTextsAreCut(t *testing.T) {
	long := strings.Repeat("\u202e", 1<<20)
	input, _ := json.Marshal(map[string]string{"a": strings.Repeat("x", 3<<20), "password": "s3cr3t"})
	record := Seal(Head{}, Entry{Operation: long, Reason: long, Unknown: slicesOf(long, 100), Input: input})
	if n := len(record.Line()); n > 64<<10 {
		t.Errorf("%d bytes", n)
	}
	var cut struct {
		Cut    bool
		Bytes  int
		Digest string
		Head   string
	}
	if err := json.Unmarshal(record.Input, &cut); err != nil || !cut.Cut || cut.Bytes < 3<<20 || !validDigest(cut.Digest) || cut.Head == "" {
		t.Errorf("cut input %s: %v", record.Input[:100], err)
	}
	if !strings.Contains(record.Operation, "3145728 bytes") {
		t.Errorf("the operation does not tell its length: %q", record.Operation[len(record.Operation)-40:])
	}
}

func slicesOf(text string, count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = text
	}
	return list
}

func TestVerify(t *testing.T) {
	lines := chain(6)
	other := Seal(headOf(t, lines[1]), Entry{Event: Decision, CallID: "another"}).Line()
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	changed := bytes.Replace(lines[2], []byte(`"call_id":"2"`), []byte(`"call_id":"9"`), 1)
	for _, test := range []struct {
		name    string
		log     []byte
		known   []Head
		records uint64
		kind    BreakKind
		line    int
		torn    int64
	}{
		{name: "empty"},
		{name: "whole", log: join(lines...), records: 6, known: []Head{headOf(t, lines[3]), {}}},
		{name: "changed", log: join(lines[0], lines[1], changed, lines[3]), records: 2, kind: BreakChanged, line: 3},
		{name: "replaced and sealed anew", log: join(lines[0], lines[1], other, lines[3]), records: 3, kind: BreakReplaced, line: 4},
		{name: "missing", log: join(lines[0], lines[1], lines[3], lines[4]), records: 2, kind: BreakMissing, line: 3},
		{name: "missing first", log: join(lines[1:]...), kind: BreakMissing, line: 1},
		{name: "reordered", log: join(lines[0], lines[2], lines[1], lines[3]), records: 1, kind: BreakReordered, line: 2},
		{name: "twice", log: join(lines[0], lines[1], lines[1]), records: 2, kind: BreakReordered, line: 3},
		{name: "torn", log: join(lines[0], lines[1][:40]), records: 1, torn: 40},
		{name: "torn before its line feed", log: join(lines[0], lines[1][:len(lines[1])-1]), records: 1, torn: int64(len(lines[1]) - 1)},
		{name: "torn only", log: lines[0][:3], torn: 3},
		{name: "torn in the middle", log: join(lines[0], lines[1][:40], []byte("\n"), lines[2]), records: 1, kind: BreakNotRecord, line: 2},
		{name: "blank line", log: join(lines[0], []byte("\n"), lines[1]), records: 1, kind: BreakNotRecord, line: 2},
		{name: "white space", log: join(lines[0], []byte(" "), lines[1]), records: 1, kind: BreakChanged, line: 2},
		{name: "null", log: []byte("null\n"), kind: BreakNotRecord, line: 1},
		{name: "another version", log: bytes.Replace(lines[0], []byte(`"version":1`), []byte(`"version":2`), 1), kind: BreakNotRecord, line: 1},
		{name: "unknown field", log: bytes.Replace(lines[0], []byte(`"seq"`), []byte(`"x":1,"seq"`), 1), kind: BreakNotRecord, line: 1},
		{name: "too long", log: join(lines[0], bytes.Repeat([]byte("x"), 3*MaxLineBytes), []byte("\n"), lines[1]), records: 1, kind: BreakNotRecord, line: 2},
		{name: "cut off", log: join(lines[:3]...), known: []Head{headOf(t, lines[4])}, records: 3, kind: BreakMissing, line: 4},
		{name: "written anew", log: join(lines[0], lines[1], other), known: []Head{headOf(t, lines[2])}, records: 2, kind: BreakReplaced, line: 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, err := Verify(bytes.NewReader(test.log), test.known...)
			if err != nil {
				t.Fatal(err)
			}
			var kind BreakKind
			line := 0
			if report.Break != nil {
				kind, line = report.Break.Kind, report.Break.Line
			}
			if report.Records != test.records || kind != test.kind || line != test.line || report.TornBytes != test.torn ||
				report.Whole() != (kind == "") {
				t.Errorf("got %+v, break %+v", report, report.Break)
			}
			if test.records > 0 && kind == "" && report.Head.Seq != test.records {
				t.Errorf("head %v", report.Head)
			}
		})
	}
	t.Run("unreadable", func(t *testing.T) {
		failing := io.MultiReader(bytes.NewReader(lines[0]), badReader{})
		if _, err := Verify(failing); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("error %v", err)
		}
	})
}

type badReader struct{}

func (badReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestEveryByteCounts changes every byte of a record.
func TestEveryByteCounts(t *testing.T) {
	lines := chain(3)
	for i := range len(lines[1]) - 1 {
		changed := bytes.Clone(lines[1])
		changed[i] ^= 1
		if report, _ := Verify(bytes.NewReader(bytes.Join([][]byte{lines[0], changed, lines[2]}, nil))); report.Whole() {
			t.Fatalf("byte %d may be changed", i)
		}
	}
}

func TestParseHead(t *testing.T) {
	head := Head{Seq: 7, Hash: Digest([]byte("x"))}
	if got, err := ParseHead(head.String()); err != nil || got != head {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"", ":", "7", "07:" + head.Hash, "-1:" + head.Hash, "7:sha256:ab", "7:" + strings.ToUpper(head.Hash), "7:" + head.Hash + " "} {
		if _, err := ParseHead(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestQuery(t *testing.T) {
	allow := plangate.Allow
	deny := plangate.Deny
	entries := []Entry{
		{Event: Decision, CallID: "a", Operation: "x", DecidedBy: "policy:p", Decision: allow, Time: instant},
		{Event: ApprovalAnswered, CallID: "b", Item: "i", Actor: "ann", Session: "s", DecidedBy: "policy:q", Time: instant.Add(time.Hour)},
		{Event: PolicyWritten, CallID: "c", Provider: "fs", Actor: "ann", Time: instant.Add(2 * time.Hour)},
	}
	var log []byte
	var head Head
	for _, entry := range entries {
		record := Seal(head, entry)
		head = record.Head()
		log = append(log, record.Line()...)
	}
	for _, test := range []struct {
		name   string
		filter Filter
		want   string
	}{
		{"all", Filter{}, "abc"}, {"event", Filter{Event: PolicyWritten}, "c"}, {"session", Filter{Session: "s"}, "b"},
		{"item", Filter{Item: "i"}, "b"}, {"call", Filter{CallID: "a"}, "a"}, {"operation", Filter{Operation: "x"}, "a"},
		{"provider", Filter{Provider: "fs"}, "c"}, {"actor", Filter{Actor: "ann"}, "bc"}, {"rule", Filter{DecidedBy: "policy:q"}, "b"},
		{"allow", Filter{Decision: &allow}, "a"}, {"deny is not what has no decision", Filter{Decision: &deny}, "b"},
		{"since", Filter{Since: instant.Add(time.Hour)}, "bc"}, {"until", Filter{Until: instant.Add(time.Hour)}, "a"},
		{"limit", Filter{Limit: 2}, "ab"}, {"both", Filter{Actor: "ann", Event: Decision}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			for record, err := range Query(bytes.NewReader(log), test.filter) {
				if err != nil {
					t.Fatal(err)
				}
				got += record.CallID
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestQueryGoesOnAfterBadLines(t *testing.T) {
	lines := chain(3)
	lines[1] = bytes.Replace(lines[1], []byte(`"call_id":"1"`), []byte(`"call_id":"7"`), 1)
	log := bytes.Join([][]byte{lines[0], []byte("x\n"), lines[1], lines[2], []byte("{")}, nil)
	var got []string
	for record, err := range Query(bytes.NewReader(log), Filter{}) {
		var bad *LineError
		switch {
		case err == nil:
			got = append(got, record.CallID)
		case errors.As(err, &bad):
			got = append(got, fmt.Sprintf("line %d torn=%v changed=%v", bad.Line, bad.Torn, errors.Is(err, ErrChanged)))
		}
	}
	want := []string{"0", "line 2 torn=false changed=false", "line 3 torn=false changed=true", "2", "line 5 torn=true changed=false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTailOffset(t *testing.T) {
	for _, text := range []string{"", "a", "a\n", "a\nb\nc\n", "a\nb\nc", strings.Repeat("x", 70<<10) + "\nb\n" + strings.Repeat("y", 130<<10) + "\n"} {
		lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		for count := 1; count < 5; count++ {
			want := len(text) - len(strings.TrimSuffix(text, "\n")[len(strings.Join(lines[:max(0, len(lines)-count)], "")):])
			if strings.HasSuffix(text, "\n") {
				want--
			}
			got, err := TailOffset(strings.NewReader(text), int64(len(text)), count)
			if err != nil || got != int64(want) {
				t.Errorf("%.10q, last %d: %d, %v; want %d", text, count, got, err, want)
			}
		}
	}
}

func FuzzVerify(f *testing.F) {
	lines := chain(3)
	f.Add(bytes.Join(lines, nil))
	f.Add(bytes.Join([][]byte{lines[1], lines[0], lines[2][:30]}, nil))
	f.Fuzz(func(t *testing.T, log []byte) {
		report, err := Verify(bytes.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		var records, bad uint64
		for record, err := range Query(bytes.NewReader(log), Filter{}) {
			if err != nil {
				bad++
				continue
			}
			records++
			if !bytes.Contains(log, []byte(record.Hash)) {
				t.Error("a record from nowhere")
			}
		}
		if report.Whole() && (records != report.Records || bad > 1) {
			t.Errorf("%d of %d records, %d bad", records, report.Records, bad)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	log := bytes.Join(chain(10_000), nil)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		if report, _ := Verify(bytes.NewReader(log)); !report.Whole() {
			b.Fatal("broken")
		}
	}
}
