package readmetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = "Text\n\n```console\n$ one \\\n  more\nout\n\n$ two\n```\n```hcl title=\"a b.hcl\" error\nx\n```\nEnd\n"

func TestParsePage(t *testing.T) {
	p, err := parsePage(sample)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample, p.String()); diff != "" {
		t.Error(diff)
	}
	blocks := p.blocks()
	if len(blocks) != 2 || blocks[1].title != "a b.hcl" || !blocks[1].has("error") || blocks[1].line != 10 {
		t.Fatalf("%+v", blocks)
	}
	commands, err := blocks[0].commands()
	want := []command{{"one \\\n  more", "out\n\n"}, {"two", ""}}
	if diff := cmp.Diff(want, commands, cmp.AllowUnexported(command{})); diff != "" || err != nil {
		t.Error(err, diff)
	}
	blocks[0].setCommands(commands)
	if diff := cmp.Diff(sample, p.String()); diff != "" {
		t.Error(diff)
	}
}

func TestParsePageErrors(t *testing.T) {
	if _, err := parsePage("```sh\nno end\n"); err == nil {
		t.Error("a block without an end passes")
	}
	p, err := parsePage("```console\nout\n$ one\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.blocks()[0].commands(); err == nil {
		t.Error("output without a command passes")
	}
}
