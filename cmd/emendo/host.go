package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/systemprompt"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/resident"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/lsp"
)

// hosting builds the agent of a language server.
type hosting struct {
	process   process
	paths     settings.Paths
	generator func(string) (model.Generator, string, error) // nil: by name
	flags     map[string]any                                // settings of this process only, by key
	memory    *resident.Trimmer                             // of the process; nil: memory is not given back
	log       *slog.Logger
}

// chatFolder returns the folder for chat documents outside of workspaces, in the state
// folder.
func chatFolder(folder string) string { return filepath.Join(folder, "chats") }

// start implements [lsp.Options.Start].
func (h hosting) start(_ context.Context, s lsp.Start) (*lsp.Host, error) {
	store := trust.Open(h.paths.State)
	trusted := editorTrust(s.User, storedTrust(store, h.log))
	var project string
	if len(s.Folders) > 0 {
		project = s.Folders[0]
	}
	w, warnings := h.wire(beside{
		project: project, trusted: trusted, approvals: store, client: s.Client, workspace: s.Workspace, editor: s.Editor,
		user: s.User.Settings, configuration: s.User.Configuration, warn: s.User.Warn,
	})
	a, led, err := w.agent()
	if err != nil {
		return nil, err
	}
	served := served{hosting: h, start: s, trusts: store, wiring: w, agent: a, endTidying: w.tidy(a, startGrace, s.User.Warn)}
	return &lsp.Host{Agent: a, Ledger: led, Program: served, Chats: chatFolder(h.paths.State), Warnings: warnings}, nil
}

// served implements [client.Program] for the host of a language server.
type served struct {
	hosting    hosting
	start      lsp.Start
	trusts     *trust.Store
	wiring     wiring
	agent      *agent.Agent
	endTidying func()
}

func (p served) Trusted(folder string) bool { return p.wiring.trusted(folder) }

func (p served) Include(folders []string) []string {
	at := place{cwd: folders[0], roots: folders}
	at.include(p.wiring.now().Context.IncludeDirectories, p.wiring.trusted, p.start.User.Warn)
	return at.roots
}

func (p served) OfferTrust(folder string) (lsp.TrustOffer, error) {
	if p.start.User.Trust() == lsp.Restricted {
		return lsp.TrustOffer{}, errors.New("the editor restricts this workspace: trust it in the editor")
	}
	return p.hosting.offerTrust(p.trusts, folder)
}

func (p served) Companion() bool { return p.wiring.now().Companion.Enabled }

func (p served) ChatsOutside() bool { return p.wiring.now().Chat.Folder == "state" }

func (p served) Export(id, format string) (string, error) {
	sessions := transcript.NewStore(filepath.Join(p.hosting.paths.State, "sessions"))
	sessions.Secrets = p.hosting.process.secrets
	return exported(sessions, id, format)
}

func (p served) Close() error {
	p.endTidying()
	endTelemetry(p.agent)
	p.wiring.confined.Close()
	return p.start.Workspace.Snapshot().Tree().Close()
}

// beside describes the environment of an agent that works beside an editor.
type beside struct {
	project             string // the folder whose settings apply; empty: none
	trusted             func(folder string) bool
	approvals           gate.Approvals
	client              frontend.Client
	workspace           *ide.Workspace
	editor              ide.Editor             // may be nil
	user, configuration func() json.RawMessage // the current user and workspace settings from the editor; may be nil
	warn                func(text string)
}

// wire returns the wiring of an agent beside an editor, from the user's and the
// project's settings, and follows changes of the settings. The warnings are about
// mistakes in them.
func (h hosting) wire(o beside) (w wiring, warnings []string) {
	source := settings.NewSource(settings.Options{Paths: h.paths, ProjectDir: o.project, Env: h.process.env, Flags: h.flags, Extend: extension.Extender(h.paths.Config, h.process.geminiDir())})
	trusts := func() bool { return o.project != "" && o.trusted(o.project) }
	read := func() (settings.Settings, []string) { return source.Read(trusts(), o.user(), o.configuration()) }
	set, warnings := read()
	now := func() settings.Settings {
		set, news := read()
		for _, n := range news {
			o.warn(n)
		}
		return set
	}
	system, err := systemprompt.Env(h.process.env).Options(o.project, trusts())
	if err != nil {
		warnings = append(warnings, err.Error())
	}
	writer, err := systemprompt.Env(h.process.env).Writer(o.project)
	if err != nil {
		warnings = append(warnings, err.Error())
	}
	return wiring{
		memory:   h.memory,
		confined: newConfinement(h.process, h.paths, h.log, nil), process: h.process, paths: h.paths, settings: set, now: now,
		trusted: o.trusted, client: o.client, workspace: o.workspace, editor: o.editor, generator: h.generator, approvals: o.approvals,
		prompt: system, writer: writer, log: h.log, rules: &policies{paths: h.paths, warn: o.warn},
	}, warnings
}

// editorTrust uses the editor's own workspace trust if it has any, and otherwise
// the stored decisions.
func editorTrust(u lsp.User, stored func(string) bool) func(folder string) bool {
	return func(folder string) bool {
		switch t := u.Trust(); t {
		case lsp.Restricted:
			return false
		case lsp.Trusted:
			return u.Holds(folder) || stored(folder)
		case lsp.AskTrust:
			return stored(folder)
		default:
			panic("unknown trust " + t)
		}
	}
}
