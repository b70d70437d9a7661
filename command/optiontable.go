package command

import "strings"

// optionTable is what is known of the options of a program or subcommand.
type optionTable struct {
	pairs   string // letter=long, separated by spaces
	valued  string // letters that take a value
	words   bool   // a single dash begins a whole word, as in find -delete
	unknown bool   // nothing is known: letters and long names may be the same option
}

// optionTables is the table of spec CMD-13. A pair of letter and long name is
// one option; a row that is missing costs certainty, never a match.
var optionTables = map[string]*optionTable{
	"rm":             {pairs: "r=recursive R=recursive f=force i=interactive d=dir v=verbose"},
	"cp":             {pairs: "r=recursive R=recursive f=force a=archive i=interactive n=no-clobber v=verbose", valued: "tS"},
	"mv":             {pairs: "f=force i=interactive n=no-clobber v=verbose", valued: "tS"},
	"ln":             {pairs: "s=symbolic f=force", valued: "tS"},
	"mkdir":          {pairs: "p=parents m=mode", valued: "m"},
	"chmod":          {pairs: "R=recursive"},
	"chown":          {pairs: "R=recursive"},
	"ls":             {pairs: "a=all R=recursive"},
	"grep":           {pairs: "r=recursive R=dereference-recursive f=file e=regexp", valued: "efmABCdD"},
	"sed":            {pairs: "i=in-place n=quiet e=expression f=file", valued: "ef"},
	"tar":            {pairs: "x=extract c=create f=file C=directory z=gzip", valued: "fCITXbH"},
	"curl":           {pairs: "o=output O=remote-name X=request d=data T=upload-file H=header F=form K=config k=insecure L=location u=user", valued: "oXdTHFKuAebcCDEmPQrtUwxyYz"},
	"wget":           {pairs: "O=output-document o=output-file q=quiet r=recursive i=input-file P=directory-prefix", valued: "OoaiPtTUeAR"},
	"rsync":          {pairs: "e=rsh a=archive n=dry-run r=recursive", valued: "efTBM"},
	"git push":       {pairs: "f=force d=delete u=set-upstream o=push-option n=dry-run q=quiet v=verbose", valued: "o"},
	"git commit":     {pairs: "a=all m=message n=no-verify F=file C=reuse-message c=reedit-message e=edit s=signoff S=gpg-sign", valued: "mFCctSu"},
	"git checkout":   {pairs: "f=force q=quiet", valued: "bB"},
	"git switch":     {pairs: "f=force c=create C=force-create", valued: "cC"},
	"git clean":      {pairs: "f=force n=dry-run i=interactive q=quiet e=exclude", valued: "e"},
	"git branch":     {pairs: "f=force d=delete a=all r=remotes m=move c=copy v=verbose", valued: "u"},
	"git tag":        {pairs: "d=delete f=force a=annotate m=message", valued: "mFu"},
	"git reset":      {pairs: "q=quiet p=patch N=intent-to-add"},
	"git rebase":     {pairs: "i=interactive x=exec s=strategy X=strategy-option", valued: "xsX"},
	"git stash":      {pairs: "u=include-untracked a=all"},
	"git rm":         {pairs: "r=recursive f=force"},
	"git add":        {pairs: "f=force A=all u=update p=patch n=dry-run"},
	"git log":        {pairs: "p=patch n=max-count", valued: "nGSLO"},
	"git diff":       {pairs: "p=patch", valued: "GSOU"},
	"git show":       {pairs: "p=patch", valued: "GSOU"},
	"git status":     {pairs: "s=short b=branch"},
	"docker run":     {pairs: "v=volume p=publish e=env u=user w=workdir i=interactive t=tty d=detach", valued: "vpeuwlhacm"},
	"docker rm":      {pairs: "f=force v=volumes l=link"},
	"docker rmi":     {pairs: "f=force"},
	"kubectl apply":  {pairs: "f=filename k=kustomize R=recursive", valued: "fkln"},
	"kubectl delete": {pairs: "f=filename k=kustomize l=selector A=all-namespaces n=namespace", valued: "fkln"},
	"find":           {words: true},
	"gfind":          {words: true},
	"terraform":      {words: true},
	"tofu":           {words: true},
	"go":             {words: true},
	"java":           {words: true},
	"javac":          {words: true},
	"openssl":        {words: true},
	"ffmpeg":         {words: true},
	"gcc":            {words: true},
	"clang":          {words: true},
}

// optionsFor finds the row of a program, more exactly of its subcommand.
func optionsFor(name, sub string) *optionTable {
	if sub != "" {
		if row := optionTables[name+" "+sub]; row != nil {
			return row
		}
	}
	if row := optionTables[name]; row != nil {
		return row
	}
	return unknownOptions
}

var unknownOptions = &optionTable{unknown: true}

// longOf returns the long name of a letter, "" if there is none.
func (t *optionTable) longOf(letter byte) string {
	for rest := t.pairs; rest != ""; {
		var pair string
		pair, rest, _ = strings.Cut(rest, " ")
		if pair[0] == letter {
			return pair[2:]
		}
	}
	return ""
}

// letters returns the option letters in a word such as -uf, without the value
// glued to the last one.
func (t *optionTable) letters(cluster string) string {
	if i := strings.IndexAny(cluster, t.valued+"="); i >= 0 {
		if cluster[i] == '=' {
			return cluster[:i]
		}
		return cluster[:i+1]
	}
	return cluster
}
