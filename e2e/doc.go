// Package e2e drives real agent CLIs, each in its pinned version, and proves that a
// call that policy denies leaves no trace and that the model is told why.
//
// A CLI runs without a terminal, in an empty home and a new repository, against a fake
// model on loopback that plays a script: "call this tool, then that one, then end".
// `policyctl init` writes the configuration, `policyctl hook` decides. A case then looks
// at the disk and at what the fake model was sent, never at what the CLI prints.
//
//	make e2e                     installs the CLIs from npm and runs everything
//	make e2e E2E=TestClaude      one CLI
//
// # What it promises
//
//   - It says which CLIs it could not drive, and fails if there was none.
//   - No model, no account and no key is needed. Where the system lets it, everything
//     runs in a network namespace that has only loopback.
//   - Nothing outside the test's temporary directories is read or written, except for
//     the programs themselves.
//
// # What it does not do
//
// It needs npm's packages and is skipped without them: PLANGATE_E2E names the directory
// that holds node_modules. `go test ./...` runs only what needs no CLI: the fake model's
// own tests and the check of docs/harnesses.md. Windows and macOS are not covered.
//
// Nothing here may be imported; all code is in tests.
package e2e
