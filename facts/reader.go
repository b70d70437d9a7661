package facts

import (
	"path"
	"runtime"
	"strings"
	"time"
)

// Roots are the directories that a call's paths and a policy's patterns start
// from. Each is an absolute, clean path; empty, or anything else, means that it
// is not known. They come from the kernel, not from the model, and are trusted.
type Roots struct {
	Workspace string // relative patterns start here
	Home      string // ~ of the account that runs the call
	Cwd       string // relative paths start here
}

// Folding says whether names that differ only in case may be the same file.
// It makes decisions stricter and never looser (spec PTH-9).
type Folding uint8

// The foldings.
const (
	FoldByPlatform Folding = iota // fold on darwin, ios and windows
	FoldNever
	FoldAlways
)

// Settings are the parts of a [Reader] that have defaults.
type Settings struct {
	Files    Files // nil: the file system of the operating system
	Folding  Folding
	Patience time.Duration // wait for Files to answer about one path; 0: [Patience]
}

// Reader reads the paths of one call. It remembers what it saw, so that all
// rules of a decision see the same file system. It must not be used by two
// goroutines at once, nor for a second call.
type Reader struct {
	roots Roots
	folds bool
	disk  *snapshot
}

// NewReader starts the reading of one call.
func NewReader(roots Roots, settings Settings) *Reader {
	if settings.Files == nil {
		settings.Files = disk{}
	}
	if settings.Patience == 0 {
		settings.Patience = Patience
	}
	roots.Workspace, roots.Home, roots.Cwd = root(roots.Workspace), root(roots.Home), root(roots.Cwd)
	return &Reader{roots, folds(settings.Folding, runtime.GOOS), newSnapshot(settings.Files, settings.Patience)}
}

// root returns dir, or nothing if it is no absolute clean path.
func root(dir string) string {
	if !strings.HasPrefix(dir, "/") || path.Clean(dir) != dir || len(dir) > MaxPathBytes || strings.Contains(dir, "\x00") {
		return ""
	}
	return dir
}

func folds(f Folding, platform string) bool {
	if f == FoldByPlatform {
		return platform == "darwin" || platform == "ios" || platform == "windows"
	}
	return f == FoldAlways
}

// In returns a Reader for another working directory, which shares what was
// seen. An empty or relative directory makes it unknown.
func (r *Reader) In(cwd string) *Reader {
	moved := *r
	moved.roots.Cwd = root(cwd)
	return &moved
}

// Enter returns a Reader for what follows `cd dir`. The directory is known only
// if its text and its links lead to the same place: `cd link/..` is the parent
// of link for one shell and that of its target for another.
func (r *Reader) Enter(dir Path) *Reader {
	resolved, why := r.disk.resolve(dir.Lexical)
	if !dir.Known() || len(dir.Also) > 0 || why != "" || resolved != dir.Resolved {
		return r.In("")
	}
	return r.In(dir.Lexical)
}
