package install

import (
	"bytes"
	"slices"
	"strings"
)

// Trust is what Codex stores of a hook that may run.
type Trust struct {
	Key  string // FILE:EVENT:GROUP:ENTRY
	Hash string // of the hook's definition, as Codex computes it
}

func (t Trust) table() []string { return []string{"hooks", "state", t.Key} }

// AddTrust returns Codex's config.toml with hooks trusted. The text is nil if there is no
// file. A hook that is trusted already changes nothing, one with another hash or that is
// switched off is brought up to date.
func AddTrust(text []byte, hooks []Trust) (Change, error) {
	if _, err := parseTOML(text); err != nil {
		return Change{}, err
	}
	change := Change{Text: text}
	for _, hook := range hooks {
		next, what, err := addTrust(change.Text, hook)
		if err != nil {
			return Change{}, err
		}
		change.Text = next
		if what != "" {
			change.What = append(change.What, what)
		}
	}
	return change, nil
}

func addTrust(text []byte, hook Trust) (edited []byte, what string, err error) {
	all, err := parseTOML(text)
	if err != nil {
		return nil, "", err
	}
	for _, s := range all {
		if n := len(s.path); !s.header && n < 3 && slices.Equal(s.path, hook.table()[:n]) {
			return nil, "", textError(text, s.start, "%s is written in one line, which cannot be added to; write it as tables",
				strings.Join(s.path, "."))
		}
		if len(s.path) >= 3 && slices.Equal(s.path[:3], hook.table()) {
			return updateTrust(text, all, hook)
		}
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	var out bytes.Buffer
	out.Write(text)
	if len(bytes.TrimPrefix(text, bom)) > 0 {
		if !bytes.HasSuffix(text, []byte("\n")) {
			out.WriteString(newline)
		}
		out.WriteString(newline)
	}
	out.WriteString("[hooks.state." + quoteTOML(hook.Key) + "]" + newline + "trusted_hash = " + quoteTOML(hook.Hash) + newline)
	return out.Bytes(), "trust " + hook.Key, nil
}

// updateTrust edits the table of a hook that is there.
func updateTrust(text []byte, all []statement, hook Trust) (edited []byte, what string, err error) {
	at, hashed := -1, false
	edited = text
	for i := len(all) - 1; i >= 0; i-- { // from the end, so that offsets hold
		s := all[i]
		if s.header && slices.Equal(s.path, hook.table()) {
			at = s.end
		}
		if s.header || len(s.path) != 4 || !slices.Equal(s.path[:3], hook.table()) {
			continue
		}
		want := map[string]string{"trusted_hash": quoteTOML(hook.Hash), "enabled": "true"}[s.path[3]]
		hashed = hashed || s.path[3] == "trusted_hash"
		if want != "" && s.value != want && unquoteTOML(s.value) != hook.Hash {
			edited = splice(edited, s.valueAt, s.valueAt+len(s.value), want)
			what = "trust " + hook.Key + " anew"
		}
	}
	switch {
	case hashed:
		return edited, what, nil
	case at < 0:
		return nil, "", textError(text, 0, "the trust of %s is written in a form that cannot be edited", hook.Key)
	}
	// Edits were made after the header only.
	if at > 0 && edited[at-1] != '\n' {
		return splice(edited, at, at, "\ntrusted_hash = "+quoteTOML(hook.Hash)), "trust " + hook.Key, nil
	}
	return splice(edited, at, at, "trusted_hash = "+quoteTOML(hook.Hash)+"\n"), "trust " + hook.Key, nil
}

// RemoveTrust returns Codex's config.toml without the trust of hooks with these keys.
// Earlier are older contents of the file, as for [Hook.Remove].
func RemoveTrust(text []byte, keys []string, earlier [][]byte) (Change, error) {
	all, err := parseTOML(text)
	if err != nil {
		return Change{}, err
	}
	change := Change{Text: text}
	var trusts []Trust
	for i := len(all) - 1; i >= 0; i-- {
		s := all[i]
		if len(s.path) < 3 || s.path[0] != "hooks" || s.path[1] != "state" || !slices.Contains(keys, s.path[2]) {
			continue
		}
		if len(s.path) == 4 && s.path[3] == "trusted_hash" {
			trusts = append(trusts, Trust{s.path[2], unquoteTOML(s.value)})
		}
		change.Text = splice(change.Text, tableStart(text, s), s.end, "")
		if s.header {
			change.What = append(change.What, "take the trust of "+s.path[2]+" away")
		}
	}
	slices.Reverse(trusts)
	for _, old := range append(slices.Clip(earlier), nil) {
		again, err := AddTrust(old, trusts)
		if len(trusts) > 0 && err == nil && bytes.Equal(again.Text, text) && !mentions(old, keys) {
			change.Text, change.Delete = old, old == nil
			break
		}
	}
	return change, nil
}

// mentions reports whether a text says anything of the trust of hooks with these keys.
func mentions(text []byte, keys []string) bool {
	all, err := parseTOML(text)
	return err != nil || slices.ContainsFunc(all, func(s statement) bool {
		return len(s.path) >= 3 && s.path[0] == "hooks" && s.path[1] == "state" && slices.Contains(keys, s.path[2])
	})
}

// tableStart returns where a statement begins, with the blank line before a header.
func tableStart(text []byte, s statement) int {
	start := lineStart(text, s.start)
	for _, blank := range []string{"\n\r\n", "\n\n"} {
		if s.header && bytes.HasSuffix(text[:start], []byte(blank)) {
			return start - len(blank) + 1
		}
	}
	return start
}

// CodexKeys returns the keys under which Codex keeps the trust of our entries in a file,
// which is named by the path that Codex sees. Other reports whether entries of others
// come after ours, whose keys change when ours go.
func (h Hook) CodexKeys(path string, text []byte) (keys []string, others []string) {
	root, err := h.parse(text)
	if err != nil || root == nil {
		return nil, nil
	}
	top := root.get(h.key())
	if top == nil {
		return nil, nil
	}
	for _, e := range top.elems {
		seen := false
		for i, group := range e.value.elems {
			hooks := group.value.get("hooks")
			if hooks == nil {
				continue
			}
			for j, entry := range hooks.elems {
				key := codexKey(path, e.key, i, j)
				ours := h.ours(decode(text, entry.value))
				switch {
				case ours:
					keys = append(keys, key)
				case seen:
					others = append(others, key)
				}
				seen = seen || ours
			}
		}
	}
	return keys, others
}
