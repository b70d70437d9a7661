package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

// turn is one answer of the model, and what came of its calls.
type turn struct {
	Text    string            `json:"text"`
	Calls   []plangate.Call   `json:"calls"`
	Results []gate.ToolResult `json:"results"` // empty until the turn is over
}

// model stands for a language model: it answers by what it has seen so far. A real
// kernel calls one here.
func model(history []turn) turn {
	switch len(history) {
	case 0:
		return turn{Text: "I will look around and take notes.", Calls: []plangate.Call{
			shell("look", "ls"),
			write("note", "notes/today.txt", "two files to tidy up\n"),
		}}
	case 1:
		return turn{Text: "Now I tidy up, and shorten the plan.", Calls: []plangate.Call{
			shell("tidy", "rm old-1.log old-2.log"),
			write("plan", "plan.txt", "nothing\n"),
			shell("count", "wc -l notes/today.txt"),
		}}
	default:
		return turn{Text: "Done. " + summary(history[len(history)-1])}
	}
}

// summary is what the model makes of its last results.
func summary(last turn) string {
	var lines []string
	for _, r := range last.Results {
		lines = append(lines, fmt.Sprintf("%s: %s.", r.CallID, r.Kind))
	}
	return strings.Join(lines, " ")
}

func shell(id, command string) plangate.Call {
	return call(id, "shell", map[string]string{"command": command})
}

func write(id, path, content string) plangate.Call {
	return call(id, "write_file", map[string]string{"path": path, "content": content})
}

func call(id, operation string, input map[string]string) plangate.Call {
	text, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings are always JSON
	}
	return plangate.Call{ID: id, Provider: provider, Operation: operation, Input: text}
}
