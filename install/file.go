package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// BackupMark stands between the name of a file and the time of its backup.
const BackupMark = ".plangate-backup-"

// Errors of [Edit], besides those of the file system and of the plan.
var (
	ErrNotRegular = errors.New("is not a regular file")
	ErrDangling   = errors.New("is a symbolic link that leads nowhere")
	ErrProtected  = errors.New("is write-protected; give its owner write permission first")
	ErrLinks      = errors.New("has several hard links, and writing it would separate it from the others")
	ErrBusy       = errors.New("is changed again and again by another program")
)

// Plan says what is to become of a file: text is nil if there is none, earlier are its
// backups, the newest first.
type Plan func(text []byte, earlier [][]byte) (Change, error)

// Target is a file that is to be edited.
type Target struct {
	Path string // absolute
	// Dir is the mode of directories that must be made.
	Dir fs.FileMode
	// Now gives the time for the backup's name.
	Now func() time.Time
}

// Result is what was done to a file.
type Result struct {
	Change
	Path   string // with symbolic links followed
	Backup string // the backup that was made, "" for none
}

// Preview makes the plan for a file and changes nothing. It errs like [Edit] where that
// would refuse.
func Preview(path string, plan Plan) (old []byte, result Result, err error) {
	real, _, err := resolve(path)
	if err != nil {
		return nil, Result{}, err
	}
	old, err = ReadFile(real)
	if err != nil {
		return nil, Result{}, err
	}
	change, err := plan(old, earlier(real))
	return old, Result{Change: change, Path: real}, err
}

// Edit changes a file as planned, with a backup beside it, or does nothing if nothing is
// to be done. Others who use Edit wait; if another program changes the file meanwhile, the
// plan is made anew. On error the file is as it was.
func Edit(target Target, plan Plan) (Result, error) {
	real, info, err := resolve(target.Path)
	if err != nil {
		return Result{}, err
	}
	if info == nil {
		// Nothing to do must not leave a directory behind.
		if change, err := plan(nil, nil); err != nil || !change.Changed() {
			return Result{Change: change, Path: real}, err
		}
		if err := os.MkdirAll(filepath.Dir(real), target.Dir); err != nil {
			return Result{}, err
		}
	}
	// The directory itself is locked, so that no lock file is left.
	held := flock.New(filepath.Dir(real), flock.SetFlag(os.O_RDONLY))
	if err := held.Lock(); err != nil {
		return Result{}, fmt.Errorf("cannot lock %s: %w", filepath.Dir(real), err)
	}
	defer func() { _ = held.Close() }()
	for range 5 {
		result, err := editOnce(target, real, plan)
		if !errors.Is(err, ErrBusy) {
			return result, err
		}
	}
	return Result{}, fmt.Errorf("%s %w", real, ErrBusy)
}

func editOnce(target Target, path string, plan Plan) (Result, error) {
	path, info, err := resolve(path)
	if err != nil {
		return Result{}, err
	}
	text, err := ReadFile(path)
	if err != nil {
		return Result{}, err
	}
	backups := earlier(path)
	change, err := plan(text, backups)
	if err != nil || !change.Changed() {
		return Result{Change: change, Path: path}, err
	}
	result := Result{Change: change, Path: path}
	restored := slices.ContainsFunc(backups, func(old []byte) bool { return bytes.Equal(old, change.Text) })
	if text != nil && (!change.Delete || change.Keep) && !restored {
		if result.Backup, err = backup(path, text, target.Now()); err != nil {
			return Result{}, fmt.Errorf("cannot make a backup: %w", err)
		}
	}
	if err := put(path, change, info, text); err != nil {
		if result.Backup != "" {
			_ = os.Remove(result.Backup) // the file is as it was
		}
		return Result{}, err
	}
	if restored || change.Delete {
		forget(path, change.Text)
	}
	return result, nil
}

// resolve follows symbolic links and refuses what cannot be replaced. The info is nil if
// there is no file.
func resolve(path string) (string, fs.FileInfo, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", nil, fmt.Errorf("%s %w", path, ErrDangling)
		}
		return path, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "", nil, err
	case !info.Mode().IsRegular():
		return "", nil, fmt.Errorf("%s %w", real, ErrNotRegular)
	case info.Mode().Perm()&0o200 == 0:
		return "", nil, fmt.Errorf("%s %w", real, ErrProtected)
	case links(info) > 1:
		return "", nil, fmt.Errorf("%s %w", real, ErrLinks)
	}
	return real, info, nil
}

// ReadFile reads a regular file of at most [MaxBytes]; nil if there is none. One that is
// larger is cut off one byte after that, which every plan refuses.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s %w", path, ErrNotRegular)
	}
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if text == nil {
		text = []byte{}
	}
	return text, err
}

// put replaces the file atomically, or removes it, unless it has changed.
func put(path string, change Change, old fs.FileInfo, text []byte) error {
	if change.Delete {
		if now, err := ReadFile(path); err != nil || !bytes.Equal(now, text) {
			return errors.Join(ErrBusy, err)
		}
		return os.Remove(path)
	}
	var mode fs.FileMode
	if old != nil {
		mode = old.Mode().Perm()
	}
	return replacement{path: path, content: change.Text, mode: mode, old: old, ready: func() error {
		now, err := ReadFile(path)
		if err == nil && (!bytes.Equal(now, text) || (now == nil) != (text == nil)) {
			err = ErrBusy
		}
		return err
	}}.put()
}

// replacement is the new content of a file.
type replacement struct {
	path    string
	content []byte
	mode    fs.FileMode // 0 for what is usual for a new file
	old     fs.FileInfo // whose owner is kept; nil for a new file
	// ready is asked last of all whether the file may still be replaced.
	ready func() error
}

// backups returns the names of a file's backups, the newest first.
func backups(path string) []string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+BackupMark) && entry.Type().IsRegular() {
			names = append(names, filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
	slices.Sort(names)
	slices.Reverse(names)
	return names
}

// earlier returns the contents of a file's backups, the newest first.
func earlier(path string) [][]byte {
	var all [][]byte
	for _, name := range backups(path) {
		if text, err := ReadFile(name); err == nil && len(text) <= MaxBytes {
			all = append(all, text)
		}
	}
	return all
}

// backup writes a copy of a file beside it, with its mode.
func backup(path string, text []byte, now time.Time) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	name := path + BackupMark + now.UTC().Format("20060102T150405.000Z")
	for i := range 100 {
		if i > 0 {
			name = fmt.Sprintf("%s%s%s-%02d", path, BackupMark, now.UTC().Format("20060102T150405.000Z"), i)
		}
		file, err := os.OpenFile(filepath.Clean(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()&^0o022|0o200)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(text)
		return name, errors.Join(err, keepOwner(file, info), file.Sync(), file.Close())
	}
	return "", fmt.Errorf("there are too many of the name %s", name)
}

// forget removes the backups that are the content which the file has again.
func forget(path string, text []byte) {
	for _, name := range backups(path) {
		if old, err := ReadFile(name); err == nil && bytes.Equal(old, text) && text != nil {
			_ = os.Remove(name) // it is only untidy
		}
	}
}

// PutProgram writes a program of ours, if it is not there with this text already.
func PutProgram(path string, text []byte) error {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
		if old, err := ReadFile(path); err == nil && bytes.Equal(old, text) {
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replacement{path: path, content: text, mode: 0o700, ready: func() error { return nil }}.put()
}
