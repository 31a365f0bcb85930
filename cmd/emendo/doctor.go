package main

import (
	"cmp"
	"context"
	"flag"

	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/doctor"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools/reach"
)

// doctor checks the installation and suggests fixes.
func (p process) doctor(f *flag.FlagSet) cli.Run {
	e := &doctor.Examination{}
	asJSON := f.Bool("json", false, "print JSON")
	f.BoolVar(&e.Online, "online", false, "also send one short request to the model")
	return func(ctx context.Context, _ []string) error {
		e.Process = p.examined()
		usable, err := e.Run(ctx, *asJSON)
		if err == nil && !usable {
			err = exit{code: exitFailure}
		}
		return err
	}
}

// examined returns the parts of the process that the doctor's checks use.
func (p process) examined() doctor.Process {
	return doctor.Process{
		Environ: p.environ, Env: p.env, Home: cmp.Or(p.env("HOME"), p.env("USERPROFILE")), Stdout: p.stdout, Version: version, Gemini: p.geminiDir(),
		Clean:   func(s string) string { return printable(p.secrets.Text(s)) },
		Folders: p.folders,
		Dir:     func() (string, error) { return realDir(".") },
		Load: func(at doctor.Place, warn func(string)) (settings.Settings, error) {
			return p.load(at.Paths, at.Dir, at.Trusted, nil, nil, warn)
		},
		Rules: func(at doctor.Place, warn func(string)) error {
			rules := &policies{paths: at.Paths, warn: warn}
			return rules.usable(at.Dir, []string{at.Dir}, at.Trusted)
		},
		Auth: func(at doctor.Place, s settings.Settings) (auth.Examination, error) {
			c, err := p.logged(at.Paths, s)
			return auth.Examination{Command: c, Env: p.env, Settings: s.Network, Network: provider.Network(s.Network, p.env, p.secrets)}, err
		},
		Sandbox: p.trial,
		Servers: func(at doctor.Place, s settings.Settings) servers.Command {
			w := wiring{process: p, paths: at.Paths, settings: s}
			return servers.Command{
				Settings: s, Store: trust.Open(at.Paths.State), Dir: at.Dir, Trusted: at.Trusted, Gemini: p.geminiDir(),
				Env: p.env, Logins: w.servers().Logins, Extensions: w.extensions()(at.Dir).Used(),
			}
		},
		Agents: func(s settings.Settings) remote.Options { return remoteAgents(p, s) },
		Serves: languageServers,
	}
}

// trial lets a test command run as the commands of sessions do.
func (p process) trial(at doctor.Place, s settings.Settings) doctor.Trial {
	const session = "doctor"
	confined := newConfinement(p, at.Paths, p.logger(), nil)
	return doctor.Trial{
		Guard: confined.Use(s.Tools.Sandbox), Close: func() {
			sandbox.EndSession(session)
			confined.Close()
		},
		Profile: func() (string, *sandbox.Profile, error) {
			dir, err := confined.Copies()
			if err != nil {
				return "", nil, err
			}
			reached, err := confined.Reach([]string{dir}, reach.Extra{Session: session, Unasked: true})
			if err != nil {
				return "", nil, err
			}
			return dir, &reached.Profile, nil
		},
	}
}
