package main

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/plangate/plangate/dsl"
)

// source is the text of a file, prepared for showing many places in it.
type source struct {
	src    []byte
	starts []int // of the lines, in bytes
}

func newSource(src []byte) *source {
	s := &source{src: src, starts: []int{0}}
	for at := 0; ; {
		next := bytes.IndexByte(src[at:], '\n')
		if next < 0 {
			return s
		}
		at += next + 1
		s.starts = append(s.starts, at)
	}
}

// lineAt returns the bounds of the line around a byte, without its line feed.
func (s *source) lineAt(at int) (first, last int) {
	i, found := slices.BinarySearch(s.starts, at)
	if !found {
		i--
	}
	if i+1 == len(s.starts) {
		return s.starts[i], len(s.src)
	}
	return s.starts[i], s.starts[i+1] - 1
}

// sourceOf returns the prepared text of a file, made once.
func (p *printer) sourceOf(name string) *source {
	if s, ok := p.prepared[name]; ok {
		return s
	}
	if p.prepared == nil {
		p.prepared = map[string]*source{}
	}
	p.prepared[name] = newSource(p.sources[name])
	return p.prepared[name]
}

// sortedBlocks returns the blocks of a file in the order of the text, made once.
func (p *printer) sortedBlocks(file *dsl.File) []block {
	if blocks, ok := p.blocks[file]; ok {
		return blocks
	}
	if p.blocks == nil {
		p.blocks = map[*dsl.File][]block{}
	}
	blocks := blocksOf(file)
	slices.SortFunc(blocks, func(a, b block) int { return cmp.Compare(a.whole.Start.Byte, b.whole.Start.Byte) })
	p.blocks[file] = blocks
	return blocks
}
