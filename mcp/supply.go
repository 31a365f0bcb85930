package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/server"
	"github.com/emendo-dev/emendo/tools"
)

// A Supply runs the MCP servers of one session. It implements [state.Supply].
type Supply struct {
	o Options

	closing sync.WaitGroup // servers that are no longer configured

	names   names
	noticed map[string]bool // notices already shown
	told    []string        // the servers whose states the front end knows

	mu sync.Mutex // guards the fields below
	// running are in the order of the configuration. Tools alone replaces them, and reads them
	// without mu.
	running []*running
	asker   state.Asker    // the latest turn; its calls run when servers ask
	asked   map[string]int // requests by server since the model was last asked
	listed  listed
}

var (
	_ state.Supply  = (*Supply)(nil)
	_ state.Servers = (*Supply)(nil)
	_ state.Awaiter = (*Supply)(nil)
)

// running is a server of the session, started or not.
type running struct {
	config   config.Server
	server   *server.Server
	instruct bool // its instructions were sent to the model
	links    links

	mu      sync.Mutex    // guards the fields below
	folders []string      // of the session, at its latest start
	cleared trust.Cleared // what was approved of it before that
}

// begin notes what the next start is made with.
func (r *running) begin(folders []string, cleared trust.Cleared) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.folders, r.cleared = folders, cleared
}

// New returns the supply of a session. It starts nothing.
func New(o Options) *Supply {
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Supply{o: o, noticed: map[string]bool{}}
}

// Tools implements [state.Supply].
func (s *Supply) Tools(ctx context.Context, asker state.Asker) []tools.Tool {
	s.mu.Lock()
	s.asker, s.asked = asker, map[string]int{}
	s.mu.Unlock()
	if !s.o.Workspace.Trusted() {
		s.replaceRunning(nil)
		s.publish(asker)
		s.list()
		return nil
	}
	list := s.o.Workspace.Configured()
	for _, p := range list.Problems {
		s.notice(asker, "MCP servers were skipped", p+".")
	}
	s.replaceRunning(s.active(list, asker))
	s.report(asker) // before failed servers are restarted
	s.start(ctx, asker)
	s.publish(asker)
	s.report(asker)
	s.list()
	return append(s.offer(asker), s.resourceTools()...)
}

// Await implements [state.Awaiter].
func (s *Supply) Await(ctx context.Context, tool string) (waited bool) {
	for _, r := range s.running {
		if !strings.HasPrefix(tool, prefixOf(r.config.Name)) || r.server.Snapshot().State != server.Starting {
			continue
		}
		select {
		case <-r.server.Settled():
			waited = true
		case <-ctx.Done():
		}
	}
	return waited
}

// Lend implements [state.Servers].
func (s *Supply) Lend(servers []config.Server) state.Supply {
	o := s.o
	o.Patient = true
	o.Workspace = lent{s.o.Workspace, servers}
	return New(o)
}

// lent is a workspace with the servers of an agent in place of its own.
type lent struct {
	Workspace
	servers []config.Server
}

// Configured implements [Workspace].
func (w lent) Configured() (l config.List) {
	l.Servers, l.Problems = w.Workspace.Configured().Admits(w.servers)
	return l
}

// Close implements [state.Supply].
func (s *Supply) Close() {
	s.replaceRunning(nil)
	s.closing.Wait()
}

// active returns the servers that the session may have.
func (s *Supply) active(list config.List, asker state.Asker) []config.Server {
	var l []config.Server
	for _, c := range list.Servers {
		switch {
		case c.Disabled:
		case c.HiddenBy != "":
			s.notice(asker, "An MCP server is hidden", fmt.Sprintf("The MCP server %s of %s is ignored, because %s configures one with the same name.", visible.Line(c.Name), visible.Line(c.File), visible.Line(c.HiddenBy)))
		case len(l) == maxServers:
			s.notice(asker, "Too many MCP servers", fmt.Sprintf("More than %d are configured; %s and those after it are not started.", maxServers, visible.Line(c.Name)))
			return l
		default:
			l = append(l, c)
		}
	}
	return l
}

// replaceRunning stops the servers that are not in the list with the same configuration, and
// adds new ones.
func (s *Supply) replaceRunning(list []config.Server) {
	var now []*running
	for _, c := range list {
		i := slices.IndexFunc(s.running, func(r *running) bool { return reflect.DeepEqual(r.config, c) })
		if i >= 0 {
			now = append(now, s.running[i])
			continue
		}
		now = append(now, newRunning(c, s.o.Workspace.Folders(), trust.Cleared{}, s.o, requests{s, c}))
	}
	for _, r := range s.running {
		if !slices.Contains(now, r) {
			s.closing.Go(r.server.Close)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = now
}

// NewServer returns a server that is not started, for a session in these folders, with what
// was approved of it. It uses Dialer, Version, Env and Log of the options.
func NewServer(c config.Server, folders []string, cleared trust.Cleared, o Options) *server.Server {
	return newRunning(c, folders, cleared, o, nil).server
}

// newRunning returns a server that is not started. answers are for its requests; nil: there
// are none.
func newRunning(c config.Server, folders []string, cleared trust.Cleared, o Options, answers server.Requests) *running {
	r := &running{config: c, folders: folders, cleared: cleared}
	r.server = server.New(server.Options{
		Requests: answers, Protocol: o.Protocol, Name: c.Name, Version: o.Version, Call: c.Timeout, Start: startLimit(c), Log: o.Log, Folders: folders,
		Dial: func(ctx context.Context) (server.Link, error) {
			r.mu.Lock()
			folders, cleared := r.folders, r.cleared
			r.mu.Unlock()
			return o.Dialer.Dial(ctx, Expanded(c, o.Env), cleared, folders)
		},
	})
	return r
}

// startLimit returns how long a server may take to start. Some programs first
// download the server.
func startLimit(c config.Server) time.Duration {
	limit := server.DefaultStart
	program := strings.TrimSuffix(filepath.Base(c.Command), filepath.Ext(c.Command))
	if slices.Contains([]string{"npx", "bunx", "pnpm", "yarn", "uvx", "uv", "pipx", "docker", "podman", "nix"}, program) {
		limit = time.Minute
	}
	return max(limit, c.Timeout)
}

// start starts the servers that are due, those without approval first, and waits
// for them as long as [Options.Patient] says.
func (s *Supply) start(ctx context.Context, asker state.Asker) {
	var started []*running
	for _, approval := range []bool{false, true} {
		for _, r := range s.running {
			if r.config.Own == approval || !r.server.Startable() {
				continue
			}
			folders, cleared := s.o.Workspace.Folders(), trust.Cleared{}
			if approval {
				var ok bool
				if cleared, ok = asker.MayStart(ctx, cmp.Or(r.config.Project, folders[0]), r.config.Entry(s.o.Env)); !ok {
					continue
				}
			}
			r.begin(folders, cleared)
			s.askForCwd(r.config, asker)
			r.server.Start()
			started = append(started, r)
		}
	}
	s.publish(asker) // those that start
	wait := firstWait
	if s.o.Patient {
		for _, r := range started {
			wait = min(max(wait, startLimit(r.config)), patientWait)
		}
	}
	enough := time.NewTimer(wait)
	defer enough.Stop()
	for _, r := range started {
		select {
		case <-r.server.Settled():
		case <-enough.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// askForCwd says how to start a server in the session's folder that seems to need it.
func (s *Supply) askForCwd(c config.Server, asker state.Asker) {
	if text := CwdHint(c, s.o.Env); text != "" {
		s.notice(asker, "The MCP server "+visible.Line(c.Name)+" starts in a private folder", text)
	}
}

// CwdHint says which line starts a server in the session's folder; empty if it does not
// seem to need that.
func CwdHint(c config.Server, env func(string) string) string {
	arg := c.AsksForCwd(env)
	if arg == "" {
		return ""
	}
	where := "write \"cwd\": \".\" into its entry in " + visible.Line(c.File)
	if c.Client {
		where = "add it to emendo's own settings with \"cwd\": \".\""
	}
	return fmt.Sprintf("%s is a file of the folder that you work in, and servers of yours start elsewhere, so that nothing in a project can run in them by itself. To start it there, %s.", visible.ShortLine(arg, 100), where)
}

// publish tells the states of the servers, and which are no longer there.
func (s *Supply) publish(asker state.Asker) {
	gone := s.told
	s.told = nil
	for _, r := range s.running {
		now := r.server.Snapshot()
		e := frontend.MCPState{Name: r.config.Name, State: string(now.State), Tools: len(now.Tools)}
		if now.State == server.Failed {
			e.Error = visible.Short(visible.Line(now.Err.Error()), 500)
		}
		asker.Publish(e)
		s.told = append(s.told, e.Name)
	}
	for _, name := range gone {
		if !slices.Contains(s.told, name) {
			asker.Publish(frontend.MCPState{Name: name, State: "removed"})
		}
	}
}

func (s *Supply) report(asker state.Asker) {
	for _, r := range s.running {
		s.reportOn(r, asker)
	}
}

// reportOn notifies the user of a server's problems, and sends the server's
// instructions to the model.
func (s *Supply) reportOn(r *running, asker state.Asker) {
	now := r.server.Snapshot()
	name := visible.Line(r.config.Name)
	if now.State == server.Failed && errors.Is(now.Err, oauth.ErrLogin) {
		s.notice(asker, "The MCP server "+name+" is not ready", sentence(visible.Line(now.Err.Error())))
	} else if now.State == server.Failed {
		text := sentence(visible.Short(visible.Line(now.Err.Error()), 500)) + confinedHint(r.config)
		if now.GivenUp {
			text += " It failed too often and will not be restarted in this session."
		}
		s.notice(asker, "The MCP server "+name+" failed", text)
	}
	if now.State != server.Ready {
		return
	}
	if now.Dropped > 0 {
		s.notice(asker, "The MCP server "+name+" offers too much", fmt.Sprintf("%d of the tools, prompts and resources of %s are ignored.", now.Dropped, name))
	}
	if text := strings.TrimSpace(now.Instructions); text != "" && !r.instruct {
		r.instruct = true
		text = visible.Bounded(text, maxInstructions, "\n(the rest is omitted)")
		origin := tools.OfMCP
		if r.config.Trust {
			origin = tools.OfTool // the user marked the server as trusted
		}
		asker.Tell(r.config.Name, "The MCP server "+name+" describes how to use its tools. This text is not from the user:\n"+
			transcript.Enclose("untrusted_context", visible.Text(text)), origin)
	}
}

// confinedHint says what a project's server reaches, and how to open more.
func confinedHint(c config.Server) string {
	if !c.Confined {
		return ""
	}
	reaches := "without the network"
	if len(c.Hosts) > 0 {
		reaches = "and reaches " + strings.Join(c.Hosts, ", ")
	}
	return fmt.Sprintf(" It is a server of a project, so it runs in the sandbox, %s: name more hosts in `hosts` of its entry, or name the server in `mcp.outsideSandbox` of your settings.", visible.ShortLine(reaches, 200))
}

// sentence turns a clause into a sentence.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:] + "."
}

// notice shows a notice once in a session.
func (s *Supply) notice(asker state.Asker, title, text string) {
	if s.noticed[title+text] {
		return
	}
	s.noticed[title+text] = true
	asker.Notice(transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeMCP, Title: title, Description: text})
}

// offer returns the tools of the servers that are ready or being restarted.
func (s *Supply) offer(asker state.Asker) []tools.Tool {
	var l []tools.Tool
	var servers []string
	plain := map[string]int{} // how many tools have a plain name
	snapshots := make([][]*sdk.Tool, len(s.running))
	for i, r := range s.running {
		servers = append(servers, r.config.Name)
		seen := map[string]bool{}
		for _, t := range r.server.Snapshot().Tools {
			switch {
			case !r.config.Offers(t.Name):
			case seen[t.Name]:
				s.notice(asker, "MCP tool ignored", fmt.Sprintf("The MCP server %s lists the tool %s more than once; the first one is used.", visible.Line(r.config.Name), visible.Short(visible.Line(t.Name), 80)))
			default:
				seen[t.Name] = true
				plain[nameOf(r.config.Name, t.Name)]++
				snapshots[i] = append(snapshots[i], t)
			}
		}
	}
	for i, r := range s.running {
		for _, t := range snapshots[i] {
			tool, err := s.newTool(r, t)
			if err != nil {
				s.notice(asker, "MCP tool ignored", fmt.Sprintf("The tool %s of the MCP server %s is ignored: %v.", visible.Short(visible.Line(t.Name), 80), visible.Line(r.config.Name), err))
				continue
			}
			name, collides := s.names.assign(r.config.Name, t.Name)
			if collides {
				s.notice(asker, "MCP tools with the same name", fmt.Sprintf("The tool %s of the MCP server %s is called %s, because another tool already has its name.", visible.Short(visible.Line(t.Name), 80), visible.Line(r.config.Name), name))
			}
			tool.spec.Name = name
			at := tool.spec.Server
			at.Plain, at.Prefix = nameOf(r.config.Name, t.Name), prefixOf(r.config.Name)
			at.Shared, at.Rivals = plain[at.Plain] > 1, rivals(at.Plain, at.Prefix, r.config.Name, servers)
			l = append(l, tool)
		}
	}
	return l
}
