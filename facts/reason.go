package facts

import "github.com/plangate/plangate"

// Mode is the direction of a rule. The zero value is [Restrictive], the
// stricter way to be wrong.
type Mode uint8

// The modes.
const (
	Restrictive Mode = iota // ask, deny, hook and every guard: one reading is enough
	Permissive              // allow: every reading must match
)

// ModeOf returns the mode of a rule with this action.
func ModeOf(action plangate.Action) Mode {
	if action == plangate.Allow {
		return Permissive
	}
	return Restrictive
}

// Reason says why something is not known. The empty reason means that it is
// known. Values are stable words (spec PTH-12, HST-12).
type Reason string

// Reasons of paths.
const (
	Dynamic     Reason = "dynamic"      // the text is made while the call runs
	Empty       Reason = "empty"        // there is no text
	NUL         Reason = "nul"          // the text has a NUL byte; where it ends depends on the program
	TooLong     Reason = "too_long"     // more bytes than are read
	UserHome    Reason = "user_home"    // ~user
	NoCwd       Reason = "no_cwd"       // relative, and the working directory is not known
	NoHome      Reason = "no_home"      // ~, and the home directory is not known
	NoWorkspace Reason = "no_workspace" // a relative pattern, and the workspace is not known
	URL         Reason = "url"          // a URL where a path should stand
	Loop        Reason = "loop"         // more links than are followed
	Denied      Reason = "denied"       // a directory that may not be looked into
	ProcessLink Reason = "process_link" // a link in /proc, which differs from process to process
	TooMany     Reason = "too_many"     // more look-ups or values than a call may have
	NoAnswer    Reason = "no_answer"    // the file system did not answer in time
	Failed      Reason = "failed"       // the file system reported another error
)

// Reasons of hosts.
const (
	NoScheme    Reason = "no_scheme"    // no scheme: what it means depends on the program
	OtherScheme Reason = "other_scheme" // neither http nor https
	NoHost      Reason = "no_host"      // there is no host
	BadHost     Reason = "bad_host"     // no name and no address
	BadPort     Reason = "bad_port"     // not a number from 0 to 65535
	Ambiguous   Reason = "ambiguous"    // programs disagree on which host this is
)

// Reasons of arguments.
const (
	Absent    Reason = "absent"     // no argument is there
	WrongType Reason = "wrong_type" // an argument is there and is no string
	BadInput  Reason = "bad_input"  // the input is not one strict JSON object (spec FMT-2)
)

// first keeps the earliest reason.
func first(reasons ...Reason) Reason {
	for _, r := range reasons {
		if r != "" {
			return r
		}
	}
	return ""
}
