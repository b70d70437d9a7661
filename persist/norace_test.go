//go:build !race

package persist_test

// kills is how often the writer is killed.
const kills = 200
