package install

import (
	"fmt"
	"path"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/plangate/plangate/harness"
)

// codexKey is the key of a hook in Codex's list of trusted ones.
func codexKey(path, event string, group, entry int) string {
	return strings.Join([]string{path, snake(event), strconv.Itoa(group), strconv.Itoa(entry)}, ":")
}

func snake(name string) string {
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// SwitchedOff reports whether a text has the setting that turns the hook off. It errs if
// the text cannot be read, or if the setting is no fragment of one that can be looked for.
func (h Hook) SwitchedOff(s harness.RepoSwitch, text []byte) (bool, error) {
	if path.Ext(s.File) == ".toml" {
		return hasTOML(text, s.Setting)
	}
	if path.Base(s.File) == ".env" {
		name, _, _ := strings.Cut(s.Setting, "=")
		return setsVariable(text, name), nil
	}
	want, err := parseJSON([]byte("{"+s.Setting+"}"), strict)
	if err != nil {
		return false, fmt.Errorf("the setting %q: %w", s.Setting, err)
	}
	// What a CLI would refuse to read is read here, so that nothing is overlooked.
	have, err := parseJSON(text, comments)
	if err != nil {
		return false, err
	}
	return h.within(decode([]byte("{"+s.Setting+"}"), want), decode(text, have)), nil
}

// setsVariable reports whether a file of variables sets one, whatever the value: what a CLI
// makes of the rest of a line differs.
func setsVariable(text []byte, name string) bool {
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\r", "\n")) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if rest, ok := strings.CutPrefix(line, "export"); ok && strings.TrimLeft(rest, " \t") != rest {
			line = strings.TrimSpace(rest)
		}
		rest, ok := strings.CutPrefix(line, name)
		if rest = strings.TrimSpace(rest); ok && rest != "" && (rest[0] == '=' || rest[0] == ':') {
			return true
		}
	}
	return false
}

// within reports whether a value has everything that another has. A list has an element
// that the other has; NAME in it stands for the name or the command of our entry.
func (h Hook) within(want, have any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		for key, value := range want {
			if !ok || !h.within(value, object[key]) {
				return false
			}
		}
		return ok
	case []any:
		list, ok := have.([]any)
		for _, value := range want {
			found := false
			for _, one := range list {
				found = found || h.within(value, one)
			}
			if !ok || !found {
				return false
			}
		}
		return ok
	case string:
		text, ok := have.(string)
		if want != "NAME" {
			return ok && text == want
		}
		return ok && (text == EntryName || isOurs(plainWords(text), h.info.Name, h.program))
	default:
		return reflect.DeepEqual(want, have)
	}
}

// hasTOML reports whether a text sets everything that a fragment sets.
func hasTOML(text []byte, fragment string) (bool, error) {
	want, err := parseTOML([]byte(fragment))
	if err != nil {
		return false, fmt.Errorf("the setting %q: %w", fragment, err)
	}
	have, err := parseTOML(text)
	if err != nil {
		return false, err
	}
	set := map[string]string{}
	for _, s := range have {
		flatten(set, s)
	}
	for _, s := range want {
		if !s.header && set[strings.Join(s.path, "\x00")] != s.value {
			return false, nil
		}
	}
	return true, nil
}

// flatten adds what a statement sets, with the members of a table written in one line.
func flatten(into map[string]string, s statement) {
	into[strings.Join(s.path, "\x00")] = s.value
	if !strings.HasPrefix(s.value, "{") {
		return
	}
	p := &tomlParser{text: []byte(s.value), at: 1}
	for {
		p.skip(true)
		key, err := p.key()
		if err != nil || p.peek() != '=' {
			return
		}
		p.at++
		p.skip(true)
		start := p.at
		if p.value(0) != nil {
			return
		}
		inner := statement{path: append(append([]string{}, s.path...), key...), value: string(p.text[start:p.at])}
		flatten(into, inner)
		p.skip(true)
		if p.peek() != ',' {
			return
		}
		p.at++
	}
}

// CodexSwitchedOff returns which of the keys config.toml switches off by `enabled = false`.
func CodexSwitchedOff(text []byte, keys []string) ([]string, error) {
	all, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	for _, s := range all {
		flatten(set, s)
	}
	var off []string
	for _, key := range keys {
		if set[strings.Join([]string{"hooks", "state", key, "enabled"}, "\x00")] == "false" {
			off = append(off, key)
		}
	}
	return off, nil
}
