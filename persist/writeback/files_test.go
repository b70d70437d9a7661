//go:build unix

package writeback

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/layers"
)

func TestFilesThatAreNoStore(t *testing.T) {
	for name, make := range map[string]func(p *place, req *Request) *Error{
		"missing": func(p *place, req *Request) *Error {
			req.File = p.path("project/agent.hcl")
			return ErrNoStore
		},
		"missing directory": func(p *place, req *Request) *Error {
			req.File, req.Create = p.path("project/sub/agent.hcl"), true
			return ErrNoStore
		},
		"nothing in force": func(*place, *Request) *Error { return ErrNoStore },
		"no state": func(p *place, req *Request) *Error {
			p.project(asks)
			req.State = ""
			return ErrNoStore
		},
		"JSON form": func(p *place, req *Request) *Error {
			req.File = p.put("project/agent.hcl.json", `{}`)
			return ErrNoStore
		},
		"JSON form in force": func(p *place, _ *Request) *Error {
			path := p.put("project/agent.hcl.json", `{}`)
			if _, err := layers.TrustFile(p.options().Places, path); err != nil {
				p.t.Fatal(err)
			}
			return ErrNoStore
		},
		"new beside JSON form": func(p *place, req *Request) *Error {
			p.put("project/agent.hcl.json", `{}`)
			req.File, req.Create = p.path(project), true
			return ErrNoStore
		},
		"directory": func(p *place, req *Request) *Error {
			req.File = p.path("project")
			return ErrNoStore
		},
		"FIFO": func(p *place, req *Request) *Error {
			req.File = p.path(project)
			if err := syscall.Mkfifo(req.File, 0o600); err != nil {
				p.t.Fatal(err)
			}
			return ErrNoStore
		},
		"device": func(_ *place, req *Request) *Error {
			req.File = "/dev/null"
			return ErrNoStore
		},
		"hard link": func(p *place, _ *Request) *Error {
			p.project(asks)
			if err := os.Link(p.path(project), p.path("other")); err != nil {
				p.t.Fatal(err)
			}
			return ErrNoStore
		},
		"dangling link": func(p *place, req *Request) *Error {
			req.File, req.Create = p.path(project), true
			if err := os.Symlink(p.path("nowhere"), req.File); err != nil {
				p.t.Fatal(err)
			}
			return ErrNoStore
		},
		"too large": func(p *place, _ *Request) *Error {
			p.project(asks + "#" + strings.Repeat("x", dsl.MaxBytes-len(asks)-10) + "\n")
			return ErrNoStore
		},
		"not in force": func(p *place, req *Request) *Error {
			p.project(asks)
			req.File = p.put("elsewhere/agent.hcl", asks)
			return ErrNoStore
		},
		"not trusted": func(p *place, req *Request) *Error {
			req.File = p.put(project, asks)
			return ErrNoStore
		},
		"write-protected": func(p *place, _ *Request) *Error {
			p.project(asks)
			if err := os.Chmod(p.path(project), 0o444); err != nil {
				p.t.Fatal(err)
			}
			return ErrReadOnly
		},
		"write-protected directory": func(p *place, _ *Request) *Error {
			if os.Geteuid() == 0 {
				p.t.Skip("the superuser may write everywhere")
			}
			p.project(asks)
			if err := os.Chmod(p.path("project"), 0o500); err != nil {
				p.t.Fatal(err)
			}
			p.t.Cleanup(func() { _ = os.Chmod(p.path("project"), 0o700) })
			return nil // a preview cannot know it
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			req := p.request(plangate.Allow, bash("git status"))
			if want := make(p, &req); want != nil {
				p.refused(req, want)
			} else if _, err := Write(context.Background(), req); !errors.Is(err, ErrReadOnly) {
				t.Error(err)
			}
			if entries, _ := os.ReadDir(p.path("project")); len(entries) > 1 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
}

func TestLinkAndModeStay(t *testing.T) {
	p := newPlace(t)
	real := p.put("dotfiles/policy.hcl", asks)
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/policy.hcl", p.path(project)); err != nil {
		t.Fatal(err)
	}
	if _, err := layers.TrustFile(p.options().Places, p.path(project)); err != nil {
		t.Fatal(err)
	}
	change := p.write(plangate.Allow, bash("git status"))
	if to, err := os.Readlink(p.path(project)); err != nil || to != "../dotfiles/policy.hcl" {
		t.Errorf("the link is gone: %v", err)
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode() != 0o640 || change.Target != real {
		t.Errorf("mode %v, target %s", info.Mode(), change.Target)
	}
	p.wants(bash("git status"), plangate.Allow)
	if _, err := p.undo(); err != nil || p.get("dotfiles/policy.hcl") != asks {
		t.Errorf("undo: %v", err)
	}
}

func TestCreate(t *testing.T) {
	p := newPlace(t)
	req := p.request(plangate.Allow, bash("git status"))
	req.Create = true
	change, err := Write(context.Background(), req)
	if err != nil || !change.Created || change.File != p.path(project) || !change.Trusted || change.Digest != "" {
		t.Fatalf("%v %+v", err, change)
	}
	p.wants(bash("git status"), plangate.Allow)
	undone, err := p.undo()
	if err != nil || !undone.Removed {
		t.Fatalf("%v %+v", err, undone)
	}
	if _, err := os.Stat(p.path(project)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the file is still there")
	}
	if trusts, _ := layers.Trusts(p.options().Places); len(trusts) != 0 {
		t.Errorf("still trusted: %v", trusts)
	}
	req.File = p.path("config/agent.hcl")
	if change, err := Write(context.Background(), req); err != nil || change.Layer != plangate.LayerUser {
		t.Errorf("%v %+v", err, change)
	}
	p.wants(bash("git status"), plangate.Allow)
	req.Options.Places.Trust = ""
	req.File, req.Call.Input = p.path(project), bash("git diff").Input
	if _, err := Write(context.Background(), req); !errors.Is(err, ErrNoStore) {
		t.Errorf("a project file that could not be trusted: %v", err)
	}
}

func TestWhichFileAnswersGoTo(t *testing.T) {
	p := newPlace(t)
	p.put("config/agent.hcl", asks)
	managed := p.put("managed/agent.hcl", "")
	request := func(command string) Request {
		req := p.request(plangate.Allow, bash(command))
		req.Options.Places.Managed = managed
		return req
	}
	change, err := Write(context.Background(), request("git status"))
	if err != nil || change.Layer != plangate.LayerUser {
		t.Errorf("%v %+v", err, change)
	}
	p.project("")
	change, err = Write(context.Background(), request("git diff"))
	if err != nil || change.Layer != plangate.LayerProject {
		t.Errorf("%v %+v", err, change)
	}
	p.put("project/inner/agent.hcl", "")
	inner := request("git log")
	inner.Options.Dir = p.path("project/inner")
	change, err = Write(context.Background(), inner)
	if err != nil || change.File != p.path(project) {
		t.Errorf("an untrusted file is not for allows: %v %+v", err, change)
	}
	req := request("git show")
	req.File = managed
	change, err = Write(context.Background(), req)
	if err != nil || change.Layer != plangate.LayerManaged {
		t.Errorf("by name: %v %+v", err, change)
	}
}

func TestUntrustedFileTakesADeny(t *testing.T) {
	p := newPlace(t)
	p.put(project, "")
	change := p.write(plangate.Deny, bash("git push"))
	if change.Trusted {
		t.Error("an untrusted file became trusted")
	}
	p.wants(bash("git push"), plangate.Deny)
	if trusts, _ := layers.Trusts(p.options().Places); len(trusts) != 0 {
		t.Errorf("trusted: %v", trusts)
	}
}

func TestTrustFollowsAndNeverComesBack(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	p.write(plangate.Allow, bash("git status"))
	p.wants(bash("git status"), plangate.Allow)
	if _, err := p.undo(); err != nil {
		t.Fatal(err)
	}
	trusts, err := layers.Trusts(p.options().Places)
	if err != nil || len(trusts) != 1 || trusts[0].Digest != digestOf([]byte(asks)) {
		t.Errorf("%v %v", trusts, err)
	}
	p.write(plangate.Allow, bash("git status"))
	if err := layers.Untrust(p.options().Places, p.path(project)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.undo(); err != nil {
		t.Fatal(err)
	}
	if trusts, _ := layers.Trusts(p.options().Places); len(trusts) != 0 {
		t.Errorf("trust came back: %v", trusts)
	}
	p.put(project, asks+"policy \"evil\" {\n  match = {}\n  action = \"allow\"\n}\n")
	p.write(plangate.Deny, bash("git push"))
	if trusts, _ := layers.Trusts(p.options().Places); len(trusts) != 0 {
		t.Errorf("foreign content is trusted: %v", trusts)
	}
}

func TestExplicitFiles(t *testing.T) {
	p := newPlace(t)
	name := p.put("my.hcl", asks)
	req := p.request(plangate.Allow, bash("git status"))
	req.Options.Files, req.File = []string{name}, name
	if _, err := Write(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.get("my.hcl"), "always_bash_1") {
		t.Error("not written")
	}
	req.File = p.path("new.hcl")
	req.Options.Files = []string{req.File}
	req.Create = true
	if change, err := Write(context.Background(), req); err != nil || !change.Created {
		t.Errorf("%v %+v", err, change)
	}
}

func TestUndo(t *testing.T) {
	both := func(p *place) {
		p.project(asks)
		p.write(plangate.Allow, bash("git status"))
		p.write(plangate.Allow, bash("git diff"))
	}
	t.Run("walks back one at a time", func(t *testing.T) {
		p := newPlace(t)
		both(p)
		for _, want := range []string{"always_bash_2", "always_bash_1"} {
			preview, err := PreviewUndo(context.Background(), UndoRequest{Target: p.target()})
			if err != nil || preview.Policy != want {
				t.Fatalf("preview: %v %+v", err, preview)
			}
			change, err := p.undo()
			if err != nil || change.Policy != want || change.Diff != preview.Diff || len(change.Cells) == 0 {
				t.Fatalf("%v %+v", err, change)
			}
		}
		if _, err := p.undo(); !errors.Is(err, ErrNothing) || p.get(project) != asks {
			t.Errorf("%v\n%s", err, p.get(project))
		}
	})
	t.Run("leaves other edits alone", func(t *testing.T) {
		p := newPlace(t)
		both(p)
		p.project("# new\n" + strings.Replace(p.get(project), "asks", "renamed", 1) + "# end\n")
		if _, err := p.undo(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.undo(); err != nil {
			t.Fatal(err)
		}
		if want := "# new\n" + strings.Replace(asks, "asks", "renamed", 1) + "# end\n"; p.get(project) != want {
			t.Errorf("%q, want %q", p.get(project), want)
		}
	})
	t.Run("refuses if the place was edited", func(t *testing.T) {
		p := newPlace(t)
		both(p)
		edited := strings.Replace(p.get(project), `["=git diff"]`, `["=git diff", "=git log"]`, 1)
		p.project(edited)
		if _, err := p.undo(); !errors.Is(err, ErrChanged) || p.get(project) != edited {
			t.Error(err)
		}
	})
	t.Run("passes over what was removed by hand", func(t *testing.T) {
		p := newPlace(t)
		both(p)
		at := strings.LastIndex(p.get(project), "# always")
		p.project(p.get(project)[:at])
		if change, err := p.undo(); err != nil || change.Policy != "always_bash_1" {
			t.Errorf("%v %+v", err, change)
		}
	})
	t.Run("does not touch a broken file", func(t *testing.T) {
		p := newPlace(t)
		both(p)
		p.project(p.get(project) + "policy {")
		if _, err := p.undo(); !errors.Is(err, ErrInvalid) {
			t.Error(err)
		}
	})
	t.Run("expects what was shown", func(t *testing.T) {
		p := newPlace(t)
		both(p)
		_, err := Undo(context.Background(), UndoRequest{Target: p.target(), Expect: digestOf(nil)})
		if !errors.Is(err, ErrChanged) {
			t.Error(err)
		}
	})
	t.Run("believes no damaged journal", func(t *testing.T) {
		for _, text := range []string{"{", `{"version":2}`, `{"version":1,"entries":[{"offset":-1}]}`, ""} {
			p := newPlace(t)
			both(p)
			p.put("state/writeback.json", text)
			if _, err := p.undo(); !errors.Is(err, ErrJournal) {
				t.Errorf("%q: %v", text, err)
			}
			if _, err := Write(context.Background(), p.request(plangate.Allow, bash("git log"))); !errors.Is(err, ErrJournal) {
				t.Errorf("%q: %v", text, err)
			}
			if p.get("state/writeback.json") != text {
				t.Error("it was overwritten")
			}
		}
		p := newPlace(t)
		both(p)
		if err := os.Chmod(p.path("state/writeback.json"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := p.undo(); !errors.Is(err, ErrJournal) {
			t.Errorf("others may read it: %v", err)
		}
	})
	t.Run("goes to the file that was written, trusted or not", func(t *testing.T) {
		p := newPlace(t)
		p.put("config/agent.hcl", asks)
		both(p)
		p.put(project, p.get(project)+"# edited\n")
		if change, err := p.undo(); err != nil || change.Policy != "always_bash_2" || change.File != p.path(project) || change.Trusted {
			t.Errorf("%v %+v", err, change)
		}
	})
	t.Run("is private", func(t *testing.T) {
		p := newPlace(t)
		both(p)
		for _, name := range []string{journalName, lockName} {
			info, err := os.Stat(filepath.Join(p.path("state"), name))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", name, info.Mode(), err)
			}
		}
	})
}

func TestJournalIsBounded(t *testing.T) {
	s := &state{dir: t.TempDir()}
	entries := make([]entry, maxEntries+7)
	for i := range entries {
		entries[i].Offset = i
	}
	if err := s.save(entries); err != nil {
		t.Fatal(err)
	}
	kept, err := s.entries()
	if err != nil || len(kept) != maxEntries || kept[len(kept)-1].Offset != maxEntries+6 {
		t.Errorf("%d kept, %v", len(kept), err)
	}
	entries[3].Inserted = make([]byte, maxJournalBytes)
	if err := s.save(entries[:4]); err != nil {
		t.Fatal(err)
	}
	if kept, err := s.entries(); err != nil || len(kept) != 1 {
		t.Errorf("%d kept, %v", len(kept), err)
	}
}

func TestErrorCodes(t *testing.T) {
	want := map[*Error]string{
		ErrNoStore: "no_policy_store", ErrChanged: "policy_changed", ErrWouldLoosen: "would_loosen", ErrTooBroad: "too_broad",
		ErrReadOnly: "read_only", ErrInvalid: "policy_invalid", ErrNothing: "nothing_to_undo", ErrOutranked: "outranked",
		ErrJournal: "journal_damaged", ErrRequest: "bad_request",
	}
	for err, code := range want {
		if err.Code() != code || !errors.Is(err.because("x"), err) {
			t.Errorf("%s", err.Code())
		}
		for other := range want {
			if other != err && errors.Is(err, other) {
				t.Errorf("%s is %s", err.Code(), other.Code())
			}
		}
	}
}
