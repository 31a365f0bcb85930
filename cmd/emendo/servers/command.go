// Package servers is the command `emendo mcp`: it lists, adds, removes and tests MCP
// servers, and signs in to them. It knows neither exit statuses nor the environment.
package servers

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/mcp"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/tools"
)

// A Command is the command in a folder.
type Command struct {
	Stdout   io.Writer
	Warn     func(string)
	Settings settings.Settings // of the folder
	Config   string            // folder of the user's settings
	Store    *trust.Store
	Dir      string   // the folder, absolute, links resolved
	More     []string // folders of a session beside it
	Trusted  bool     // the user trusts them
	Gemini   string   // folder of Gemini CLI's user settings; may be empty
	Env      func(string) string
	Redact   func(string) string // removes secrets
	Version  string
	Dialer   mcp.Dialer
	// Extensions are those that are used in the folder.
	Extensions []extension.Extension
	Logins     oauth.Logins
	Stdin      *os.File                   // what the user types; nil: nothing
	Open       func(address string) error // opens the user's browser; may be nil
}

// The errors that choose an exit status.
var (
	ErrUntrusted = errors.New("the folder is restricted")
	ErrFailed    = errors.New("not all servers are ready")
)

// Commands returns the subcommands. with opens the servers of the current folder.
func Commands(with func(run func(Command) error) error) []cli.Command {
	plain := func(run func(c Command, ctx context.Context, args []string) error) func(*flag.FlagSet) cli.Run {
		return cli.Plain(func(ctx context.Context, args []string) error {
			return with(func(c Command) error { return run(c, ctx, args) })
		})
	}
	return []cli.Command{
		{Name: "list", Summary: "list the configured servers", Setup: func(f *flag.FlagSet) cli.Run {
			asJSON := f.Bool("json", false, "print JSON")
			return func(context.Context, []string) error {
				return with(func(c Command) error { return c.list(*asJSON) })
			}
		}},
		{Name: "add", Args: "NAME COMMAND|URL [ARG...]", Summary: "add a server", FlagsFirst: true, Setup: func(f *flag.FlagSet) cli.Run {
			var a addition
			a.define(f)
			return func(_ context.Context, args []string) error {
				return with(func(c Command) error { return c.add(a, args) })
			}
		}},
		{Name: "remove", Args: "SERVER", Summary: "remove a server", Setup: func(f *flag.FlagSet) cli.Run {
			scope := f.String("scope", "user", "`user|project` where to remove it")
			return func(_ context.Context, args []string) error {
				return with(func(c Command) error { return c.remove(*scope, args[0]) })
			}
		}},
		{Name: "test", Args: "[SERVER...]", Summary: "start servers and print what they offer", Setup: plain(Command.testServers)},
		{Name: "login", Args: "SERVER", Summary: "sign in to a server", Setup: func(f *flag.FlagSet) cli.Run {
			noBrowser := f.Bool("no-browser", false, "print the address, and do not open a browser")
			return func(ctx context.Context, args []string) error {
				return with(func(c Command) error { return c.login(ctx, args[0], *noBrowser) })
			}
		}},
		{Name: "logout", Args: "SERVER", Summary: "sign out of a server", Setup: plain(Command.logout)},
	}
}

// Names returns the names of the configured servers.
func (c Command) Names() (l []string) {
	for _, s := range c.shown().Servers {
		l = append(l, s.Name)
	}
	return l
}

// configured returns the servers for the folder; those of the project's own files only
// if the user trusts it.
func (c Command) configured() config.List {
	o := config.Options{Settings: c.Settings, Folder: c.Dir, GeminiDir: c.Gemini}
	if c.Trusted {
		o.Projects, o.Extensions = append([]string{c.Dir}, c.More...), c.Extensions
	}
	return config.Load(o)
}

// shown returns the servers for the folder, those of the project's own files included.
func (c Command) shown() config.List {
	if c.Trusted {
		return c.configured()
	}
	project, _, _ := settings.Load(settings.Options{ProjectDir: c.Dir, Trusted: true, Env: c.Env}) // its mistakes are reported once it is trusted
	o := config.Options{Settings: c.Settings, Folder: c.Dir, GeminiDir: c.Gemini, Projects: append([]string{c.Dir}, c.More...)}
	o.Settings.MCP.OfProject = project.MCP.OfProject
	return config.Load(o)
}

// listed is a server as `emendo mcp list --json` prints it.
type listed struct {
	Name      string           `json:"name"`
	Transport config.Transport `json:"transport"`
	Target    string           `json:"target"` // its command line or address
	File      string           `json:"file"`
	State     string           `json:"state"` // ready to start, or why it does not
}

// state describes whether a server would start in the folder, and the user's login.
func (c Command) state(s config.Server) string {
	text := c.starts(s)
	if s.URL == "" || s.HiddenBy != "" || s.Disabled {
		return text
	}
	switch state, err := c.loginState(s); {
	case err != nil:
		return text + ", login unknown: " + visible.OneLine(err.Error())
	case state == oauth.Needed:
		return text + ", needs login: run `" + oauth.Command(s.Name) + "`"
	case state == oauth.SignedIn:
		return text + ", signed in"
	}
	return text
}

// starts describes whether a server would start in the folder.
func (c Command) starts(s config.Server) string {
	switch standing, why := c.standing(s); standing {
	case client.Hidden:
		return "hidden by " + why
	case client.Excluded, client.SwitchedOff:
		return "disabled"
	case client.NotTrusted:
		return "not trusted, not started"
	case client.Starts:
		return "starts"
	case client.Approved:
		return "starts, approved"
	case client.Changed:
		return "needs your approval: it has changed"
	case client.EachTime:
		return "needs your approval in each session: " + why
	case client.Unapprovable:
		return "cannot be approved: " + why
	case client.Unapproved:
	}
	return "needs your approval"
}

// standing returns whether a server would start in the folder, and why it would not.
func (c Command) standing(s config.Server) (standing client.Standing, why string) {
	switch {
	case s.HiddenBy != "":
		return client.Hidden, s.HiddenBy
	case settings.DisabledServers.Has(&c.Settings, s.Name):
		return client.Excluded, string(settings.DisabledServers)
	case s.Disabled && len(c.Settings.MCP.Allowed) > 0 && !slices.Contains(c.Settings.MCP.Allowed, s.Name):
		return client.Excluded, "mcp.allowed"
	case s.Disabled:
		return client.SwitchedOff, ""
	case !c.Trusted:
		return client.NotTrusted, ""
	case s.Own:
		return client.Starts, ""
	}
	look, err := c.inspect(s)
	switch {
	case err != nil:
		return client.Unapprovable, err.Error()
	case look.Unseen != "":
		return client.EachTime, look.Unseen
	case look.State == trust.Approved:
		return client.Approved, ""
	case look.State == trust.Changed:
		return client.Changed, ""
	}
	return client.Unapproved, ""
}

// List implements [client.Servers].
func (c Command) List() (l []client.MCPServer, problems []string) {
	all := c.shown()
	for _, s := range all.Servers {
		x := client.MCPServer{Name: s.Name, Transport: string(s.Transport), Target: c.Redact(s.Target()), File: s.File}
		x.Standing, x.Why = c.standing(s)
		if x.SignsIn = s.URL != "" && s.HiddenBy == "" && !oauth.Configured(s.Headers); x.SignsIn {
			state, err := c.loginState(s)
			if err != nil {
				problems = append(problems, loginProblem(s.Name, err)+".")
			}
			x.Needs, x.SignedIn = state == oauth.Needed, state == oauth.SignedIn
		}
		l = append(l, x)
	}
	for _, p := range all.Problems {
		problems = append(problems, p+".")
	}
	return l, problems
}

// inspect inspects a server that needs approval, as it is now.
func (c Command) inspect(s config.Server) (trust.Look, error) {
	return c.Store.Approved(cmp.Or(s.Project, c.Dir), s.Entry(c.Env))
}

func (c Command) list(asJSON bool) error {
	all := c.shown()
	for _, p := range all.Problems {
		c.Warn(p)
	}
	l := []listed{}
	for _, s := range all.Servers {
		l = append(l, listed{s.Name, s.Transport, c.Redact(s.Target()), s.File, c.state(s)})
	}
	if asJSON {
		return visible.PrintJSON(c.Stdout, l)
	}
	var b strings.Builder
	if len(l) == 0 {
		b.WriteString("no MCP servers are configured; add one with `emendo mcp add NAME COMMAND`\n")
	}
	for _, s := range l {
		fmt.Fprintf(&b, "%s: %s%s\n    %s, in %s\n", visible.Line(s.Name), visible.Line(s.Target), transportText(s.Transport), visible.Line(s.State), visible.Line(s.File))
	}
	_, err := fmt.Fprint(c.Stdout, visible.Text(b.String()))
	return err
}

// transportText describes the transport to an address, to be put behind it; empty for a program.
func transportText(t config.Transport) string {
	switch t {
	case config.HTTP:
		return " (streamable HTTP)"
	case config.SSE:
		return " (SSE)"
	case config.Auto:
		return " (streamable HTTP, else SSE)"
	case config.Stdio:
	}
	return ""
}

// split returns pairs as a table.
func split(pairs []string, separator, example string) (map[string]string, error) {
	var m map[string]string
	for _, s := range pairs {
		name, value, found := strings.Cut(s, separator)
		if name = strings.TrimSpace(name); !found || name == "" {
			return nil, cli.BadInput("mcp add: want %s, got %q", example, s)
		}
		if m == nil {
			m = map[string]string{}
		}
		m[name] = strings.TrimSpace(value)
	}
	return m, nil
}

// file returns the settings file of a scope.
func (c Command) file(scope string) (string, error) {
	switch scope {
	case "user":
		return filepath.Join(c.Config, "settings.json"), nil
	case "project":
		const name = own.Emendo + "/settings.json"
		path := filepath.Join(c.Dir, name)
		if real := paths.Resolve(path); real != filepath.Join(paths.Resolve(c.Dir), name) { // a clone must not choose another file
			return "", cli.BadInput("%s links to %s: edit that file by hand", path, real)
		}
		return path, nil
	}
	return "", cli.BadInput("--scope: want user or project, got %q", scope)
}

// addition holds the flags of `emendo mcp add`.
type addition struct {
	scope, transport string
	env, headers     cli.List
}

func (a *addition) define(f *flag.FlagSet) {
	f.StringVar(&a.scope, "scope", "user", "`user|project` where to add it")
	f.StringVar(&a.transport, "transport", "", "`stdio|http|sse` by default stdio for a command, and for an address http, or sse if the server does not speak http")
	f.Var(&a.env, "e", "`NAME=VALUE` a variable of its environment; may be repeated")
	f.Var(&a.headers, "H", "`HEADER` a header of requests to it, 'NAME: VALUE'; may be repeated")
}

// add takes flags before the name only: what follows belongs to the server.
func (c Command) add(a addition, rest []string) error {
	if len(rest) > 1 && rest[1] == "--" {
		rest = slices.Delete(slices.Clone(rest), 1, 2)
	}
	if len(rest) < 2 {
		return cli.BadInput("mcp add: missing COMMAND or URL after the name")
	}
	name, target := rest[0], rest[1]
	path, err := c.file(a.scope)
	if err != nil {
		return err
	}
	s, err := newServer(a.transport, target, rest[2:], a.env, a.headers)
	if err != nil {
		return err
	}
	if err := config.CheckName(name); err != nil {
		return cli.BadInput("mcp add: %v", err)
	}
	if err := config.Add(path, name, s); errors.Is(err, config.ErrExists) {
		return cli.BadInput("%s has a server %s already; remove it first with `emendo mcp remove --scope %s %s`", path, name, a.scope, name)
	} else if err != nil {
		return err
	}
	text := fmt.Sprintf("added %s to %s\n", name, path)
	if a.scope == "project" {
		text += "It starts once you approve it, here and for everyone else who opens the folder.\n"
	}
	_, err = fmt.Fprint(c.Stdout, visible.Text(text))
	return err
}

// newServer returns the settings of a server on the command line.
func newServer(transport, target string, args, env, headers []string) (s settings.MCPServer, err error) {
	remote := strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://")
	switch {
	case strings.HasPrefix(target, "-"):
		return s, cli.BadInput("mcp add: %s is where the command or URL belongs: put flags before the name", target)
	case !remote && strings.Contains(target, "://"):
		return s, cli.BadInput("mcp add: %s is not an http or https address", target)
	}
	if transport == "" && !remote {
		transport = "stdio"
	}
	if s.Env, err = split(env, "=", "NAME=VALUE"); err != nil {
		return s, err
	}
	if s.Headers, err = split(headers, ":", "'NAME: VALUE'"); err != nil {
		return s, err
	}
	switch transport {
	case "stdio":
		if len(headers) > 0 {
			return s, cli.BadInput("mcp add: -H is for servers with an address")
		}
		s.Command, s.Args = target, args
		return s, nil
	case "", "http", "sse":
		if !remote || len(args) > 0 || len(env) > 0 {
			return s, cli.BadInput("mcp add: a server with the transport %s has an http or https address, and neither arguments nor variables", cmp.Or(transport, "http"))
		}
		s.Type, s.URL = transport, target
		return s, nil
	}
	return s, cli.BadInput("--transport: want stdio, http or sse, got %q", transport)
}

func (c Command) remove(scope, name string) error {
	path, err := c.file(scope)
	if err != nil {
		return err
	}
	removed, err := config.Remove(path, name)
	if err != nil {
		return err
	}
	if !removed {
		return cli.BadInput("%s has no server %s", path, name)
	}
	_, err = fmt.Fprint(c.Stdout, visible.Text(fmt.Sprintf("removed %s from %s\n", name, path)))
	return err
}

// testServers starts servers and prints what they offer.
func (c Command) testServers(ctx context.Context, rest []string) error {
	if !c.Trusted {
		return fmt.Errorf("%w: no server starts in %s; trust it with `emendo trust add`", ErrUntrusted, c.Dir)
	}
	all := c.configured()
	for _, name := range rest {
		if !slices.ContainsFunc(all.Servers, func(s config.Server) bool { return s.Name == name }) {
			return cli.BadInput("no server %s is configured", name)
		}
	}
	failed := false
	for _, s := range all.Servers {
		named := slices.Contains(rest, s.Name)
		if s.HiddenBy != "" || len(rest) > 0 && !named {
			continue
		}
		now := c.state(s)
		if !strings.HasPrefix(now, "starts") {
			failed = failed || named
			fmt.Fprintf(c.Stdout, "%s: %s\n", visible.Text(s.Name), visible.Text(now))
			continue
		}
		if !c.testServer(ctx, s) {
			failed = true
		}
	}
	if failed {
		return ErrFailed
	}
	return nil
}

// testServer starts one server, prints what it offers, and ends it.
func (c Command) testServer(ctx context.Context, s config.Server) (ok bool) {
	begun := time.Now()
	var cleared trust.Cleared
	if !s.Own {
		look, err := c.inspect(s)
		if err != nil {
			fmt.Fprintf(c.Stdout, "%s: failed: %s\n", visible.Text(s.Name), visible.Text(visible.OneLine(err.Error())))
			return false
		}
		cleared = look.Clear(cmp.Or(s.Project, c.Dir))
	}
	running := mcp.NewServer(s, []string{c.Dir}, cleared, mcp.Options{Dialer: c.Dialer, Version: c.Version, Env: c.Env})
	defer running.Close()
	running.Start()
	select {
	case <-running.Settled():
	case <-ctx.Done():
		return false
	}
	now := running.Snapshot()
	if hint := mcp.CwdHint(s, c.Env); hint != "" {
		defer fmt.Fprintf(c.Stdout, "  %s\n", visible.Text(hint))
	}
	by := ""
	if now.Over != "" {
		by = " over " + now.Over
	}
	if !now.Ready() {
		what := "failed"
		if errors.Is(now.Err, oauth.ErrLogin) {
			what = "not signed in"
		}
		fmt.Fprintf(c.Stdout, "%s: %s: %s\n", visible.Text(s.Name), what, visible.Text(visible.OneLine(c.Redact(now.Err.Error()))))
		return false
	}
	offered := slices.DeleteFunc(slices.Clone(now.Tools), func(t *sdk.Tool) bool { return !s.Offers(t.Name) })
	left := ""
	if n := len(now.Tools) - len(offered); n > 0 {
		left = fmt.Sprintf(" (%d more are left out by its entry)", n)
	}
	fmt.Fprintf(c.Stdout, "%s: ready in %d ms%s, %s%s, %s, %s\n", visible.Text(s.Name), time.Since(begun).Milliseconds(), by,
		tools.Count(len(offered), "tool", "tools"), left, tools.Count(len(now.Prompts), "prompt", "prompts"), tools.Count(len(now.Resources), "resource", "resources"))
	for _, t := range offered {
		fmt.Fprintf(c.Stdout, "  %s\n", visible.Line(t.Name))
	}
	return true
}
