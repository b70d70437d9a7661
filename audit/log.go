package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Errors of [Log]; test for them with [errors.Is].
var (
	// ErrNotOurs means that the file is a link, no regular file or another
	// user's, so that what is written to it may be read or changed by others.
	ErrNotOurs = errors.New("audit: the log is not a regular file of this user")
	// ErrDamaged means that the last line is no record, so that nothing can
	// follow it. The log is never repaired silently: run policyctl log verify,
	// then move it away, and a new one begins.
	ErrDamaged = errors.New("audit: the last line of the log is not a whole record")
)

// Limits of waiting for other processes that append.
const (
	lockTimeout = 30 * time.Second
	lockRetry   = 2 * time.Millisecond
)

// Names of the files beside a log.
const (
	lockSuffix = ".lock"
	tornSuffix = ".torn"
)

// Options of a log.
type Options struct {
	// Now stamps entries that have no time. Without it they stay without.
	Now func() time.Time
}

// Log is a log in a file of JSON Lines. It holds no file open: every append
// locks the log, looks for its end and writes there. A file that somebody moved
// away is begun anew, with a chain of its own.
type Log struct {
	path string
	now  func() time.Time
	mu   sync.Mutex
}

// Open returns the log in a file and makes sure that it can be written: the
// directory is made with mode 0700 if there is none, the file with mode 0600. A
// file that is there is made 0600 too, and refused if it is a symbolic link, no
// regular file, or another user's ([ErrNotOurs]).
func Open(path string, opts Options) (*Log, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	log := &Log{path: absolute, now: opts.Now}
	if log.now == nil {
		log.now = func() time.Time { return time.Time{} }
	}
	if err := os.MkdirAll(filepath.Dir(absolute), 0o700); err != nil {
		return nil, fmt.Errorf("audit: cannot make the directory of the log: %w", err)
	}
	file, err := openOurs(absolute, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return log, nil
}

// Path returns the absolute path of the log.
func (l *Log) Path() string { return l.path }

// Append seals the entries, writes them with one call and syncs them to disk
// before it returns their records. On an error none of them is in the log. It
// waits for other writers until the context ends, and no longer than 30 s. Without
// entries it only finds out whether the log can be written.
func (l *Log) Append(ctx context.Context, entries ...Entry) ([]Record, error) {
	// The expensive part needs no lock.
	cleaned := make([]Entry, len(entries))
	for i, entry := range entries {
		if entry.Time.IsZero() {
			entry.Time = l.now()
		}
		cleaned[i] = entry.clean()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	unlock, err := lock(ctx, l.path+lockSuffix)
	if err != nil {
		return nil, err
	}
	defer unlock()
	file, err := openOurs(l.path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	var records []Record
	if len(cleaned) > 0 {
		records, err = appendTo(file, cleaned)
	}
	if closeErr := file.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("audit: cannot append to %s: %w", l.path, withoutPackage(err))
	}
	return records, nil
}

// prefixed is an error whose name of the package is left out.
type prefixed struct{ error }

func (p prefixed) Error() string { return strings.TrimPrefix(p.error.Error(), "audit: ") }
func (p prefixed) Unwrap() error { return p.error }

func withoutPackage(err error) error { return prefixed{err} }

func lock(ctx context.Context, path string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	held := flock.New(path, flock.SetPermissions(0o600))
	if _, err := held.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("audit: cannot lock %s: %w", path, err)
	}
	return func() { _ = held.Close() }, nil
}

// appendTo writes entries, which are clean, to the end of a log. The lock is held.
func appendTo(file *os.File, entries []Entry) ([]Record, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	end, err := findEnd(file, info.Size())
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	head := end.head
	if end.torn > 0 {
		note, err := setAside(file, end, entries[0].Time)
		if err != nil {
			return nil, err
		}
		record := seal(head, note)
		lines.Write(record.Line())
		head = record.Head()
	}
	records := make([]Record, len(entries))
	for i, entry := range entries {
		records[i] = seal(head, entry)
		head = records[i].Head()
		lines.Write(records[i].Line())
	}
	if err := writeAt(file, lines.Bytes(), end.offset); err != nil {
		return nil, err
	}
	if end.offset == 0 {
		return records, syncDir(filepath.Dir(file.Name()))
	}
	return records, nil
}

// writeAt writes and syncs, or leaves the file as it was.
func writeAt(file *os.File, lines []byte, offset int64) error {
	_, err := file.WriteAt(lines, offset)
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		if undone := file.Truncate(offset); undone != nil {
			return errors.Join(err, undone)
		}
	}
	return err
}

// logEnd is where a log can go on.
type logEnd struct {
	head   Head
	offset int64 // after the last line feed
	torn   int64 // bytes that follow there
}

// findEnd reads the last whole line, from the end of the file.
func findEnd(file io.ReaderAt, size int64) (logEnd, error) {
	tail := make([]byte, 0, 8<<10)
	for begin := size; ; {
		if i := bytes.LastIndexByte(tail, '\n'); begin == 0 || i >= 0 && bytes.IndexByte(tail[:i], '\n') >= 0 {
			return endOf(tail, begin, i)
		}
		if size-begin > 2*MaxLineBytes {
			return logEnd{}, ErrDamaged
		}
		step := min(begin, max(8<<10, int64(len(tail))))
		begin -= step
		longer := make([]byte, step, step+int64(len(tail)))
		if _, err := file.ReadAt(longer, begin); err != nil {
			return logEnd{}, err
		}
		tail = append(longer, tail...)
	}
}

// endOf reads the line before the line feed at index feed of the tail of a file
// that begins at an offset.
func endOf(tail []byte, offset int64, feed int) (logEnd, error) {
	end := logEnd{offset: offset + int64(feed) + 1, torn: int64(len(tail) - feed - 1)}
	if feed < 0 {
		return end, nil
	}
	record, err := ParseLine(tail[bytes.LastIndexByte(tail[:feed], '\n')+1 : feed])
	if err != nil {
		return end, fmt.Errorf("%w (%w)", ErrDamaged, withoutPackage(err))
	}
	end.head = record.Head()
	return end, nil
}

// setAside moves what a crash left half-written to a file beside the log, and
// returns the entry that says so. A crash in between copies it twice.
func setAside(file *os.File, end logEnd, now time.Time) (Entry, error) {
	torn := make([]byte, end.torn)
	if _, err := file.ReadAt(torn, end.offset); err != nil {
		return Entry{}, err
	}
	aside, err := openOurs(file.Name()+tornSuffix, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return Entry{}, err
	}
	defer func() { _ = aside.Close() }()
	if _, err := aside.Write(append(bytes.Clone(torn), '\n')); err != nil {
		return Entry{}, err
	}
	if err := aside.Sync(); err != nil {
		return Entry{}, err
	}
	if err := file.Truncate(end.offset); err != nil {
		return Entry{}, err
	}
	note := Entry{
		Event: TornTail, Time: now, Actor: "audit",
		Message: fmt.Sprintf("%d half-written bytes with digest %s were moved to the file with %s appended",
			len(torn), Digest(torn), tornSuffix),
	}
	return note.clean(), nil
}
