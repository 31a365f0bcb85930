package main

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	acpterminals "github.com/emendo-dev/emendo/acp/terminals"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/confinement"
	"github.com/emendo-dev/emendo/cmd/emendo/terminals"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/git"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/resident"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/lsp/chatdoc"
	"github.com/emendo-dev/emendo/mcp"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/discovery"
	"github.com/emendo-dev/emendo/tools/builtin"
	"github.com/emendo-dev/emendo/tools/shell"
)

// wiring holds the parts that an agent is built from.
type wiring struct {
	process  process
	paths    settings.Paths
	settings settings.Settings
	flags    map[string]any           // settings of this process only, by key
	now      func() settings.Settings // rereads the settings; nil: they do not change
	// disabledBy returns the layers of the settings that disable a name; nil where now is.
	disabledBy func(settings.Disabling, string) []string
	trusted    func(folder string) bool
	approvals  *trust.Store
	client     frontend.Client
	workspace  *ide.Workspace
	editor     ide.Editor
	allowed    []string                                      // tools allowed by the command line
	prompt     briefing.PromptOptions                        // the user's changes to the system prompt
	writer     func(string) error                            // writes the system prompt to a file; may be nil
	rules      *policies                                     // nil: the built-in rules
	record     io.Writer                                     // records the model's answers; may be nil
	confined   *confinement.Confinement                      // sandboxes commands; may be nil
	patient    bool                                          // requests wait until tools are there: nobody watches
	generator  func(string) (model.Generator, string, error) // nil: by name
	handed     func(sessionID string) []config.Server        // MCP servers from the user's editor; may be nil
	terminals  *acpterminals.Terminals                       // of the user's editor; may be nil
	memory     *resident.Trimmer                             // gives memory back between turns; may be nil
	log        *slog.Logger
}

// sessionData returns options with the places in the state folder where the data of
// sessions is, beside their logs.
func sessionData(folder string, g git.Program) state.Options {
	return state.Options{
		Checkpoints: rewind.NewStore(filepath.Join(folder, "checkpoints"), g),
		ToldDir:     filepath.Join(folder, "told"),
		WorkDir:     filepath.Join(folder, "work"),
		OutputDir:   filepath.Join(folder, "output"),
		PlansDir:    filepath.Join(folder, "plans"),
		RecordsDir:  chatdoc.Records(chatFolder(folder)),
	}
}

// copiesFolder returns the place in the state folder of copies of files that are
// being written in place.
func copiesFolder(state string) string { return filepath.Join(state, "copies") }

// agent builds an agent and its ledger, without reading or starting anything.
func (w wiring) agent() (*agent.Agent, *ledger.Ledger, error) {
	disk.Configure(disk.Options{Copies: copiesFolder(w.paths.State), Locale: cmp.Or(w.process.env("LC_ALL"), w.process.env("LC_CTYPE"), w.process.env("LANG"))})
	found := git.Find(w.process.environ, w.workspace.Snapshot().Tree().Folders())
	data := sessionData(w.paths.State, found)
	store := transcript.NewStore(filepath.Join(w.paths.State, "sessions"))
	store.Unread, store.Secrets = func(err error) { w.log.Warn(err.Error()) }, w.process.secrets
	led := ledger.New(ledger.Options{Workspace: w.workspace, Editor: w.editor, NewID: rand.Text})
	o := state.Options{
		Client: w.client, Workspace: w.workspace, Ledger: led, Editor: w.editor, Store: store, Trusted: w.trusted, Approvals: w.approvals,
		Prompt: w.prompt, WritePrompt: w.writer, UserDir: w.paths.Config, GeminiDir: w.process.geminiDir(), MemoryDir: filepath.Join(w.paths.State, "memory"),
		Checkpoints: data.Checkpoints, Git: found, OutputDir: data.OutputDir, ToldDir: data.ToldDir, WorkDir: data.WorkDir, PlansDir: data.PlansDir, RecordsDir: data.RecordsDir,
		Renew: w.renewing(w.now), Log: w.log, Secrets: w.process.secrets, HookRunner: w.hooks(), Own: []string{w.paths.Config, w.paths.State, w.paths.System},
		Shell: w.shell, Supplies: w.supplies(), Extensions: w.extensions(), Version: version, Memory: w.memory,
	}
	if w.confined != nil {
		w.confined.Use(w.settings.Tools.Sandbox)
		o.Sandbox, o.Confinement = w.confined, w.confined
	}
	if w.rules != nil {
		o.Policy, o.Answers = w.rules.rules, w.rules.answers()
	}
	if o.Generator = w.generator; o.Generator == nil {
		if err := w.chooseModels(&o.Choices, w.settings); err != nil {
			return nil, nil, err
		}
	}
	if err := w.choose(&o.Choices, w.settings); err != nil {
		return nil, nil, err
	}
	var err error
	if o.Observer, err = w.observer(); err != nil {
		return nil, nil, err
	}
	return agent.New(o), led, nil
}

// newConfinement returns what confines commands. assumed is their level where nothing runs;
// nil: the machine says it.
func newConfinement(p process, paths settings.Paths, log *slog.Logger, assumed *sandbox.Level) *confinement.Confinement {
	return confinement.New(confinement.Options{Env: p.env, Environ: p.environ, Level: p.level, Paths: paths, Log: log, Assumed: assumed})
}

// hooks returns the runner of hooks, which sandboxes projects' hooks.
func (w wiring) hooks() hooks.Runner {
	s := hooks.Shell{Environ: w.process.environ}
	if w.confined != nil {
		s.Sandbox = w.confined
	}
	return s
}

// geminiDir returns the folder of Gemini CLI's user files; empty without a home.
func (p process) geminiDir() string {
	home := cmp.Or(p.env("HOME"), p.env("USERPROFILE"))
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, own.Gemini)
}

// shell returns the name of the shell that runs commands, or "".
func (w wiring) shell() string {
	argv, err := sandbox.Shell("", ":", w.process.environ)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
}

// alone builds an agent without an editor, for a workspace of these folders. end
// closes everything.
func (w wiring) alone(folders []string) (a *agent.Agent, end func(), err error) {
	tree, err := disk.NewTree(folders)
	if err != nil {
		return nil, nil, exit{exitInput, err}
	}
	w.workspace = ide.NewWorkspace(tree, ide.UTF8)
	closeFolders := func() {
		if err := w.workspace.Snapshot().Tree().Close(); err != nil {
			w.log.Warn("close the workspace's folders", "err", err)
		}
	}
	if a, _, err = w.agent(); err != nil {
		closeFolders()
		return nil, nil, exit{exitConfig, err}
	}
	return a, func() {
		a.Close()
		closeFolders()
	}, nil
}

// warnOfTools warns about unknown tools in --allowed-tools, which are probably
// typing mistakes.
func (w wiring) warnOfTools(warn func(string)) {
	names := slices.DeleteFunc(slices.Clone(builtin.Names()), func(name string) bool {
		return name == builtin.CompleteTask.Name || slices.Contains(mcp.ResourceTools, name)
	})
	for _, a := range w.allowed {
		name, _, _ := strings.Cut(a, "(")
		if right, ok := mcp.Intended(name); ok {
			warn(fmt.Sprintf("emendo: --allowed-tools: unknown tool %s; write %s", name, right))
		} else if !slices.Contains(names, name) && !strings.HasPrefix(name, "mcp_") && !strings.HasPrefix(name, discovery.Prefix) && !slices.Contains(mcp.ResourceTools, name) {
			warn(fmt.Sprintf("emendo: --allowed-tools: unknown tool %s; the tools are %s", name, strings.Join(names, ", ")))
		}
	}
}

// commands returns the options of the shell tools.
func (w wiring) commands(all settings.Settings) shell.Options {
	s := all.Tools
	o := shell.Options{Environ: w.process.environ, Keep: all.Security.KeptVariables, Timeout: s.Shell.Timeout, Idle: s.Shell.Inactivity, Watched: s.Shell.Watched, Context: all.Context.FileNames, SystemPath: policy.Asking(s.Shell.Ask) == policy.AskAlways}
	if o.Idle == 0 {
		o.Idle = shell.Forever
	}
	if w.confined != nil {
		o.Spawner, o.Reach, o.Ended = w.confined.Use(s.Sandbox), w.confined.Reach, w.confined.Ended
		if w.terminals != nil {
			o.Terminals = terminals.Spawner{Terminals: *w.terminals, Sandboxed: w.confined.Sandboxes, Log: w.log}
		}
	}
	return o
}

// load reads the settings for a project folder. It passes each mistake to warn and
// ignores the file that has it.
func (p process) load(paths settings.Paths, project string, trusted bool, editor json.RawMessage, flags map[string]any, warn func(string)) (settings.Settings, error) {
	s, warnings, err := settings.Load(settings.Options{Paths: paths, ProjectDir: project, Trusted: trusted, Editor: editor, Env: p.env, Flags: flags, Extend: extension.Extender(paths.Config, p.geminiDir())})
	for _, w := range warnings {
		warn(w.String())
	}
	return s, err
}

// userSettings returns the folders for this process's files, and the settings of the user alone: a
// project has no say in them.
func (p process) userSettings() (settings.Paths, settings.Settings, error) {
	paths, err := p.folders()
	if err != nil {
		return paths, settings.Settings{}, err
	}
	s, err := p.load(paths, "", false, nil, nil, p.warn)
	if err != nil {
		return paths, s, exit{exitConfig, err}
	}
	return paths, s, nil
}

// folders returns the folders for this process's files.
func (p process) folders() (settings.Paths, error) {
	paths, err := settings.FindPaths(runtime.GOOS, p.env)
	if err != nil {
		return paths, exit{exitConfig, err}
	}
	return paths, nil
}

// storedTrust returns the stored trust decisions. A folder without a readable
// decision is restricted.
func storedTrust(store *trust.Store, log *slog.Logger) func(string) bool {
	return func(folder string) bool {
		trusted, err := store.Trusts(folder)
		if err != nil {
			log.Warn("treat folder as restricted", "folder", folder, "err", err)
		}
		return trusted
	}
}

// realDir returns a folder's absolute path with links resolved.
func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find %s: the current folder no longer exists: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", dir, err)
	}
	fi, err := os.Stat(real)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", dir, err)
	}
	if !fi.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	return real, nil
}

// statusOf returns the exit status for the error that ended a turn.
func statusOf(err error) int {
	var me *model.Error
	switch {
	case errors.As(err, &me) && (me.Kind == model.Auth || me.Kind == model.NoAccess):
		return exitAuth
	case errors.As(err, &me) && me.Kind == model.NotFound:
		return exitConfig
	case errors.Is(err, transcript.ErrUntrusted):
		return exitUntrusted
	case errors.As(err, new(*cli.InputError)),
		errors.Is(err, transcript.ErrUnknownSession), errors.Is(err, transcript.ErrExists), errors.Is(err, transcript.ErrNoPrompt), errors.Is(err, slash.ErrUnknown), errors.Is(err, agent.ErrNoFolder):
		return exitInput
	case isDiskFull(err):
		return exitTool
	}
	return exitFailure
}
