package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"time"

	"github.com/plangate/plangate/harness"
)

// ErrForeign means that a file which would be ours alone is not ours.
var ErrForeign = errors.New("the file exists and was not written by policyctl; move it away first")

// pluginMark stands in every plugin of ours.
var pluginMark = []byte("Written by `policyctl init opencode`.")

// pluginMargin is how much earlier the plugin stops waiting than a CLI would.
const pluginMargin = time.Second

// plugin returns the text of the plugin file.
func (h Hook) plugin() []byte {
	return []byte(harness.OpencodePlugin(h.arguments(nil), h.timeout-pluginMargin))
}

func (h Hook) installWhole(text []byte) (Change, error) {
	plugin := h.plugin()
	switch {
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

// namedCommand finds the command that a plugin of ours runs.
var namedCommand = regexp.MustCompile(`(?m)^const command = (\[.*\])$`)

func (h Hook) statusWhole(text []byte) Status {
	if !bytes.Contains(text, pluginMark) {
		return Status{Missing: h.info.Events}
	}
	same := bytes.Equal(text, h.plugin())
	entry := Entry{Event: h.info.Events[0].Name, Same: same, Closed: true}
	match := namedCommand.FindSubmatch(text)
	if len(match) == 2 && json.Unmarshal(match[1], &entry.Command) == nil && len(entry.Command) > 0 {
		other := h
		other.program = entry.Command[0]
		entry.Elsewhere = !same && bytes.Equal(text, other.plugin())
	}
	return Status{Entries: []Entry{entry}}
}
