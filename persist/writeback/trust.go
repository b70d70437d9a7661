package writeback

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/layers"
)

// trustedPaths returns the paths under which a file is trusted with content of
// this digest. A damaged trust file trusts nothing.
func trustedPaths(places layers.Places, file, digest string) []string {
	entries, err := layers.Trusts(places)
	if err != nil {
		return nil
	}
	var paths []string
	for _, entry := range entries {
		if entry.Digest != digest {
			continue
		}
		if real, err := filepath.EvalSymlinks(entry.Path); err == nil && real == file {
			paths = append(paths, entry.Path)
		}
	}
	return paths
}

// trustedPaths returns the paths whose trust moves to the new content: those
// under which the old content is trusted, or that of a project file which is
// made, since all of its content is what the human saw.
func (p *policy) trustedPaths() []string {
	places := p.target.Options.Places
	if p.info != nil {
		return trustedPaths(places, p.real, digestOf(p.old))
	}
	layer := p.input.Layers[p.index]
	if layer.Layer == plangate.LayerProject && layer.Trusted && len(p.target.Options.Files) == 0 {
		return []string{p.real}
	}
	return nil
}

// moveTrust is called with the new content in place, so that a crash before it
// leaves the file untrusted.
func (c *commit) moveTrust() error {
	places := c.policy.target.Options.Places
	for _, path := range c.entry.Trusted {
		var err error
		switch {
		case c.remove:
			err = layers.Untrust(places, path)
		case c.entry.Before == "":
			_, err = layers.TrustDigest(places, path, c.entry.After)
		default:
			err = moveTrust(places, path, &c.entry)
		}
		if err != nil && !errors.Is(err, layers.ErrNotTrusted) {
			return err
		}
	}
	return nil
}

// moveTrust trusts the content after a change if that before it is still trusted:
// somebody may have taken the trust away in between.
func moveTrust(places layers.Places, path string, e *entry) error {
	entries, err := layers.Trusts(places)
	if err != nil {
		return err
	}
	for _, trusted := range entries {
		if trusted.Path == path && trusted.Digest == e.Before {
			_, err := layers.TrustDigest(places, path, e.After)
			return err
		}
	}
	return nil
}

// heal completes the last change of each file if a crash kept the trust from
// moving. The content is the one that the change made, byte for byte. The other
// way round, after an undo, would trust content that somebody put back.
func heal(places layers.Places, entries []entry) error {
	trusts, err := layers.Trusts(places)
	if err != nil {
		return err
	}
	for _, trusted := range trusts {
		for i := range entries {
			e := &entries[i]
			if e.Before != trusted.Digest || !slices.Contains(e.Trusted, trusted.Path) || lastOf(entries, e.File) != i {
				continue
			}
			digest, err := layers.DigestFile(e.File)
			if err != nil || digest != e.After {
				continue
			}
			if _, err := layers.TrustDigest(places, trusted.Path, e.After); err != nil {
				return err
			}
		}
	}
	return nil
}

// lastOf is the index of the last change of a file, or -1.
func lastOf(entries []entry, file string) int {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].File == file {
			return i
		}
	}
	return -1
}
