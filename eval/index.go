package eval

import (
	"hash/maphash"
	"math/bits"
)

// index finds the row of a pair of names. It is built once and then only read,
// which lets it be about twice as fast as a Go map with the same key: it hashes
// only the ends of the names and keeps the hash beside the row's number.
//
// Names that differ only in the middle collide. If that makes any chain longer
// than maxChain, the index hashes all of the names instead.
type index struct {
	slots []slot // a power of two, at most half full; nil if there are no rows
	rows  []row
	seed  maphash.Seed
	full  bool // hash all bytes
}

// slot is a row number plus one, or zero, and the upper half of its hash.
type slot struct {
	row  uint32
	hash uint32
}

const maxChain = 16

// newIndex takes ownership of rows, whose keys must be different.
func newIndex(rows []row) index {
	x := index{rows: rows}
	if len(rows) == 0 {
		return x
	}
	if !x.place(maxChain) {
		x.full, x.seed = true, maphash.MakeSeed()
		x.place(len(rows))
	}
	return x
}

// place fills the slots. It gives up if a chain gets longer than limit.
func (x *index) place(limit int) bool {
	x.slots = make([]slot, 2<<bits.Len(uint(len(x.rows))))
	for i := range x.rows {
		hash := x.hash(x.rows[i].key)
		at, chain := hash, 0
		for ; x.slots[at&x.mask()].row != 0; at++ {
			if chain++; chain > limit {
				return false
			}
		}
		x.slots[at&x.mask()] = slot{row: uint32(i) + 1, hash: uint32(hash >> 32)}
	}
	return true
}

func (x *index) mask() uint64 { return uint64(len(x.slots) - 1) }

// find returns the row of a key, or nil.
func (x *index) find(key pair) *row {
	if len(x.slots) == 0 {
		return nil
	}
	hash := x.hash(key)
	for at := hash; ; at++ {
		s := x.slots[at&x.mask()]
		if s.row == 0 {
			return nil
		}
		if s.hash == uint32(hash>>32) {
			if r := &x.rows[s.row-1]; r.key == key {
				return r
			}
		}
	}
}

func (x *index) hash(key pair) uint64 {
	if x.full {
		return maphash.String(x.seed, key.provider) ^ bits.RotateLeft64(maphash.String(x.seed, key.operation), 1)
	}
	hi, lo := bits.Mul64(ends(key.provider)^0x9e3779b97f4a7c15, ends(key.operation)^0xd6e8feb86659fd93)
	return hi ^ lo
}

// ends condenses the length and the first and last eight bytes of a name.
func ends(s string) uint64 {
	n := len(s)
	length := uint64(n) * 0xa0761d6478bd642f
	switch {
	case n >= 8:
		return length ^ word(s) ^ bits.RotateLeft64(word(s[n-8:]), 29)
	case n > 0:
		return length ^ uint64(s[0]) ^ uint64(s[n/2])<<24 ^ uint64(s[n-1])<<48
	default:
		return length
	}
}

// word reads eight bytes as one number; the compiler makes it one load.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
