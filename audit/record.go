package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Version is the version of the record's schema. Another set or meaning of
// fields is another version.
const Version = 1

// Limits of a record, in bytes of its encoded form.
const (
	MaxTextBytes  = 4 << 10   // of one text
	MaxInputBytes = 16 << 10  // of the masked input
	MaxLineBytes  = 256 << 10 // of a line; no sealed record comes near it
)

// Head is the place in a chain where it can go on: the last record's sequence
// number and hash. The zero value is the beginning.
type Head struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

// String writes the head as SEQ:HASH, see [ParseHead].
func (h Head) String() string { return fmt.Sprintf("%d:%s", h.Seq, h.Hash) }

// ParseHead reads what [Head.String] wrote.
func ParseHead(text string) (Head, error) {
	var head Head
	seq, hash, _ := strings.Cut(text, ":")
	number, err := parseSeq(seq)
	if err != nil || !validDigest(hash) {
		return head, fmt.Errorf("audit: %.128q is no head; want SEQ:sha256:HEX", text)
	}
	return Head{Seq: number, Hash: hash}, nil
}

// Record is an entry at its place in a chain.
type Record struct {
	Version int    `json:"version"`
	Seq     uint64 `json:"seq"`  // 1, 2, 3…
	Prev    string `json:"prev"` // hash of the record before; "" in the first
	Entry
	// Hash is the SHA-256 of the line without it, so it stands last.
	Hash string `json:"hash"`
}

// Seal returns the record of an entry that follows head. The entry is masked,
// bounded and made valid first.
func Seal(head Head, e Entry) Record {
	return seal(head, e.clean())
}

// seal is Seal for an entry that is clean.
func seal(head Head, e Entry) Record {
	record := Record{Version: Version, Seq: head.Seq + 1, Prev: head.Hash, Entry: e}
	body, _ := record.split()
	record.Hash = hashOf(body)
	return record
}

// Head returns the place after the record.
func (r Record) Head() Head { return Head{Seq: r.Seq, Hash: r.Hash} }

// Line returns a sealed record as one line of JSON in printable ASCII, with a
// line feed at its end and nowhere else. A record that was not sealed is cleaned
// as Seal would do, so it is a line too, but its hash does not hold.
func (r Record) Line() []byte {
	body, hash := r.split()
	return append(append(body, hash...), '\n')
}

// hashKey begins the end of every line.
const hashKey = `,"hash":"`

// split encodes a record up to its hash, and the rest.
func (r Record) split() (body, hash []byte) {
	line, err := encode(r)
	if err != nil {
		r.Entry = r.Entry.clean()
		r.Prev, r.Hash = boundText(r.Prev), boundText(r.Hash)
		line, _ = encode(r)
	}
	at := bytes.LastIndex(line, []byte(hashKey))
	return bytes.Clone(line[:at]), line[at:]
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// encode writes a value as compact JSON in printable ASCII.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return appendASCII(nil, bytes.TrimSuffix(out.Bytes(), []byte("\n"))), nil
}

// ErrChanged means that a record's hash is not that of its content.
var ErrChanged = errors.New("audit: the record was changed: its hash does not fit its content")

// ParseLine reads a line that [Record.Line] wrote, with or without its line
// feed, and checks its hash; it returns [ErrChanged] beside the record if that
// does not hold.
func ParseLine(line []byte) (Record, error) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	record, err := readRecord(line)
	if err != nil {
		return record, err
	}
	at := bytes.LastIndex(line, []byte(hashKey))
	if at < 0 || string(line[at:]) != hashKey+record.Hash+`"}` || hashOf(line[:at]) != record.Hash {
		return record, ErrChanged
	}
	return record, nil
}

func readRecord(line []byte) (Record, error) {
	var record Record
	if len(line) > MaxLineBytes {
		return record, fmt.Errorf("audit: longer than %d bytes, which no record is", MaxLineBytes)
	}
	var version struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(line, &version); err != nil {
		return record, fmt.Errorf("audit: not a JSON object: %w", err)
	}
	switch {
	case version.Version == nil:
		return record, errors.New("audit: no record: it has no version")
	case *version.Version != Version:
		return record, fmt.Errorf("audit: version %d of the record is not known; this program reads version %d",
			*version.Version, Version)
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&record); err != nil {
		return Record{}, fmt.Errorf("audit: not a record: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return record, nil
}

func validDigest(text string) bool {
	digits, ok := strings.CutPrefix(text, digestPrefix)
	if !ok || len(digits) != 2*sha256.Size {
		return false
	}
	return !strings.ContainsFunc(digits, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}
