package layers

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plangate/plangate/eval"
)

// Limits of the table cache.
const (
	MaxEntries    = 64        // entries that stay after writing one
	maxEntryBytes = 256 << 20 // a larger table is not cached
	entrySuffix   = ".table"
)

// An entry is its key and an encoded table, which has a checksum. That finds
// damage; it is no protection from somebody who can write the user's files.
//
// An entry does not age. A rule that expires stays in the table with its end,
// which is compared with the time of the call. Only findings depend on the time
// of compiling, and a table with errors is not cached.

// Cached returns the encoded table of the inputs, for [eval.Load], or nil if none is
// kept or it cannot be believed.
func (in *Inputs) Cached() []byte {
	key, ok := in.key()
	dir := in.Options.Places.Cache
	if !ok || checkCacheDir(dir) != nil {
		return nil
	}
	src, info, err := readRegular(entryPath(dir, key), maxEntryBytes, noFollow)
	if err != nil || privateToUser(info) != nil {
		return nil
	}
	// An entry for other inputs, under whatever name it was found, is refused.
	encoded, ok := bytes.CutPrefix(src, key[:])
	if !ok {
		return nil
	}
	return encoded
}

// Keep caches the table of the inputs, which must have no errors. A cache that cannot be
// written is no error.
func (in *Inputs) Keep(table *eval.Table) {
	key, ok := in.key()
	if !ok {
		return
	}
	entry := slices.Concat(key[:], table.Encode())
	dir := in.Options.Places.Cache
	if len(entry) >= maxEntryBytes || os.MkdirAll(dir, 0o700) != nil || checkCacheDir(dir) != nil {
		return
	}
	if writePrivate(entryPath(dir, key), entry) == nil {
		prune(dir)
	}
}

// CacheFile returns the file in which the table of the inputs is kept, or would be; ""
// if it is not to be kept.
func (in *Inputs) CacheFile() string {
	key, ok := in.key()
	if !ok {
		return ""
	}
	return entryPath(in.Options.Places.Cache, key)
}

func entryPath(dir string, key Digest) string {
	return filepath.Join(dir, hex.EncodeToString(key[:])+entrySuffix)
}

// checkCacheDir reports why the directory must not be used as a cache.
func checkCacheDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("it is not a directory")
	}
	return privateToUser(info)
}

// prune removes the oldest entries, and what interrupted writers left, beyond
// the limit.
func prune(dir string) {
	var infos []fs.FileInfo
	names, _ := os.ReadDir(dir)
	for _, name := range names {
		if info, err := name.Info(); err == nil && strings.Contains(name.Name(), entrySuffix) {
			infos = append(infos, info)
		}
	}
	if len(infos) <= MaxEntries {
		return
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range infos[MaxEntries:] {
		_ = os.Remove(filepath.Join(dir, info.Name()))
	}
}
