package writeback

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/plangate/plangate"
)

// strangers refuses an allow of a call with an argument that may be a program, a file
// or a host and is bound by nothing: no catalog says what it is, and a policy without
// it would hold for every program, file or host.
func (n *narrowing) strangers() error {
	if n.block.Action != plangate.Allow || n.call.Declared || len(n.call.Call.Input) == 0 {
		return nil
	}
	var input any
	if err := json.Unmarshal(n.call.Call.Input, &input); err != nil {
		return ErrTooBroad.because("its input cannot be read")
	}
	if name := n.stranger("", input); name != "" {
		return ErrTooBroad.because("no catalog says what the argument %q is, so no policy can be bound to it and one would hold for "+
			"all values; give a catalog that knows the operation", name)
	}
	return nil
}

// stranger returns the JSON pointer of the first such argument, or "".
func (n *narrowing) stranger(at string, value any) string {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if found := n.stranger(at+"/"+name, v[name]); found != "" {
				return found
			}
		}
	case []any:
		for i, member := range v {
			if found := n.stranger(at+"/"+strconv.Itoa(i), member); found != "" {
				return found
			}
		}
	case string:
		if !n.isRole(at) && (namesThing(at) || looksLikePlace(v)) {
			return at
		}
	}
	return ""
}

func sortedKeys(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// isRole reports whether the block is bound to the argument, or the call was refused.
func (n *narrowing) isRole(pointer string) bool {
	roles := n.call.Roles
	for _, role := range slices.Concat(roles.Command, roles.Path, roles.URL) {
		before, after, isList := strings.Cut(role, "*")
		if pointer == role || isList && strings.HasPrefix(pointer, before) && strings.HasSuffix(pointer, after) {
			return true
		}
	}
	return false
}

// things are names of arguments for programs, files and hosts.
const things = " address arg args argument arguments argv bin binary cmdline code command_line commands cwd dest destination dir " +
	"directory document documents dst edits endpoint exe exec executable file filename filepath files folder from_path host hostname hosts " +
	"input_file output output_file outfile program query root run server shell source source_code sources sql src statement " +
	"target targets to_path url_list workdir working_directory workspace "

// namesThing reports whether a part of a pointer is such a name.
func namesThing(pointer string) bool {
	for part := range strings.SplitSeq(strings.ToLower(pointer), "/") {
		if part != "" && strings.Contains(things, " "+part+" ") {
			return true
		}
	}
	return false
}

// looksLikePlace reports whether a text is written like a path or a URL.
func looksLikePlace(text string) bool {
	return strings.Contains(text, "://") || strings.HasPrefix(text, "~") || strings.HasPrefix(text, "/") ||
		strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, `\\`)
}
