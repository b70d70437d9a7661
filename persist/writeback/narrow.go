package writeback

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/facts"
)

// narrow writes the call as the narrowest policy there is.
func narrow(p *policy, trace *eval.Trace, action plangate.Action) (*compile.Block, error) {
	call := trace.Call
	if err := nameable(trace); err != nil {
		return nil, err
	}
	part := trace.Parts[trace.Decided]
	block := &compile.Block{
		Operation: call.Operation, Provider: call.Provider, Kind: part.Kind, Risk: part.Risk, Action: action,
	}
	if call.Provider == "" { // a match cannot say so, and would take in every provider
		block.When = `call.provider == ""`
	}
	if slices.Contains(p.table.Profiles(), call.Profile) { // another name would become known (spec PRF-3)
		block.Profiles = []string{call.Profile}
	}
	n := narrowing{block: block, call: facts.ReadCall(subjectOf(p, call))}
	for _, add := range []func() error{n.commands, n.paths, n.hosts, n.strangers, n.names} {
		if err := add(); err != nil {
			return nil, err
		}
	}
	if block.Risk == plangate.RiskUnspecified && !pins(block) {
		return nil, ErrTooBroad.because("the risk of the call is not known, so the policy would hold for every risk; " +
			"state the risk, or give a catalog that knows the operation")
	}
	return block, nil
}

// pins reports whether conditions bind the block to what the call does.
func pins(block *compile.Block) bool {
	return len(block.Command)+len(block.Path)+len(block.Host) > 0
}

// subjectOf says how the conditions of the table read the call.
func subjectOf(p *policy, call plangate.Call) facts.Subject {
	subject := facts.Subject{Call: call, Roles: facts.ConventionalRoles()}
	if known := compile.Known(p.input, call.Provider, call.Operation); known != nil {
		subject.Roles, subject.Declared = known.Roles, !known.Roles.Guessed
	}
	return subject
}

// nameable reports why no match can name what was judged.
func nameable(trace *eval.Trace) error {
	call := trace.Call
	for _, name := range []string{call.Operation, call.Provider} {
		if !utf8.ValidString(name) || strings.ContainsFunc(name, hidden) {
			return ErrTooBroad.because("a name of the call has characters that cannot be seen, so it is not written into a policy")
		}
	}
	first := trace.Parts[0]
	contradicts := func(p eval.Part) bool { return p.Kind != first.Kind || p.Risk != first.Risk }
	switch {
	case call.Operation == "":
		return ErrTooBroad.because("the call has no operation")
	case strings.Contains(call.Operation+call.Provider, "*"):
		return ErrTooBroad.because("a name of the call has a star in it, which in a match would be a glob")
	case strings.HasPrefix(call.Operation, "mcp__"):
		return ErrTooBroad.because("the operation is spelled mcp__SERVER__TOOL and could be split in several ways; " +
			"give the call a provider and an operation")
	case slices.ContainsFunc(trace.Parts, contradicts):
		return ErrTooBroad.because("kind or risk of the call contradict the catalog; correct one of the two")
	case first.Kind == plangate.Interactive:
		return ErrTooBroad.because("no policy can name the kind interactive; write a guard or a default by hand")
	default:
		return nil
	}
}

// hidden reports whether a character does not show itself.
func hidden(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// narrowing adds conditions to a block.
type narrowing struct {
	block *compile.Block
	call  *facts.Call
}

// commands binds the block to the commands of the call. A deny of a script
// would deny each of its commands alone, so it needs a script of one.
func (n *narrowing) commands() error {
	texts, _ := n.call.CommandTexts()
	for i := range n.call.Items() {
		u := n.call.Unit(i)
		if u.Command == nil {
			if u.Unknown != "" || len(texts) > 0 && n.call.Items() == 1 {
				return ErrTooBroad.because("its command is empty or cannot be read, and a policy without one would hold for every command")
			}
			continue
		}
		pattern, why := exactCommand(u.Command, u.Text, n.block.Action)
		if u.Loose {
			why = "no catalog says that it is one"
		}
		if why != "" {
			return ErrTooBroad.because("the command %q cannot be bound: %s", excerpt(u), why)
		}
		if u.Command.Opaque != "" && n.call.Items() > 1 && n.block.Action == plangate.Allow {
			return ErrTooBroad.because("the command %q runs code beside other commands, which may be its input", excerpt(u))
		}
		if !slices.Contains(n.block.Command, pattern) {
			n.block.Command = append(n.block.Command, pattern)
		}
	}
	return n.single(n.block.Command, "command")
}

// single refuses a deny of several things, which would deny each of them alone.
func (n *narrowing) single(patterns []string, what string) error {
	if n.block.Action == plangate.Deny && len(patterns) > 1 {
		return ErrTooBroad.because("a deny of several %ss at once would deny each of them alone; "+
			"deny the one that is meant", what)
	}
	return nil
}

// excerpt is the text of a command, bounded.
func excerpt(u *facts.Unit) string {
	const longest = 80
	text := u.Text
	if c := u.Command; c != nil && c.Pos < c.End && c.End <= len(text) {
		text = text[c.Pos:c.End]
	}
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	return strings.ToValidUTF8(text, "?")
}

// paths binds the block to the paths that arguments of the call name.
func (n *narrowing) paths() error {
	texts := map[string]bool{}
	for _, place := range n.call.Places() {
		if !place.Inner || !place.Sure {
			continue
		}
		read := place.Path()
		if !read.Known() {
			return ErrTooBroad.because("where the path %q leads is not certain (%s), and a policy without it would hold for every path",
				read.Given, read.Unknown)
		}
		texts[read.Lexical] = true
		for _, reading := range append([]string{read.Lexical, read.Resolved}, read.Also...) {
			pattern := escapePath(reading)
			if _, err := facts.CompilePath(pattern); err != nil {
				return ErrTooBroad.because("the path %q cannot be written as an exact pattern: %v", reading, err)
			}
			if !slices.Contains(n.block.Path, pattern) {
				n.block.Path = append(n.block.Path, pattern)
			}
		}
	}
	if len(texts) > 1 {
		return n.single(n.block.Path, "path")
	}
	return nil
}

// escapePath takes the meaning from the characters that have one in a pattern.
func escapePath(name string) string {
	const special = `*?[]{}\,!^`
	var b strings.Builder
	for i := range len(name) {
		if strings.IndexByte(special, name[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// hosts binds the block to the hosts that arguments of the call name.
func (n *narrowing) hosts() error {
	urls := n.call.URLs()
	if urls.State != facts.Given {
		return nil
	}
	if urls.Unknown != "" {
		return ErrTooBroad.because("a URL of the call cannot be read (%s), and a policy without it would hold for every host", urls.Unknown)
	}
	for _, text := range urls.Texts {
		pattern, ok := exactHost(facts.ReadHost(text))
		if !ok {
			return ErrTooBroad.because("the host of a URL of the call is not certain, and a policy without it would hold for every host")
		}
		if !slices.Contains(n.block.Host, pattern) {
			n.block.Host = append(n.block.Host, pattern)
		}
	}
	return n.single(n.block.Host, "host")
}

// exactHost is a pattern for just this host and port.
func exactHost(host facts.Host) (string, bool) {
	if !host.Known() {
		return "", false
	}
	target := host.Targets[0]
	name := target.Name
	if name == "" {
		name = target.Addr.String()
	}
	pattern := net.JoinHostPort(name, strconv.Itoa(int(target.Port)))
	_, err := facts.CompileHost(pattern)
	return pattern, err == nil && target.Port != 0
}
