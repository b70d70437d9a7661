package eval

import "slices"

// unknownSet is a set of the names that [plangate.Decision.Unknown] can hold.
type unknownSet uint16

// The bits below unknownPlain do not need a condition; each half is in the
// alphabetical order of the names.
const (
	unknownExpires unknownSet = 1 << iota
	unknownKind
	unknownKindMismatch
	unknownProfile
	unknownRisk
	unknownRiskMismatch
	unknownCommand
	unknownGrant
	unknownHost
	unknownPath
	unknownWhen

	unknownPlain = unknownCommand
)

var unknownTexts = [...]string{
	"expires", "kind", "kind_mismatch", "profile", "risk", "risk_mismatch",
	"command", "grant", "host", "path", "when",
}

// conditionNames are the condition types a table can hold.
var conditionNames = map[string]unknownSet{
	"command": unknownCommand, "grant": unknownGrant, "host": unknownHost,
	"path": unknownPath, "when": unknownWhen, "writes": unknownPath,
}

// plainNames holds the names of every set without conditions, so that a
// decision without conditions allocates nothing.
var plainNames = func() (lists [unknownPlain][]string) {
	for set := range lists {
		lists[set] = unknownSet(set).collect()
	}
	return lists
}()

// names returns the sorted names of the set; never nil. The slice is shared.
func (s unknownSet) names() []string {
	if s < unknownPlain {
		return plainNames[s]
	}
	return s.collect()
}

func (s unknownSet) collect() []string {
	names := []string{}
	for i, text := range unknownTexts {
		if s&(1<<i) != 0 {
			names = append(names, text)
		}
	}
	slices.Sort(names)
	return names
}
