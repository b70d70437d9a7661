package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/plangate/plangate/eval"
)

// items shows the commands of the call, each with its own verdict.
func (s *story) items() {
	if len(s.Items) == 0 || s.Items[0].Text == "" && len(s.Items) == 1 {
		return
	}
	s.title(fmt.Sprintf("%s, each judged by itself; the strictest counts", plural(len(s.Items), "command")))
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for i := range s.Parts {
		part := &s.Parts[i]
		if part.Source != s.part().Source {
			continue // the other reading of kind and risk has the same commands
		}
		mark := " "
		if i == s.Decided {
			mark = "*"
		}
		fmt.Fprintf(table, "%s %s\t%s\t%s%s\n", mark, itemText(s.Items[part.Item]), part.Decision.Action(),
			escape(part.Decision.DecidedBy()), itemRemark(s.Items[part.Item]))
	}
	_ = table.Flush() // the writer below keeps its error
}

// itemText is the command as it stands in the script, on one line.
func itemText(item eval.Item) string {
	text := "the call as a whole"
	if 0 <= item.Start && item.Start < item.End && item.End <= len(item.Text) {
		text = strings.Join(strings.Fields(item.Text[item.Start:item.End]), " ")
	}
	return firstColumns(text, textWidth/2)
}

// itemRemark tells what is not certain about an item, and what it does beside
// its words.
func itemRemark(item eval.Item) string {
	remarks := item.Effects
	if len(item.Unknown) > 0 {
		remarks = append([]string{"not certain: " + strings.Join(item.Unknown, ", ")}, remarks...)
	}
	if len(remarks) == 0 {
		return ""
	}
	return " (" + escape(firstColumns(strings.Join(remarks, "; "), textWidth)) + ")"
}
