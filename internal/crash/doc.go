// Package crash proves by killing that the gate loses nothing and does nothing twice.
// It holds tests only:
//
//	go test ./internal/crash                              # some hundred kills, small races
//	make crash                                            # thousands of kills, races of full size
//	go test ./internal/crash -run TestKilled -kills 5000 -v
//
// # What is killed
//
// The test binary starts itself as a worker, which is a kernel or a human over a whole
// gate as package local makes it: policy on disk, store, audit log, write-back. The
// worker kills itself with SIGKILL at a point of one operation: before a transaction,
// after each write in it, around the log, before and after the commit, around and
// during write-back. All points of all operations get their turn, then others at random
// moments. What the interface returned the worker says on a pipe after it returned, so
// the driver knows what was promised.
//
// # What is checked
//
// After each kill the driver opens the store as a new kernel and compares what it was
// promised with the rows, the audit chain, the log, the policy file and the list of what
// ran:
//
//   - What was acknowledged is there, and exactly as it was acknowledged.
//   - What was not is there wholly or not at all: the records of an item, replayed, give
//     the state of its row, and each move has one record.
//   - Nothing ran twice, without a claim, or without an allow recorded before it.
//   - What was running is interrupted, and cannot be claimed.
//   - The policy file compiles, keeps its bytes, and has each block for always once.
//   - The chain is gapless; the log is whole but for an end that is set aside later.
//
// Then the driver goes on as a kernel does after a crash: it plans the turn again, repeats
// the answer that was cut short, runs what is ready, takes the outcomes, and checks again.
//
// # Races and outages
//
// Many processes answer the same approvals, and write to the same policy file: one wins
// each, and nothing is lost. A PostgreSQL server is killed, stopped and its connections cut
// under load; errors are store_unavailable and work goes on.
//
// # The tests can fail
//
// TestCheckerNotices runs the same with a gate that is broken on purpose, once for
// each check.
package crash
