package facts

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/plangate/plangate/eval"
)

// MaxListed bounds the names that are listed for one call, to see what an
// operation that reaches everything below a directory would reach.
const MaxListed = 2_000

// Lister is [Files] that can list directories. Without it, what is below a
// directory stays unknown.
type Lister interface {
	// List returns at most limit entries of a directory, in any order.
	List(dir string, limit int) ([]fs.DirEntry, error)
}

// List implements [Lister]. A directory that is something else by now is an
// error and is not waited for.
func (disk) List(dir string, limit int) ([]fs.DirEntry, error) {
	file, err := os.OpenFile(dir, os.O_RDONLY|openDirectory, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	entries, err := file.ReadDir(limit)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// maxDepth is more than a path can have names.
const maxDepth = MaxPathBytes

// listingKey says what was listed.
type listingKey struct {
	dir   string
	depth int
}

// listing is what is below a directory, as paths from it.
type listing struct {
	names []string
	links []string
	whole bool // nothing is missing
}

// list walks a directory, depth levels down, without following links.
func (s *snapshot) list(dir string, depth int) listing {
	key := listingKey{dir, depth}
	if found, ok := s.listings[key]; ok {
		return found
	}
	lister, ok := s.files.(Lister)
	var found listing
	if !ok || !s.wait(func() { found = s.walkDir(lister, dir, depth) }) {
		return listing{}
	}
	s.listings[key] = found
	return found
}

func (s *snapshot) walkDir(lister Lister, dir string, depth int) (found listing) {
	for queue := []string{""}; len(queue) > 0; queue = queue[1:] {
		entries, err := lister.List(path.Join(dir, queue[0]), s.listed+1)
		if errors.Is(err, syscall.ENOTDIR) {
			continue // a plain file has nothing below it
		}
		if s.listed -= len(entries); s.listed < 0 || err != nil {
			return listing{}
		}
		for _, e := range entries {
			name := path.Join(queue[0], e.Name())
			switch {
			case e.IsDir() && strings.Count(name, "/")+1 < depth:
				queue = append(queue, name)
			case e.Type()&fs.ModeSymlink != 0:
				found.links = append(found.links, name)
			}
			found.names = append(found.names, name)
		}
	}
	found.whole = true
	return found
}

// isHere reports whether the call's working directory exists in the file system
// that is looked at. If not, the call is made on another machine or in a
// container, and what is not there says nothing.
func (r *Reader) isHere() bool { return r.roots.Cwd != "" && r.disk.exists(r.roots.Cwd) }

// matchListed answers for everything that is below a place now, where the
// patterns alone leave it open. A link counts as what it leads to.
func (ps PathPatterns) matchListed(place *Place) eval.Truth {
	p, in := place.Path(), place.reader
	if !p.Known() || len(p.Also) > 0 || p.Resolved == "" {
		return eval.Unknown
	}
	if answer := ps.Match(p, in, Restrictive); answer != eval.No {
		return answer
	}
	if in.isHere() && !in.disk.exists(p.Resolved) {
		return eval.No
	}
	below := in.disk.list(p.Resolved, maxDepth)
	if !below.whole {
		return eval.Unknown
	}
	answer := eval.No
	for _, name := range below.names {
		at := Path{Lexical: path.Join(p.Lexical, name), Resolved: path.Join(p.Resolved, name)}
		if answer = answer.Or(ps.Match(at, in, Restrictive)); answer == eval.Yes {
			return answer
		}
	}
	for _, name := range below.links {
		answer = answer.Or(ps.Match(in.Path(path.Join(p.Resolved, name)), in, Restrictive))
	}
	return answer
}
