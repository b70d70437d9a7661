package plangate

// Kind says what running an operation does. The zero value is unspecified and
// is judged as [Resource], the strictest (spec DEC-3).
type Kind uint8

// The kinds. A resource changes something, a data source only reads, an
// interactive operation talks to the human.
const (
	KindUnspecified Kind = iota
	Resource
	DataSource
	Interactive
)

var kindNames = [...]string{Resource: "resource", DataSource: "data_source", Interactive: "interactive"}

// String returns the word used in agent.hcl and in JSON, or "unspecified".
func (k Kind) String() string {
	if k == KindUnspecified {
		return "unspecified"
	}
	return nameOf(kindNames[:], int(k))
}

// ParseKind returns the kind for one of resource, data_source, interactive.
func ParseKind(text string) (Kind, error) {
	i, err := indexOf("kind", kindNames[:], text)
	return Kind(i), err
}

// MarshalText implements [encoding.TextMarshaler]; the unspecified kind has no text.
func (k Kind) MarshalText() ([]byte, error) { return textOf("kind", kindNames[:], int(k)) }

// UnmarshalText implements [encoding.TextUnmarshaler]; unknown text is an error.
func (k *Kind) UnmarshalText(text []byte) (err error) {
	*k, err = ParseKind(string(text))
	return err
}

// Risk is how bad the worst outcome of an operation is. The zero value is
// unspecified: unknown for a resource, read_only for the other kinds, which
// cannot have another risk (spec DEC-4).
type Risk uint8

// The risks, mildest first. A resource is never [ReadOnly]; the other kinds
// always are (spec CAT-2).
const (
	RiskUnspecified Risk = iota
	ReadOnly
	Low
	Moderate
	High
	Critical
)

var riskNames = [...]string{
	ReadOnly: "read_only", Low: "low", Moderate: "moderate", High: "high", Critical: "critical",
}

// String returns the word used in agent.hcl and in JSON, or "unspecified".
func (r Risk) String() string {
	if r == RiskUnspecified {
		return "unspecified"
	}
	return nameOf(riskNames[:], int(r))
}

// ParseRisk returns the risk for one of read_only, low, moderate, high, critical.
func ParseRisk(text string) (Risk, error) {
	i, err := indexOf("risk", riskNames[:], text)
	return Risk(i), err
}

// MarshalText implements [encoding.TextMarshaler]; the unspecified risk has no text.
func (r Risk) MarshalText() ([]byte, error) { return textOf("risk", riskNames[:], int(r)) }

// UnmarshalText implements [encoding.TextUnmarshaler]; unknown text is an error.
func (r *Risk) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRisk(string(text))
	return err
}
