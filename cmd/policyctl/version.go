package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/layers"
)

// specVersion is the version of spec/ that this program implements.
const specVersion = 1

// versionInfo is what `version --format json` prints.
type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Spec     int    `json:"spec"`
}

func newVersion(w *world) *cobra.Command {
	format := newChoice("human", "json")
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Long: `Prints the version and revision this program was built from, the version of Go
it was built with and the version of the specification it implements.

Formats: human, json. Exit codes: 0 fine, 2 wrong usage.`,
		Example: "  policyctl version --format json",
		Args:    noArgs(""),
		RunE: func(*cobra.Command, []string) error {
			if format.value == "json" {
				return writeJSON(w.stdout, readVersion())
			}
			printVersion(w.stdout, readVersion())
			return nil
		},
	}
	format.register(cmd, "output format")
	return cmd
}

func printVersion(out io.Writer, v versionInfo) {
	fmt.Fprintf(out, "policyctl %s\n", v.Version)
	if v.Revision != "" {
		state := ""
		if v.Modified {
			state = " (modified)"
		}
		fmt.Fprintf(out, "revision %s%s\n", v.Revision, state)
	}
	fmt.Fprintf(out, "%s, specification version %d\n", v.Go, v.Spec)
}

func readVersion() versionInfo {
	v := versionInfo{Version: "unknown", Spec: specVersion}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version, v.Go = info.Main.Version, info.GoVersion
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Revision = setting.Value
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		}
	}
	return v
}

// cacheVersion names this build in the key of cached tables.
func cacheVersion() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return layers.ProgramVersion(path)
}
