// Package ancestry looks at the process tree above a program for signs that an AI
// agent, and not a person, started it.
//
//	sign, err := ancestry.Inspect(ancestry.System(), os.Getpid())
//	if err != nil || sign.Kind != ancestry.None {
//		// refuse
//	}
//
// It looks for ancestors with the name of an agent (also as the script of an
// interpreter), for variables that agents set in what they start (also in the
// environments of ancestors, so that emptying one's own hides nothing), for a hook
// of policyctl among the ancestors, and for the ways around that: a program that cut
// itself off from the shell of its terminal, one in the background of a terminal, and
// a terminal that script, expect or the like made where there is none.
//
// # What it is not
//
// It is a fence and no wall. Under one account a determined program can always look
// like a person: it can start a terminal of its own from something that outlives it,
// under another name, with an empty environment; it can hide in another PID namespace;
// it can type into a terminal that shows it on a screen. Agents that type into the
// integrated terminal of an editor look like the person there. No sign found means
// only that nobody tried. What an agent may run is decided by policy, whose built-in
// guards deny the commands that answer approvals.
//
// The reverse happens too: a person in the integrated terminal of an editor that is
// named like an agent is taken for one.
//
// # Systems
//
// Linux is read from /proc. Elsewhere ps tells; there the environments of ancestors
// and sessions are not known, so the signs that need them are not looked for.
//
// # Concurrency and errors
//
// [Inspect] is a pure function of its table. A [Table] from [System] may be used by
// many goroutines. What cannot be looked at is an error, never an absent sign; only
// variables of processes whose environment may not be read are passed over, since
// those of other accounts never may.
package ancestry
