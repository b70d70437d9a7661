package install

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/hook"
	"github.com/plangate/plangate/layers"
)

// Timeout is the limit of time that is written into a hook's entry. `policyctl hook` has
// an own one that is shorter, so that it denies before the CLI stops waiting.
const Timeout = 10 * time.Second

// EntryName names the hook where a CLI gives hooks names.
const EntryName = "plangate"

// Hook is the hook of one CLI as it is to be installed. It is immutable.
type Hook struct {
	info    *harness.Info
	program string
	wrapper string
	places  []string // options that fix where policy and records are
	options []string // after the CLI's name
	timeout time.Duration
}

// NewHook returns the hook of a CLI that runs a program, which is the absolute path of
// policyctl or of policyctl-hook. The wrapper is the absolute path of the program that
// [Hook.WrapperText] is written to, for a CLI that wants one, see [NeedsWrapper]; for
// others it is "".
func NewHook(name, program, wrapper string) (Hook, error) {
	h, ok := harness.Find(name)
	switch {
	case !ok:
		return Hook{}, fmt.Errorf("there is no CLI of the name %.64q", name)
	case !filepath.IsAbs(program):
		return Hook{}, fmt.Errorf("%q is not an absolute path", program)
	case NeedsWrapper(name) && !filepath.IsAbs(wrapper):
		return Hook{}, fmt.Errorf("%s wants a program without arguments, and there is no place for one", h.Info().Title)
	}
	return Hook{info: h.Info(), program: program, wrapper: wrapper, timeout: Timeout}, nil
}

// Placed returns the hook with the places of an environment on its command line, see
// [hook.PlaceOptions]: a repository can set variables for the hooks of some CLIs.
func (h Hook) Placed(getenv func(string) string) Hook {
	h.places = hook.PlaceOptions(getenv)
	return h
}

// For returns the hook as it stands in a file of a scope. That of the machine is for every
// user, so no places stand in it.
func (h Hook) For(scope harness.Scope) Hook {
	if scope == harness.ScopeManaged {
		h.places = nil
	}
	return h
}

// errPlaces refuses options that are not the user's to give.
var errPlaces = errors.New("init itself writes --home and the like, from your environment")

// With returns the hook with options of `policyctl hook` on its command line. The limit of
// time that is written for the CLI is longer than what the options let the hook take, and at
// most [MaxTimeout]. An error says which option is wrong.
func (h Hook) With(options []string) (Hook, error) {
	parsed, err := hook.Parse(options)
	if err != nil {
		return h, err
	}
	if parsed.Home != "" {
		return h, errPlaces
	}
	timeout, err := timeoutFor(&parsed)
	if err != nil {
		return h, err
	}
	h.options, h.timeout = slices.Clone(options), timeout
	return h, nil
}

// Adopt returns the hook with the options that the first entry of ours has in a file, so
// that they stay. Options that are wrong are left out, and from a project's file those that
// could weaken the gate: a repository has not to choose them.
func (h Hook) Adopt(text []byte, scope harness.Scope) Hook {
	h = h.For(scope)
	status, err := h.Status(text)
	if err != nil || len(status.Entries) == 0 {
		return h
	}
	adopted, err := h.With(h.optionsOf(status.Entries[0]))
	if err != nil || shared(scope) && !adopted.harmless() {
		return h
	}
	return adopted
}

// shared reports whether a file of a scope may come with a repository.
func shared(scope harness.Scope) bool {
	return scope == harness.ScopeProject || scope == harness.ScopeLocal
}

// harmless reports whether the options leave policy, failures and records as they are.
func (h Hook) harmless() bool {
	o, err := hook.Parse(h.options)
	return err == nil && len(o.Policies)+len(o.Catalogs)+len(o.Layers) == 0 && o.Worktree == "" &&
		o.Fail == hook.FailClosed && o.Unmatched == hook.UnmatchedDecide && o.State == (layers.State{})
}

// Hardening lists what an administrator can do besides what [Hook.Install] writes.
func (h Hook) Hardening() []string {
	return slices.DeleteFunc(slices.Clone(h.info.Hardening), func(advice string) bool {
		return h.info.FailClosed != "" && strings.Contains(advice, strconv.Quote(h.info.FailClosed)+": "+h.info.FailClosedValue)
	})
}

// Options are those on the hook's command line.
func (h Hook) Options() []string { return slices.Clone(h.options) }

// AdoptWrapper is [Hook.Adopt] for the text of a wrapper.
func (h Hook) AdoptWrapper(text []byte) Hook {
	_, line, _ := bytes.Cut(text, []byte("\nexec "))
	adopted, err := h.With(h.optionsOf(Entry{Command: split(string(line))}))
	if err != nil {
		return h
	}
	return adopted
}

// optionsOf returns what follows the CLI's name, and what the event adds to it, in an entry.
func (h Hook) optionsOf(entry Entry) []string {
	own := h
	own.options, own.places = nil, nil
	if len(entry.Command) > 0 {
		own.program = entry.Command[0]
	}
	var event *harness.Event
	if i := slices.IndexFunc(h.info.Events, func(e harness.Event) bool { return e.Name == entry.Event }); i >= 0 {
		event = &h.info.Events[i]
	}
	before := own.arguments(event)
	if len(entry.Command) < len(before) || !slices.Equal(entry.Command[:len(before)], before) {
		return nil
	}
	return withoutPlaces(entry.Command[len(before):])
}

// withoutPlaces leaves out the options at the beginning that fix places.
func withoutPlaces(options []string) []string {
	for len(options) > 1 && slices.Contains([]string{"--home", "--config-home", "--state-home", "--cache-home"}, options[0]) {
		options = options[2:]
	}
	return options
}

// Info returns what is known of the CLI.
func (h Hook) Info() *harness.Info { return h.info }

// WrapperName is the name of the program that a CLI runs that cannot give arguments.
const WrapperName = "policyctl-amp"

// NeedsWrapper reports whether a CLI runs its hook without arguments.
func NeedsWrapper(name string) bool { return name == "amp" }

// WrapperText returns the text of the program at the wrapper's path.
func (h Hook) WrapperText() []byte {
	return []byte("#!/bin/sh\n# Written by policyctl init " + h.info.Name + ": that CLI gives its hook no arguments.\nexec " +
		quote(h.arguments(nil)) + "\n")
}

// smallName is how the name of the program begins that answers hooks and nothing else.
const smallName = "policyctl-hook"

func isSmall(program string) bool { return strings.HasPrefix(baseName(program), smallName) }

// arguments returns the command line of the hook for an event, nil for any.
func (h Hook) arguments(event *harness.Event) []string {
	words := []string{h.program}
	if !isSmall(h.program) {
		words = append(words, "hook")
	}
	words = append(words, h.info.Name)
	if event != nil && len(event.Command) > 3 {
		words = append(words, event.Command[3:]...)
	}
	return slices.Concat(words, h.places, h.options)
}

// line is a command line for a shell. Where the CLI runs the call after a hook that is
// missing or crashes, it ends with what blocks. That is for a POSIX shell to read: Codex
// starts the user's own, and one like fish gives up at a program that is missing.
func (h Hook) line(words []string) string {
	if !h.info.Shell {
		return quote(words)
	}
	return quote([]string{shell, "-c", quote(words) + ` || { echo The policy gate failed, so this call is denied. >&2; exit 2; }`})
}

const shell = "/bin/sh"

// plainWords returns the words of a command line as far as they are plain, those inside if
// it is one of [Hook.line] for a shell.
func plainWords(line string) []string {
	words := split(line)
	if len(words) == 3 && words[0] == shell && words[1] == "-c" {
		return split(words[2])
	}
	return words
}

// layout is how a CLI writes hooks into its file.
type layout uint8

const (
	grouped layout = iota // {"EVENT": [{"matcher": M, "hooks": [HANDLER]}]}
	plain                 // {"EVENT": [HANDLER]}
	ruled                 // [RULE], first match wins
	whole                 // the file is the hook
)

func (h Hook) layout() layout {
	switch h.info.Name {
	case "claude", "codex", "gemini":
		return grouped
	case "amp":
		return ruled
	case "opencode":
		return whole
	default:
		return plain
	}
}

// dialect says what the CLI's own reader accepts.
func (h Hook) dialect() dialect {
	if slices.Contains([]string{"gemini", "amp"}, h.info.Name) {
		return comments
	}
	return strict
}

// events are the names under which the CLI's file lists hooks; one without a name for a
// list of rules.
func (h Hook) events() []harness.Event {
	if h.layout() == ruled {
		return []harness.Event{{Matcher: "*", Needed: true}}
	}
	return h.info.Events
}

// handler returns the entry that runs the hook on an event.
func (h Hook) handler(event *harness.Event) members {
	words := h.arguments(event)
	var m members
	switch h.info.Name {
	case "amp":
		return members{{"tool", "*"}, {"action", "delegate"}, {"to", h.wrapper}}
	case "claude": // without a shell
		m = members{{"type", "command"}, {"command", words[0]}, {"args", words[1:]}}
	case "copilot":
		m = members{{"type", "command"}, {"bash", h.line(words)}}
	case "gemini":
		m = members{{"type", "command"}, {"name", EntryName}, {"command", h.line(words)}}
	case "cursor":
		m = members{{"command", h.line(words)}}
	default:
		m = members{{"type", "command"}, {"command", h.line(words)}}
	}
	if h.info.TimeoutKey != "" {
		m = append(m, member{h.info.TimeoutKey, int64((h.timeout + h.info.TimeoutUnit - 1) / h.info.TimeoutUnit)})
	}
	if h.info.FailClosed != "" {
		m = append(m, member{h.info.FailClosed, raw(h.info.FailClosedValue)})
	}
	return m
}

// wanted returns what is to stand in the list of an event.
func (h Hook) wanted(event *harness.Event) any {
	handler := h.handler(event)
	if h.layout() != grouped {
		return handler
	}
	group := members{{"hooks", []members{handler}}}
	if event.Matcher != "" {
		group = append(members{{"matcher", event.Matcher}}, group...)
	}
	return group
}

// commandOf returns the words of an entry's command.
func (h Hook) commandOf(handler map[string]any) []string {
	for _, key := range []string{"command", "bash", "powershell", "to"} {
		line, ok := handler[key].(string)
		if !ok {
			continue
		}
		if key == "to" {
			return []string{line}
		}
		args, exec := handler["args"].([]any)
		if !exec {
			return plainWords(line)
		}
		words := []string{line}
		for _, arg := range args {
			word, _ := arg.(string)
			words = append(words, word)
		}
		return words
	}
	return nil
}

// ours reports whether an entry is one of ours.
func (h Hook) ours(handler any) bool {
	entry, ok := handler.(map[string]any)
	if !ok {
		return false
	}
	if h.layout() == ruled {
		to, _ := entry["to"].(string)
		return entry["action"] == "delegate" && (filepath.Base(to) == WrapperName || to == h.wrapper)
	}
	return isOurs(h.commandOf(entry), h.info.Name, h.program)
}
