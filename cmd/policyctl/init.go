package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/install"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/internal/suggest"
	"github.com/plangate/plangate/layers"
)

// initRun is one run of init.
type initRun struct {
	w       *world
	machine install.Machine
	hook    install.Hook
	scope   harness.Scope
	wrapper string
	path    string // of the configuration file
	config  string // of Codex's config.toml, "" for others
}

func newInit(w *world) *cobra.Command {
	var dryRun, remove bool
	scope := newChoice("user", "project", "local", "managed")
	cmd := &cobra.Command{
		Use:   "init <cli> [-- HOOK-OPTION...]",
		Short: "Install the policy gate as the hook of an agent CLI",
		Long: `Writes the hook into the CLI's own configuration, keeps everything else in that
file byte for byte, makes a backup beside it, and then proves that the installed
hook denies: a canary call that must be denied, and that nothing runs. What a CLI
wants besides is done too, such as Codex's trust, and what is left to you is said.

Run it again at any time: what is there already is left alone, an older entry is
brought up to date. What follows -- are options of policyctl hook, such as
--profile ci; without -- those that are installed stay. --remove gives the file
back as it was before, or takes only our entries out if it was changed since.

CLIs: ` + strings.Join(harness.Names(), ", ") + `.
Exit codes: 0 installed and proved, 1 installed but the proof failed, 2 wrong
usage or a file that cannot be read or written.`,
		Example: `  policyctl init claude
  policyctl init codex --dry-run
  policyctl init gemini -- --profile ci --wait 60s
  policyctl init cursor --scope project`,
		Args: func(cmd *cobra.Command, args []string) error {
			own, _, _ := hookOptions(cmd, args)
			return oneCLI(cmd, own)
		},
		ValidArgs: harness.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, options, given := hookOptions(cmd, args)
			run, err := newInitRun(w, args[0], harness.Scope(scope.value))
			if err == nil {
				err = run.choose(options, given)
			}
			switch {
			case err != nil:
				return err
			case dryRun:
				return run.preview(remove)
			case remove:
				return run.remove()
			default:
				return run.install(cmd.Context())
			}
		},
	}
	flags := cmd.Flags()
	flags.Var(scope, "scope", "whose configuration `FILE` to write")
	complete(cmd, "scope", scope.options...)
	flags.BoolVar(&dryRun, "dry-run", false, "write nothing; print the changes as a unified diff")
	flags.BoolVar(&remove, "remove", false, "take the hook out again")
	return cmd
}

// hookOptions cuts off what follows --.
func hookOptions(cmd *cobra.Command, args []string) (own, options []string, given bool) {
	at := cmd.ArgsLenAtDash()
	if at < 0 {
		return args, nil, false
	}
	return args[:at], args[at:], true
}

// oneCLI takes the name of a CLI.
func oneCLI(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return fmt.Errorf("name a CLI, one of %s", strings.Join(harness.Names(), ", "))
	case len(args) > 1:
		return unexpected(args[1], "give one CLI at a time")
	}
	return knownCLI(args[0])
}

func knownCLI(name string) error {
	if _, ok := harness.Find(name); !ok {
		return fmt.Errorf("unknown CLI %.64q; want one of %s.%s", name, strings.Join(harness.Names(), ", "),
			suggest.DidYouMean(name, harness.Names()))
	}
	return nil
}

// newMachine says where configuration files are.
func newMachine(w *world) (install.Machine, error) {
	dir, err := os.Getwd()
	if err != nil {
		return install.Machine{}, failed("cannot find the current directory: %v", err)
	}
	return install.Machine{Home: w.getenv("HOME"), Dir: dir, Runner: install.Runner{Environ: os.Environ()}}, nil
}

// installHook returns the hook of a CLI that runs this program.
func installHook(w *world, name string) (hook install.Hook, wrapper string, err error) {
	program, err := install.HookProgram()
	if err != nil {
		return hook, "", failed("cannot find the path of this program: %v", err)
	}
	if install.NeedsWrapper(name) {
		state := layers.StateDir(layers.DefaultPlaces(w.getenv))
		if state == "" {
			return hook, "", failed("%s", errtext.Plain(layers.ErrNoState))
		}
		wrapper = filepath.Join(state, "bin", install.WrapperName)
	}
	hook, err = install.NewHook(name, program, wrapper)
	if err != nil {
		return hook, "", failed("%s", errtext.Plain(err))
	}
	return hook.Placed(w.getenv), wrapper, nil
}

func newInitRun(w *world, name string, scope harness.Scope) (*initRun, error) {
	machine, err := newMachine(w)
	if err != nil {
		return nil, err
	}
	hook, wrapper, err := installHook(w, name)
	if err != nil {
		return nil, err
	}
	run := &initRun{w: w, machine: machine, hook: hook, scope: scope, wrapper: wrapper}
	file, err := hook.File(scope)
	if err != nil {
		return nil, failed("%s", errtext.Plain(err))
	}
	if run.path, err = machine.Path(file); err != nil {
		return nil, failed("%s", errtext.Plain(err))
	}
	if name == "codex" {
		if run.config, err = machine.CodexConfig(hook); err != nil {
			return nil, failed("%s", errtext.Plain(err))
		}
	}
	return run, nil
}

// choose gives the hook the options that were given, or those that are installed.
func (r *initRun) choose(options []string, given bool) error {
	var err error
	if given {
		if r.hook, err = r.hook.For(r.scope).With(options); err != nil {
			return fmt.Errorf("options of the hook: %w", err)
		}
		return nil
	}
	path := r.path
	if r.wrapper != "" {
		path = r.wrapper
	}
	text, err := install.ReadFile(path)
	if err != nil {
		return fileError(path, err)
	}
	if r.wrapper != "" {
		r.hook = r.hook.For(r.scope).AdoptWrapper(text)
	} else {
		r.hook = r.hook.Adopt(text, r.scope)
	}
	return nil
}

func (r *initRun) target(path string) install.Target {
	mode := os.FileMode(0o755)
	if r.scope == harness.ScopeUser {
		mode = 0o700
	}
	return install.Target{Path: path, Dir: mode, Now: r.w.now}
}

func (r *initRun) plan(text []byte, _ [][]byte) (install.Change, error) { return r.hook.Install(text) }

// fileError names the file of an error about its text.
func fileError(path string, err error) error {
	var text *install.TextError
	if errors.As(err, &text) {
		return failed("%s: %s; nothing was written", path, err)
	}
	if errors.Is(err, install.ErrForeign) {
		return failed("%s: %s", path, err)
	}
	return failed("%s", errtext.Plain(withPath(path, err)))
}

func withPath(path string, err error) error {
	if strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// install installs the hook and proves it.
func (r *initRun) install(ctx context.Context) error {
	if err := r.checkConfig(); err != nil {
		return err
	}
	if r.wrapper != "" {
		if err := install.PutProgram(r.wrapper, r.hook.WrapperText()); err != nil {
			return fileError(r.wrapper, err)
		}
	}
	result, err := install.Edit(r.target(r.path), r.plan)
	if err != nil {
		return fileError(r.path, err)
	}
	r.printResult(result, "already installed")
	proved := true
	if r.config != "" && r.scope != harness.ScopeManaged {
		if proved, err = r.trust(ctx); err != nil {
			return err
		}
	}
	proved = r.prove(ctx) && proved
	r.printLeft(ctx)
	if !proved {
		return exit(codeFindings)
	}
	return nil
}

// checkConfig refuses a config.toml of Codex that does not parse before anything is written.
func (r *initRun) checkConfig() error {
	if r.config == "" {
		return nil
	}
	_, _, err := install.Preview(r.config, func(text []byte, _ [][]byte) (install.Change, error) {
		return install.AddTrust(text, nil)
	})
	if err != nil {
		return fileError(r.config, err)
	}
	return nil
}

// remove takes the hook out.
func (r *initRun) remove() error {
	if err := r.checkConfig(); err != nil {
		return err
	}
	var keys, others []string
	result, err := install.Edit(r.target(r.path), func(text []byte, earlier [][]byte) (install.Change, error) {
		if r.config != "" {
			keys, others = r.hook.CodexKeys(r.path, text)
		}
		return r.hook.Remove(text, earlier)
	})
	if err != nil {
		return fileError(r.path, err)
	}
	r.printResult(result, "not installed")
	if len(keys) == 0 {
		return nil
	}
	trust, err := install.Edit(r.target(r.config), func(text []byte, earlier [][]byte) (install.Change, error) {
		return install.RemoveTrust(text, keys, earlier)
	})
	if err != nil {
		return fileError(r.config, err)
	}
	if trust.Changed() {
		r.printResult(trust, "")
	}
	for _, key := range others {
		fmt.Fprintf(r.w.stdout, "Left to you: the hook after ours has another place now, so its trust (%s) is gone; review it with /hooks.\n", escape(key))
	}
	return nil
}
