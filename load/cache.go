package load

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
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
	maxEntries    = 64        // entries that stay after writing one
	maxEntryBytes = 256 << 20 // a larger table is not cached
	entrySuffix   = ".table"
)

// An entry is a header and an encoded table, which has a checksum of its own.
// The header is a checksum of the key and the two ends of the span, and these.
// Checksums find damage; they are no protection from somebody who can write
// the user's files.
const (
	keyStart   = sha256.Size
	spanStart  = keyStart + sha256.Size
	tableStart = spanStart + 16
)

// readEntry returns the cached table for the inputs, or nil.
func (in *inputs) readEntry(key cacheKey) *eval.Table {
	dir := in.opts.Places.Cache
	if checkCacheDir(dir) != nil {
		return nil
	}
	src, info, err := readRegular(entryPath(dir, key), maxEntryBytes, noFollow)
	if err != nil || privateToUser(info) != nil {
		return nil
	}
	encoded, s, err := openEntry(src, key)
	if err != nil || !s.contains(in.opts.Now) {
		return nil
	}
	table, err := eval.Load(encoded, nil)
	if err != nil {
		return nil
	}
	return table
}

// writeEntry caches a table. A cache that cannot be written is no error.
func (in *inputs) writeEntry(key cacheKey, s span, table *eval.Table) {
	entry := sealEntry(key, s, table.Encode())
	dir := in.opts.Places.Cache
	if len(entry) >= maxEntryBytes || os.MkdirAll(dir, 0o700) != nil || checkCacheDir(dir) != nil {
		return
	}
	if writePrivate(entryPath(dir, key), entry) == nil {
		prune(dir)
	}
}

func entryPath(dir string, key cacheKey) string {
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

func sealEntry(key cacheKey, s span, encoded []byte) []byte {
	entry := make([]byte, keyStart, tableStart+len(encoded))
	entry = append(entry, key[:]...)
	entry = binary.BigEndian.AppendUint64(entry, uint64(s.after))
	entry = binary.BigEndian.AppendUint64(entry, uint64(s.before))
	sum := sha256.Sum256(entry[keyStart:])
	copy(entry, sum[:])
	return append(entry, encoded...)
}

// openEntry returns the encoded table of an entry and its span. An entry for
// another key, under whatever name it was found, is refused.
func openEntry(entry []byte, key cacheKey) (encoded []byte, s span, err error) {
	if len(entry) < tableStart {
		return nil, s, errors.New("entry is cut off")
	}
	if sum := sha256.Sum256(entry[keyStart:tableStart]); !bytes.Equal(sum[:], entry[:keyStart]) {
		return nil, s, errors.New("header is damaged")
	}
	if !bytes.Equal(key[:], entry[keyStart:spanStart]) {
		return nil, s, errors.New("entry is for other inputs")
	}
	s.after = int64(binary.BigEndian.Uint64(entry[spanStart:]))
	s.before = int64(binary.BigEndian.Uint64(entry[spanStart+8:]))
	return entry[tableStart:], s, nil
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
	if len(infos) <= maxEntries {
		return
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range infos[maxEntries:] {
		_ = os.Remove(filepath.Join(dir, info.Name()))
	}
}
