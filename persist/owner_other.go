//go:build !unix

package persist

import "io/fs"

// ours cannot tell here; the rights of the directory have to do.
func ours(fs.FileInfo) bool { return true }
