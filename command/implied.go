package command

import (
	"slices"
	"strings"
)

// Implied returns the files that a command writes without naming them, as paths
// from its working directory or from "~": the configuration that Git and tools
// around it keep, which makes later commands run something or go elsewhere
// (spec CMD-25).
func (c *Command) Implied() []string {
	if !c.Program.Known {
		return nil
	}
	name := programName(c.Program.Text)
	if name != "git" {
		return impliedBy(name, c.Args)
	}
	i, sub := subcommand(name, c.Args)
	if i >= len(c.Args) {
		return nil
	}
	switch rest := c.Args[i+1:]; sub {
	case "config":
		return gitConfig(rest)
	case "init", "lfs":
		return []string{".git/hooks/x"}
	case "remote":
		if firstIs(rest, "add", "set-url", "rename", "remove", "rm") {
			return []string{".git/config"}
		}
	case "submodule":
		if firstIs(rest, "add", "set-url", "set-branch", "deinit") {
			return []string{".gitmodules", ".git/config"}
		}
	}
	return nil
}

// gitConfig returns what "git config" writes: nothing if it only reads.
func gitConfig(args []Word) []string {
	file, operands := ".git/config", 0
	end := false
	for _, a := range args {
		switch text := a.Text; {
		case !a.Known, end:
			operands++
		case text == "--":
			end = true
		case strings.HasPrefix(text, "--get"), text == "--list", text == "-l", operands == 0 && (text == "get" || text == "list"):
			return nil
		case text == "--global":
			file = "~/.gitconfig"
		case strings.HasPrefix(text, "-") && text != "--show-origin" && text != "--local":
			operands += 2 // an option that may write
		case !strings.HasPrefix(text, "-"):
			operands++
		}
	}
	if operands < 2 {
		return nil
	}
	return []string{file}
}

// Copying says where a program makes files under the names of its operands.
type Copying uint8

// The places; the zero value is nowhere.
const (
	CopiesNothing     Copying = iota
	CopiesIntoOperand         // in an operand that is a directory
	CopiesHere                // there, or in the working directory
)

// Copies says whether the program makes files under the names of its operands:
// "cp x/f ." writes f (spec CMD-25).
func (c *Command) Copies() Copying {
	switch programName(c.Program.Text) {
	case "cp", "mv", "ln", "install", "scp", "rsync":
		return CopiesIntoOperand
	case "wget", "curl", "aria2c":
		return CopiesHere
	}
	return CopiesNothing
}

// hookInstallers write the hooks of the repository they run in.
var hookInstallers = map[string]string{"pre-commit": "install", "husky": "", "lefthook": "install", "overcommit": "--install"}

func impliedBy(name string, args []Word) []string {
	verb, ok := hookInstallers[name]
	if ok && (verb == "" || slices.ContainsFunc(args, func(a Word) bool { return !a.Known || a.Text == verb })) {
		return []string{".git/hooks/pre-commit"}
	}
	return nil
}

func firstIs(args []Word, verbs ...string) bool {
	return len(args) > 0 && (!args[0].Known || slices.Contains(verbs, args[0].Text))
}
