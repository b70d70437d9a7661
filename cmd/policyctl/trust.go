package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
)

func newTrust(w *world) *cobra.Command {
	var list, revoke bool
	format := newChoice("human", "json")
	cmd := &cobra.Command{
		Use:   "trust [path]",
		Short: "Trust a project's policy file with its present content",
		Long: `Lets a project's policy file allow calls and not only restrict them, until its
content changes, and says what the file contains. Without a path
it is the nearest agent.hcl from the current directory upward. Nothing is asked.

Formats of --list: human, json.
Exit codes: 0 done, 2 wrong usage, a file that cannot be read or has errors, or
with --revoke one that is not trusted.`,
		Example: `  policyctl trust
  policyctl trust --list`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			places := layers.DefaultPlaces(w.getenv)
			if list {
				return listTrusted(w, places, format.value)
			}
			path, err := projectFile(w, args)
			switch {
			case err != nil:
				return err
			case revoke:
				return untrust(w, places, path)
			default:
				return trust(w, places, path)
			}
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&list, "list", false, "list the trusted files")
	flags.BoolVar(&revoke, "revoke", false, "take the trust away")
	format.register(cmd, "output format of --list")
	exclusive(cmd, "list", "revoke")
	return cmd
}

// projectFile returns the file that trust is about.
func projectFile(w *world, args []string) (string, error) {
	if len(args) == 1 {
		if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
			return filepath.Join(args[0], layers.FileName), nil
		}
		return args[0], nil
	}
	flags := policyFlags{layers: layers.List{plangate.LayerProject}}
	opts, err := flags.options(w)
	if err != nil {
		return "", err
	}
	_, _, layers := load.Table(opts)
	if len(layers) == 0 {
		return "", failed("found no project policy file")
	}
	return layers[len(layers)-1].File, nil
}

func trust(w *world, places layers.Places, path string) error {
	_, src, err := w.read(path, dsl.MaxBytes)
	if err != nil {
		return err
	}
	file, diags := dsl.Parse(path, src)
	if diags.HasErrors() {
		return w.shownError(diags, map[string][]byte{path: src})
	}
	entry, err := layers.TrustDigest(places, path, digestOf(src))
	if err != nil {
		return failed("%s: %s", path, errtext.Plain(err))
	}
	fmt.Fprintf(w.stdout, "Trusted %s with its present content (%s).\n", escape(entry.Path), entry.Digest)
	fmt.Fprintf(w.stdout, "Trusted, it counts in full and can replace what outer files say: %s.\n", contents(file))
	return nil
}

func untrust(w *world, places layers.Places, path string) error {
	err := layers.Untrust(places, path)
	if errors.Is(err, layers.ErrNotTrusted) {
		return failed("%s is not trusted, so there is no trust to take away", path)
	}
	if err != nil {
		return failed("%s: %s", path, errtext.Plain(err))
	}
	fmt.Fprintf(w.stdout, "%s is no longer trusted and can only tighten.\n", escape(path))
	return nil
}

// contents counts what is in a file. All of it counts once the file is trusted:
// even a deny can replace a stricter rule of an outer file.
func contents(file *dsl.File) string {
	counts := map[plangate.Action]int{}
	for _, policy := range file.Policies {
		counts[policy.Action.Value]++
	}
	grants, hooks := 0, 0
	for _, profile := range file.Profiles {
		if profile.Grants != nil {
			grants += len(profile.Grants.Value)
		}
		if profile.EscalationGrants != nil {
			grants += len(profile.EscalationGrants.Value)
		}
	}
	if file.Hook != nil {
		hooks = 1
	}
	return fmt.Sprintf("%s (%d allow, %d ask, %d hook, %d deny), %s, %s, %s, %s",
		plural(len(file.Policies), "policy"),
		counts[plangate.Allow], counts[plangate.Ask], counts[plangate.Hook], counts[plangate.Deny],
		plural(len(file.Defaults), "default"), plural(len(file.Profiles), "profile"),
		plural(grants, "grant"), plural(hooks, "decision hook"))
}

// trustedFile is what `trust --list --format json` prints of a file.
type trustedFile struct {
	layers.Trusted
	State string `json:"state"` // trusted, changed, gone or unreadable
}

func listTrusted(w *world, places layers.Places, format string) error {
	entries, err := layers.Trusts(places)
	if err != nil {
		return failed("%s", errtext.Plain(err))
	}
	files := plangate.List[trustedFile]{}
	for _, entry := range entries {
		files = append(files, trustedFile{entry, stateOf(entry)})
	}
	if format == "json" {
		return writeJSON(w.stdout, files)
	}
	if len(files) == 0 {
		fmt.Fprintln(w.stderr, "policyctl: no file is trusted")
	}
	for _, file := range files {
		fmt.Fprintf(w.stdout, "%-10s %s\n", file.State, escape(file.Path))
	}
	return nil
}

func stateOf(entry layers.Trusted) string {
	digest, err := layers.DigestFile(entry.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "gone"
	case err != nil:
		return "unreadable"
	case digest != entry.Digest:
		return "changed"
	default:
		return "trusted"
	}
}

// trustedAs reports whether the file with this content is trusted, and under
// which path.
func trustedAs(places layers.Places, name string, src []byte) (trusted bool, path string) {
	info, err := os.Stat(name)
	if err != nil {
		return false, ""
	}
	entries, _ := layers.Trusts(places) // a damaged trust file trusts nothing
	for _, entry := range entries {
		if entry.Digest != digestOf(src) {
			continue
		}
		if other, err := os.Stat(entry.Path); err == nil && os.SameFile(info, other) {
			return true, entry.Path
		}
	}
	return false, ""
}

// digestOf returns the digest of content as package load writes it.
func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return strings.Join([]string{"sha256", hex.EncodeToString(sum[:])}, ":")
}
