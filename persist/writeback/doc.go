// Package writeback turns a human's "always" into a policy block in an agent.hcl
// (design §8), and takes it back.
//
//	change, err := writeback.Preview(ctx, request) // nothing is written
//	request.Expect = change.Digest                 // what the human saw
//	change, err = writeback.Write(ctx, request)
//	change, err = writeback.Undo(ctx, undo)
//
// # What is written
//
// A block that is as narrow as the call: operation, provider, risk and kind as
// the call was judged, the exact simple commands of a call that runs commands,
// the exact paths or the exact hosts of one that names some, the call's profile.
// What cannot be written that narrowly is refused with [ErrTooBroad]. The block
// goes to the end of the file. Where a policy with the same match and the same
// conditions stands already, the value of its action is replaced instead, and
// where it has that value already, nothing is written.
//
// # What it never does
//
//   - It changes no other byte of a file: comments, layout, line ends, a byte
//     order mark and a missing final newline stay.
//   - It writes nothing that was not tried: the new text is parsed and compiled
//     with all layers, the call is decided again, and the cells of the table and
//     the deny policies that could apply are compared with those before.
//   - An allow lifts no deny, no guard and no decision hook, in no layer, for no
//     call that the block matches ([ErrWouldLoosen]).
//   - It never touches a file that does not parse, and a crash at any point
//     leaves the old file or the new one, never a part.
//   - It never trusts content that it did not make from trusted content.
//   - It writes no name, command or actor other than as a quoted string or in
//     plain ASCII behind a comment sign; labels are generated.
//
// # State, locks and trust
//
// The caller names a directory of the user for the state: a lock file, and a
// journal of the changes that can be undone, mode 0600. All writers that share
// the directory, goroutines and processes, take turns. Writers that do not, and
// editors, are noticed when the file is read again just before it is replaced;
// between that and the replacement nothing can be noticed.
//
// A project file that was trusted stays so: the trust moves to the digest of the
// new bytes right after they are in place. After a crash in between, the file is
// untrusted, and the next change of it completes the move if the bytes are still
// those.
//
// # Errors
//
// An [Error] has a stable code and, where a policy does not load, diagnostics
// with file and range. Other errors are those of the file system and of a
// context that ended; nothing was written then.
//
// # Limits
//
// The form agent.hcl.json is not written. Access control lists and extended
// attributes of a file are not kept. A file system without atomic rename is not
// supported, nor are systems other than those of the Unix family.
//
// All functions are safe for concurrent use.
package writeback
