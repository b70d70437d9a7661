package harness

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// ErrPayload is wrapped by every error of [Harness.Read].
var ErrPayload = errors.New("harness: could not read this call")

// payload is the JSON object that a CLI wrote, member by member.
type payload struct {
	members map[string]json.RawMessage
	used    map[string]bool
	err     error // the first member of a wrong type
}

func parsePayload(text []byte) (*payload, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%w: standard input is empty", ErrPayload)
	}
	if err := plangate.CheckJSON(text); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	p := &payload{used: map[string]bool{}}
	if json.Unmarshal(text, &p.members) != nil || p.members == nil {
		return nil, fmt.Errorf("%w: it is not a JSON object", ErrPayload)
	}
	return p, nil
}

// get returns the first member that is there and not null, and takes note of all
// names as known.
func (p *payload) get(names ...string) json.RawMessage {
	var found json.RawMessage
	for _, name := range names {
		p.used[name] = true
		if raw, ok := p.members[name]; ok && found == nil && string(raw) != "null" {
			found = raw
		}
	}
	return found
}

// text returns a member that is a string, or "".
func (p *payload) text(names ...string) string {
	raw := p.get(names...)
	if raw == nil {
		return ""
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		p.wrong(names[0], "a string")
	}
	return text
}

// object returns a member that is an object; a string that holds one counts, because
// versions of two CLIs write arguments so. nil means that there is none.
func (p *payload) object(names ...string) json.RawMessage {
	raw := p.get(names...)
	if raw == nil {
		return nil
	}
	if raw[0] == '"' {
		var inner string
		if json.Unmarshal(raw, &inner) != nil || plangate.CheckJSON([]byte(inner)) != nil {
			p.wrong(names[0], "an object")
			return nil
		}
		raw = json.RawMessage(strings.TrimSpace(inner))
	}
	if raw[0] != '{' {
		p.wrong(names[0], "an object")
		return nil
	}
	return raw
}

// part returns a member that is an object, as a payload of its own; never nil.
func (p *payload) part(name string) *payload {
	inner := &payload{used: map[string]bool{}}
	if raw := p.get(name); raw != nil && (raw[0] != '{' || json.Unmarshal(raw, &inner.members) != nil) {
		p.wrong(name, "an object")
	}
	return inner
}

// only returns an object of the members with these names, which must be strings, or nil
// if the first is not there.
func (p *payload) only(names ...string) json.RawMessage {
	picked := map[string]string{}
	for _, name := range names {
		if text := p.text(name); text != "" {
			picked[name] = text
		}
	}
	if _, ok := p.members[names[0]]; !ok {
		return nil
	}
	raw, err := json.Marshal(picked)
	if err != nil {
		return nil
	}
	return raw
}

func (p *payload) wrong(name, want string) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: %q is not %s", ErrPayload, name, want)
	}
}

// ignore takes note of members that are known and mean nothing here.
func (p *payload) ignore(names ...string) { p.get(names...) }

// extra returns the members that nobody asked for.
func (p *payload) extra() (map[string]json.RawMessage, []string) {
	var extra map[string]json.RawMessage
	var warnings []string
	for name, raw := range p.members {
		if !p.used[name] {
			if extra == nil {
				extra = map[string]json.RawMessage{}
			}
			extra[name] = raw
			warnings = append(warnings, fmt.Sprintf("unknown field %.64q", name))
		}
	}
	slices.Sort(warnings)
	return extra, warnings
}

// finish checks what every request must have, and completes it.
func (p *payload) finish(req *Request, in *Input) error {
	req.Extra, req.Warnings = p.extra()
	switch {
	case p.err != nil:
		return p.err
	case req.Tool == "":
		return fmt.Errorf("%w: it names no tool", ErrPayload)
	case req.Input == nil:
		return fmt.Errorf("%w: it has no arguments", ErrPayload)
	}
	if !filepath.IsAbs(req.Cwd) {
		req.Cwd = in.Dir
	}
	if !filepath.IsAbs(req.Project) {
		req.Project = ""
	}
	return nil
}

// identify gives the calls their id: the CLI's, else a digest of the payload and the time.
func identify(req *Request, in *Input, id string) {
	req.GivenID = id != ""
	if id == "" {
		sum := sha256.New()
		fmt.Fprintf(sum, "%d\n", in.Now.UnixNano())
		sum.Write(in.Payload)
		id = "sha256:" + hex.EncodeToString(sum.Sum(nil)[:16])
	}
	for i := range req.Calls {
		req.Calls[i].ID = id
		req.Calls[i].Cwd = req.Cwd
		req.Calls[i].Time = in.Now
	}
}
