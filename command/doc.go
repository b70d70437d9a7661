// Package command reads a shell text and says which simple commands it can run,
// and what about them is not certain. The rules are in spec/command.md.
//
//	script := command.Parse("cd sub && git push -f", command.Bash)
//	for _, c := range script.Commands {
//		pattern.Match(c, command.Restrictive)
//	}
//
// # Certainty
//
// One reading never serves both directions. A [Pattern] is matched either
// [Permissive] (the command is exactly this and nothing is unknown) or
// [Restrictive] (the command may be this, whatever its spelling, wrapper or
// order of flags). The caller allows on [Yes] only and restricts on anything
// but [No]. The zero [Answer] is [Unknown], which is safe for both.
//
// To allow a script, a caller needs a permissive yes for each element of
// [Script.Commands], and [Command.Writes] covered by a rule of its own. What
// cannot be analysed is itself an element that no pattern matches with yes, so
// looping over Commands is enough.
//
// # Forms
//
// A wrapper such as sudo or timeout keeps its own form: the element is the
// innermost command, and [Command.Outer] leads outward. Restrictive matching
// sees every form.
//
// # Reach
//
// [Command.Operands], [Command.OnlyReads], [Command.Recursive] and
// [Command.HostWords] say which files and hosts one form may touch. They name
// too many rather than too few: what excuses a word or a program is certain.
//
// # Limits
//
// The grammar is that of Bash. Texts for sh and zsh are read with it too, and
// what those shells read differently is marked unknown; PowerShell and cmd texts are
// unknown as a whole. Aliases and startup files are not seen. What a program does with its
// arguments is known from the tables in this package only (wrappers, flags
// that write or execute, option letters); a program outside them is taken at its
// word.
//
// Size, nesting and the number of commands are bounded before and after
// parsing; beyond the bounds the text is unknown. No input makes the package
// panic, and its time is linear in the length of the text.
//
// The package reads no file and no environment and starts nothing. All
// functions are pure and may be called concurrently; values are not written to
// after they are returned.
package command
