package main

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
)

// tokenFile is the file in the state directory with the digest of the token.
const tokenFile = "approvals.token"

// tokenPrefix makes a token recognisable, also for those who look for leaked ones.
const tokenPrefix = "plangate_approver_"

// approvalsToken is one run of the token command.
type approvalsToken struct {
	*world
	human  human
	create string
	revoke bool
}

func newApprovalsToken(w *world, h human) *cobra.Command {
	t := &approvalsToken{world: w, human: h}
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Let a program answer, by a token in a file",
		Long: `Makes a token, and writes it to a new file that only you can read. Whoever can read
the file can answer every call, so keep it where no agent can: outside of every
workspace, better under another account. There is one token; a new one ends the
old one. The state directory keeps only its digest.

Exit codes: 0 done, 1 refused, 2 wrong usage, or a file that cannot be written.`,
		Example: `  policyctl approvals token --create ~/.config/approver/token
  policyctl approvals allow ID --digest D --token-file ~/.config/approver/token
  policyctl approvals token --revoke`,
		Args: noArgs("policyctl approvals token --create %s"),
		RunE: func(*cobra.Command, []string) error { return t.run() },
	}
	flags := cmd.Flags()
	flags.StringVar(&t.create, "create", "", "make a token and write it to this new `FILE`")
	flags.BoolVar(&t.revoke, "revoke", false, "end the token")
	exclusive(cmd, "create", "revoke")
	notEmpty(cmd, "create")
	return cmd
}

func (t *approvalsToken) run() error {
	if t.create == "" && !t.revoke {
		return errors.New("say --create FILE or --revoke")
	}
	kept, err := tokenPlace(t.world)
	if err != nil {
		return err
	}
	terminal, err := t.human.person() // an agent could make one for itself
	if err != nil {
		return refused(err)
	}
	terminal.close()
	if t.revoke {
		return t.end(kept)
	}
	if err := t.checkPlace(); err != nil {
		return err
	}
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never fails
	token := tokenPrefix + hex.EncodeToString(bits[:])
	if err := writeNew(t.create, token+"\n"); err != nil {
		return failed("%s: %v", t.create, withoutName(err))
	}
	if err := keepToken(kept, token); err != nil {
		_ = os.Remove(t.create) // a token that counts nowhere
		return failed("%s: %v", kept, withoutName(err))
	}
	fmt.Fprintf(t.stdout, "Wrote a token to %s. Give the file to the program that answers, with --token-file.\n", escape(t.create))
	return nil
}

func (t *approvalsToken) end(kept string) error {
	err := os.Remove(kept)
	if errors.Is(err, fs.ErrNotExist) {
		return failed("there is no token to end")
	}
	if err != nil {
		return failed("%s: %v", kept, withoutName(err))
	}
	fmt.Fprintln(t.stdout, "The token is no longer valid.")
	return nil
}

// checkPlace refuses to write the token into the project around the current directory.
func (t *approvalsToken) checkPlace() error {
	flags := policyFlags{layers: layers.List{plangate.LayerProject}}
	opts, err := flags.options(t.world)
	if err != nil {
		return err
	}
	_, _, layers := load.Table(opts)
	for _, layer := range layers {
		if layer.Status == eval.LayerAbsent || layer.File == "" {
			continue
		}
		if dir := filepath.Dir(layer.File); isWithin(t.create, dir) {
			return failed("%s is in the project %s, where an agent can read it; write it elsewhere", t.create, dir)
		}
	}
	return nil
}

// tokenPlace returns the path of the token's digest.
func tokenPlace(w *world) (string, error) {
	state := layers.StateDir(layers.DefaultPlaces(w.getenv))
	if state == "" {
		return "", failed("%s", errtext.Plain(layers.ErrNoState))
	}
	return filepath.Join(state, tokenFile), nil
}

func keepToken(kept, token string) error {
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(kept, []byte(digestOf([]byte(token))+"\n"), 0o600, renameio.IgnoreUmask())
}

// writeNew writes a file that must not exist, for its user alone.
func writeNew(name, text string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Chmod(0o600), file.Sync(), file.Close()); err != nil {
		_ = os.Remove(name)
		return err
	}
	return nil
}

// maxTokenBytes bounds what is read of a token file.
const maxTokenBytes = 1 << 10

// checkToken returns nil if a file has the token. The error is a refusal, or that the
// file cannot be read.
func checkToken(w *world, name string) error {
	kept, err := tokenPlace(w)
	if err != nil {
		return err
	}
	token, err := readPrivate(name)
	if err != nil {
		return err
	}
	want, err := os.ReadFile(kept)
	if errors.Is(err, fs.ErrNotExist) {
		return &notAPerson{refusedToken, "no token is valid; make one: policyctl approvals token --create FILE"}
	}
	if err != nil {
		return failed("%s: %v", kept, withoutName(err))
	}
	got := digestOf([]byte(token))
	if subtle.ConstantTimeCompare([]byte(got), []byte(strings.TrimSpace(string(want)))) != 1 {
		return &notAPerson{refusedToken, "the token in " + name + " is not the valid one"}
	}
	return nil
}

// readPrivate reads the token from a file, which has to be one that nobody else can
// read or write.
func readPrivate(name string) (string, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", failed("%s: %v", name, withoutName(err))
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", failed("%s: %v", name, withoutName(err))
	case !info.Mode().IsRegular():
		return "", &notAPerson{refusedToken, name + " is no regular file"}
	case info.Mode().Perm()&0o077 != 0:
		return "", &notAPerson{refusedToken, fmt.Sprintf("others can use %s (mode %04o); make it private: chmod 600 %s", name, info.Mode().Perm(), shellWord(name))}
	case !isOurs(info):
		return "", &notAPerson{refusedToken, name + " belongs to another account"}
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTokenBytes))
	if err != nil {
		return "", failed("%s: %v", name, withoutName(err))
	}
	return strings.TrimSpace(string(text)), nil
}

// isWithin reports whether a file lies in or below a directory, also through links. A
// file that cannot be found lies nowhere.
func isWithin(name, dir string) bool {
	if dir == "" {
		return false
	}
	name, err := filepath.Abs(name)
	if err != nil {
		return false
	}
	paths := []string{filepath.Clean(name)}
	if parent, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		paths = append(paths, filepath.Join(parent, filepath.Base(name)))
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		paths = append(paths, real)
	}
	dirs := []string{filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dirs = append(dirs, real)
	}
	for _, path := range paths {
		for _, dir := range dirs {
			if rest, err := filepath.Rel(dir, path); err == nil && rest != ".." && !strings.HasPrefix(rest, "../") {
				return true
			}
		}
	}
	return false
}
