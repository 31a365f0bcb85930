package state

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/finding"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// Process holds what the sessions of one process share.
type Process struct {
	Options Options
	Client  frontend.Client
	Log     *slog.Logger

	chosen   atomic.Pointer[Choices] // the current settings
	renewing sync.Mutex              // held while chosen is replaced

	Available *model.Availability // which models can answer
	offered   keyModels
	limits    limits

	promptWritten sync.Once

	Hunks    Hunks
	Findings *finding.List
}

// Hunks applies decisions about hunks. Package agent implements it.
type Hunks interface {
	// Decide applies decisions and records checkpoints for a rewind.
	Decide(ctx context.Context, ds []ledger.Decision, comment string) (ledger.Resolution, error)
	// Resolve does the same and waits until the result is on disk.
	Resolve(ctx context.Context, ds []ledger.Decision, comment string) (ledger.Resolution, error)
}

// NewProcess returns a Process without Hunks and Findings.
func NewProcess(o Options) *Process {
	o = o.complete()
	a := &Process{Options: o, Client: o.Client, Log: o.Log, Available: model.NewAvailability(o.Now), offered: keyModels{turn: make(chan struct{}, 1), said: map[model.Lister][]model.Offered{}}, limits: limits{learnt: map[string]learntLimit{}}}
	a.choose(o.Choices)
	return a
}

// Use notes that the process works until done is called.
func (a *Process) Use() (done func()) {
	if a.Options.Memory == nil {
		return func() {}
	}
	a.Options.Memory.Use()
	return a.Options.Memory.Done
}

// Now returns the time in the precision that is stored and shown.
func (a *Process) Now() time.Time { return a.Options.Now().UTC().Truncate(time.Millisecond) }

// Widen adds folders to the workspace, so that the ledger may write in them.
func (a *Process) Widen(roots []string) error {
	return a.Options.Workspace.ChangeTree(func(now *disk.Tree) (*disk.Tree, error) {
		all := now.Folders()
		have := len(all)
		for _, r := range roots {
			if !slices.Contains(all, r) {
				all = append(slices.Clip(all), r)
			}
		}
		if len(all) == have {
			return now, nil
		}
		tree, err := disk.NewTree(all)
		if err != nil {
			return nil, fmt.Errorf("opening the workspace's folders: %w", err)
		}
		return tree, nil
	})
}

// Trusted reports whether all of the folders are trusted.
func (a *Process) Trusted(roots []string) bool {
	for _, r := range roots {
		if !a.Options.Trusted(r) {
			return false
		}
	}
	return true
}

// Elicitor returns the client's Elicitor; nil if no user is available to answer.
func (a *Process) Elicitor() frontend.Elicitor {
	e, ok := a.Client.(frontend.Elicitor)
	if !ok || !a.Client.Abilities().Asks {
		return nil
	}
	return e
}

// switchedOff reports whether the settings disable a tool.
func (a *Process) switchedOff(tool string) bool {
	_, off := policy.New(policy.Lists(a.Settings().Tools).Rules(), nil).Excluded(policy.Call{Tool: tool, Mode: policy.Plan})
	return off
}

// SandboxLevel returns the letter of the sandbox level; empty while it is unknown.
// It starts nothing to find out.
func (a *Process) SandboxLevel() string { return a.Options.Commands.KnownLevel() }

// Shell describes what holds commands in a workspace of these folders; false while that is not
// known. It starts nothing to find out.
func (a *Process) Shell(folders []string) (policy.Shell, bool) {
	return a.Options.Commands.Known(a.Ask(), folders)
}

// CanPresentPlans reports whether a plan can be presented to the user.
func (a *Process) CanPresentPlans() bool {
	return a.Options.PlansDir != "" && a.Client.Abilities().Asks && a.Tool("exit_plan_mode") != nil && !a.switchedOff("exit_plan_mode")
}

// Tool returns the tool with the name that the model uses.
func (a *Process) Tool(name string) tools.Tool {
	return lookup.Find(a.Choices().Tools, name)
}

// WritePrompt passes the first system prompt to [Options.WritePrompt].
func (a *Process) WritePrompt(ms []briefing.Module) {
	if a.Options.WritePrompt == nil {
		return
	}
	a.promptWritten.Do(func() {
		if err := a.Options.WritePrompt(briefing.PromptText(briefing.WithoutMemory(ms))); err != nil {
			a.Log.Warn("the system prompt was not written", "err", err)
		}
	})
}
