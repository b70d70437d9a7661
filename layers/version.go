package layers

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// ProgramVersion names the build of a program, for [Options.Version]: the version that
// this program was released with. A build without one is told from others by the file of
// the program, so that a changed compiler never finds tables of the one before. It is ""
// if there is no such file.
func ProgramVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if ok && strings.HasPrefix(info.Main.Version, "v") && !strings.Contains(info.Main.Version, "+dirty") {
		return info.Main.Version
	}
	file, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("built %d-%d", file.Size(), file.ModTime().UnixNano())
}
