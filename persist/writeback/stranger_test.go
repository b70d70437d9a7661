package writeback

import (
	"testing"

	"github.com/plangate/plangate"
)

// TestBoundToNames (WBK-1): an allow that nothing else binds holds for the arguments that were
// shown, and for no call with another one.
func TestBoundToNames(t *testing.T) {
	for name, c := range map[string]struct{ operation, shown string }{
		"shell with nothing": {"bash", `{}`}, "shell with a note": {"Bash", `{"note":"x"}`}, "another tool": {"deploy", `{"n":1,"to-do":[]}`},
		"a path": {"write", `{"path":"a.txt"}`}, "a command": {"bash", `{"command":"ls"}`}, "a host": {"fetch", `{"url":"https://a.example/x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.project("")
			call := plangate.Call{Operation: c.operation, Kind: plangate.Resource, Risk: plangate.Low, Input: []byte(c.shown)}
			p.write(plangate.Allow, call)
			p.wants(call, plangate.Allow)
			for _, other := range []string{
				`{"command":"id"}`, `{"path":"/etc/passwd"}`, `{"note":"x","command":"id"}`, `{"n":1,"to-do":[],"cmd":"id"}`, `{"n":1,"command":"id"}`, `{"n":null,"to-do":null}`,
				`{"path":"a.txt","url":"http://evil.example"}`, `{"command":"ls","path":"/etc/passwd"}`, `{"url":"https://a.example/x","path":"/etc/passwd"}`,
			} {
				call.Input = []byte(other)
				p.wants(call, plangate.Ask)
			}
			call.Input = nil
			p.wants(call, plangate.Ask)
		})
	}
	for _, refused := range []string{`{"a b":1}`, `{"x":null}`, `{"${x}":1}`, `[]`, `"x"`} {
		p := newPlace(t)
		p.project("")
		p.refused(p.request(plangate.Allow, plangate.Call{Operation: "deploy", Kind: plangate.Resource, Risk: plangate.Low, Input: []byte(refused)}), ErrTooBroad)
	}
	for _, operation := range []string{"bash", "run_shell_command", "Execute-Command", "code.exec"} {
		p := newPlace(t)
		p.project("")
		p.refused(p.request(plangate.Allow, plangate.Call{Operation: operation, Kind: plangate.Resource, Risk: plangate.Low}), ErrTooBroad)
	}
}
