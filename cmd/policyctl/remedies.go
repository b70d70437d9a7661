package main

import (
	"cmp"
	"strings"

	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/load"
)

// remedies tells what would change the answer.
func (s *story) remedies() {
	if len(s.Remedies) == 0 {
		return
	}
	s.title("What would change the answer")
	for _, remedy := range s.Remedies {
		s.remedy(&remedy)
	}
}

func (s *story) remedy(r *compile.Remedy) {
	switch {
	case r.Blocked != "":
		s.printf("\nNo policy can %s it: %s.\n", r.Action, escape(r.Blocked))
	case r.Change != nil:
		s.printf("\nTo %s it, write %q in place of this, for all calls that the policy matches:\n\n", r.Action, r.Action.String())
		p := &printer{out: s.out, style: s.style, sources: s.policy.Sources, files: filesOf(s.policy)}
		p.place("", *r.Change, "")
	default:
		s.printf("\nTo %s it, add this to %s:\n\n", r.Action, escape(cmp.Or(r.File, "a new "+load.FileName)))
		for line := range strings.SplitSeq(strings.TrimRight(r.Block, "\n"), "\n") {
			s.printf("  %s\n", plainLine(line))
		}
	}
}
