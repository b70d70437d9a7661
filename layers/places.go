package layers

import (
	"os"
	"path/filepath"
)

// FileName is the name of a policy file in native syntax. The JSON form of a
// policy file has ".json" appended to it.
const FileName = "agent.hcl"

// DefaultPlaces returns the places of design §4 for an environment. It follows
// the XDG base directory specification: a value that is not absolute is
// ignored. Without an absolute HOME, what would be below it is "", which turns
// the layer, the trust file or the cache off. The trust file and the cache are
// also off if they would be below a HOME that does not exist: a home is not
// ours to make.
func DefaultPlaces(getenv func(string) string) Places {
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		home = ""
	}
	written := home
	if _, err := os.Stat(home); isAbsent(err) {
		written = ""
	}
	return Places{
		Managed: filepath.Join("/etc/plangate", FileName),
		User:    place(getenv("XDG_CONFIG_HOME"), home, ".config", FileName),
		Trust:   place(getenv("XDG_STATE_HOME"), written, ".local/state", "trust.json"),
		Cache:   place(getenv("XDG_CACHE_HOME"), written, ".cache", "tables"),
	}
}

// place returns the path of name in our part of a base directory, or else of
// the one that is used in a home.
func place(base, home, fallback, name string) string {
	switch {
	case filepath.IsAbs(base):
	case home == "":
		return ""
	default:
		base = filepath.Join(home, fallback)
	}
	return filepath.Join(base, "plangate", name)
}
