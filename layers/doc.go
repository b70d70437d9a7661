// Package layers finds policy on disk: which files count and whether they are
// trusted. It also keeps compiled tables, so that a program that answers one call
// need not parse any of it.
//
// [Gather] reads all that a table depends on, and parses none of it: package load
// does. [Inputs.Cached] returns the encoding of the table that was made of it
// before.
//
// Layers, outer to inner: the managed file, the user's file, and the project
// files. Those are agent.hcl (or agent.hcl.json) from a directory upward: every
// untrusted one found, and the search ends with the first trusted one or at the
// root. A file inside a trusted project can therefore tighten what the project
// says and never replace it. A file that is the managed or the user's file too
// counts as that only, and does not end the search. Two forms of one file side
// by side are an error, because it is not clear which one is meant. A managed or
// user layer that has no place at all is listed as absent with no file name.
//
// # Trust
//
// The managed and the user layer are trusted. A project file is trusted by the
// SHA-256 of its content together with its absolute path, kept in a trust file
// of the user; any change of the file ends the trust. An untrusted file can
// only tighten (spec LAY-4). The trust file is replaced atomically under a lock
// and is mode 0600.
//
// # Cache
//
// A cache entry is named by the digest of all inputs: the program's version,
// every layer's place, content and trust, every catalog. It is written
// atomically with mode 0600 into a directory of mode 0700 that must belong to
// the user. An entry that is damaged, foreign or readable by others is rebuilt,
// never trusted, and a cache that cannot be written is no error. The oldest entries
// go when there are more than [MaxEntries].
//
// An entry is not protected from programs that run as the same user. Under a
// managed file that belongs to another user, such as root, the cache is neither
// read nor written: an agent could put a table of its own in place of a policy
// that it cannot write.
//
// All functions are safe for concurrent use, also by several processes.
package layers
