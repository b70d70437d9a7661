// Package facts reads what a call's arguments mean: which files, which hosts.
//
//	in := facts.NewReader(roots, facts.Settings{})
//	path := in.Path("docs/../.env")          // its readings
//	patterns.Match(path, in, facts.Restrictive) // yes, no or unknown
//
// # Readings
//
// A text rarely means one thing only. A path names one file as text and another
// one through links; a URL names one host for a browser and another one for a
// library. Each meaning is a reading, and there is one matcher for all of them:
// a permissive rule needs every reading to match, a restrictive rule is
// satisfied with one (spec PTH-1, HST-1). What cannot be read is unknown, with a
// [Reason], and never "no".
//
// # Promises
//
//   - This is the only package that looks at the file system for a decision.
//     It looks and does nothing else: lstat and readlink of names, through
//     [Files]. It opens no file, so a FIFO or a device cannot hold it up; it lists
//     directories only for commands that reach all that is below one, and no more
//     than [MaxListed] names.
//   - It is bounded: text length, links, look-ups per call, and a limit of
//     time for a file system that does not answer. Past a limit the
//     answer is unknown.
//   - No input makes it panic. Texts may be empty, huge, not UTF-8 or contain
//     NUL; patterns come from policy files and are limited when compiled.
//   - It contacts no host and resolves no name. Whether a kernel mounts a
//     directory because its name was looked at is not in its hands.
//
// # Limits
//
// A hard link, a bind mount and a link made after the decision are not seen. A
// name that its owner points at another address is not seen, nor are redirects
// and proxies. The rules of names are those of POSIX; drive letters and
// backslashes are further readings.
//
// # Concurrency
//
// A [Reader] is the view of one call and belongs to one goroutine. Everything
// else is immutable and may be shared.
package facts
