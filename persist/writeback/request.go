package writeback

import (
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/layers"
)

// Target says which policy file is written, and under which policy the change
// is tried. It is a plain value.
type Target struct {
	// File is the policy file to write. It must be one of those in force under
	// Options. If it is empty, the innermost one is used that counts in full: the
	// project's, else the user's; the managed file is only written by name.
	File string
	// Options say which policy is in force; its Places hold the trust file.
	Options layers.Options
	// Catalog holds operations besides those of Options.Catalogs; nil for none.
	Catalog *catalog.Catalog
	// State is a directory of the user for the lock and the journal. It is made
	// if it does not exist. Policy denies agents to write it if it is the directory
	// of the trust file.
	State string
	// Create permits making the file if it does not exist and its directory does.
	Create bool
}

// Request is a human's answer that is to be remembered. It is a plain value.
type Request struct {
	Target
	Call   plangate.Call
	Action plangate.Action // Allow or Deny
	// Actor is who answered, for the comment above the block.
	Actor string
	// Approval identifies what was answered, or is empty.
	Approval string
	// Time is when it was answered. The call is decided as of then if it has no
	// time of its own.
	Time time.Time
	// Expect is the [Change.Digest] of what somebody was shown, or empty. If the
	// file has other content by now, nothing is written.
	Expect string

	reached func(point string) // of tests: called at each point of the way
}

// UndoRequest takes the last change of a file back. Without a file it is the one
// that was written last of those in force. It is a plain value.
type UndoRequest struct {
	Target
	// Expect is as in [Request].
	Expect string

	reached func(point string)
}

// Change is what was written or would be.
type Change struct {
	Action plangate.Action `json:"action"`
	// File is the policy file by the name it has in the policy, and Target the
	// file that this leads to through symbolic links.
	File   string         `json:"file"`
	Target string         `json:"target"`
	Layer  plangate.Layer `json:"layer"`
	// Line is where the policy stands after the change, or stood before an undo.
	Line   int    `json:"line"`
	Policy string `json:"policy"` // its name
	// Block is the text that is inserted or, by an undo, removed, as it stands in
	// the file. It is empty if only the value of an action changes.
	Block string `json:"block"`
	Diff  string `json:"diff"` // unified; empty if nothing changes
	// Cells are the cells of the table that change.
	Cells plangate.List[CellChange] `json:"cells"`
	// Before and After are the decisions on the call. An undo has none.
	Before plangate.Decision `json:"before"`
	After  plangate.Decision `json:"after"`
	// AlreadyThere is set if the file says so already; nothing is written.
	AlreadyThere bool `json:"already_there"`
	Created      bool `json:"created"` // the file did not exist
	Removed      bool `json:"removed"` // an undo removed a file that was created
	// Digest is that of the content before the change, empty without a file, and
	// NewDigest that of the content after it.
	Digest    string `json:"digest"`
	NewDigest string `json:"new_digest"`
	// Trusted is set if the trust in the file moved to the new content.
	Trusted bool `json:"trusted"`
}

// CellChange is one cell of the table whose answer changes.
type CellChange struct {
	Provider  string        `json:"provider"`
	Operation string        `json:"operation"`
	Kind      plangate.Kind `json:"kind"`
	Risk      plangate.Risk `json:"risk,omitzero"`     // unspecified: the column for an unknown risk
	Profile   string        `json:"profile,omitempty"` // the only one under which it changes
	Before    CellAnswer    `json:"before"`
	After     CellAnswer    `json:"after"`
}

// CellAnswer is what a cell says.
type CellAnswer struct {
	Action plangate.Action `json:"action"`
	// MatchedAction is the action before a downgrade of it.
	MatchedAction plangate.Action `json:"matched_action"`
	DecidedBy     string          `json:"decided_by"`
	// Depends is set if conditions, a profile or the time can change it.
	Depends bool `json:"depends"`
}
