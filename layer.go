package plangate

// Layer is the place a rule comes from, outermost first. The zero value
// belongs to what is built in.
type Layer uint8

// The layers (spec LAY-1). A policy with a profiles list belongs to
// [LayerProfile] whatever file it stands in.
const (
	LayerBuiltin Layer = iota
	LayerManaged
	LayerUser
	LayerProject
	LayerProfile
)

var layerNames = [...]string{"builtin", "managed", "user", "project", "profile"}

// String returns the word used in JSON.
func (l Layer) String() string { return nameOf(layerNames[:], int(l)) }

// ParseLayer returns the layer for its word.
func ParseLayer(text string) (Layer, error) {
	i, err := indexOf("layer", layerNames[:], text)
	return Layer(i), err
}

// MarshalText implements [encoding.TextMarshaler].
func (l Layer) MarshalText() ([]byte, error) { return textOf("layer", layerNames[:], int(l)) }

// UnmarshalText implements [encoding.TextUnmarshaler]; unknown text is an error.
func (l *Layer) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLayer(string(text))
	return err
}
