package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/plangate/plangate/harness"
)

// ErrNotTrusted means that Codex does not run the hook because it is not trusted.
var ErrNotTrusted = errors.New("codex does not trust the hook, so it skips it without a word")

// OwnHooks returns the hooks of a list that are the entries of a file, which the text of
// that file says are ours as [Hook.Install] writes them. Nothing else may be trusted.
func (h Hook) OwnHooks(listed []CodexHook, path string, text []byte) ([]CodexHook, error) {
	status, err := h.Status(text)
	if err != nil {
		return nil, err
	}
	var own []CodexHook
	for _, hook := range listed {
		if !sameFile(hook.Source, path) {
			continue
		}
		ours := slices.ContainsFunc(status.Entries, func(e Entry) bool { return e.Same && e.Line == hook.Command })
		if ours {
			own = append(own, hook)
		}
	}
	return own, nil
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	realA, errA := filepath.EvalSymlinks(a)
	realB, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && realA == realB
}

// Trusted asks Codex whether all entries of ours in a file are trusted and switched on.
// It returns [ErrNotTrusted] if they are not.
func (m Machine) Trusted(ctx context.Context, h Hook, path string) ([]CodexHook, error) {
	text, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	listed, err := m.Runner.CodexHooks(ctx, h, m.Dir)
	if err != nil {
		return nil, err
	}
	own, err := h.OwnHooks(listed, path, text)
	switch {
	case err != nil:
		return nil, err
	case len(own) < len(h.info.Events):
		return own, fmt.Errorf("codex lists %d of the %d entries of ours; the project may not be trusted: %w", len(own), len(h.info.Events),
			ErrNotTrusted)
	}
	for _, hook := range own {
		switch {
		case hook.Trust != "trusted" && hook.Trust != "managed":
			return own, fmt.Errorf("%w: %s is %s", ErrNotTrusted, hook.Key, hook.Trust)
		case !hook.Enabled:
			return own, fmt.Errorf("codex has switched %s off", hook.Key)
		}
	}
	return own, nil
}

// Trust makes Codex trust the entries of ours in a file, and no other hook, and asks it
// whether it does.
func (m Machine) Trust(ctx context.Context, h Hook, path string, config Target) (Result, error) {
	own, err := m.Trusted(ctx, h, path)
	if err == nil {
		return Result{Path: config.Path}, nil
	}
	if len(own) == 0 {
		return Result{}, err
	}
	var trusts []Trust
	for _, hook := range own {
		trusts = append(trusts, Trust{hook.Key, hook.Hash})
	}
	result, err := Edit(config, func(text []byte, _ [][]byte) (Change, error) { return AddTrust(text, trusts) })
	if err != nil {
		return result, err
	}
	_, err = m.Trusted(ctx, h, path)
	return result, err
}

// Doubled returns what else of the user's configuration runs our hook, or may get before
// it, each in a sentence. init does not touch that.
func (m Machine) Doubled(h Hook) []string {
	switch h.info.Name {
	case "codex":
		return m.codexInline(h)
	case "amp":
		return m.ampProject(h)
	default:
		return nil
	}
}

// codexInline finds our hook in config.toml, where a person may have written it.
func (m Machine) codexInline(h Hook) []string {
	path, err := m.CodexConfig(h)
	if err != nil {
		return nil
	}
	text, err := ReadFile(path)
	if err != nil {
		return nil
	}
	all, err := parseTOML(text)
	if err != nil {
		return nil
	}
	inline := slices.ContainsFunc(all, func(s statement) bool {
		n := len(s.path)
		return n > 2 && s.path[0] == "hooks" && s.path[n-1] == "command" && isOurs(plainWords(unquoteTOML(s.value)), h.info.Name, h.program)
	})
	if !inline {
		return nil
	}
	return []string{path + " runs the hook too, so every call is asked about twice; take that entry out"}
}

// ampProject finds rules of the project that may get before ours.
func (m Machine) ampProject(h Hook) []string {
	f, err := h.File(harness.ScopeProject)
	if err != nil {
		return nil
	}
	path, err := m.Path(f)
	if err != nil {
		return nil
	}
	text, err := ReadFile(path)
	if err != nil {
		return nil
	}
	root, err := h.parse(text)
	if err != nil || root.get(h.key()) == nil || len(root.get(h.key()).elems) == 0 {
		return nil
	}
	if own := h.find(text, root); len(own) > 0 && own[0].index == 0 {
		return nil
	}
	return []string{path + " has rules of the project, which may let calls through before our rule of the user is asked: how Amp joins both was not measured"}
}
