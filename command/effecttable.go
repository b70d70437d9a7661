package command

import "strings"

// effect is a row about what programs do with the files that their words name.
type effect struct {
	of     string // names are subcommands of this program
	names  string
	except danger // arguments with which it is not so
	known  bool   // only if all words are known: operands are scripts, or written
	why    string
}

// ignoring are the programs that open and change no file named by their words.
// Each name has a test.
var ignoring = effectIndex([]effect{
	{names: "echo printf", why: "print their words"},
	{names: "true false :", why: "do nothing"},
	{names: "exit return break continue shift", why: "steer the shell"},
	{names: "sleep kill wait jobs umask ulimit", why: "words are times, processes and numbers"},
	{names: "seq expr basename dirname", why: "compute with their words as text"},
	{names: "tr", why: "words are sets of characters; reads its input"},
	{names: "pwd whoami id groups uname arch nproc tty printenv", why: "print what the system says"},
	{names: "date", except: danger{letters: "frs", long: "file reference set"}, why: "words are times and formats"},
	{names: "type which", why: "look for programs by name"}, // not hash: hash -p makes a file a command
	{names: "test [", why: "ask whether a file exists and of what kind it is"},
})

// reading are the programs that write and delete no file named by their words,
// unless the words escalate (spec CMD-14). Each name has a test.
var reading = effectIndex([]effect{
	{names: "cat tac nl rev head tail less more fold column strings od hexdump", why: "print files"},
	{names: "grep egrep fgrep rg ag", why: "print lines of files"},
	{names: "cut paste comm join sort jq", why: "print parts of files"},
	{names: "uniq", known: true, why: "writes its second operand"},
	{names: "sed", known: true, except: danger{letters: "I"}, why: "prints with the scripts that are known to; -I edits files on BSD"},
	{names: "awk gawk mawk nawk", known: true, why: "prints with the programs that are known to"},
	{names: "base64", except: danger{letters: "o", long: "output"}, why: "prints; -o writes on BSD"},
	{names: "wc cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum", why: "print sums"},
	{names: "diff cmp", why: "print differences"},
	{names: "ls tree du df stat file readlink realpath find fd date", why: "print names and facts about files"},
	{names: "cd pushd", why: "go to a directory"},
	{names: "gofmt", why: "prints without -w"},
	{of: "git", names: "status diff log show blame shortlog describe ls-files ls-tree ls-remote grep rev-parse rev-list cat-file merge-base name-rev show-ref for-each-ref check-ignore reflog",
		why: "print what the repository has"},
	{of: "git", names: "add commit fetch branch tag remote", why: "change the repository and no file of the work tree"},
	{of: "go", names: "vet list version doc env", why: "print; not test, which writes files"},
	{of: "policyctl", names: "check explain decide test lint version log", why: "print; not fmt, which edits files"},
})

// reaching are the programs that reach everything below their operands if one of
// the arguments is there; a row without arguments always does. Each name has a test.
var reaching = effectIndex([]effect{
	{names: "rm", except: danger{letters: "rR", long: "recursive"}, why: "deletes trees"},
	{names: "rimraf trash", why: "delete trees"},
	{names: "cp", except: danger{letters: "rRa", long: "recursive archive"}, why: "copies trees"},
	{names: "scp", except: danger{letters: "r"}, why: "copies trees"},
	{names: "rsync ditto", why: "copy trees"},
	{names: "mv", why: "a directory moves with what is in it"},
	{names: "chmod chown chgrp", except: danger{letters: "R", long: "recursive"}, why: "change trees"},
	{names: "grep egrep fgrep", except: danger{letters: "rRd", long: "recursive dereference-recursive directories"}, why: "reads trees"},
	{names: "rgrep ack", why: "read trees"},
	{names: "rg", except: danger{letters: "u.", long: "unrestricted hidden no-ignore no-ignore-vcs no-ignore-dot no-ignore-files no-ignore-parent no-ignore-exclude no-ignore-global"},
		why: "reads trees; otherwise it skips files that are hidden or ignored, which is where secrets are"},
	{names: "ag", except: danger{letters: "uUa", long: "unrestricted hidden all-types skip-vcs-ignores"}, why: "as rg"},
	{names: "tar unzip 7z 7za", why: "pack trees, and unpack anywhere below a directory"},
	{names: "zip", except: danger{letters: "rR", long: "recurse-paths recurse-patterns"}, why: "packs trees"},
	{names: "diff", except: danger{letters: "r", long: "recursive"}, why: "reads trees"},
	{names: "find gfind", except: danger{words: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls"}, why: "deletes or gives files to commands; otherwise it only names them"},
	{names: "gzip zstd xz bzip2", except: danger{letters: "r", long: "recursive"}, why: "pack trees"},
	{names: "ugrep ug pcregrep pcre2grep zgrep", except: danger{letters: "rR", long: "recursive dereference-recursive"}, why: "read trees"},
	{of: "git", names: "diff grep", except: danger{long: "no-index untracked"}, why: "read trees outside of the index"},
	{of: "git", names: "clean", why: "deletes below the directory"},
	{of: "git", names: "rm", except: danger{letters: "r"}, why: "deletes trees"},
	{of: "git", names: "mv", why: "as mv"},
	{of: "git", names: "checkout restore stash", why: "overwrite trees"},
	{of: "docker", names: "cp", why: "copies trees"},
	{of: "podman", names: "cp", why: "copies trees"},
	{of: "kubectl", names: "cp", why: "copies trees"},
	{of: "aws", names: "s3", except: danger{long: "recursive", words: "sync"}, why: "copies trees"},
})

func effectIndex(rows []effect) map[string]*effect {
	index := make(map[string]*effect, 4*len(rows))
	for i := range rows {
		row := &rows[i]
		for name := range strings.FieldsSeq(row.names) {
			index[strings.TrimSpace(row.of+" "+name)] = row
		}
	}
	return index
}

// conditional reports whether the row depends on arguments.
func (e *effect) conditional() bool {
	return e.except.letters != "" || e.except.long != "" || e.except.words != ""
}
