package persist

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plangate/plangate/gate"
)

// maxKey is the longest name that stands in a key column as it is. PostgreSQL
// cannot index much more than 2,700 bytes.
const maxKey = 200

// digestPrefix marks a key that stands for a name by its digest. A name that
// starts so is digested as well, so no two names share a key.
const digestPrefix = "sha256:"

// key returns what stands for a name in a key column. PostgreSQL's text cannot hold
// NUL. The name itself is in the body.
func key(name string) string {
	if len(name) <= maxKey && !strings.ContainsRune(name, 0) && !strings.HasPrefix(name, digestPrefix) && utf8.ValidString(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return digestPrefix + hex.EncodeToString(sum[:])
}

// checkNames refuses names that JSON cannot hold, because they would come back as
// other names.
func checkNames(names ...string) error {
	for _, name := range names {
		if !utf8.ValidString(name) {
			return fmt.Errorf("%w: the name %q is not UTF-8", ErrValue, name)
		}
	}
	return nil
}

// encode returns the body of a value.
func encode(value any) (string, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrValue, err)
	}
	if !utf8.Valid(body) {
		return "", fmt.Errorf("%w: its raw JSON is not UTF-8", ErrValue)
	}
	return string(body), nil
}

// decode reads a body into a value.
func decode(body []byte, value any) error {
	if err := json.Unmarshal(body, value); err != nil {
		return fmt.Errorf("persist: %w: a row cannot be read: %w", gate.ErrStoreUnavailable, err)
	}
	return nil
}

// The first and last instant that instant can tell from others.
var (
	minInstant = time.Unix(0, math.MinInt64)
	maxInstant = time.Unix(0, math.MaxInt64)
)

// instant is a time for comparing: nanoseconds since 1970. Times before 1678 and after
// 2261 are all the same.
func instant(t time.Time) int64 {
	switch {
	case t.Before(minInstant):
		return math.MinInt64
	case t.After(maxInstant):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// itemColumns are the columns of an item, in the order of itemRow.
const itemColumns = "id, plan, session, turn, call, state, created, expires, verdict_epoch, body"

// itemWidth is the number of itemColumns.
const itemWidth = 10

// itemRow returns the columns of an item.
func itemRow(item gate.Item) ([]any, error) {
	if err := checkNames(item.ID, item.Plan, item.Session, item.Turn, item.Call.ID); err != nil {
		return nil, err
	}
	body, err := encode(item)
	if err != nil {
		return nil, err
	}
	// Both are set only while they matter, so that their indexes stay short.
	var expires, verdict any
	if item.State == gate.Waiting && !item.Expires.IsZero() {
		expires = instant(item.Expires)
	}
	if item.Answer != nil && item.Answer.Scope == gate.ScopeSession {
		verdict = int64(item.Answer.Epoch)
	}
	return []any{
		key(item.ID), key(item.Plan), key(item.Session), key(item.Turn), key(item.Call.ID),
		string(item.State), instant(item.Created), expires, verdict, body,
	}, nil
}
