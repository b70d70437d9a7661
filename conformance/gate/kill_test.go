package gate

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plangate/plangate/internal/pgtest"
)

// TestKilledWhileClaiming kills the server at a random moment of many claims (GAT-5,
// GAT-33, GAT-34, GAT-37, SRV-10, appr-10): whatever was answered is stored, nothing is
// half done, nothing that was claimed can be claimed again and nothing is lost.
func TestKilledWhileClaiming(t *testing.T) {
	vectors, err := Vectors()
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range []string{"sqlite", "postgres"} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			url := ""
			if store == "postgres" {
				url = pgtest.Database(t)
			}
			p := newPlace(t, &vectors[0], url, startProcess)
			for round := range 6 {
				killOnce(t, p, fmt.Sprint("s", round))
			}
		})
	}
}

const killedCalls = 24

// left is what resume returns, by item.
type left struct {
	Waiting, Ready, Running, Interrupted []struct{ ID string }
}

func ask(k Kernel, method string, params, into any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	result, err := k.Call(context.Background(), method, text)
	if err == nil && into != nil {
		err = json.Unmarshal(result, into)
	}
	return err
}

func killOnce(t *testing.T, p *place, session string) {
	t.Helper()
	kernel, err := p.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	calls := []object{}
	for i := range killedCalls {
		calls = append(calls, object{"id": fmt.Sprint("c", i), "provider": "db", "operation": "update", "input": object{}})
	}
	var plan struct{ Items []struct{ ID string } }
	if err := ask(kernel, "open", object{"session": session}, nil); err != nil {
		t.Fatal(err)
	}
	if err := ask(kernel, "plan", object{"session": session, "turn": "t", "calls": calls}, &plan); err != nil {
		t.Fatal(err)
	}
	answers := make(chan string, killedCalls)
	for _, item := range plan.Items {
		go func() {
			won := ""
			if ask(kernel, "claim", object{"session": session, "item": item.ID}, nil) == nil {
				won = item.ID
			}
			answers <- won
		}()
	}
	won := map[string]bool{}
	before := 1 + rand.IntN(killedCalls/2) //nolint:gosec // any moment will do
	for range before {
		won[<-answers] = true
	}
	if err := kernel.Kill(); err != nil {
		t.Fatal(err)
	}
	for range killedCalls - before {
		won[<-answers] = true
	}
	delete(won, "")
	checkLeft(t, p, session, won)
}

// checkLeft opens the session again and looks at what became of it.
func checkLeft(t *testing.T, p *place, session string, won map[string]bool) {
	t.Helper()
	kernel, err := p.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var rest left
	if err := ask(kernel, "open", object{"session": session}, nil); err != nil {
		t.Fatal(err)
	}
	if err := ask(kernel, "resume", object{"session": session}, &rest); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d claims were answered, %d are interrupted, %d ready", len(won), len(rest.Interrupted), len(rest.Ready))
	if len(rest.Ready)+len(rest.Interrupted) != killedCalls || len(rest.Waiting)+len(rest.Running) != 0 {
		t.Errorf("GAT-37 lost or doubled: %d ready, %d interrupted", len(rest.Ready), len(rest.Interrupted))
	}
	interrupted := map[string]bool{}
	for _, item := range rest.Interrupted {
		interrupted[item.ID] = true
		if err := ask(kernel, "claim", object{"session": session, "item": item.ID}, nil); err == nil {
			t.Error("GAT-34 what ran can be claimed again")
		}
	}
	for id := range won {
		if !interrupted[id] {
			t.Error("SRV-10 a claim was answered and is not stored")
		}
	}
	for _, item := range rest.Ready {
		if err := ask(kernel, "claim", object{"session": session, "item": item.ID}, nil); err != nil {
			t.Errorf("GAT-37 what was left cannot be claimed: %v", err)
		}
	}
	if err := kernel.Kill(); err != nil {
		t.Error(err)
	}
}

// TestSignal is SRV-8 for a real process: a signal ends it like the end of its input.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	vectors, err := Vectors()
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := newPlace(t, &vectors[0], "", nil)
		command := exec.Command(program, "serve", "--stdio", "--policy", p.policy, "--store", p.store, "--log", "none")
		command.Dir, command.Env = p.dir, append(os.Environ(), "HOME="+p.dir)
		in, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for _, request := range []string{
			`{"id":1,"method":"open","params":{"session":"s"}}`,
			`{"id":2,"method":"plan","params":{"session":"s","turn":"t","calls":[{"id":"c","operation":"o"}]}}`,
			`{"id":3,"method":"wait","params":{"session":"s"}}`,
		} {
			fmt.Fprintln(in, request)
			if strings.Contains(request, "wait") {
				time.Sleep(100 * time.Millisecond) // it is at work by then, or is answered just the same
				if err := command.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			if !lines.Scan() {
				t.Fatalf("SRV-8 %v: no answer to %s", signal, request)
			}
		}
		if got := lines.Text(); !strings.HasPrefix(got, `{"id":3,"error":{"code":"cancelled"`) {
			t.Errorf("SRV-8 %v: %s", signal, got)
		}
		if lines.Scan() {
			t.Errorf("SRV-2 %v: one line more: %s", signal, lines.Text())
		}
		if err := command.Wait(); err != nil {
			t.Errorf("SRV-8 %v: %v", signal, err)
		}
	}
}
