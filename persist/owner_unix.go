//go:build unix

package persist

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether the file belongs to the user of this process.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
