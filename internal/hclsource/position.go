package hclsource

import (
	"bytes"

	"github.com/apparentlymart/go-textseg/v15/textseg"

	"github.com/plangate/plangate"
)

var byteOrderMark = []byte{0xef, 0xbb, 0xbf}

// rangeAt turns byte offsets into a range, counting as the HCL parsers do:
// columns are grapheme clusters, a byte order mark has none, and in JSON a tab
// between tokens has two.
func rangeAt(name string, src []byte, start, end int) plangate.Range {
	return plangate.Range{File: name, Start: posAt(name, src, start), End: posAt(name, src, end)}
}

func posAt(name string, src []byte, offset int) plangate.Pos {
	line := 1 + bytes.Count(src[:offset], []byte{'\n'})
	return plangate.Pos{Line: line, Column: columnAt(name, src, offset), Byte: offset}
}

func columnAt(name string, src []byte, offset int) int {
	before := src[:offset]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	if len(line) == len(before) {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	column := 1
	for len(line) > 0 {
		n, _, _ := textseg.ScanGraphemeClusters(line, true)
		if line[0] == '\t' && IsJSON(name) {
			column++
		}
		column++
		line = line[n:]
	}
	return column
}
