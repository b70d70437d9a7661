package layers

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"github.com/plangate/plangate"
)

// Errors of the trust functions; test for them with [errors.Is].
var (
	// ErrNoTrustFile means that [Places.Trust] is empty.
	ErrNoTrustFile = errors.New("layers: there is no place for a trust file; " +
		"set HOME to the absolute path of a directory that exists, or XDG_STATE_HOME to an absolute path")
	// ErrNotTrusted means that there is no trust to take away.
	ErrNotTrusted = errors.New("layers: the file is not trusted")
	// ErrTrustDamaged means that the trust file cannot be believed. It is never
	// overwritten: somebody has to look at it and move it away.
	ErrTrustDamaged = errors.New("layers: the trust file is damaged")
	// ErrFileName means that a file can never be a project layer, so that
	// trusting it would have no effect.
	ErrFileName = errors.New("layers: a project's policy file is named agent.hcl or agent.hcl.json")
	// ErrTooLarge means that a policy file is larger than any that is read.
	ErrTooLarge = errors.New("layers: the policy file is too large")
)

// Limits of waiting for another process that changes the trust file.
const (
	lockTimeout = 10 * time.Second
	lockRetry   = 5 * time.Millisecond
)

// Trusted is a project file that may loosen, as long as its content is the same.
type Trusted struct {
	Path   string `json:"path"`   // absolute, the directory without symbolic links
	Digest string `json:"digest"` // as from [DigestFile]
}

// DigestFile returns "sha256:" and the hexadecimal SHA-256 of a policy file.
func DigestFile(path string) (string, error) {
	text, err := readText(path)
	if err != nil {
		return "", err
	}
	if int64(len(text.Source)) > MaxBytes {
		return "", ErrTooLarge
	}
	return text.fingerprint(), nil
}

func (t *Text) fingerprint() string { return digestPrefix + hex.EncodeToString(t.Digest[:]) }

// TrustFile trusts a project file with the content that it has now, in place
// of any content that was trusted before. Concurrent calls lose nothing.
func TrustFile(places Places, path string) (Trusted, error) {
	digest, err := DigestFile(path)
	if err != nil {
		return Trusted{}, err
	}
	return TrustDigest(places, path, digest)
}

// TrustDigest trusts a project file if and when it has the content with the
// digest. Use it to trust exactly what somebody has seen, or what is about to
// be written.
func TrustDigest(places Places, path, digest string) (Trusted, error) {
	key, err := trustKey(path)
	if err != nil {
		return Trusted{}, err
	}
	if base := filepath.Base(key); base != FileName && base != FileName+JSONSuffix {
		return Trusted{}, ErrFileName
	}
	entry := Trusted{Path: key, Digest: digest}
	if err := checkTrusted(entry); err != nil {
		return Trusted{}, err
	}
	return entry, changeTrust(places, func(files map[string]string) error {
		files[key] = digest
		return nil
	})
}

// Untrust takes the trust in a project file away. The file need not exist any
// more. It returns [ErrNotTrusted] if there is nothing to take away.
func Untrust(places Places, path string) error {
	key, err := trustKey(path)
	if err != nil {
		return err
	}
	return changeTrust(places, func(files map[string]string) error {
		if _, ok := files[key]; !ok {
			return ErrNotTrusted
		}
		delete(files, key)
		return nil
	})
}

// Trusts returns what is trusted, sorted by path. Without a trust file that is
// nothing; a damaged one is [ErrTrustDamaged].
func Trusts(places Places) ([]Trusted, error) {
	if places.Trust == "" {
		return nil, nil
	}
	files, err := readTrust(places.Trust)
	if err != nil {
		return nil, err
	}
	list := make([]Trusted, 0, len(files))
	for path, digest := range files {
		list = append(list, Trusted{Path: path, Digest: digest})
	}
	slices.SortFunc(list, func(a, b Trusted) int { return cmp.Compare(a.Path, b.Path) })
	return list, nil
}

// trustedFiles returns the digests of trusted files by path. If the trust file
// cannot be believed there are none.
func (in *Inputs) trustedFiles() map[string]string {
	path := in.Options.Places.Trust
	if path == "" {
		return nil
	}
	files, err := readTrust(path)
	if err != nil {
		in.report(trustDamaged(path, err))
		return nil
	}
	return files
}

func trustDamaged(path string, err error) *plangate.Diagnostic {
	return &plangate.Diagnostic{
		Severity: plangate.SeverityWarning,
		Code:     "trust_unreadable",
		Summary:  "Trust file cannot be used",
		Detail: fmt.Sprintf("%v. No project file is trusted until %s is repaired or moved away.",
			err, path),
		Range: plangate.Range{File: path},
	}
}

// trustKey returns the path under which a project file is trusted. Its
// directory is resolved as in the search for it; the last element is not, or a
// link to the file of another project would be trusted like that file.
func trustKey(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	dir, base := filepath.Split(absolute)
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return filepath.Join(dir, base), nil
}

// checkTrusted reports why an entry cannot stand in a trust file. JSON cannot
// hold a path that is not UTF-8 without changing it into another path.
func checkTrusted(entry Trusted) error {
	switch {
	case !filepath.IsAbs(entry.Path) || filepath.Clean(entry.Path) != entry.Path:
		return fmt.Errorf("layers: path %q is not absolute and clean", entry.Path)
	case !utf8.ValidString(entry.Path):
		return fmt.Errorf("layers: path %q is not UTF-8, so it cannot be trusted", entry.Path)
	case !validDigest(entry.Digest):
		return fmt.Errorf("layers: digest %q is not %s and 64 lower-case hexadecimal digits",
			entry.Digest, digestPrefix)
	}
	return nil
}

const digestPrefix = "sha256:"

func validDigest(digest string) bool {
	digits, ok := strings.CutPrefix(digest, digestPrefix)
	raw, err := hex.DecodeString(digits)
	return ok && err == nil && len(raw) == sha256.Size && hex.EncodeToString(raw) == digits
}

// changeTrust applies change to the trust file under its lock.
func changeTrust(places Places, change func(map[string]string) error) error {
	path := places.Trust
	if path == "" {
		return ErrNoTrustFile
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	unlock, err := lock(path + ".lock")
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	files, err := readTrust(path)
	if err != nil {
		return err
	}
	if err := change(files); err != nil {
		return err
	}
	return writeTrust(path, files)
}

func lock(path string) (unlock func() error, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	held := flock.New(path, flock.SetPermissions(0o600))
	if _, err := held.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("layers: cannot lock %s: %w", path, err)
	}
	return held.Close, nil
}
