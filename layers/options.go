package layers

import (
	"time"

	"github.com/plangate/plangate"
)

// Options says where policy is looked for. It is a plain value.
type Options struct {
	// Files are exactly the policy files to use, all trusted, as project
	// layers. If there are none the layers on disk are used.
	Files []string
	// Layers restricts the layers on disk; nil means all of them.
	Layers []plangate.Layer
	// Dir is where the search for a project file begins; it must be absolute.
	Dir string
	// Catalogs are catalog files, .json or .hcl.
	Catalogs []string
	// Builtin names agent CLIs whose own tools are known too; see catalog.BuiltinNames.
	Builtin []string
	Places  Places
	// State are files and directories, absolute, that hold answers and records of the
	// gate outside the places: the policy in force guards them (spec BLT-2).
	State []string
	// Now is what expired is measured against at compile time.
	Now time.Time
	// Version is part of the cache key and must be another one whenever the
	// program could compile to another table. Without one the cache is off.
	Version string
}

// Places are the fixed places on a machine; "" means that there is none. The
// JSON form of a policy file stands beside it with ".json" appended.
type Places struct {
	Managed string // policy file of the machine
	User    string // policy file of the user
	Trust   string // the user's trust file
	Cache   string // directory of the table cache; "" turns the cache off
}
