package writeback

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/plangate/plangate"
)

// Names in the state directory.
const (
	journalName = "writeback.json"
	lockName    = "writeback.lock"
)

// Limits of the journal: older changes can no longer be undone.
const (
	maxEntries      = 500
	maxJournalBytes = 2 << 20
)

// lockRetry is how long to wait before trying again for the lock.
const lockRetry = 5 * time.Millisecond

// entry is a change that can be undone.
type entry struct {
	File     string   `json:"file"` // without symbolic links
	Policy   string   `json:"policy"`
	Action   string   `json:"action"`
	Before   string   `json:"before"` // digest; empty if there was no file
	After    string   `json:"after"`
	Offset   int      `json:"offset"`
	Removed  []byte   `json:"removed"`
	Inserted []byte   `json:"inserted"`
	Trusted  []string `json:"trusted"` // the paths whose trust moves from Before to After
}

// journalForm is the file.
type journalForm struct {
	Version int     `json:"version"`
	Entries []entry `json:"entries"`
}

const journalVersion = 1

// state is the directory with the lock held.
type state struct {
	dir     string
	held    *flock.Flock
	reached func(string)
}

// lock takes the lock of a state directory, and makes the directory if needed.
func lock(ctx context.Context, dir string, reached func(string)) (*state, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, ErrNoStore.from(err, "the directory %s for the state cannot be made: %v", dir, err)
	}
	held := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	if _, err := held.TryLockContext(ctx, lockRetry); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, ErrNoStore.from(err, "%s cannot be locked: %v", held.Path(), err)
	}
	reached("locked")
	return &state{dir: dir, held: held, reached: reached}, nil
}

// unlock lets the next one in. The lock file stays: removing it would let two in.
func (s *state) unlock() { _ = s.held.Close() }

func (s *state) path() string { return filepath.Join(s.dir, journalName) }

// entries reads the journal, the oldest entry first.
func (s *state) entries() ([]entry, error) { return readJournal(s.path()) }

func readJournal(path string) ([]entry, error) {
	damaged := func(why string) error {
		return ErrJournal.because("the journal %s cannot be believed: %s; look at it and move it away", path, why)
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, damaged(err.Error())
	}
	if !info.Mode().IsRegular() || !ownedByUser(info) || info.Mode().Perm()&0o077 != 0 {
		return nil, damaged("it is not a regular file that only you may read and write")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, damaged(err.Error())
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, plangate.MaxJSONBytes+1))
	if err != nil {
		return nil, damaged(err.Error())
	}
	var form journalForm
	if err := plangate.CheckJSON(text); err != nil {
		return nil, damaged(err.Error())
	}
	if err := json.Unmarshal(text, &form); err != nil {
		return nil, damaged(err.Error())
	}
	if form.Version != journalVersion {
		return nil, damaged("it is of another version")
	}
	for i := range form.Entries {
		if form.Entries[i].Offset < 0 {
			return nil, damaged("it has a negative offset")
		}
	}
	return form.Entries, nil
}

// save replaces the journal, dropping the oldest entries that are too many.
func (s *state) save(entries []entry) error {
	entries = slices.Clone(entries[max(0, len(entries)-maxEntries):])
	for {
		text, err := json.Marshal(journalForm{Version: journalVersion, Entries: entries})
		if err != nil {
			return err
		}
		if len(text) > maxJournalBytes && len(entries) > 1 {
			entries = entries[len(entries)/2:]
			continue
		}
		r := replacement{
			path: s.path(), content: append(text, '\n'), mode: 0o600,
			ready: func() error { return nil }, reached: func(string) {},
		}
		return r.put()
	}
}
