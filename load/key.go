package load

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// cacheForm changes when the form of an entry or of its key changes.
const cacheForm = "plangate table cache 1"

// cacheKey is the digest of everything that a table depends on.
type cacheKey [sha256.Size]byte

// key returns the cache key of the inputs; ok is false if the cache is off or
// there is nothing to cache because something could not be read.
func (in *inputs) key() (key cacheKey, ok bool) {
	if in.opts.Places.Cache == "" || in.opts.Version == "" || in.diags.HasErrors() {
		return key, false
	}
	sum := keyHash{sha256.New()}
	sum.add(cacheForm, in.opts.Version)
	sum.count(len(in.places)) // with the layer and trust of every policy
	for _, place := range in.places {
		sum.add(place.Layer.String(), place.File, string(place.Status))
	}
	sum.count(len(in.policies))
	for _, policy := range in.policies {
		sum.add(string(policy.digest[:]))
	}
	sum.count(len(in.catalogs))
	for _, catalog := range in.catalogs {
		sum.add(catalog.name, string(catalog.digest[:]))
	}
	return cacheKey(sum.Sum(nil)), true
}

// keyHash hashes a sequence of strings so that no two sequences are confused.
type keyHash struct{ hash.Hash }

func (h keyHash) add(fields ...string) {
	for _, field := range fields {
		h.count(len(field))
		h.Write([]byte(field))
	}
}

func (h keyHash) count(n int) { h.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) }
