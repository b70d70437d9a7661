package dsl

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

var (
	hookAttributes     = []string{"command", "url", "timeout", "on_error", "on_timeout"}
	approvalAttributes = []string{"expires_in", "on_expire", "hold", "session_scope", "audit"}
	breakerAttributes  = []string{"consecutive", "window", "denials"}

	failureActions = []string{"deny", "ask"}
	expiryWords    = []string{string(ExpireDeny), string(ExpireCancelTurn)}
)

func (p *parser) decisionHook(b *block) *DecisionHook {
	p.closed(b, hookAttributes)
	hook := &DecisionHook{Timeout: Lit[time.Duration]{Value: 10 * time.Second}, Range: b.rng}
	p.hookTarget(b, hook)
	p.duration(b.attr("timeout"), &hook.Timeout)
	p.onFailure(b.attr("on_error"), &hook.OnError)
	p.onFailure(b.attr("on_timeout"), &hook.OnTimeout)
	return hook
}

// hookTarget reads command and url, of which there is exactly one.
func (p *parser) hookTarget(b *block, hook *DecisionHook) {
	command, target := b.attr("command"), b.attr("url")
	switch {
	case command == nil && target == nil:
		p.error(codeHookTarget, b.header, "Nothing to ask", `Add command = ["program", "argument"] or url = "https://…".`)
	case command != nil && target != nil:
		first, second := command, target
		if second.rng.Start.Byte < first.rng.Start.Byte {
			first, second = second, first
		}
		p.second(codeHookTarget, pairOf{second.rng, first.rng}, "Two targets", "A decision hook has a command or a url. Remove one.")
	}
	if command != nil {
		hook.Command = p.argv(command)
	}
	if target != nil {
		hook.URL = p.hookURL(target)
	}
}

// argv reads a program with its arguments. There is no shell in between.
func (p *parser) argv(a *attribute) *Lit[[]Lit[string]] {
	v := p.value(a.expr)
	words := v.items
	if v.typ != listValue {
		words = []value{v}
	}
	out := &Lit[[]Lit[string]]{Range: v.rng}
	for i, w := range words {
		if !p.isString(w, "a list of strings") {
			return nil
		}
		if i == 0 && !p.filled(w.text, w.rng) {
			return nil
		}
		out.Value = append(out.Value, Lit[string]{w.text, w.rng})
	}
	switch {
	case len(words) == 0:
		p.error(codeEmptyValue, v.rng, "Empty list", `Name the program: command = ["program", "argument"].`)
		return nil
	case v.typ == stringValue && strings.ContainsAny(v.text, " \t\n"):
		p.error(codeBadType, v.rng, "Wrong type",
			`No shell splits this string. Write the words as a list: command = ["program", "argument"].`)
		return nil
	}
	return out
}

func (p *parser) hookURL(a *attribute) *Lit[string] {
	s, ok := p.text(a)
	if !ok {
		return nil
	}
	target, err := url.Parse(s.Value)
	switch {
	case err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "":
		p.error(codeHookTarget, s.Range, "Invalid URL", `Write an absolute URL with http or https: "https://host/path".`)
		return nil
	case target.User != nil || target.Fragment != "":
		p.error(codeHookTarget, s.Range, "Invalid URL", "A hook's URL has no user, password or fragment. Remove it.")
		return nil
	case target.Scheme == "http" && !isLoopback(target.Hostname()):
		p.error(codeHookTarget, s.Range, "Unencrypted hook",
			"Over http the arguments of every call would go to another machine in the clear. Use https.")
		return nil
	}
	return &s
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// onFailure reads what a hook that fails answers: never more than ask.
func (p *parser) onFailure(a *attribute, into *Lit[plangate.Action]) {
	if a == nil {
		return
	}
	parse := func(text string) (plangate.Action, error) {
		return parseWord(text, failureActions, plangate.ParseAction)
	}
	if action, ok := wordAttribute(p, a, parse, failureActions); ok {
		*into = action
	}
}

func (p *parser) approvals(b *block) *Approvals {
	p.closed(b, approvalAttributes)
	out := &Approvals{
		ExpiresIn: Lit[time.Duration]{Value: time.Hour},
		OnExpire:  Lit[OnExpire]{Value: ExpireDeny},
		Range:     b.rng,
	}
	p.oneOf(b.attr("hold"), &out.Hold, []string{"item", "batch"})
	p.oneOf(b.attr("session_scope"), &out.SessionScope, []string{"command", "operation"})
	p.oneOf(b.attr("audit"), &out.Audit, []string{"required", "best_effort"})
	p.duration(b.attr("expires_in"), &out.ExpiresIn)
	if a := b.attr("on_expire"); a != nil {
		parse := func(text string) (OnExpire, error) {
			return parseWord(text, expiryWords, func(s string) (OnExpire, error) { return OnExpire(s), nil })
		}
		if word, ok := wordAttribute(p, a, parse, expiryWords); ok {
			out.OnExpire = word
		}
	}
	return out
}

func (p *parser) breaker(b *block) *Breaker {
	p.closed(b, breakerAttributes)
	out := &Breaker{
		Consecutive: Lit[int]{Value: 3},
		Window:      Lit[int]{Value: 20},
		Denials:     Lit[int]{Value: 8},
		Range:       b.rng,
	}
	p.count(b.attr("consecutive"), &out.Consecutive)
	p.count(b.attr("window"), &out.Window)
	p.count(b.attr("denials"), &out.Denials)
	return out
}

// oneOf reads one of a few words; the first is the default.
func (p *parser) oneOf(a *attribute, into *Lit[string], words []string) {
	into.Value = words[0]
	if a == nil {
		return
	}
	same := func(text string) (string, error) { return text, nil }
	parse := func(text string) (string, error) { return parseWord(text, words, same) }
	if word, ok := wordAttribute(p, a, parse, words); ok {
		*into = word
	}
}

// parseWord parses text if it is one of the known words.
func parseWord[T any](text string, known []string, parse func(string) (T, error)) (zero T, err error) {
	if !slices.Contains(known, text) {
		return zero, fmt.Errorf("unknown word %q", text)
	}
	return parse(text)
}
