package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/remote"
	"github.com/emendo-dev/emendo/mcp/server"
	"github.com/emendo-dev/emendo/mcp/stdio"
	"github.com/emendo-dev/emendo/tools/reach"
)

// A Confinement starts programs in the sandbox.
type Confinement interface {
	sandbox.Spawner
	// Reach returns what a program may access in a session in these folders.
	Reach(folders []string, extra reach.Extra) (*reach.Profile, error)
	// Copies makes a private folder for copies of files, which the caller deletes.
	Copies() (string, error)
}

// Programs starts servers as local processes, and connects to those that have an
// address. It implements [Dialer].
type Programs struct {
	Spawner sandbox.Spawner // nil: [sandbox.System]
	Environ []string        // of emendo; servers get the harmless part of it
	Sandbox Confinement     // nil: no sandbox is available
	// Private returns the private folder in which a server starts that has no other one,
	// by its name, outside the folders. It exists. nil: the folder for temporary files.
	Private func(name string, folders []string) (string, error)
	Logins  oauth.Logins // of the user at servers with an address
	Log     *slog.Logger
}

// Target returns the login target of a server with an address. Its variables are
// expanded.
func Target(c config.Server) oauth.Target {
	o, _ := c.SignIn()
	return oauth.Target{Name: c.Name, URL: c.URL, SSE: c.Transport == config.SSE, Fallback: c.Transport == config.Auto, Headers: c.Headers, OAuth: o}
}

// Dial implements [Dialer].
func (p Programs) Dial(ctx context.Context, c config.Server, cleared trust.Cleared, folders []string) (server.Link, error) {
	switch c.Transport {
	case config.HTTP, config.SSE, config.Auto:
		return remote.Open(Target(c), p.Logins)
	case config.Stdio:
	}
	env := sandbox.Environment(p.Environ, nil, folders)
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		env = append(env, name+"="+c.Env[name])
	}
	if c.Dir == "" {
		var err error
		if c.Dir, err = p.private(c.Name, folders); err != nil {
			return nil, fmt.Errorf("cannot make a private folder for it: %w", err)
		}
	}
	if c.Env[sandbox.PythonSafe] == "" && sandbox.SafePython(append([]string{c.Command}, c.Args...), c.Dir) {
		env = append(env, sandbox.PythonSafe+"=1")
	}
	path, err := findProgram(c.Command, c.Dir, env)
	if err != nil {
		return nil, err
	}
	command := sandbox.Command{Argv: append([]string{path}, c.Args...), Dir: c.Dir, Env: env}
	spawner := p.Spawner
	if spawner == nil {
		spawner = sandbox.System()
	}
	link := &program{log: p.Log, name: c.Name}
	if c.Sandbox && p.Sandbox == nil {
		return nil, errNoSandbox
	}
	if (c.Sandbox || c.Confined) && p.Sandbox != nil {
		if err := link.confine(p, c, cleared, folders); err != nil {
			link.forget()
			return nil, err
		}
		command.Profile, spawner = &link.profile.Profile, p.Sandbox
	}
	if link.Process, err = stdio.Start(ctx, spawner, command, p.Log.With("server", c.Name)); err != nil {
		link.forget()
		return nil, fmt.Errorf("cannot start: %w", err)
	}
	if c.Sandbox && link.Level() == sandbox.Open {
		link.Close()
		return nil, errNoSandbox
	}
	return link, nil
}

// confine prepares the sandbox of a server, in which the files that were approved are
// as they were then.
func (p *program) confine(from Programs, c config.Server, cleared trust.Cleared, folders []string) (err error) {
	extra := reach.Extra{Network: sandbox.Network{Hosts: c.Hosts}}
	if cleared.Sum != "" {
		if p.copies, err = from.Sandbox.Copies(); err != nil {
			return err
		}
		if extra.Copies, err = cleared.Copy(p.copies); err != nil {
			return err
		}
	}
	p.profile, err = from.Sandbox.Reach(folders, extra)
	return err
}

// private returns the folder in which a server starts that has no other one.
func (p Programs) private(name string, folders []string) (string, error) {
	if p.Private == nil {
		return os.TempDir(), nil
	}
	return p.Private(name, folders)
}

var errNoSandbox = errors.New("the server requires the sandbox, and no sandbox is available")

// findProgram returns the absolute path of a program. A name with a slash is relative to
// dir; others are looked up in the search path.
func findProgram(program, dir string, env []string) (string, error) {
	if strings.ContainsRune(program, '/') || strings.ContainsRune(program, filepath.Separator) {
		if !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		path, err := exec.LookPath(program)
		if err != nil {
			return "", fmt.Errorf("cannot start its program: %w", err)
		}
		return path, nil
	}
	for _, folder := range sandbox.SearchPath(env) {
		if path, err := exec.LookPath(filepath.Join(folder, program)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("its program %s is not in the search path", program)
}

// program is a server's process, in the sandbox or outside.
type program struct {
	*stdio.Process
	profile *reach.Profile // nil: outside the sandbox
	copies  string         // the folder with copies of what was approved; may be empty
	log     *slog.Logger
	name    string
}

// Reason implements [server.Link].
func (p *program) Reason() error {
	if p.profile != nil {
		if l := p.profile.Replaced(); len(l) > 0 {
			return fmt.Errorf("it was ended, because %s was replaced while it ran", l[0])
		}
	}
	return p.Process.Reason()
}

// TransportName implements [server.Link].
func (*program) TransportName() string { return "" }

// Fallback implements [server.Link]: there is no other transport.
func (*program) Fallback() bool { return false }

// forget deletes the copies of what was approved.
func (p *program) forget() {
	if p.copies == "" {
		return
	}
	if err := os.RemoveAll(p.copies); err != nil {
		p.log.Warn("delete copies of a server's files", "server", p.name, "err", err)
	}
}

// Close implements [server.Link]. Protected files that a server in the sandbox
// created are moved aside.
func (p *program) Close() {
	p.Process.Close()
	p.forget()
	if p.profile == nil {
		return
	}
	moved, err := p.profile.MoveAside()
	if len(moved) > 0 || err != nil {
		p.log.Warn("an MCP server created protected files, which were moved aside", "server", p.name, "files", moved, "err", err)
	}
}
