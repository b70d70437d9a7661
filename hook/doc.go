// Package hook answers the hook of an agent CLI, once: it reads one call, decides it,
// records the answer and writes it in the CLI's own form.
//
//	program := hook.Program{Stdin: os.Stdin, Stderr: os.Stderr, Load: load, Ask: ask, ...}
//	output, err := program.Run("claude", options)
//
// It is what `policyctl hook` and policyctl-hook share. Where policy comes from and how a
// human is asked is up to the program: the small one has neither a compiler nor a store,
// and returns [ErrWhole] from either.
//
// # Promises
//
//   - There is one answer, and it comes before [Options.Deadline] and [Options.Wait] have
//     passed together, whatever happens: a payload that never ends, a defect.
//   - What cannot be read, decided or, where policy requires it, recorded is denied, unless
//     [Options.Fail] says that the CLI shall go its own way.
//   - An answer that was decided is in the audit log before it is given. No opinion is no
//     decision and leaves no record.
//
// # What it never does
//
// It starts no process, parses no policy and opens no store. It changes the working
// directory of the process to the project that the CLI names, since policy is looked for
// from there; so a process runs one [Program] at a time.
//
// Errors are [ErrWhole] only: every other failure is an answer.
package hook
