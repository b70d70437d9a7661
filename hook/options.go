package hook

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plangate/plangate/layers"
)

// Unmatched says what becomes of calls that only a default decides.
type Unmatched string

// The values of Unmatched: what the default says, or no opinion.
const (
	UnmatchedDecide Unmatched = "decide"
	UnmatchedDefer  Unmatched = "defer"
)

// Fail says what becomes of calls that cannot be decided.
type Fail string

// The values of Fail: deny, or no opinion.
const (
	FailClosed Fail = "closed"
	FailOpen   Fail = "open"
)

// Options are what an operator says on the command line of a hook. It is a plain value.
type Options struct {
	Policies  []string    // exactly these policy files, and no layers
	Catalogs  []string    // files with known operations
	Layers    layers.List // only these layers; nil means all
	Profile   string
	Unmatched Unmatched
	Fail      Fail
	Event     string   // for CLIs that do not tell it
	Servers   []string // MCP servers that are there
	Worktree  string   // no opinion of calls made outside of it
	Attended  bool     // a human sits at the CLI and can be asked
	Wait      time.Duration
	Deadline  time.Duration
	State     layers.State
	// Home, if it is set, is the user's home directory whatever the environment says, and the
	// others are what the XDG variables are for: a repository can set variables for hooks.
	Home, ConfigHome, StateHome, CacheHome string
}

// DefaultDeadline is well inside of what every CLI gives its hook.
const DefaultDeadline = 8 * time.Second

// Register makes the flags of a hook. It sets the defaults.
func (o *Options) Register(flags *flag.FlagSet) {
	o.Unmatched, o.Fail = UnmatchedDecide, FailClosed
	flags.Var((*texts)(&o.Policies), "policy", "use exactly this `FILE` as policy, and no layers; may be repeated")
	flags.Var((*texts)(&o.Catalogs), "catalog", "`FILE` with known operations, .json or .hcl; may be repeated")
	flags.Var(&o.Layers, "layers", "use only these layers: some of managed,user,project")
	flags.Var((*text)(&o.Profile), "profile", "`NAME` of the profile (default $PLANGATE_PROFILE)")
	flags.Var(word{(*string)(&o.Unmatched), []string{string(UnmatchedDecide), string(UnmatchedDefer)}}, "unmatched",
		"calls that only a default decides")
	flags.Var(word{(*string)(&o.Fail), []string{string(FailClosed), string(FailOpen)}}, "fail",
		"calls that cannot be decided: deny, or no opinion")
	flags.Var((*text)(&o.Event), "event", "`NAME` of the event, for CLIs that do not tell it")
	flags.Var((*texts)(&o.Servers), "mcp", "`NAME` of an MCP server that is there; may be repeated")
	flags.Var((*text)(&o.Worktree), "worktree", "no opinion of calls that are made outside of this `DIR`")
	flags.BoolVar(&o.Attended, "attended", false, "a human sits at the CLI and can be asked")
	flags.DurationVar(&o.Wait, "wait", 0, "wait so long for a human, by an approval")
	flags.DurationVar(&o.Deadline, "deadline", DefaultDeadline, "deny after this long, not counting --wait")
	for _, place := range o.places() {
		flags.Var((*text)(place.value), place.flag, "`DIR` in place of $"+place.variable+place.more)
	}
	flags.Var((*text)(&o.State.Store), "store", "file `PATH` or postgres:// URL (default $PLANGATE_STORE)")
	flags.Var((*text)(&o.State.Log), "log", "audit log `FILE`, or none (default $PLANGATE_LOG)")
}

// place is a directory that an option fixes in place of a variable.
type place struct {
	value                *string
	flag, variable, more string
}

func (o *Options) places() []place {
	return []place{
		{&o.Home, "home", "HOME", "; other such variables do not count then"},
		{&o.ConfigHome, "config-home", "XDG_CONFIG_HOME", ""},
		{&o.StateHome, "state-home", "XDG_STATE_HOME", ""},
		{&o.CacheHome, "cache-home", "XDG_CACHE_HOME", ""},
	}
}

// PlaceOptions returns the options that fix the places of an environment, in their order.
func PlaceOptions(getenv func(string) string) []string {
	var words []string
	for _, place := range new(Options).places() {
		if dir := getenv(place.variable); filepath.IsAbs(dir) {
			words = append(words, "--"+place.flag, dir)
		} else if place.variable == "HOME" {
			return nil // nothing can be fixed without it
		}
	}
	return words
}

// environment is what the hook sees of the environment. A repository can set variables for
// the hooks of some CLIs, by a file .env or in settings, and must not choose by them where
// policy, trust and records are.
func (o *Options) environment(getenv func(string) string) func(string) string {
	if o.Home == "" {
		return getenv
	}
	return func(name string) string {
		for _, place := range o.places() {
			if name == place.variable {
				return *place.value
			}
		}
		if strings.HasPrefix(name, "PLANGATE_") {
			return ""
		}
		return getenv(name)
	}
}

// Parse reads the options of a hook from a command line, without the CLI's name.
func Parse(arguments []string) (Options, error) {
	var o Options
	flags := flag.NewFlagSet("hook", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.Register(flags)
	switch err := flags.Parse(arguments); {
	case err != nil:
		return o, err
	case flags.NArg() > 0:
		return o, fmt.Errorf("%q is no option of a hook", flags.Arg(0))
	}
	err := o.Check()
	return o, err
}

// Check reports options that contradict each other.
func (o *Options) Check() error {
	switch {
	case o.Deadline <= 0 || o.Wait < 0:
		return errors.New("--deadline and --wait want a positive duration")
	case o.Home == "" && o.ConfigHome+o.StateHome+o.CacheHome != "":
		return errors.New("--config-home, --state-home and --cache-home want --home")
	case !o.placesAbsolute():
		return errors.New("--home, --config-home, --state-home and --cache-home want an absolute path")
	case len(o.Policies) > 0 && o.Layers != nil:
		return errors.New("--policy and --layers exclude each other; give only one of them")
	}
	return nil
}

func (o *Options) placesAbsolute() bool {
	return !slices.ContainsFunc(o.places(), func(p place) bool { return *p.value != "" && !filepath.IsAbs(*p.value) })
}

// Limit is how long an answer takes at most.
func (o *Options) Limit() time.Duration { return o.Deadline + o.Wait }

// errEmpty refuses a flag that is given without a value, as a script does whose variable is
// not set: to ignore it would be to do something else.
var errEmpty = errors.New("it is empty; give it a value or leave it out")

// text is a flag that is not empty if it is given.
type text string

// String implements [flag.Value].
func (t *text) String() string { return string(*t) }

// Type implements the Value of package pflag.
func (t *text) Type() string { return "string" }

// Set implements [flag.Value].
func (t *text) Set(value string) error {
	if value == "" {
		return errEmpty
	}
	*t = text(value)
	return nil
}

// texts is a flag that may be repeated.
type texts []string

// String implements [flag.Value].
func (t *texts) String() string { return strings.Join(*t, ",") }

// Type implements the Value of package pflag.
func (t *texts) Type() string { return "string" }

// Set implements [flag.Value].
func (t *texts) Set(value string) error {
	if value == "" {
		return errEmpty
	}
	*t = append(*t, value)
	return nil
}

// word is a flag with a closed set of values.
type word struct {
	value *string
	known []string
}

// String implements [flag.Value]; package flag calls it on a zero value too.
func (w word) String() string {
	if w.value == nil {
		return ""
	}
	return *w.value
}

// Type implements the Value of package pflag; it stands in the help after the flag's name.
func (w word) Type() string { return strings.Join(w.known, "|") }

// Set implements [flag.Value].
func (w word) Set(value string) error {
	if !slices.Contains(w.known, value) {
		return fmt.Errorf("want one of %s", strings.Join(w.known, ", "))
	}
	*w.value = value
	return nil
}
