package persist

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/plangate/plangate/gate"
)

// Limits of opening a file.
const (
	openTime  = 30 * time.Second // others check and migrate meanwhile
	openRetry = 5 * time.Millisecond
	minPage   = 512 // bytes; the least that SQLite can have
)

// file is the place of a SQLite store.
type file struct {
	path  string
	clock func() time.Time
	check Check
}

// companions are the suffixes of the files that belong to a database.
var companions = []string{"-wal", "-shm", "-journal"}

// lock lets one opener at a time look at the file, set it aside and migrate. It makes
// the directory if there is none.
func (f file) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return nil, fmt.Errorf("persist: %w", err)
	}
	for _, suffix := range append([]string{"", ".lock"}, companions...) {
		if err := safe(f.path + suffix); err != nil {
			return nil, err
		}
	}
	waiting, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	held := flock.New(f.path+".lock", flock.SetPermissions(0o600))
	if _, err := held.TryLockContext(waiting, openRetry); err != nil {
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		return nil, fmt.Errorf("persist: lock %s.lock: %w: %w", f.path, gate.ErrStoreUnavailable, err)
	}
	return func() { _ = held.Close() }, nil
}

// safe refuses what another user could have put there or could read, and closes to
// others what they could read.
func safe(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("persist: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: %s is a symbolic link; name the file itself", ErrUnsafeFile, path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is not a regular file", ErrUnsafeFile, path)
	case !ours(info):
		return fmt.Errorf("%w: %s belongs to another user", ErrUnsafeFile, path)
	case info.Mode().Perm()&0o077 != 0:
		// By name: closing a descriptor of the file would end SQLite's locks on it.
		if err := os.Chmod(path, info.Mode().Perm()&0o700); err != nil {
			return fmt.Errorf("persist: %w", err)
		}
	}
	return nil
}

// ready makes sure that there is a sound database, or an empty file to make one in. The
// file is locked.
func (f file) ready(ctx context.Context) (*Damage, error) {
	reason, err := f.examine(ctx)
	if err != nil {
		return nil, err
	}
	var damage *Damage
	if reason != "" {
		if damage, err = f.setAside(reason); err != nil {
			return nil, err
		}
	}
	return damage, f.create()
}

// create makes an empty file, unless there is one.
func (f file) create() error {
	made, err := os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("persist: %w", err)
	}
	if err := made.Close(); err != nil {
		return fmt.Errorf("persist: %w", err)
	}
	return syncDir(f.path)
}

// examine says what is wrong with the file; "" if it is sound, empty or not there.
func (f file) examine(ctx context.Context) (reason string, err error) {
	info, err := os.Lstat(f.path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return "", fmt.Errorf("persist: %w", err)
	}
	if missing || info.Size() == 0 {
		// SQLite would delete or apply a log that belongs to something else.
		wal, err := os.Lstat(f.path + "-wal")
		switch {
		case err == nil && wal.Size() > 0:
			return "there is a log, but the database that it belongs to is gone", nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("persist: %w", err)
		}
		return "", nil
	}
	if info.Size() < minPage { // SQLite would take it for an empty one
		return f.foreignOr("it is shorter than a page")
	}
	return f.inspect(ctx)
}

// inspect looks into a file that is not empty.
func (f file) inspect(ctx context.Context) (reason string, err error) {
	db, err := f.open(nil)
	if err != nil {
		return "", err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	steps := []func(context.Context, *sql.DB) (string, error){f.identify, f.whole, f.integrity}
	for _, step := range steps {
		if reason, err = step(ctx, db); reason != "" || err != nil {
			break
		}
	}
	switch {
	case err == nil, errors.Is(err, ErrForeign), errors.Is(err, ErrNewerSchema):
		return reason, err
	case ctx.Err() != nil:
		return "", ended(ctx)
	case classifySQLite(err) != damaged:
		// An error of the disk, a lock, a right that is missing: the file may be sound.
		return "", fmt.Errorf("persist: open %s: %w: %w", f.path, gate.ErrStoreUnavailable, err)
	}
	return f.foreignOr(err.Error())
}

// foreignOr refuses a text; anything else that is no database is damaged.
func (f file) foreignOr(reason string) (string, error) {
	if f.isText() {
		return "", fmt.Errorf("%w: %s is a text", ErrForeign, f.path)
	}
	return reason, nil
}

// whole finds a file that was cut within a page, which SQLite fills with zeros. With a
// log it may be one that is just growing.
func (f file) whole(ctx context.Context, db *sql.DB) (reason string, err error) {
	var page int64
	if err := db.QueryRowContext(ctx, "PRAGMA page_size").Scan(&page); err != nil {
		return "", err
	}
	info, err := os.Lstat(f.path)
	if err != nil {
		return "", err
	}
	log, err := os.Lstat(f.path + "-wal")
	if err == nil && log.Size() > 0 || info.Size()%page == 0 {
		return "", nil
	}
	return fmt.Sprintf("its size of %d bytes is not one of whole pages", info.Size()), nil
}

// identify refuses a database of something else, and of a newer version.
func (f file) identify(ctx context.Context, db *sql.DB) (string, error) {
	var id, tables, ours, version int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return "", err
	}
	const count = "SELECT count(*), count(CASE WHEN name = 'plangate_meta' THEN 1 END) FROM sqlite_schema WHERE type = 'table'"
	if err := db.QueryRowContext(ctx, count).Scan(&tables, &ours); err != nil {
		return "", err
	}
	// The mark is set last, so a crash may have left a store without it.
	if id != applicationID && (id != 0 || tables > 0 && ours == 0) {
		return "", fmt.Errorf("%w: %s is the database of another program", ErrForeign, f.path)
	}
	if ours == 0 {
		return "", nil
	}
	err := db.QueryRowContext(ctx, "SELECT max(version) FROM plangate_meta").Scan(&version)
	if err == nil && version > schemaVersion {
		return "", newer(version)
	}
	return "", err
}

// integrity runs the check of SQLite that was asked for.
func (f file) integrity(ctx context.Context, db *sql.DB) (reason string, err error) {
	switch f.check {
	case CheckSchema:
		return "", nil
	case CheckFull:
		err = db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&reason)
	default:
		err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&reason)
	}
	if reason == "ok" {
		reason = ""
	}
	return reason, err
}
