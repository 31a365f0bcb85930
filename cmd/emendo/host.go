package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/browser"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/cmd/emendo/systemprompt"
	"github.com/emendo-dev/emendo/cmd/emendo/terminals"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/jsonedit"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/client"
)

// chatFolder returns the folder for chat documents outside of workspaces, in the state
// folder.
func chatFolder(folder string) string { return filepath.Join(folder, "chats") }

// startLSP implements [lsp.Options.Start].
func (w wiring) startLSP(_ context.Context, s lsp.Start) (*lsp.Host, error) {
	store := trust.Open(w.paths.State)
	w.trusted, w.approvals = editorTrust(s.User, storedTrust(store, w.log)), store
	w.client, w.workspace, w.editor = s.Client, s.Workspace, s.Editor
	var project string
	if len(s.Folders) > 0 {
		project = s.Folders[0]
	}
	warnings := w.follow(project, s.User.Settings, s.User.Configuration, s.User.Warn)
	a, led, err := w.agent()
	if err != nil {
		return nil, err
	}
	program := served{wiring: w, user: s.User, trusts: store, agent: a, endTidying: w.startCleanUp(a, startGrace, s.User.Warn)}
	return &lsp.Host{Agent: a, Ledger: led, Program: program, Chats: chatFolder(w.paths.State), Warnings: warnings}, nil
}

// served implements [client.Program] for the host of a language server.
type served struct {
	wiring     wiring
	user       lsp.User
	trusts     *trust.Store
	agent      *agent.Agent
	endTidying func()
}

func (p served) Trusted(folder string) bool { return p.wiring.trusted(folder) }

func (p served) Include(folders []string) []string {
	return p.wiring.include(folders, nil, p.user.Warn)
}

func (p served) OfferTrust(folder string) (lsp.TrustOffer, error) {
	if p.user.Trust() == lsp.Restricted {
		return lsp.TrustOffer{}, errors.New("the editor restricts this workspace: trust it in the editor")
	}
	return p.wiring.offerTrust(p.trusts, folder)
}

func (p served) StartTerminal(ctx context.Context, t client.TerminalProgram) (client.Terminal, error) {
	return terminals.User{Spawner: sandbox.System(), Environ: p.wiring.process.environ}.Start(ctx, t)
}

func (p served) Companion() bool { return p.wiring.now().Companion.Enabled }

// SignedIn looks where keys can be, without asking the keyring for one.
func (p served) SignedIn() bool {
	s := p.wiring.now()
	m, err := p.wiring.models(s)
	if err != nil || strings.HasPrefix(s.Model.Name, "replay:") {
		return true // the turn says what is wrong
	}
	usual := m.ProviderOf(s.Model.Name)
	return slices.ContainsFunc(m.Names(), func(name string) bool {
		source, err := m.Origin(name)
		return err == nil && source.Origin != provider.Nowhere && (name == usual || source.Origin != provider.NotNeeded)
	})
}

func (p served) ChatsOutside() bool { return p.wiring.now().Chat.Folder == "state" }

func (p served) Export(id, format string) (string, error) {
	sessions := transcript.NewStore(filepath.Join(p.wiring.paths.State, "sessions"))
	sessions.Secrets = p.wiring.process.secrets
	return exported(sessions, id, format)
}

// Servers implements [client.Program].
func (p served) Servers(folders []string) client.Servers {
	trusted := !slices.ContainsFunc(folders, func(f string) bool { return !p.Trusted(f) })
	c := p.wiring.serversIn(here{paths: p.wiring.paths, dir: disk.RealPath(folders[0]), store: p.trusts, trusted: trusted, settings: p.wiring.now()})
	c.More = folders[1:]
	return c
}

// SetDisabled implements [client.Program]. It changes the user's own file, whatever else disables
// the name.
func (p served) SetDisabled(list settings.Disabling, name string, disabled bool) error {
	path := filepath.Join(p.wiring.paths.Config, "settings.json")
	object, key, _ := strings.Cut(string(list), ".")
	if err := jsonedit.SetMember(path, object, key, name, disabled, list.Equal); err != nil {
		return fmt.Errorf("change the setting %s: %w", list, err)
	}
	p.agent.Process.Renew()
	switch by := p.wiring.disabledBy(list, name); {
	case disabled && len(by) == 0:
		return fmt.Errorf("%s is written to %s, but does not apply: see the warnings about that file", list, path)
	case !disabled && len(by) > 0:
		return fmt.Errorf("%s stays disabled: %s of %s names it too; remove it there", name, list, strings.Join(by, " and of "))
	}
	return nil
}

// Browser implements [client.Program].
func (p served) Browser(address string) error {
	open := browser.Find(p.wiring.process.environ)
	if open == nil {
		return errors.New("no browser can be opened from here; run the command in a terminal instead")
	}
	return open(address)
}

func (p served) Close() error { return p.wiring.close(p.agent, p.endTidying) }

// include returns the folders of a new session: those that an editor names, further ones,
// and those of the settings.
func (w wiring) include(folders, further []string, warn func(string)) []string {
	at := place{cwd: folders[0], roots: folders}
	at.include(slices.Concat(further, w.now().Context.IncludeDirectories), w.trusted, warn)
	return at.roots
}

// close ends what an agent of an editor has left running.
func (w wiring) close(a *agent.Agent, endTidying func()) error {
	endTidying()
	endTelemetry(a)
	w.confined.Close()
	return w.workspace.Snapshot().Tree().Close()
}

// follow completes the wiring of an agent beside an editor by the user's and the project's
// settings, and follows changes of these. user and configuration return the current user
// and workspace settings from the editor, which may be nil. project may be empty. The
// warnings are about mistakes in the settings; warn gets those of later changes.
func (w *wiring) follow(project string, user, configuration func() json.RawMessage, warn func(string)) (warnings []string) {
	source := settings.NewSource(settings.Options{Paths: w.paths, ProjectDir: project, Env: w.process.env, Flags: w.flags, Extend: extension.Extender(w.paths.Config, w.process.geminiDir())})
	trusted := w.trusted
	trusts := func() bool { return project != "" && trusted(project) }
	read := func() (settings.Settings, []string) { return source.Read(trusts(), user(), configuration()) }
	w.disabledBy = func(list settings.Disabling, name string) []string {
		return source.DisabledBy(list, name, trusts(), user(), configuration())
	}
	w.settings, warnings = read()
	w.now = func() settings.Settings {
		set, news := read()
		for _, n := range news {
			warn(n)
		}
		return set
	}
	var err error
	if w.prompt, err = systemprompt.Env(w.process.env).Options(project, trusts()); err != nil {
		warnings = append(warnings, err.Error())
	}
	if w.writer, err = systemprompt.Env(w.process.env).Writer(project); err != nil {
		warnings = append(warnings, err.Error())
	}
	w.confined, w.rules = newConfinement(w.process, w.paths, w.log, nil), &policies{paths: w.paths, warn: warn}
	return warnings
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
