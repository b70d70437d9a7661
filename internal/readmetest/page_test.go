package readmetest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// block is a fenced code block of a page.
type block struct {
	line     int // of the opening fence, from 1
	language string
	title    string
	words    []string
	body     []string
}

func (b *block) has(word string) bool { return slices.Contains(b.words, word) }

func (b *block) text() string { return strings.Join(b.body, "\n") + "\n" }

// page is a text with blocks in it. pieces are the lines outside of blocks and
// the blocks, in order.
type page struct{ pieces []piece }

type piece struct {
	line  string // if block is nil
	block *block
	fence string // the opening fence as written
}

var title = regexp.MustCompile(`title="([^"]+)"`)

func parsePage(text string) (*page, error) {
	p := &page{}
	var open *block
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch {
		case open != nil && line == "```":
			open = nil
		case open != nil:
			open.body = append(open.body, line)
		case strings.HasPrefix(line, "```"):
			open = newBlock(i+1, line)
			p.pieces = append(p.pieces, piece{block: open, fence: line})
		default:
			p.pieces = append(p.pieces, piece{line: line})
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: code block without an end", open.line)
	}
	return p, nil
}

func newBlock(line int, fence string) *block {
	words := strings.Fields(strings.TrimPrefix(fence, "```"))
	b := &block{line: line}
	if match := title.FindStringSubmatch(fence); match != nil {
		b.title = match[1]
	}
	if len(words) > 0 {
		b.language, b.words = words[0], words[1:]
	}
	return b
}

// blocks returns the blocks in order.
func (p *page) blocks() []*block {
	var list []*block
	for _, piece := range p.pieces {
		if piece.block != nil {
			list = append(list, piece.block)
		}
	}
	return list
}

func (p *page) String() string {
	var text strings.Builder
	for _, piece := range p.pieces {
		if piece.block == nil {
			text.WriteString(piece.line + "\n")
			continue
		}
		text.WriteString(piece.fence + "\n")
		for _, line := range piece.block.body {
			text.WriteString(line + "\n")
		}
		text.WriteString("```\n")
	}
	return text.String()
}

// command is one command of a console block with the output that follows it.
type command struct{ text, output string }

const prompt = "$ "

// commands splits a console block. A command that ends in a backslash goes on
// in the next line.
func (b *block) commands() ([]command, error) {
	var list []command
	continued := false
	for i, line := range b.body {
		text, isCommand := strings.CutPrefix(line, prompt)
		switch {
		case continued:
			list[len(list)-1].text += "\n" + line
		case isCommand:
			list = append(list, command{text: text})
		case len(list) == 0:
			return nil, fmt.Errorf("line %d: output before any command", b.line+1+i)
		default:
			list[len(list)-1].output += line + "\n"
			continue
		}
		continued = strings.HasSuffix(line, `\`)
	}
	return list, nil
}

// setCommands is the inverse of commands.
func (b *block) setCommands(list []command) {
	var text strings.Builder
	for _, c := range list {
		text.WriteString(prompt + c.text + "\n" + c.output)
	}
	b.body = strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
}
