package servers_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/mcp"
	"github.com/emendo-dev/emendo/mcp/config"
)

// TestMain runs an MCP server if a test starts this binary as one.
func TestMain(m *testing.M) {
	if os.Getenv("EMENDO_TEST_SERVER") != "" {
		s := sdk.NewServer(&sdk.Implementation{Name: "double", Version: "1"}, nil)
		s.AddTool(&sdk.Tool{Name: "greet", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
		_ = s.Run(context.Background(), &sdk.StdioTransport{})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// world is a folder with the files of a user.
type world struct {
	t       *testing.T
	paths   settings.Paths
	dir     string
	trusted bool
	out     bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: filepath.Join(base, "work"), paths: settings.Paths{Config: filepath.Join(base, "config"), State: filepath.Join(base, "state")}}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) put(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// self returns the path of this binary.
func (w *world) self() string {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	return self
}

// trust trusts the folder, and approves its servers as they are now.
func (w *world) trust() {
	w.t.Helper()
	w.trusted = true
	c := w.command()
	for _, s := range config.Load(config.Options{Settings: c.Settings, Folder: w.dir, Projects: []string{w.dir}}).Servers {
		if s.Own {
			continue
		}
		look, err := c.Store.Approved(w.dir, s.Entry(c.Env))
		if err == nil {
			err = c.Store.Approve(w.dir, look)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// command returns the command with the settings as they are now.
func (w *world) command() servers.Command {
	w.t.Helper()
	env := func(string) string { return "" }
	s, warnings, err := settings.Load(settings.Options{Paths: w.paths, ProjectDir: w.dir, Trusted: w.trusted, Env: env})
	if err != nil || len(warnings) > 0 {
		w.t.Fatal(err, warnings)
	}
	secrets := redact.New()
	logins := servers.Logins(w.paths, "1", secrets, nil)
	return servers.Command{
		Stdout: &w.out, Warn: func(text string) { w.out.WriteString(text + "\n") }, Settings: s, Config: w.paths.Config, Store: trust.Open(w.paths.State), Dir: w.dir, Trusted: w.trusted,
		Env: env, Redact: secrets.Text, Version: "1", Dialer: mcp.Programs{Environ: os.Environ(), Logins: logins, Log: slog.New(slog.DiscardHandler)}, Logins: logins,
	}
}

// The ways in which a command fails.
var (
	errMistake = errors.New("a mistake on the command line")
	errFailure = errors.New("any failure")
)

// want runs a command line, and checks how it fails and what it prints.
func (w *world) want(line string, fails error, words string) {
	w.t.Helper()
	w.out.Reset()
	program := cli.Command{Name: "mcp", Subcommands: servers.Commands(func(run func(servers.Command) error) error { return run(w.command()) })}
	err := program.Execute(w.t.Context(), &w.out, strings.Fields(line))
	as := errors.Is(err, fails)
	switch {
	case errors.Is(fails, errMistake):
		as = errors.As(err, new(*cli.InputError))
	case errors.Is(fails, errFailure):
		as = err != nil
	}
	said := w.out.String()
	if err != nil {
		said += err.Error()
	}
	if !as || !strings.Contains(said, words) {
		w.t.Errorf("mcp %s: error %v, want %v\n%s\nwant %s", line, err, fails, said, words)
	}
}

// A link in a clone must not have the user change another file.
func TestMCPAddDoesNotFollowAProjectsLinks(t *testing.T) {
	for name, link := range map[string]string{"the file": "settings.json", "the folder": ""} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			outside := t.TempDir()
			other := filepath.Join(outside, "settings.json")
			w.put(other, "{}")
			from, to := filepath.Join(w.dir, ".emendo", link), filepath.Join(outside, link)
			if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(to, from); err != nil {
				t.Fatal(err)
			}
			w.want("add --scope project theirs x", errMistake, "links to "+other+": edit that file by hand")
			if b, err := os.ReadFile(other); err != nil || string(b) != "{}" {
				t.Errorf("the other file has %q, %v", b, err)
			}
		})
	}
}

func TestMCPCommand(t *testing.T) {
	w := newWorld(t)
	self, own, project := w.self(), filepath.Join(w.paths.Config, "settings.json"), filepath.Join(w.dir, ".emendo", "settings.json")
	for _, c := range []struct {
		args  string
		fails error  // nil: it does not
		want  string // in the output
	}{
		{"list", nil, "no MCP servers are configured"},
		{"add -e EMENDO_TEST_SERVER=1 double " + self, nil, "added double to " + own},
		{"add double x", errMistake, "has a server double already"},
		{"add --scope project -e EMENDO_TEST_SERVER=1 theirs -- " + self + " --flag", nil, "added theirs to " + project},
		{"add -H A:b here x", errMistake, "-H is for servers with an address"},
		{"add here", errMistake, "usage"},
		{"add a* x", errMistake, "invalid name"},
		{"add --transport http far npx", errMistake, "has an http or https address"},
		{"list", nil, "double: " + self + "\n    not trusted, not started, in " + own + "\ntheirs: " + self + " --flag\n    not trusted, not started, in " + project},
		{"test double", servers.ErrUntrusted, "the folder is restricted: no server starts in "},
		{"add far https://far.test/mcp", nil, "added far to " + own},
		{"add --transport sse old https://old.test/sse", nil, "added old to " + own},
		{"list", nil, "far: https://far.test/mcp (streamable HTTP, else SSE)\n"},
		{"list", nil, "old: https://old.test/sse (SSE)\n"},
		{"list --json", nil, `"transport": "auto"`},
		{"remove far", nil, "removed far"},
		{"remove old", nil, "removed old"},
		{"remove nonesuch", errMistake, "has no server nonesuch"},
	} {
		w.want(c.args, c.fails, c.want)
	}
	w.put(filepath.Join(w.dir, ".mcp.json"), `{"mcpServers": {"double": {"command": "x"}}}`)
	w.trust()
	w.put(project, `{"mcpServers": {"theirs": {"command": "changed"}}}`)
	for _, c := range []struct {
		args  string
		fails error // nil: it does not
		want  string
	}{
		{"list", nil, "double: " + self + "\n    starts, in " + own + "\ntheirs: changed\n    needs your approval: it has changed, in " + project + "\ndouble: x\n    hidden by " + own},
		{"test double", nil, "1 tool, 0 prompts, 0 resources\n  greet"},
		{"test theirs", servers.ErrFailed, "theirs: needs your approval: it has changed"},
		{"test nonesuch", errMistake, "no server nonesuch is configured"},
		{"add late -t http https://h.test", errMistake, "put flags before the name"},
		{"add late ftp://h.test", errMistake, "is not an http or https address"},
		{"remove double", nil, "removed double from " + own},
		{"list --json", nil, `"state": "starts, approved"`},
	} {
		w.want(c.args, c.fails, c.want)
	}
	problems, n := w.command().Problems()
	if n != 1 || !strings.Contains(strings.Join(problems, "\n"), "the MCP server theirs of "+project+" needs your approval") {
		t.Errorf("%d servers, with the problems %q", n, problems)
	}
}

func TestMCPLoginMistakes(t *testing.T) {
	w := newWorld(t)
	w.put(filepath.Join(w.paths.Config, "settings.json"), `{"mcpServers": {"near": {"command": "x"}, "keyed": {"httpUrl": "https://h.test", "headers": {"Authorization": "$X"}}, "plain": {"httpUrl": "http://h.test"}}}`)
	w.trust()
	w.put(filepath.Join(w.dir, ".mcp.json"), `{"mcpServers": {"theirs": {"type": "http", "url": "https://h.test"}}}`)
	for _, c := range []struct {
		args  string
		fails error // nil: with any error
		want  string
	}{
		{"login", errMistake, "missing SERVER"},
		{"login nonesuch", errMistake, "no server nonesuch is configured"},
		{"login near", errMistake, "near is a program on this machine"},
		{"login keyed", errMistake, "keyed has an Authorization header in "},
		{"login plain", errFailure, "a login needs https"},
		{"login theirs", errFailure, "theirs: needs your approval"},
		{"logout near", errMistake, "no login at near is stored"},
	} {
		w.want(c.args, c.fails, c.want)
	}
}
