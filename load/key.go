package load

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"os"
	"time"

	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
)

// cacheForm changes when the form of an entry or of its key changes.
const cacheForm = "plangate table cache 1"

// cacheKey is the digest of everything that a table depends on but the time.
type cacheKey [sha256.Size]byte

// key returns the cache key of the inputs; ok is false if the cache is off.
func (in *inputs) key() (key cacheKey, ok bool) {
	program, err := executable()
	if err != nil || in.opts.Places.Cache == "" || in.opts.Version == "" {
		return key, false
	}
	sum := keyHash{sha256.New()}
	sum.add(cacheForm, in.opts.Version, program)
	sum.count(len(in.places))
	for _, place := range in.places {
		sum.add(place.Layer.String(), place.File, string(place.Status))
	}
	sum.count(len(in.policies))
	for _, policy := range in.policies {
		sum.add(policy.layer.String(), policy.name, fmt.Sprint(policy.trusted), string(policy.digest[:]))
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

// executable identifies the running program beyond its version, because builds
// during development share one.
func executable() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano()), nil
}

// span is the time, in whole seconds since 1970, in which a table is what
// compiling would give: compiling depends on which policies have expired.
// Both ends are outside.
type span struct{ after, before int64 }

func (s span) contains(now time.Time) bool { return s.after < now.Unix() && now.Unix() < s.before }

// spanOf returns the span around the moment of compiling.
func spanOf(input compile.Input) span {
	s := span{after: math.MinInt64, before: math.MaxInt64}
	for _, layer := range input.Layers {
		for _, policy := range layer.File.Policies {
			s.narrow(policy.Body, input.Now)
		}
		for _, guard := range layer.File.Guards {
			s.narrow(guard.Body, input.Now)
		}
	}
	return s
}

func (s *span) narrow(body dsl.Body, now time.Time) {
	switch {
	case body.Expires == nil:
	case now.After(body.Expires.Value):
		s.after = max(s.after, body.Expires.Value.Unix())
	default:
		s.before = min(s.before, body.Expires.Value.Unix())
	}
}
