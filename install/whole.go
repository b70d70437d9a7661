package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/plangate/plangate/harness"
)

// ErrForeign means that a file which would be ours alone is not ours.
var ErrForeign = errors.New("the file exists and was not written by policyctl; move it away first")

// pluginMark stands in every plugin of ours.
var pluginMark = []byte("Written by `policyctl init opencode`.")

// pluginProgram is where the plugin names its program; ours is the absolute path.
const pluginProgram = `|| "policyctl"`

// plugin returns the text of the plugin file.
func (h Hook) plugin() []byte {
	path := strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(compact(h.program)))
	return []byte(strings.Replace(harness.OpencodePlugin(), pluginProgram, "|| "+path, 1))
}

func (h Hook) installWhole(text []byte) (Change, error) {
	plugin := h.plugin()
	switch {
	case !bytes.Contains(plugin, compact(h.program)):
		return Change{}, errors.New("the plugin has no place for the program's path")
	case bytes.Equal(text, plugin):
		return Change{Text: text}, nil
	case len(bytes.TrimSpace(text)) == 0:
		return Change{Text: plugin, What: []string{"write the plugin"}}, nil
	case bytes.Contains(text, pluginMark):
		return Change{Text: plugin, What: []string{"bring the plugin up to date"}}, nil
	default:
		return Change{}, ErrForeign
	}
}

func (h Hook) removeWhole(text []byte) Change {
	if !bytes.Contains(text, pluginMark) {
		return Change{Text: text}
	}
	return Change{Delete: true, Keep: !bytes.Equal(text, h.plugin()), What: []string{"remove the plugin"}}
}

// namedProgram finds the program that a plugin of ours runs.
var namedProgram = regexp.MustCompile(`process\.env\.PLANGATE_POLICYCTL \|\| ("(?:[^"\\]|\\.)*")`)

func (h Hook) statusWhole(text []byte) Status {
	if !bytes.Contains(text, pluginMark) {
		return Status{Missing: h.info.Events}
	}
	same := bytes.Equal(text, h.plugin())
	entry := Entry{Event: h.info.Events[0].Name, Same: same, Closed: true, Timeout: true}
	other := h
	if match := namedProgram.FindSubmatch(text); len(match) == 2 && json.Unmarshal(match[1], &other.program) == nil {
		entry.Command = other.arguments(&h.info.Events[0])
		entry.Elsewhere = !same && bytes.Equal(text, other.plugin())
	}
	return Status{Entries: []Entry{entry}}
}
