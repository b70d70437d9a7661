//go:build race

package persist_test

// kills is how often the writer is killed; with the race detector a process takes
// several times as long to start.
const kills = 25
