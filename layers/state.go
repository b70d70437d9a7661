package layers

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Names of the files in the state directory.
const (
	storeName = "gate.db"
	logName   = "audit.jsonl"
)

// NoLog as State.Log means that records go to the store only.
const NoLog = "none"

// ErrNoState means that no place for the store or log is known.
var ErrNoState = errors.New("layers: there is no place for the store and the audit log; " +
	"set HOME to the absolute path of a directory that exists, or XDG_STATE_HOME to an absolute path, or name both")

// State says where answers and records are kept. It is a plain value.
type State struct {
	// Store is a path, or a URL that begins with postgres:// or postgresql://; "" is
	// the file gate.db in the state directory.
	Store string
	// Log is the path of the audit log; "" is the file audit.jsonl in the state
	// directory.
	Log string
}

// StateDir returns the user's directory for the state of the gate, that of the trust
// file, or "" if there is none.
func StateDir(places Places) string {
	if places.Trust == "" {
		return ""
	}
	return filepath.Dir(places.Trust)
}

// Resolve returns the state with absolute paths; the log is then "" if there is none.
// An error says that no place is known.
func (s State) Resolve(places Places) (State, error) {
	dir := StateDir(places)
	if (s.Store == "" || s.Log == "") && dir == "" {
		return State{}, ErrNoState
	}
	if s.Store == "" {
		s.Store = filepath.Join(dir, storeName)
	}
	switch s.Log {
	case "":
		s.Log = filepath.Join(dir, logName)
	case NoLog:
		s.Log = ""
	}
	for _, path := range []*string{&s.Store, &s.Log} {
		if *path == "" || IsURL(*path) {
			continue
		}
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return State{}, fmt.Errorf("layers: %w", err)
		}
		*path = absolute
	}
	return s, nil
}

// Files are the files of a resolved state that agents must not write, for
// [Options.State]. SQLite and the store keep some beside the database.
func (s State) Files() []string {
	var files []string
	if s.Store != "" && !IsURL(s.Store) {
		files = append(files, s.Store, s.Store+"-wal", s.Store+"-shm", s.Store+".lock")
	}
	if s.Log != "" {
		files = append(files, s.Log)
	}
	return files
}

// IsURL reports whether a store is a database and no file.
func IsURL(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}
