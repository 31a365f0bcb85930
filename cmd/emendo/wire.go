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

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/git"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/shell"
)

// wiring is what an agent is built from.
type wiring struct {
	process   process
	paths     settings.Paths
	settings  settings.Settings
	now       func() settings.Settings // reads them again; nil: they stay as they are
	trusted   func(folder string) bool
	approvals agent.Approvals
	client    agent.Client
	workspace *ide.Workspace
	editor    ide.Editor
	allowed   []string                                      // tools that the command line allows
	prompt    prompt.Options                                // what of the system prompt is the user's own
	writer    func(string) error                            // writes the system prompt; nil: nothing does
	rules     *policies                                     // nil: the rules that are built in
	sandboxed func() bool                                   // overrides what is true of this machine; nil: nothing does
	record    io.Writer                                     // where answers of the model are recorded; nil: nowhere
	held      *holding                                      // holds commands; nil: nothing does
	maxSteps  int                                           // 0: as the settings say
	generator func(string) (model.Generator, string, error) // nil: by name
	log       *slog.Logger
}

// agent builds an agent and its ledger. Nothing is read or started.
func (w wiring) agent() (*agent.Agent, *ledger.Ledger, error) {
	output := filepath.Join(w.paths.State, "output")
	store := agent.NewStore(filepath.Join(w.paths.State, "sessions"))
	store.Unread, store.Secrets = func(err error) { w.log.Warn(err.Error()) }, w.process.secrets
	led := ledger.New(ledger.Options{Workspace: w.workspace, Editor: w.editor, NewID: rand.Text})
	o := agent.Options{
		Client: w.client, Workspace: w.workspace, Ledger: led, Editor: w.editor, Store: store, Trusted: w.trusted, Approvals: w.approvals,
		Prompt: w.prompt, WritePrompt: w.writer, UserDir: w.paths.Config, GeminiDir: w.process.geminiDir(), MemoryDir: filepath.Join(w.paths.State, "memory"),
		Checkpoints: checkpoint.NewStore(filepath.Join(w.paths.State, "checkpoints"), git.Find(w.process.environ, w.workspace.Snapshot().Tree().Folders())),
		OutputDir:   output, PlansDir: filepath.Join(w.paths.State, "plans"), Renew: w.renewing(w.now), Log: w.log, Secrets: w.process.secrets,
		HookRunner: w.hooks(), Own: []string{w.paths.Config, w.paths.State, w.paths.System},
		Shell: w.shell,
	}
	if w.held != nil {
		w.held.as(w.settings.Tools.Sandbox)
		o.Sandbox = w.held
		o.Offline = w.held.offline
	}
	if w.rules != nil {
		o.Policy, o.Answers = w.rules.rules, w.rules.answers()
	}
	if w.sandboxed != nil {
		o.Sandboxed = w.sandboxed
	}
	if o.Generator = w.generator; o.Generator == nil {
		o.Generator = w.models(w.settings).Generator
	}
	if err := w.choose(&o.Choices, w.settings); err != nil {
		return nil, nil, err
	}
	return agent.New(o), led, nil
}

// hooks runs hooks, those of projects in the sandbox.
func (w wiring) hooks() hooks.Runner {
	s := hooks.Shell{Environ: w.process.environ}
	if w.held != nil {
		s.Sandbox, s.Reach = w.held, w.held.reach
	}
	return s
}

// geminiDir is where Gemini CLI keeps its user's files; empty without a home.
func (p process) geminiDir() string {
	home := cmp.Or(p.env("HOME"), p.env("USERPROFILE"))
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".gemini")
}

// shell names the shell that runs commands; empty where there is none.
func (w wiring) shell() string {
	argv, err := sandbox.Shell("", ":", w.process.environ)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
}

// alone builds an agent that no editor watches, for a workspace of these folders.
// end closes both.
func (w wiring) alone(folders []string) (a *agent.Agent, end func(), err error) {
	tree, err := disk.NewTree(folders)
	if err != nil {
		return nil, nil, exit{exitInput, err}
	}
	w.workspace = ide.NewWorkspace(tree, ide.UTF8)
	closeFolders := func() {
		if err := w.workspace.Snapshot().Tree().Close(); err != nil {
			w.log.Warn("closing the workspace's folders", "err", err)
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

// warnOfTools says which of the allowed tools there are not, for a slip of the
// pen there shows nowhere else.
func (w wiring) warnOfTools(warn func(string)) {
	var names []string
	for _, t := range allTools(shell.Options{}) {
		names = append(names, t.Spec().Name)
	}
	for _, a := range w.allowed {
		if name, _, _ := strings.Cut(a, "("); !slices.Contains(names, name) {
			warn(fmt.Sprintf("--allowed-tools: there is no tool %s; there are %s", name, strings.Join(names, ", ")))
		}
	}
}

// commands say how commands run.
func (w wiring) commands(all settings.Settings) shell.Options {
	s := all.Tools
	o := shell.Options{Environ: w.process.environ, Keep: all.Security.KeptVariables, Timeout: s.Shell.Timeout, Idle: s.Shell.Inactivity, Watched: s.Shell.Watched}
	if o.Idle == 0 {
		o.Idle = shell.Forever
	}
	if w.held != nil {
		o.Spawner, o.Reach = w.held.as(s.Sandbox), w.held.reach
	}
	return o
}

// allTools is everything that a model may be offered.
func allTools(commands shell.Options) []tools.Tool {
	return append(tools.Reading(), tools.NewReplace(), tools.NewWriteFile(), tools.NewSaveMemory(),
		tools.NewWriteTodos(), tools.NewAskUser(), tools.NewEnterPlanMode(), tools.NewExitPlanMode(),
		shell.New(commands), shell.NewList(), shell.NewRead(), shell.NewKill())
}

// load reads the settings for a project folder. Mistakes are told to warn, one
// a line; a file with one is left out.
func (p process) load(paths settings.Paths, project string, trusted bool, editor json.RawMessage, flags map[string]any, warn func(string)) (settings.Settings, error) {
	s, warnings, err := settings.Load(settings.Options{Paths: paths, ProjectDir: project, Trusted: trusted, Editor: editor, Env: p.env, Flags: flags})
	for _, w := range warnings {
		warn(w.String())
	}
	return s, err
}

// folders are where this process keeps its files.
func (p process) folders() (settings.Paths, error) {
	paths, err := settings.FindPaths(runtime.GOOS, p.env)
	if err != nil {
		return paths, exit{exitConfig, err}
	}
	return paths, nil
}

// storedTrust asks the stored decisions; a folder that cannot be asked about is
// not trusted.
func storedTrust(store *trust.Store, log *slog.Logger) func(string) bool {
	return func(folder string) bool {
		l, err := store.Decide(folder)
		if err != nil {
			log.Warn("a folder counts as restricted", "folder", folder, "err", err)
		}
		return l == trust.Trusted
	}
}

// realDir is a folder's absolute path with links resolved.
func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding %s: the current folder is not there any more: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", dir, err)
	}
	fi, err := os.Stat(real)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", dir, err)
	}
	if !fi.IsDir() {
		return "", fmt.Errorf("%s is no folder", dir)
	}
	return real, nil
}

// statusOf is the exit status for the error that ended a turn.
func statusOf(err error) int {
	var me *model.Error
	switch {
	case errors.As(err, &me) && (me.Kind == model.Auth || me.Kind == model.NoAccess):
		return exitAuth
	case errors.Is(err, agent.ErrUntrusted):
		return exitUntrusted
	case errors.Is(err, agent.ErrUnknownSession), errors.Is(err, agent.ErrExists), errors.Is(err, agent.ErrNoPrompt), errors.Is(err, agent.ErrUnknownCommand), errors.Is(err, agent.ErrNoFolder):
		return exitInput
	case isDiskFull(err):
		return exitTool
	}
	return exitFailure
}
