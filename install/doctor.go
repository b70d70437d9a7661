package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/harness"
)

// State is what an examination found of one thing.
type State string

// The states, each worse than the one before.
const (
	StateOK         State = "ok"
	StateNote       State = "note"       // nothing wrong, but worth knowing
	StateOff        State = "off"        // calls reach the CLI's tools without the gate, or may
	StateUnreadable State = "unreadable" // it cannot be told
)

// Check is the result of examining one thing.
type Check struct {
	Name   string `json:"name"` // of the thing, one of a fixed set
	State  State  `json:"state"`
	Detail string `json:"detail"`
	File   string `json:"file,omitempty"`
}

// Report is what is found of one CLI.
type Report struct {
	CLI       string                `json:"cli"`
	Title     string                `json:"title"`
	Version   string                `json:"version,omitempty"` // "" if it is not installed, or does not say
	Tested    string                `json:"tested,omitempty"`
	State     State                 `json:"state"` // the worst of the checks
	Checks    []Check               `json:"checks"`
	Unseen    plangate.List[string] `json:"unseen"`    // never reaches the gate
	Hardening plangate.List[string] `json:"hardening"` // what an administrator can do
}

func (r *Report) note(name string, state State, file, detail string) {
	r.Checks = append(r.Checks, Check{Name: name, State: state, Detail: detail, File: file})
	order := []State{StateOK, StateNote, StateOff, StateUnreadable}
	if slices.Index(order, state) > slices.Index(order, r.State) {
		r.State = state
	}
}

// place is a configuration file with what it says.
type place struct {
	hook   Hook // with the options that are installed there
	file   harness.ConfigFile
	path   string
	text   []byte
	status Status
}

// Found reports whether there is any trace of the CLI: its program, or an entry of ours.
func (m Machine) Found(h Hook) bool {
	if m.Runner.Present(h) {
		return true
	}
	for _, f := range h.files() {
		path, err := m.Path(f)
		if err != nil {
			continue
		}
		text, err := ReadFile(path)
		if err != nil {
			continue
		}
		if status, err := h.Status(text); err == nil && len(status.Entries) > 0 {
			return true
		}
	}
	return false
}

// Examine examines whether the hook of a CLI holds, in the current directory, now. It
// starts the hook for a call that must be denied, and the CLI where that says something
// without a model. It changes nothing but that the hook may record that call.
func (m Machine) Examine(ctx context.Context, h Hook) Report {
	r := Report{
		CLI: h.info.Name, Title: h.info.Title, Tested: h.info.Tested, State: StateOK,
		Unseen: h.info.Unseen, Hardening: h.Hardening(),
	}
	m.examineVersion(ctx, h, &r)
	places := m.examinePlaces(h, &r)
	m.examineEntries(ctx, h, places, &r)
	m.examineSwitches(h, places, &r)
	for _, text := range m.Doubled(h) {
		r.note("installed", StateNote, "", text)
	}
	switch h.info.Name {
	case "codex":
		m.examineCodex(ctx, h, places, &r)
	case "amp":
		m.examineAmp(ctx, h, &r)
	default:
		r.note("driven", StateNote, "", h.info.Title+" itself was not driven: it needs a model; run `make e2e` in a checkout")
	}
	return r
}

func (m Machine) examineVersion(ctx context.Context, h Hook, r *Report) {
	if !m.Runner.Present(h) {
		r.note("version", StateNote, "", "the program "+h.info.Program+" is not in the PATH")
		return
	}
	version, err := m.Runner.Version(ctx, h)
	switch {
	case err != nil:
		r.note("version", StateNote, "", "it does not say its version: "+err.Error())
		return
	case h.info.Tested == "":
		r.note("version", StateNote, "", version+"; no version was tested")
	case version == h.info.Tested || strings.HasPrefix(version, h.info.Tested+"-"):
		r.note("version", StateOK, "", version+", which was tested")
	default:
		r.note("version", StateNote, "", version+"; tested was "+h.info.Tested)
	}
	r.Version = version
}

// examinePlaces reads all files that the hook may be installed in, and returns those with
// an entry of ours.
func (m Machine) examinePlaces(h Hook, r *Report) []place {
	var places []place
	complete := false
	for _, f := range h.files() {
		path, err := m.Path(f)
		if err != nil {
			r.note("installed", StateNote, "", err.Error())
			continue
		}
		text, err := ReadFile(path)
		if err != nil {
			r.note("installed", StateUnreadable, path, "cannot be read: "+plainError(err))
			continue
		}
		own := h.Adopt(text, f.Scope)
		status, err := own.Status(text)
		if err != nil {
			r.note("installed", StateUnreadable, path, "does not parse: "+err.Error())
			continue
		}
		if len(status.Entries) == 0 {
			continue
		}
		places = append(places, place{own, f, path, text, status})
		if whole := status.complete(); whole {
			complete = true
			r.note("installed", StateOK, path, "installed for "+scopeWords(f.Scope)+noteOf(f))
			if len(own.options) > 0 {
				r.note("options", optionsState(own), path, "the hook runs with "+quote(own.options))
			}
		} else {
			r.note("installed", StateNote, path, "installed for "+scopeWords(f.Scope)+", but not as `policyctl init` writes it: "+
				strings.Join(status.wrong(), ", "))
		}
	}
	switch {
	case len(places) == 0 && r.State != StateUnreadable:
		r.note("installed", StateOff, "", "the hook is not installed; run policyctl init "+h.info.Name)
	case len(places) > 0 && !complete:
		r.note("installed", StateOff, "", "no installation is complete; run policyctl init "+h.info.Name)
	}
	return places
}

// optionsState is a note if options change what is decided, or what of it is kept.
func optionsState(h Hook) State {
	if h.harmless() {
		return StateOK
	}
	return StateNote
}

// noteOf returns what else is to know of a project's file.
func noteOf(f harness.ConfigFile) string {
	if f.Note == "" || f.Scope != harness.ScopeProject {
		return ""
	}
	return " (" + f.Note + ")"
}

func scopeWords(scope harness.Scope) string {
	switch scope {
	case harness.ScopeUser:
		return "the user"
	case harness.ScopeManaged:
		return "the machine"
	case harness.ScopeLocal:
		return "this user in this project"
	default:
		return "this project"
	}
}

// complete reports whether every event that is needed has an entry of ours that is as it
// must be, whichever copy of the program it runs.
func (s Status) complete() bool { return len(s.wrong()) == 0 }

func (s Status) wrong() []string {
	var all []string
	for _, event := range s.Missing {
		if event.Needed {
			all = append(all, strings.TrimSpace("no entry for "+event.Name))
		}
	}
	for _, e := range s.Entries {
		if !e.Same && !e.Elsewhere {
			all = append(all, "another entry for "+e.Event)
		}
	}
	return all
}

// examineEntries runs every different entry of ours for the canary call.
func (m Machine) examineEntries(ctx context.Context, h Hook, places []place, r *Report) {
	for _, p := range places {
		var done []string
		for _, e := range p.status.Entries {
			if key := e.Line + strings.Join(e.Command, "\x00"); !slices.Contains(done, key) && h.answersCanary(e) {
				done = append(done, key)
				examination{m, p.hook, r}.entry(ctx, p, e)
			}
		}
		if h.info.FailClosed != "" {
			open := slices.DeleteFunc(slices.Clone(p.status.Entries), func(e Entry) bool { return e.Closed })
			switch since := h.ClosedSince(); {
			case len(open) > 0:
				r.note("fail_closed", StateOff, p.path, fmt.Sprintf("%d entries lack %q: %s, so a hook that fails lets the call run",
					len(open), h.info.FailClosed, h.info.FailClosedValue))
			case r.Version != "" && since != "" && Older(r.Version, since):
				r.note("fail_closed", StateNote, p.path, fmt.Sprintf("%q is set, but version %s may not know it; %s does",
					h.info.FailClosed, r.Version, since))
			default:
				r.note("fail_closed", StateOK, p.path, fmt.Sprintf("%q: %s is set", h.info.FailClosed, h.info.FailClosedValue))
			}
		}
	}
	for _, p := range places {
		p.examineLimits(r)
	}
	if h.info.FailClosed == "" && len(places) > 0 {
		r.note("fail_closed", StateNote, "", failureWords(h.info))
	}
}

// answersCanary reports whether an entry is for the event that the canary call is.
func (h Hook) answersCanary(e Entry) bool {
	return e.Event == h.info.Events[0].Name || h.layout() == ruled
}

func failureWords(info *harness.Info) string {
	var open []string
	for _, f := range info.OnFailure {
		guarded := info.Shell && slices.Contains([]harness.Failure{harness.FailMissing, harness.FailCrash, harness.FailExit1}, f.Failure)
		if f.Effect == harness.Runs && !guarded {
			open = append(open, string(f.Failure))
		}
	}
	if len(open) == 0 {
		return "a hook that fails blocks the call, as far as known"
	}
	return "there is no fail-closed switch; a call runs if the hook fails by " + strings.Join(open, ", ")
}

// examination is what an examination needs everywhere.
type examination struct {
	m Machine
	h Hook
	r *Report
}

func (x examination) entry(ctx context.Context, p place, e Entry) {
	r := x.r
	if shared(p.file.Scope) && !e.Same {
		// A repository must not choose what an examination runs.
		r.note("canary", StateOff, p.path, "not run, because a file of the project names a program that is not this policyctl")
		return
	}
	reason, err := x.m.Runner.Canary(ctx, x.h, e)
	if err != nil {
		r.note("canary", StateOff, p.path, plainError(err))
		return
	}
	r.denied("canary", p.path, "the installed hook denied the canary call", reason)
	if x.h.info.Name != "gemini" {
		return
	}
	if _, err := x.m.Runner.withoutShell().Canary(ctx, x.h, e); err != nil {
		r.note("canary", StateNote, p.path, "where "+x.h.info.Title+" is not started from a shell, ~/.bashrc comes before the hook and spoils its answer: "+plainError(err))
	}
}

// denied notes that the canary call was denied, and for which reason.
func (r *Report) denied(name, file, what, reason string) {
	switch ProofOf(reason) {
	case ProofCanary:
		r.note(name, StateOK, file, what)
	case ProofBroken:
		r.note(name, StateOff, file, what+", but as it denies every call: "+clip(reason))
	case ProofOther:
		r.note(name, StateNote, file, what+", but not because of the canary: "+clip(reason))
	}
}

func clip(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "?")
	if runes := []rune(text); len(runes) > 300 {
		return string(runes[:300]) + "…"
	}
	return text
}

// plainError returns an error's text in one line.
func plainError(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// examineSwitches reads what a repository, and the user's own file of the same kind, may
// turn the hook off with.
func (m Machine) examineSwitches(h Hook, places []place, r *Report) {
	managed := slices.ContainsFunc(places, func(p place) bool { return p.file.Scope == harness.ScopeManaged && p.status.complete() })
	found := false
	for _, s := range h.info.RepoOff {
		var paths []string
		for _, dir := range m.dirs() {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(s.File)))
		}
		for _, path := range append(paths, m.outerFiles(h, s)...) {
			check, ok := h.examineSwitch(s, path)
			if !ok {
				continue
			}
			if managed && check.State == StateOff && !againstManaged(s) {
				check.State, check.Detail = StateNote, check.Detail+", but not that of the machine"
			}
			r.note("switched_off", check.State, path, check.Detail)
			found = true
		}
	}
	if h.info.Name == "claude" {
		found = h.examineManaged(r) || found
	}
	if !found {
		r.note("switched_off", StateOK, "", "no setting of this directory, the user or the machine switches the hook off")
	}
}

// againstManaged reports whether a switch works against hooks of the machine too.
func againstManaged(s harness.RepoSwitch) bool {
	return strings.Contains(s.Requires, "managed") || strings.Contains(s.Requires, "system")
}

// outerFiles are the user's and the machine's files with the same settings as a
// repository's, as far as they count there.
func (m Machine) outerFiles(h Hook, s harness.RepoSwitch) []string {
	var all []string
	for _, f := range h.info.Files {
		outer := f.Scope == harness.ScopeUser || f.Scope == harness.ScopeManaged
		if !outer || filepath.Base(f.Path) != filepath.Base(s.File) || h.info.Name == "copilot" {
			continue // the user's setting of Copilot does nothing to its hooks
		}
		if path, err := m.Path(f); err == nil {
			all = append(all, path)
		}
	}
	return all
}

// examineSwitch looks for a setting in a file; ok is false if it is not there.
func (h Hook) examineSwitch(s harness.RepoSwitch, path string) (check Check, ok bool) {
	text, err := ReadFile(path)
	if err == nil && text == nil {
		return Check{}, false
	}
	var off bool
	if err == nil {
		off, err = h.SwitchedOff(s, text)
	}
	var fragment *TextError
	switch {
	case err != nil && !errors.As(err, &fragment):
		return Check{State: StateUnreadable, Detail: "cannot be read: " + plainError(err)}, true
	case err != nil && strings.Contains(s.Setting, "…"):
		return Check{}, false // it is no setting that could be looked for
	case err != nil:
		return Check{State: StateUnreadable, Detail: "cannot be told, because it does not parse: " + err.Error()}, true
	case !off:
		return Check{}, false
	}
	detail := strings.ReplaceAll(s.Setting, "\n", " ") + " switches the hook off"
	if s.Requires != "" {
		detail += " (" + s.Requires + ")"
	}
	return Check{State: StateOff, Detail: detail}, true
}

// examineManaged reports what the managed file of Claude Code does to hooks.
func (h Hook) examineManaged(r *Report) bool {
	f, err := h.File(harness.ScopeManaged)
	if err != nil {
		return false
	}
	found := false
	for _, setting := range []string{`"disableAllHooks": true`, `"allowManagedHooksOnly": true`} {
		check, ok := h.examineSwitch(harness.RepoSwitch{File: f.Path, Setting: setting}, f.Path)
		if ok && strings.Contains(setting, "Only") {
			text, err := ReadFile(f.Path)
			if err != nil {
				continue
			}
			if status, err := h.Status(text); err == nil && status.complete() {
				continue // ours is one of those that it leaves
			}
		}
		if ok {
			r.note("switched_off", check.State, f.Path, check.Detail)
			found = true
		}
	}
	return found
}

// examineCodex asks Codex whether it trusts the hook.
func (m Machine) examineCodex(ctx context.Context, h Hook, places []place, r *Report) {
	config, err := m.CodexConfig(h)
	if err != nil {
		r.note("trust", StateUnreadable, "", err.Error())
		return
	}
	for _, p := range places {
		if p.file.Scope == harness.ScopeManaged {
			continue
		}
		examination{m, h, r}.trust(ctx, p, config)
	}
}

func (x examination) trust(ctx context.Context, p place, config string) {
	r := x.r
	if !x.m.Runner.Present(x.h) {
		r.note("trust", StateOff, config, "codex is not installed, so it cannot be asked whether it trusts the hook of "+p.path)
		return
	}
	_, err := x.m.Trusted(ctx, x.h, p.path)
	switch {
	case err == nil:
		r.note("trust", StateOK, config, "codex trusts the hook of "+p.path+" and has it switched on")
	case errors.Is(err, ErrNotTrusted):
		r.note("trust", StateOff, config, err.Error()+"; run policyctl init codex")
	default:
		r.note("trust", StateOff, config, plainError(err))
	}
}

// examineAmp asks Amp's own checker of rules.
func (m Machine) examineAmp(ctx context.Context, h Hook, r *Report) {
	if !m.Runner.Present(h) {
		return
	}
	reason, err := m.Runner.AmpTest(ctx, h)
	if err != nil {
		r.note("driven", StateOff, "", plainError(err))
		return
	}
	r.denied("driven", "", "amp permissions test rejects the canary call, by the installed hook", reason)
}
