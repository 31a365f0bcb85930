package main

import (
	"path/filepath"
	"reflect"
	"slices"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/memory"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/settings"
)

// choose puts what the settings say into an agent's options.
func (w wiring) choose(o *agent.Options, s settings.Settings) error {
	mode, err := agent.ParseMode(s.General.DefaultApprovalMode)
	if err != nil {
		return err
	}
	if o.Tuning, err = tuningOf(s.ModelConfigs); err != nil {
		return err
	}
	o.Routing = agent.Routing{Plans: s.General.Plan.ModelRouting, Classifier: s.Model.Routing.Classifier}
	o.Model, o.Mode, o.MaxSteps = s.Model.Name, mode, w.maxSteps
	if o.MaxSteps == 0 && s.Model.MaxSessionTurns > 0 {
		o.MaxSteps = s.Model.MaxSessionTurns
	}
	o.Retry = model.RetryOptions{Attempts: s.General.MaxAttempts}
	o.Fallback, o.MayLoop, o.ChecksSpeaker = agent.Fallback(s.Model.Fallback), s.Model.DisableLoopDetection, !s.Model.SkipNextSpeakerCheck
	o.JobsEnd = agent.JobsEnd(s.Tools.Shell.JobsEnd)
	o.Tools = allTools(w.commands(s))
	o.AllowedTools, o.ExcludedTools = slices.Concat(w.allowed, s.Tools.Allowed), s.Tools.Exclude
	o.ConfirmedTools, o.CoreTools = s.Tools.Confirm, s.Tools.Core
	if !s.UseWriteTodos {
		o.ExcludedTools = append(slices.Clip(o.ExcludedTools), "write_todos")
	}
	mask := s.ContextManagement.Tools.OutputMasking
	o.Masking = compact.MaskOptions{Protected: int64(mask.Protected), Prunable: int64(mask.Prunable), Latest: !mask.ProtectLatest}
	o.CompactAt, o.LongOutput = s.Model.CompressionThreshold, s.Tools.LongOutput
	o.IgnoreGit, o.IgnoreEmendo = s.Context.FileFiltering.RespectGitIgnore, s.Context.FileFiltering.RespectGeminiIgnore
	if o.GitExcludes, err = ignore.UserExcludes(w.process.env("HOME"), w.process.env("XDG_CONFIG_HOME")); err != nil {
		w.log.Warn(err.Error())
	}
	o.ContextNames, o.NoFolders = slices.Concat(memory.DefaultNames, s.Context.FileNames), !s.Context.IncludeDirectoryTree
	o.Hooks = hooks.Configured(s)
	return nil
}

// renewing gives what brings an agent's options up to date with the settings
// that now reads, and nothing without it.
func (w wiring) renewing(now func() settings.Settings) func(*agent.Options) {
	if now == nil {
		return nil
	}
	have := w.settings
	return func(o *agent.Options) {
		s := now()
		if reflect.DeepEqual(s, have) {
			return
		}
		if err := w.choose(o, s); err != nil {
			w.log.Error("settings are not heeded", "err", err)
			return
		}
		if w.generator == nil && !(reflect.DeepEqual(s.Model, have.Model) && reflect.DeepEqual(s.Security, have.Security)) {
			o.Generator = w.models(s).generator
		}
		have = s
	}
}

// models are found as the settings say.
func (w wiring) models(s settings.Settings) *models {
	return &models{env: w.process.env, keys: keyFile{filepath.Join(w.paths.Config, "keys"), w.process.secrets}, settings: s, log: w.log}
}
