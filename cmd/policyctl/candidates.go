package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/plangate/plangate/eval"
)

// candidates tells what became of every rule that could have decided.
func (s *story) candidates() {
	part := s.part()
	s.title("What could have decided, in order of precedence")
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, list := range part.Lists {
		fmt.Fprintf(table, "  %s\t\t%s\t%s\n", escape(shortName(list.Rule)), escape(placeOf(list.Rule.File, list.Rule.Line)), listText(list))
	}
	for i, policy := range part.Policies {
		if i == maxCandidates && policy.Outcome != eval.Won {
			fmt.Fprintf(table, "  … %d more\t\t\t\n", len(part.Policies)-i)
			break
		}
		row(table, policy)
	}
	row(table, part.Fallback)
	_ = table.Flush() // the writer below keeps its error
	if rest := append(append([]eval.Candidate(nil), part.Guards...), part.Builtins...); len(rest) > 0 {
		s.title("Guards")
		for _, guard := range rest {
			row(table, guard)
		}
		_ = table.Flush()
	}
}

func row(table *tabwriter.Writer, c eval.Candidate) {
	fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", escape(shortName(c.Rule)), c.Action, escape(placeOf(c.Rule.File, c.Rule.Line)),
		escape(outcomeText(c)))
	if c.Outcome == eval.DoesNotApply && len(c.Unknown) == 0 {
		return // why something is certainly not so is seldom the question
	}
	for _, note := range c.Notes {
		fmt.Fprintf(table, "    %s\n", escape(firstColumns(note, textWidth+afterWidth)))
	}
}

func placeOf(file string, line int) string {
	if file == "" {
		return "built in"
	}
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

func listText(step eval.ListStep) string {
	listed := "does not hold the operation"
	if step.Listed {
		listed = "holds the operation"
	}
	if step.Decides {
		return listed + " and settles the matter"
	}
	return listed
}

// outcomeText tells in words what became of a candidate.
func outcomeText(c eval.Candidate) string {
	if c.Why == eval.WhyUnused {
		return "not needed"
	}
	words := outcomeTexts[c.Outcome]
	if why := whyTexts[c.Why]; why != "" {
		words += ": " + why
	}
	if len(c.Unknown) > 0 {
		words += " (not known: " + strings.Join(c.Unknown, ", ") + ")"
	}
	return words
}

var outcomeTexts = map[eval.Outcome]string{
	eval.Won:          "decided",
	eval.Chosen:       "comes first, but something stricter decided",
	eval.Lost:         "lost",
	eval.Tightened:    "applies",
	eval.DoesNotApply: "does not apply",
}

var whyTexts = map[eval.Why]string{
	eval.WhySpecificity: "the match of the first is more specific",
	eval.WhyCondition:   "the first has the same match and a condition",
	eval.WhyLayer:       "the first is of an inner layer",
	eval.WhyAction:      "the first is stricter",
	eval.WhyOrder:       "the first says the same earlier",
	eval.WhyProfile:     "it is for other profiles",
	eval.WhyExpired:     "it has expired",
	eval.WhyFalse:       "its condition is false",
	eval.WhyUncertain:   "an allow must be certain",
	eval.WhyUntrusted:   "its file is not trusted, so it cannot loosen",
	eval.WhyList:        "a list of the profile settled the matter before",
	eval.WhyWeaker:      "no stricter than what decided",
}
