// Package install puts the hook of package harness into the configuration of an agent
// CLI, takes it out again, and examines whether it holds.
//
//	hook, err := install.NewHook("claude", "/usr/local/bin/policyctl")
//	change, err := hook.Install(text) // the new text of a file, nothing is written
//	status, err := hook.Status(text)
//
// [Hook] works on texts only. [Edit] applies such a change to a file, [Denies] and
// [Runner] prove that an installed hook answers.
//
// # Promises
//
//   - What is not ours stays byte for byte: comments, order, indentation, line ends, a
//     byte order mark, hooks of others. Texts are edited by span, never written anew.
//   - Installing twice changes nothing. An older entry of ours, which is one whose command
//     runs `policyctl hook NAME`, is brought up to date in place and never doubled.
//   - Removing gives the bytes of before if nothing else was changed since, which the
//     backups tell; else it takes out our entries alone.
//   - A file that does not parse, names a key on our way twice, or is larger than
//     [MaxBytes] is not touched.
//   - A file is replaced atomically under a lock, after a backup beside it, and keeps its
//     mode and owner. A symbolic link stays one.
//
// # What it never does
//
// It uses no network, trusts no hook but our own, and starts no program but the hook and,
// where it is installed, the CLI itself for what that offers without a model.
//
// # Concurrency, limits and errors
//
// Values are immutable and safe for concurrent use, and [Edit] also between processes. The
// texts are bounded by [MaxBytes]. Errors of what a file holds are [*TextError], with line
// and column; those of the file system are wrapped as they are.
package install
