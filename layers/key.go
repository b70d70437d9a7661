package layers

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"

	"github.com/plangate/plangate"
)

// cacheForm changes when the form of an entry or of its key changes.
const cacheForm = "plangate table cache 4"

// Digest names everything that a table depends on.
type Digest [sha256.Size]byte

// key returns the cache key of the inputs; ok is false if the cache is off,
// must not be used, or there is nothing to cache because something could not be
// read.
func (in *Inputs) key() (key Digest, ok bool) {
	off := in.Options.Places.Cache == "" || in.Options.Version == ""
	if off || in.Diagnostics.HasErrors() || slices.ContainsFunc(in.Policies, managedByOther) {
		return key, false
	}
	return in.Digest(), true
}

// Digest returns the name of the content of all inputs.
func (in *Inputs) Digest() Digest {
	sum := keyHash{sha256.New()}
	sum.add(cacheForm, in.Options.Version, in.Options.Places.Trust, in.Options.Places.Cache)
	sum.count(len(in.Options.State))
	sum.add(in.Options.State...)
	sum.count(len(in.Places)) // with the layer and trust of every policy
	for _, place := range in.Places {
		sum.add(place.Layer.String(), place.File, string(place.Status))
	}
	sum.count(len(in.Policies))
	for _, policy := range in.Policies {
		sum.add(string(policy.Digest[:]))
	}
	sum.count(len(in.Options.Builtin))
	sum.add(in.Options.Builtin...) // their content belongs to the program's version
	sum.count(len(in.Catalogs))
	for _, catalog := range in.Catalogs {
		sum.add(catalog.Name, string(catalog.Digest[:]))
	}
	return Digest(sum.Sum(nil))
}

// managedByOther reports whether a policy is imposed on the user by somebody
// else. What the user can write must not stand in for it, and that is what a
// cache entry is.
func managedByOther(policy Policy) bool {
	return policy.Layer == plangate.LayerManaged && !ownedByUser(policy.info)
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
