package load

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"

	"github.com/plangate/plangate"
)

// cacheForm changes when the form of an entry or of its key changes.
const cacheForm = "plangate table cache 3"

// cacheKey is the digest of everything that a table depends on.
type cacheKey [sha256.Size]byte

// key returns the cache key of the inputs; ok is false if the cache is off,
// must not be used, or there is nothing to cache because something could not be
// read.
func (in *inputs) key() (key cacheKey, ok bool) {
	off := in.opts.Places.Cache == "" || in.opts.Version == ""
	if off || in.diags.HasErrors() || slices.ContainsFunc(in.policies, managedByOther) {
		return key, false
	}
	return in.digest(), true
}

// digest names the content of all inputs.
func (in *inputs) digest() cacheKey {
	sum := keyHash{sha256.New()}
	sum.add(cacheForm, in.opts.Version, in.opts.Places.Trust, in.opts.Places.Cache)
	sum.count(len(in.opts.State))
	sum.add(in.opts.State...)
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
	return cacheKey(sum.Sum(nil))
}

// managedByOther reports whether a policy is imposed on the user by somebody
// else. What the user can write must not stand in for it, and that is what a
// cache entry is.
func managedByOther(policy policyText) bool {
	return policy.layer == plangate.LayerManaged && !ownedByUser(policy.info)
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
