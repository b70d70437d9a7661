package writeback

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

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

// maxNames is how many arguments a policy is bound to by name.
const maxNames = 20

// argumentName is an argument's name that means the same in an expression.
var argumentName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// names binds an allow to the arguments that the call has, by their names: where no catalog
// says what there is, another argument may be a program, a file or a host. A shell that was
// called with nothing must not be allowed with a command.
func (n *narrowing) names() error {
	if n.block.Action != plangate.Allow || n.call.Declared {
		return nil
	}
	if len(n.call.Call.Input) == 0 { // a kernel that tells no arguments has none to bind to
		if runsThings(n.call.Call.Operation) {
			return ErrTooBroad.because("the call does not say what would run, so a policy would hold for everything")
		}
		return nil
	}
	var input map[string]json.RawMessage
	if err := json.Unmarshal(n.call.Call.Input, &input); err != nil {
		return ErrTooBroad.because("its input cannot be read")
	}
	if len(input) > maxNames {
		return ErrTooBroad.because("the call has %d arguments that no catalog knows; a policy is bound to %d at most", len(input), maxNames)
	}
	terms := []string{fmt.Sprintf("length(input) == %d", len(input))}
	for _, name := range slices.Sorted(maps.Keys(input)) {
		if !argumentName.MatchString(name) || string(input[name]) == "null" {
			return ErrTooBroad.because("no catalog says what the argument %q is, and a policy cannot be bound to it; "+
				"give a catalog that knows the operation", name)
		}
		terms = append(terms, "input."+name+" != null")
	}
	if n.block.When != "" {
		terms = append([]string{n.block.When}, terms...)
	}
	n.block.When = strings.Join(terms, " && ")
	return nil
}

// runners are words in names of operations that run what their arguments say.
const runners = " bash cmd code command console eval exec execute powershell process program python ruby node run script sh shell spawn sudo terminal zsh "

// runsThings reports whether the name of an operation says that it runs something.
func runsThings(operation string) bool {
	words := strings.FieldsFunc(strings.ToLower(operation), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(runners, " "+word+" ") })
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
