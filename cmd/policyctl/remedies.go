package main

import (
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/layers"
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
		s.sentences("No policy can %s it: %s.", r.Action, r.Blocked)
		return
	case r.Change != nil:
		s.sentences("To %s it, write %q in place of this, for all calls that the policy matches:", r.Action, r.Action.String())
		s.printf("\n%s", s.printed(func(p *printer) { p.place("", *r.Change, "") }))
	default:
		file := r.File
		if file == "" {
			file = s.newFile()
		}
		s.printf("\nTo %s it, add this to %s:\n\n", r.Action, escape(file))
		for line := range strings.SplitSeq(strings.TrimRight(r.Block, "\n"), "\n") {
			s.printf("  %s\n", plainLine(line))
		}
	}
	s.trustAgain(r)
}

// newFile says which file to make if there is none: the innermost of those that
// were looked for.
func (s *story) newFile() string {
	for _, layer := range slices.Backward(s.policy.Layers) {
		if layer.File != "" {
			return "a new file " + layer.File
		}
	}
	return "a new " + layers.FileName
}

// trustAgain says what a remedy needs besides the edit: one ends the trust of a
// project file, and a new project file has none.
func (s *story) trustAgain(r *compile.Remedy) {
	file, why := s.projectFile(), "an edit ends the trust of a project file"
	switch {
	case file == "":
		return
	case r.File == "" && r.Action == plangate.Allow:
		why = "a new project file can only tighten"
	case r.File != file:
		return
	}
	if s.opts.Places.Trust == "" {
		s.sentences("That needs trust, because %s, and there is no place for a trust file: "+
			"neither HOME nor XDG_STATE_HOME can be used.", why)
		return
	}
	s.printf("\nThen run this, because %s:\n\n  %s\n", why, trustCommand(file))
}

// projectFile returns the project's policy file if it is trusted by its content
// or does not exist yet, else "".
func (s *story) projectFile() string {
	for _, layer := range s.policy.Layers {
		trusts := layer.Status == eval.LayerLoaded || layer.Status == eval.LayerAbsent
		if layer.Layer == plangate.LayerProject && trusts && len(s.opts.Files) == 0 {
			return layer.File
		}
	}
	return ""
}
