// Package readmetest runs what the README and the pages in docs show.
//
// Fenced blocks are read in order, and everything in one page happens in one
// shell, which starts in a clone of the repository with an empty home:
//
//   - sh: the commands must succeed.
//   - console: each line that begins with "$ " is a command; what follows must
//     be exactly what it prints. The home is shown as /home/you.
//   - hcl, json, yaml with title="NAME": the block is written to that file, in
//     the directory where the shell then is.
//   - hcl: must pass policyctl check, unless the word error follows: then the
//     check must find an error.
//   - go with title="NAME": must equal that file of the repository, unless the
//     word write follows: then the block is written to that file.
//
// A block with the word skip is only read. To bring the shown output up to date
// run go test ./internal/readmetest -update, and read the difference.
package readmetest
