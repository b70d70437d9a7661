package load

import "path/filepath"

// FileName is the name of a policy file in native syntax. The JSON form of a
// policy file has ".json" appended to it.
const FileName = "agent.hcl"

// DefaultPlaces returns the places of design §4 for an environment. It follows
// the XDG base directory specification: a value that is not absolute is
// ignored. Without an absolute HOME, what would be below it is "", which turns
// the layer, the trust file or the cache off.
func DefaultPlaces(getenv func(string) string) Places {
	return Places{
		Managed: filepath.Join("/etc/plangate", FileName),
		User:    xdg(getenv, "XDG_CONFIG_HOME", ".config", FileName),
		Trust:   xdg(getenv, "XDG_STATE_HOME", ".local/state", "trust.json"),
		Cache:   xdg(getenv, "XDG_CACHE_HOME", ".cache", "tables"),
	}
}

// xdg returns the path of name in our part of a base directory.
func xdg(getenv func(string) string, variable, fallback, name string) string {
	base := getenv(variable)
	if !filepath.IsAbs(base) {
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		base = filepath.Join(home, fallback)
	}
	return filepath.Join(base, "plangate", name)
}
