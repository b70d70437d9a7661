package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

// provider is the name of the tools here.
const provider = "scratch"

// tools runs calls in a folder. Nothing calls it but the loop, after a claim.
type tools struct{ dir string }

// run runs one call and returns what it gave.
func (t tools) run(ctx context.Context, call plangate.Call) gate.Result {
	var input struct{ Command, Path, Content string }
	if err := json.Unmarshal(call.Input, &input); err != nil {
		return gate.Result{Error: err.Error()}
	}
	var out string
	var err error
	switch call.Operation {
	case "shell":
		out, err = t.shell(ctx, input.Command)
	case "write_file":
		out, err = t.write(input.Path, input.Content)
	default:
		err = fmt.Errorf("there is no tool %q", call.Operation)
	}
	if err != nil {
		return gate.Result{Error: err.Error()}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return gate.Result{Error: err.Error()}
	}
	return gate.Result{Output: text}
}

func (t tools) shell(ctx context.Context, command string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = t.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// write writes a file of the folder; os.Root keeps it there whatever the path says.
func (t tools) write(path, content string) (string, error) {
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return "written", root.WriteFile(path, []byte(content), 0o644)
}
