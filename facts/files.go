package facts

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// Limits of what is looked at.
const (
	MaxPathBytes = 4096            // bytes of a path
	MaxLinks     = 40              // links followed for one path, as in Linux
	MaxLookups   = 10_000          // names looked at for one call
	Patience     = 2 * time.Second // wait for the file system to answer about one path
)

// Files answers what is at a name. Names are absolute. Errors are those of
// package os.
type Files interface {
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
}

// disk is the file system of the operating system.
type disk struct{}

func (disk) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
func (disk) Readlink(name string) (string, error)   { return os.Readlink(name) }

// entry is what is at a name.
type entry struct {
	there  bool
	link   bool
	target string // of a link
	why    Reason // why it is not known
}

// snapshot remembers what was seen, so that all rules of a decision see the
// same and nothing is looked at twice.
type snapshot struct {
	files    Files
	patience time.Duration
	entries  map[string]entry
	resolved map[string]resolution
	listings map[listingKey]listing
	left     int // look-ups left
	listed   int // names that may still be listed
	gaveUp   bool
}

type resolution struct {
	path string
	why  Reason
}

func newSnapshot(files Files, patience time.Duration) *snapshot {
	return &snapshot{
		files: files, patience: patience, left: MaxLookups, listed: MaxListed,
		entries: map[string]entry{}, resolved: map[string]resolution{}, listings: map[listingKey]listing{},
	}
}

// look returns what is at a name whose parents are no links.
func (s *snapshot) look(name string) entry {
	if known, ok := s.entries[name]; ok {
		return known
	}
	if s.left == 0 {
		return entry{why: TooMany}
	}
	s.left--
	e := seen(s.files, name)
	s.entries[name] = e
	return e
}

// wait runs a function that looks at files, but not for ever: a dead network
// mount holds its callers. After the first one that did not return in time
// nothing of the snapshot is touched again, because that one may still write
// to it; so at most one goroutine stays behind.
func (s *snapshot) wait(work func()) bool {
	if s.gaveUp {
		return false
	}
	done := make(chan struct{})
	go func() { work(); close(done) }()
	timer := time.NewTimer(s.patience)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		s.gaveUp = true
		return false
	}
}

// exists reports whether something is certainly at a name whose parents may be
// links.
func (s *snapshot) exists(name string) bool {
	resolved, why := s.resolve(path.Dir(name))
	found := false
	return why == "" && s.wait(func() { found = s.look(path.Join(resolved, path.Base(name))).there }) && found
}

func seen(files Files, name string) entry {
	info, err := files.Lstat(name)
	if err != nil {
		return failure(err)
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return entry{there: true}
	}
	target, err := files.Readlink(name)
	if err != nil {
		return failure(err)
	}
	return entry{there: true, link: true, target: target}
}

// failure tells "nothing there" from "not known". Below a plain file there is
// nothing.
func failure(err error) entry {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return entry{}
	case errors.Is(err, fs.ErrPermission):
		return entry{why: Denied}
	case errors.Is(err, syscall.ENAMETOOLONG):
		return entry{why: TooLong}
	default:
		return entry{why: Failed}
	}
}

// resolve follows the links in an absolute text, segment by segment as a kernel
// does: `..` after a link is the parent of its target. What does not exist is
// kept as it is.
func (s *snapshot) resolve(text string) (string, Reason) {
	if s.gaveUp {
		return "", NoAnswer
	}
	if known, ok := s.resolved[text]; ok {
		return known.path, known.why
	}
	var found resolution
	if !s.wait(func() { found.path, found.why = s.walk(text) }) {
		return "", NoAnswer
	}
	s.resolved[text] = found
	return found.path, found.why
}

func (s *snapshot) walk(text string) (string, Reason) {
	if isStandardStream(text) {
		return text, ""
	}
	at, links, missing := "", 0, false // missing: there is nothing at at, hence nothing below it
	for rest := text; rest != ""; {
		var segment string
		segment, rest, _ = strings.Cut(rest, "/")
		if segment == "" || segment == "." {
			continue
		}
		if segment == ".." {
			at, missing = at[:max(strings.LastIndexByte(at, '/'), 0)], false
			continue
		}
		next := at + "/" + segment
		if missing {
			at = next
			continue
		}
		e := s.look(next)
		switch {
		case e.why != "":
			return "", e.why
		case !e.link:
			at, missing = next, !e.there
			continue
		case strings.HasPrefix(next, "/proc/"):
			return "", ProcessLink
		}
		if links++; links > MaxLinks {
			return "", Loop
		}
		if strings.HasPrefix(e.target, "/") {
			at = ""
		}
		rest = e.target + "/" + rest
	}
	if at == "" {
		return "/", ""
	}
	return at, ""
}

// isStandardStream recognises names of files that are open already. They are
// links into /proc, but whatever they lead to was decided when it was opened.
func isStandardStream(name string) bool {
	return name == "/dev/stdin" || name == "/dev/stdout" || name == "/dev/stderr"
}
