package main

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/tools"
)

func tracks(o state.Choices) bool {
	return slices.ContainsFunc(o.Tools, func(t tools.Tool) bool { return t.Spec().Name == "tracker_create_task" })
}

// The choices that an agent takes from the settings.
func TestChoices(t *testing.T) {
	for _, c := range []struct {
		name, settings string
		is             func(o state.Choices) bool
	}{
		{"a limit of requests", `{"model.maxSessionTurns": 3}`, func(o state.Choices) bool { return o.Settings.Model.MaxSessionTurns == 3 }},
		{"no limit of requests", `{"model.maxSessionTurns": -1}`, func(o state.Choices) bool { return o.Settings.Model.MaxSessionTurns < 0 }},
		{"a model and a mode", `{"model.name": "x", "general.defaultApprovalMode": "plan"}`, func(o state.Choices) bool { return o.Model == "x" && o.Settings.General.DefaultApprovalMode == "plan" }},
		{"tries and a fallback", `{"general.maxAttempts": 2, "model.fallback": "always"}`, func(o state.Choices) bool {
			return o.Settings.General.MaxAttempts == 2 && o.Settings.Model.Fallback == settings.FallbackAlways
		}},
		{"a loop guard and its next speaker", `{"model": {"disableLoopDetection": true, "skipNextSpeakerCheck": false}}`, func(o state.Choices) bool {
			return o.Settings.Model.DisableLoopDetection && !o.Settings.Model.SkipNextSpeakerCheck
		}},
		{"tools that are excluded", `{"tools.exclude": ["glob"]}`, func(o state.Choices) bool { return slices.Equal(o.Settings.Tools.Exclude, []string{"glob"}) }},
		{"no list of what is to be done", `{"useWriteTodos": false}`, func(o state.Choices) bool { return slices.Equal(o.Settings.Tools.Exclude, []string{"write_todos"}) }},
		{"tasks in place of the list", `{"experimental.taskTracker": true}`, func(o state.Choices) bool {
			return slices.Equal(o.Settings.Tools.Exclude, []string{"write_todos"}) && tracks(o)
		}},
		{"neither tasks nor a list", `{"experimental.taskTracker": true, "useWriteTodos": false}`, func(o state.Choices) bool {
			return slices.Equal(o.Settings.Tools.Exclude, []string{"write_todos"}) && !tracks(o)
		}},
		{"the list", `{}`, func(o state.Choices) bool { return !tracks(o) }},
		{"tokens of remote agents", `{}`, func(o state.Choices) bool { return o.RemoteAgents.Tokens == nil && o.RemoteAgents.Env != nil }},
		{"the only tools", `{"tools": {"core": ["read_file", "write_todos"], "exclude": ["write_todos"]}}`, func(o state.Choices) bool {
			return slices.Equal(o.Settings.Tools.Core, []string{"read_file", "write_todos"}) && slices.Equal(o.Settings.Tools.Exclude, []string{"write_todos"})
		}},
		{"tools that need no question", `{"tools.allowed": ["glob"]}`, func(o state.Choices) bool { return slices.Equal(o.Settings.Tools.Allowed, []string{"glob"}) }},
		{"tools that always need a question", `{"tools.confirmationRequired": ["glob"]}`, func(o state.Choices) bool { return slices.Equal(o.Settings.Tools.Confirm, []string{"glob"}) }},
		{"no answer that lasts", `{"security.disableAlwaysAllow": true}`, func(o state.Choices) bool { return o.Settings.Security.NoAlways }},
		{"what is ignored", `{"context.fileFiltering": {"respectGitIgnore": false}}`, func(o state.Choices) bool { return o.Ignoring().NoGit && !o.Ignoring().NoGemini }},
		{"context files and no tree", `{"context": {"fileName": "A.md", "includeDirectoryTree": false}}`, func(o state.Choices) bool {
			return slices.Equal(o.Settings.Context.FileNames, []string{"A.md"}) && !o.Settings.Context.IncludeDirectoryTree
		}},
		{"when a conversation is shortened", `{"model.compressionThreshold": 0.75, "tools.truncateToolOutputThreshold": -1}`, func(o state.Choices) bool {
			return o.Settings.Model.CompressionThreshold == 0.75 && o.Settings.Tools.LongOutput == -1
		}},
		{"what is masked", `{"contextManagement.tools.outputMasking": {"protectionThresholdTokens": 9, "minPrunableThresholdTokens": 8, "protectLatestTurn": false}}`, func(o state.Choices) bool {
			return o.Settings.ContextManagement.Tools.OutputMasking == settings.OutputMasking{Protected: 9, Prunable: 8}
		}},
		{"the bounds of commands", `{"tools.shell": {"timeoutSeconds": 90, "inactivityTimeout": 0, "enableInteractiveShell": false}}`, func(o state.Choices) bool {
			return slices.ContainsFunc(o.Tools, func(t tools.Tool) bool {
				d := t.Spec().Description
				return strings.Contains(d, "is killed after 90 seconds.")
			})
		}},
		{"notices about background commands", `{"tools.shell.backgroundCompletionBehavior": "inject"}`, func(o state.Choices) bool { return o.Settings.Tools.Shell.JobsEnd == settings.JobsInject }},
		{"hooks", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x"}]}]}, "hooksConfig.disabled": ["y"]}`, func(o state.Choices) bool {
			return len(o.Hooks.Hooks) == 1 && o.Hooks.Hooks[0].Command == "x" && slices.Equal(o.Hooks.Disabled, []string{"y"}) && !o.Hooks.Off && !o.Hooks.Quiet
		}},
		{"skills that are switched off", `{"skills": {"enabled": false, "disabled": ["x"]}}`, func(o state.Choices) bool {
			return !o.Settings.Skills.Enabled && slices.Equal(o.Settings.Skills.Disabled, []string{"x"})
		}},
		{"agents that are switched off", `{"agents": {"enabled": false, "disabled": ["x"]}}`, func(o state.Choices) bool {
			return !o.Settings.Agents.Enabled && slices.Equal(o.Settings.Agents.Disabled, []string{"x"})
		}},
		{"hooks that are switched off", `{"hooksConfig": {"enabled": false, "notifications": false}}`, func(o state.Choices) bool { return o.Hooks.Off && o.Hooks.Quiet }},
		{"none", `{}`, func(o state.Choices) bool {
			return o.Settings.ContextManagement.Tools.OutputMasking == settings.OutputMasking{Protected: compact.DefaultProtected, Prunable: compact.DefaultPrunable, ProtectLatest: true} &&
				o.Settings.Model.CompressionThreshold == compact.DefaultThreshold && o.Settings.Tools.LongOutput == compact.DefaultOutput && len(o.Settings.Tools.Exclude) == 0
		}},
	} {
		s, warnings, err := settings.Load(settings.Options{Editor: json.RawMessage(c.settings)})
		if err != nil || len(warnings) > 0 {
			t.Fatal(c.name, warnings, err)
		}
		var o state.Choices
		w := wiring{process: process{env: func(string) string { return "" }}, log: slog.New(slog.DiscardHandler)}
		if err := w.choose(&o, s); err != nil || !c.is(o) {
			t.Errorf("%s: %v, %+v", c.name, err, o)
		}
	}
}

// editorUser is the user of an editor with one folder.
type editorUser struct {
	folder   string
	trust    lsp.Trust
	settings string
	said     []string
}

func (u *editorUser) Holds(folder string) bool       { return folder == u.folder }
func (u *editorUser) Configuration() json.RawMessage { return nil }
func (u *editorUser) Trust() lsp.Trust               { return u.trust }
func (u *editorUser) Warn(text string)               { u.said = append(u.said, text) }

func (u *editorUser) Settings() json.RawMessage {
	if u.settings == "" {
		return nil
	}
	return json.RawMessage(u.settings)
}

// started returns the host of an editor's server.
func started(t *testing.T, w *world, u *editorUser) *lsp.Host {
	t.Helper()
	u.folder = w.dir
	s := lsp.Start{Workspace: ide.NewWorkspace(nil, ide.UTF16), Folders: []string{w.dir}, User: u}
	p := process{env: lookup(w.env), environ: w.env}
	paths, err := p.folders()
	if err != nil {
		t.Fatal(err)
	}
	h, err := wiring{process: p, paths: paths, log: slog.New(slog.DiscardHandler)}.startLSP(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Agent.Close)
	return h
}

// User settings from the editor may change while the server runs.
func TestTheEditorsUserSettingsApplyFromTheNextSession(t *testing.T) {
	w := newWorld(t)
	u := &editorUser{trust: lsp.AskTrust, settings: `{"model": {"name": "ollama/one"}}`}
	h := started(t, w, u)
	for _, c := range []struct{ passed, want string }{
		{u.settings, "ollama/one"},
		{`{"model": {"name": "ollama/two"}}`, "ollama/two"},
		{`{"model": {"name": 7}}`, "ollama/two"}, // a mistake keeps the previous value
		{``, "auto"},
	} {
		u.settings = c.passed
		s, err := h.Agent.Create(t.Context(), agent.NewSession{Cwd: w.dir})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Info().Model; got != c.want {
			t.Errorf("with %s the model is %s", c.passed, got)
		}
	}
	if len(u.said) != 1 || !strings.Contains(u.said[0], "model.name") {
		t.Errorf("warnings %q", u.said)
	}
}

// A new session uses the current settings and trust.
func TestANewSessionUsesTheCurrentSettings(t *testing.T) {
	w := newWorld(t)
	u := &editorUser{trust: lsp.AskTrust}
	h := started(t, w, u)
	model := func() string {
		t.Helper()
		s, err := h.Agent.Create(t.Context(), agent.NewSession{Cwd: w.dir})
		if err != nil {
			t.Fatal(err)
		}
		return s.Info().Model
	}
	user := filepath.Join(w.home, "config", "settings.json")
	initial := settings.Defaults().Model.Name
	if got := model(); got != initial {
		t.Errorf("at first %s", got)
	}
	w.put(user, `{"model.name": "user"}`)
	w.write(".emendo/settings.json", `{"model.name": "project"}`)
	if got := model(); got != "user" {
		t.Errorf("with files of the user and of a restricted project: %s", got)
	}
	store := trust.Open(filepath.Join(w.home, "state"))
	if _, err := store.Add(w.dir); err != nil {
		t.Fatal(err)
	}
	if got := model(); got != "project" {
		t.Errorf("with a trusted project: %s", got)
	}
	if _, err := store.Remove(w.dir); err != nil {
		t.Fatal(err)
	}
	w.put(user, "{\n  model}")
	for range 2 {
		if got := model(); got != "user" {
			t.Errorf("with a restricted project and a broken file: %s", got)
		}
	}
	if len(u.said) != 1 || !strings.HasPrefix(u.said[0], user+":2:3: not valid JSON") {
		t.Errorf("warnings %q", u.said)
	}
}

// The included folders of the user's settings are added if they do not restrict the
// session. Those of the project's settings must be inside it, and so change nothing.
func TestIncludedFoldersOfAnEditor(t *testing.T) {
	w := newWorld(t)
	base := filepath.Dir(w.dir)
	for _, d := range []string{"lib", "other", "work/sub"} {
		if err := os.MkdirAll(filepath.Join(base, filepath.FromSlash(d)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	lib := filepath.Join(base, "lib")
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"context.includeDirectories": ["../lib", "$HOME/other", "../none"]}`)
	w.write(".emendo/settings.json", `{"context.includeDirectories": ["sub", "../other"]}`)
	if _, err := trust.Open(filepath.Join(w.home, "state")).Add(lib); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		trust lsp.Trust
		want  []string
		said  []string
	}{
		{"in a trusted workspace", lsp.Trusted, []string{w.dir, lib}, []string{"context.includeDirectories: ignoring " + filepath.Join(base, "other"), "context.includeDirectories: find "}},
		{"in a restricted workspace", lsp.Restricted, []string{w.dir, lib, filepath.Join(base, "other")}, []string{"context.includeDirectories: find "}},
	} {
		u := &editorUser{trust: c.trust}
		h := started(t, w, u)
		if got := h.Program.Include([]string{w.dir}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if !slices.EqualFunc(u.said, c.said, strings.HasPrefix) {
			t.Errorf("%s: warnings %q", c.name, u.said)
		}
		if trusted := c.trust == lsp.Trusted; trusted != slices.ContainsFunc(h.Warnings, func(w string) bool {
			return strings.Contains(w, `"../other" in "context.includeDirectories" is ignored`)
		}) {
			t.Errorf("%s: warnings %q", c.name, h.Warnings)
		}
	}
}
