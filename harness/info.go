package harness

import "time"

// Info describes a CLI as plain data, for those who install and examine hooks. It
// must not be changed.
type Info struct {
	Name  string // as in `policyctl hook NAME`, and the provider of the CLI's own tools
	Title string // for people
	// Tested is the version whose behaviour was measured; "" if it was only read about.
	Tested string
	// Program is the CLI's executable, and Version the arguments that print its version.
	Program string
	Version []string

	Files  []ConfigFile // where hooks are configured, the user's first
	Events []Event      // the hooks to install, the most important first

	// TimeoutKey is the name of the timeout in a hook's entry and TimeoutUnit what one
	// of it means; "" and 0 if the CLI has none. DefaultTimeout is what holds without
	// one, 0 if that is not known or there is none.
	TimeoutKey     string
	TimeoutUnit    time.Duration
	DefaultTimeout time.Duration

	// FailClosed is the switch in a hook's entry that makes a failing hook block, with
	// FailClosedValue its JSON value; "" if there is none. It may be unknown to older
	// versions.
	FailClosed      string
	FailClosedValue string
	// Shell is true if a shell reads the hook's command line and exit code 2 blocks, so that
	// `|| exit 2` after it makes a hook block that is missing or crashes.
	Shell bool
	// OnFailure says what the CLI does with the call if the hook fails, without either.
	OnFailure []FailureEffect

	CanAsk    bool // headless, an ask is a deny or worse, see AskHeadless
	CanAllow  bool // an allow of the hook skips the CLI's own question
	CanModify bool // the hook can replace the arguments
	// AskHeadless says what an ask does where nobody sits at the CLI.
	AskHeadless string

	// Trust says what must happen before the hook is run at all; "" if nothing.
	Trust string
	// Unseen lists what never reaches the hook.
	Unseen []string
	// RepoOff lists how a repository can switch a user's hook off.
	RepoOff []RepoSwitch
	// Hardening lists what an administrator can do against both.
	Hardening []string
	// Detail lists what else matters to whoever installs the hook.
	Detail []string
}

// Scope says whose a configuration file is.
type Scope string

// The scopes.
const (
	ScopeUser    Scope = "user"
	ScopeProject Scope = "project"
	ScopeLocal   Scope = "local"   // of a project, not committed
	ScopeManaged Scope = "managed" // of the machine's administrator
)

// ConfigFile is a file that may hold hooks.
type ConfigFile struct {
	Scope Scope
	// Path begins with ~/ for a user's file and is relative to the project's root for
	// a project's; a managed one is absolute, for Linux. Slashes separate.
	Path string
	// Env is the environment variable that names the directory instead of the one
	// under ~; "" if there is none.
	Env    string
	Format string // json, jsonc, toml, js
	Key    string // dotted path of the object or list that holds hooks; "" if the file is the hook
	// Note says what else is to know; may be empty.
	Note string
}

// Event is an event that the hook listens to.
type Event struct {
	Name string // as the CLI spells it in its configuration
	// Matcher makes the entry fire for every tool: "" means to leave the key out.
	Matcher string
	// Command is what the entry must run.
	Command []string
	// Needed is false for an event without which every call is still seen.
	Needed bool
	Why    string
}

// RepoSwitch is something in a repository that turns a user's hook off.
type RepoSwitch struct {
	File    string // relative to the project's root
	Setting string // as one would write it
	// Requires says what must hold besides, such as a trusted folder; may be empty.
	Requires string
}

// Failure is a way in which a hook fails.
type Failure string

// The failures.
const (
	FailMissing  Failure = "missing"   // the program is not there
	FailCrash    Failure = "crash"     // killed by a signal
	FailExit1    Failure = "exit_1"    // exit code 1, nothing usable on standard output
	FailExit2    Failure = "exit_2"    // exit code 2 with a text on standard error
	FailTimeout  Failure = "timeout"   // longer than the CLI's own limit
	FailBadJSON  Failure = "bad_json"  // standard output that is not JSON, exit code 0
	FailBadWord  Failure = "bad_word"  // a decision that the CLI does not know
	FailTwoTexts Failure = "two_texts" // a line before or after the JSON
	FailNoReason Failure = "no_reason" // a deny without a reason
	FailExtraKey Failure = "extra_key" // a deny with a key that the CLI does not know
)

// Effect is what a CLI does with a call.
type Effect string

// The effects.
const (
	Runs    Effect = "runs"    // as if there were no hook
	Blocks  Effect = "blocks"  // the call is refused
	Asks    Effect = "asks"    // the human is asked
	Hangs   Effect = "hangs"   // the CLI waits for ever
	Unknown Effect = "unknown" // not measured
)

// FailureEffect says what a CLI does if the hook fails in one way.
type FailureEffect struct {
	Failure Failure
	Effect  Effect
}
