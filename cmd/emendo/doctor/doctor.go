// Package doctor is the command `emendo doctor`: it checks an installation and suggests
// fixes. It owns the checks and how their findings are printed. It knows neither exit
// statuses nor the process, whose parts come in through [Process].
package doctor

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
)

// A Place is the folder that is checked, and where the user's files are.
type Place struct {
	Paths   settings.Paths
	Dir     string // absolute, links resolved
	Trusted bool
}

// A Process has the parts of the process that the checks use.
type Process struct {
	Environ []string
	Env     func(string) string
	Home    string // of the user
	Stdout  io.Writer
	Version string
	Clean   func(string) string // removes secrets and characters that control a terminal
	Gemini  string              // folder of Gemini CLI's user settings; may be empty

	Folders func() (settings.Paths, error)
	Dir     func() (string, error)                                           // the current folder
	Load    func(p Place, warn func(string)) (settings.Settings, error)      // reads the settings
	Rules   func(p Place, warn func(string)) error                           // reads the policy files
	Auth    func(p Place, s settings.Settings) (auth.Examination, error)     // without Add
	Sandbox func(p Place, s settings.Settings) Trial                         // of commands
	Servers func(p Place, s settings.Settings) servers.Command               // MCP servers
	Agents  func(s settings.Settings) remote.Options                         // remote agents
	Serves  func(s settings.Settings) (languageServers []langserver.Program) // that may be used
}

// An Examination holds the inputs and the findings of the checks.
type Examination struct {
	Process
	Online bool // send a request to the model

	place    Place
	settings settings.Settings
	level    sandbox.Level // of commands
	found    []Finding
}

// Run runs all checks and prints the findings. It reports whether emendo is usable.
func (e *Examination) Run(ctx context.Context, asJSON bool) (usable bool, err error) {
	if e.places() {
		for _, check := range []func(context.Context){e.settingsCheck, e.trustCheck, e.storage, e.provider, e.sandbox, e.programs, e.languages, e.servers, e.agents, e.editors} {
			check(ctx)
		}
	}
	return e.usable(), e.print(asJSON)
}

// places finds the folders. It returns false if no further check is possible.
func (e *Examination) places() bool {
	var err error
	if e.place.Paths, err = e.Folders(); err != nil {
		e.add("folders", auth.Broken, "set HOME or EMENDO_HOME to an absolute path", "%v", err)
		return false
	}
	if e.place.Dir, err = e.Dir(); err != nil {
		e.add("folders", auth.Broken, "change to a folder that exists", "%v", err)
		return false
	}
	if e.place.Trusted, err = trust.Open(e.place.Paths.State).Trusts(e.place.Dir); err != nil {
		e.add("trust", auth.Broken, "fix or remove that file", "%v", err)
	}
	return true
}

// settingsCheck reads every settings file and every policy file.
func (e *Examination) settingsCheck(context.Context) {
	var wrong []string
	warn := func(text string) { wrong = append(wrong, text) }
	set, err := e.Load(e.place, warn)
	if err != nil {
		e.add("settings", auth.Broken, "fix the file at this position", "%v", err)
		set = settings.Defaults()
	}
	e.settings = set
	if err := e.Rules(e.place, warn); err != nil {
		e.add("policies", auth.Broken, "fix the rule; until then every call needs your approval", "%v", err)
	}
	for _, text := range wrong {
		e.add("settings", auth.Lacking, "fix the file at this position", "%s", text)
	}
	if err == nil && len(wrong) == 0 {
		e.add("settings", auth.Fine, "", "read from %s", e.place.Paths.Config)
	}
}

func (e *Examination) trustCheck(context.Context) {
	if e.place.Trusted {
		e.add("trust", auth.Fine, "", "%s is trusted", e.place.Dir)
		return
	}
	e.add("trust", auth.Lacking, "emendo trust add", "%s is restricted: the agent can read and propose edits, but not run commands", e.place.Dir)
}

// storage checks that emendo can write its files.
func (e *Examination) storage(context.Context) {
	state := e.place.Paths.State
	if err := keepsFiles(state); err != nil {
		e.add("storage", auth.Broken, "free disk space and check permissions, or set EMENDO_HOME to another folder", "sessions cannot be stored: %v", err)
		return
	}
	e.add("storage", auth.Fine, "", "sessions are stored in %s", state)
}

// keepsFiles tests writing a file to a folder.
func keepsFiles(dir string) error {
	if err := private.Folder(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "doctor-")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 4<<10))
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}

// provider checks the credentials, the network and, if the user asked for that, the
// model.
func (e *Examination) provider(ctx context.Context) {
	x, err := e.Auth(e.place, e.settings)
	if err != nil {
		e.add("credentials", auth.Broken, "fix the setting", "%v", err)
		return
	}
	x.Add = e.add
	x.Run(ctx, e.Online)
}

// servers checks the configured MCP servers without starting them.
func (e *Examination) servers(context.Context) {
	problems, n := e.Servers(e.place, e.settings).Problems()
	for _, p := range problems {
		e.add("mcp", auth.Lacking, "emendo mcp list", "%s", p)
	}
	if n > 0 {
		e.add("mcp", auth.Fine, "", "configured MCP servers: %d; `emendo mcp test` starts them", n)
	}
}

// agents checks the files of the user's agents, and fetches the cards of remote ones if
// --online is set.
func (e *Examination) agents(ctx context.Context) {
	l, problems := subagent.Remotes(ctx, e.place.Paths.Config, e.Gemini)
	for _, p := range problems {
		e.add("agents", auth.Lacking, "see docs/agents.md", "%s", strings.TrimSuffix(p, "."))
	}
	if len(l) > 0 && !e.Online {
		e.add("agents", auth.Fine, "", "%d remote agents are defined; `emendo doctor --online` asks for their cards", len(l))
		return
	}
	for _, a := range l {
		if err := a.Check(ctx, e.Agents(e.settings)); err != nil {
			e.add("agents", auth.Lacking, "see docs/agents.md", "the remote agent %s at %s cannot be used: %v", a.Name, a.Place(), err)
			continue
		}
		e.add("agents", auth.Fine, "", "the remote agent %s at %s answers", a.Name, a.Place())
	}
}
