package lists_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
	"github.com/emendo-dev/emendo/tools"
)

func TestMain(m *testing.M) { worldtest.Main(m) }

// world is a world whose sessions have MCP servers.
type world struct {
	*worldtest.World
	servers *supply
}

// play runs f with an editor that draws, or one that does not.
func play(t *testing.T, draws bool, w *worldtest.World, f func(w *world)) {
	t.Helper()
	s := &supply{}
	w.Supplies = func(*state.Session) []state.Supply { return []state.Supply{s} }
	p := lsptest.Recorded("helix")
	if draws {
		p = p.With("experimental.emendo", worldtest.Obj{"view": 1}).With("window.showDocument.support", true)
	}
	worldtest.InBubble(t, w, func() {
		w.Start(p)
		defer w.End()
		f(&world{w, s})
	})
}

// supply is the MCP servers of a session.
type supply struct {
	state.Servers
	mu        sync.Mutex
	states    []state.ServerState
	restarted []string
}

func (*supply) Tools(context.Context, state.Asker) []tools.Tool { return nil }
func (*supply) Close()                                          {}

func (s *supply) States() []state.ServerState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.states)
}

func (s *supply) Restart(_ context.Context, name string, again bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.states, func(x state.ServerState) bool { return x.Name == name })
	if i < 0 {
		return false
	}
	s.states[i] = state.ServerState{Name: name, State: "idle"}
	if again {
		s.states[i].State = "starting"
		s.restarted = append(s.restarted, name)
	}
	return true
}

// entry is one of a list.
type entry struct {
	ID, Name, State string
	Enabled         bool
	Tools           []string
	view.Entry
}

// list returns a list of a session, by the names of its entries.
func (w *world) list(kind, session string) map[string]entry {
	w.Helper()
	var l struct{ Entries []entry }
	w.Call("emendo/"+kind+"/list", worldtest.Obj{"sessionId": session}, &l)
	m := map[string]entry{}
	for _, e := range l.Entries {
		m[e.Name+e.State[:strings.Count(e.State, "problem")]] = e
	}
	return m
}

// shown returns what is shown of an entry: its note and the IDs of its actions.
func (e entry) shown() string {
	if e.Note == nil {
		return e.Label.Text
	}
	ids := []string{}
	for _, a := range e.Actions {
		ids = append(ids, a.ID)
	}
	return e.Note.Text + " [" + strings.Join(ids, " ") + "]"
}

// act does an action of an entry, and returns what it says.
func (w *world) act(id, action string) string {
	w.Helper()
	var a struct{ Notice struct{ Title view.Text } }
	w.Call("emendo/view/act", worldtest.Obj{"id": id, "actionId": action}, &a)
	return a.Notice.Title.Text
}

// has reports whether the latest request to the model describes something: in the system prompt or
// a tool.
func (w *world) has(text string) bool {
	all := w.Model.Requests()
	last := all[len(all)-1]
	return strings.Contains(last.System, text) || slices.ContainsFunc(last.Tools, func(t model.Tool) bool { return strings.Contains(t.Description, text) })
}

func TestServersAreListedWithWhatCanBeDone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	for name, tt := range map[string]struct {
		configured client.MCPServer
		runs       *state.ServerState
		state      string
		want       string
	}{
		"it runs":                   {client.MCPServer{Standing: client.Starts}, &state.ServerState{State: "ready", Tools: []string{"a", "b"}}, "ready", "ready · 2 tools: a, b [restart disable open_file]"},
		"it has no tools":           {client.MCPServer{Standing: client.Approved}, &state.ServerState{State: "ready"}, "ready", "ready · without tools [restart disable open_file]"},
		"it starts":                 {client.MCPServer{Standing: client.Starts}, &state.ServerState{State: "starting"}, "starting", "starting [restart disable open_file]"},
		"it failed":                 {client.MCPServer{Standing: client.Starts}, &state.ServerState{State: "failed", Err: errors.New("it exited")}, "failed", "failed: it exited [restart disable open_file]"},
		"it was given up":           {client.MCPServer{Standing: client.Starts}, &state.ServerState{State: "failed", Err: errors.New("it exited"), GivenUp: true}, "given_up", "failed too often, and is not started again: it exited [restart disable open_file]"},
		"it has not started":        {client.MCPServer{Standing: client.Starts}, nil, "idle", "starts with the next prompt [disable open_file]"},
		"it asked for a login":      {client.MCPServer{Standing: client.Starts, SignsIn: true}, &state.ServerState{State: "failed", Err: errors.New("no"), Login: true}, "needs_login", "you have to sign in [sign_in disable open_file]"},
		"its settings ask for one":  {client.MCPServer{Standing: client.Starts, SignsIn: true, Needs: true}, nil, "needs_login", "you have to sign in [sign_in disable open_file]"},
		"the user is signed in":     {client.MCPServer{Standing: client.Starts, SignsIn: true, SignedIn: true}, nil, "idle", "starts with the next prompt · signed in [sign_out disable open_file]"},
		"it needs approval":         {client.MCPServer{Standing: client.Unapproved}, &state.ServerState{State: "idle"}, "needs_approval", "waits for your approval, which the next prompt asks for [disable open_file]"},
		"it has changed":            {client.MCPServer{Standing: client.Changed}, nil, "changed", "has changed, and waits for your approval, which the next prompt asks for [disable open_file]"},
		"the folder is not trusted": {client.MCPServer{Standing: client.NotTrusted}, nil, "restricted", "not started: the folder is not trusted [trust disable open_file]"},
		"the user disables it":      {client.MCPServer{Standing: client.Excluded, Why: "mcp.excluded"}, nil, "disabled", "disabled [enable open_file]"},
		"others are allowed":        {client.MCPServer{Standing: client.Excluded, Why: "mcp.allowed"}, nil, "disabled", "disabled by mcp.allowed [open_file]"},
		"its entry disables it":     {client.MCPServer{Standing: client.SwitchedOff}, nil, "disabled", "disabled in " + file + " [open_file]"},
		"another one hides it":      {client.MCPServer{Standing: client.Hidden, Why: "/other.json"}, nil, "hidden", "hidden by the one in /other.json [open_file]"},
	} {
		t.Run(name, func(t *testing.T) {
			w := worldtest.NewWorld(t, nil)
			tt.configured.Name, tt.configured.File = "db", file
			w.Servers = []client.MCPServer{tt.configured}
			play(t, true, w, func(w *world) {
				if tt.runs != nil {
					tt.runs.Name = "db"
					w.servers.states = []state.ServerState{*tt.runs}
				}
				e := w.list("mcp", w.Session(nil))["db"]
				if got := e.shown(); got != tt.want || e.State != tt.state {
					w.Errorf("%s is shown as %q, want %s, %q", e.State, got, tt.state, tt.want)
				}
			})
		})
	}
}

func TestServersAreDisabledAndEnabledAndRestarted(t *testing.T) {
	w := worldtest.NewWorld(t, nil)
	w.Servers = []client.MCPServer{{Name: "db", Standing: client.Starts}, {Name: "forbidden", Standing: client.Starts}}
	play(t, true, w, func(w *world) {
		id := w.Session(nil)
		w.servers.states = []state.ServerState{{Name: "db", State: "ready"}}
		if got, want := w.act(w.list("mcp", id)["db"].ID, "restart"), "db is being started again."; got != want || len(w.servers.restarted) != 1 {
			w.Errorf("restarted %q, and said is %q", w.servers.restarted, got)
		}
		if got, want := w.act(w.list("mcp", id)["db"].ID, "disable"), "db is disabled. No request to the model has it from now on."; got != want {
			w.Errorf("said is %q", got)
		}
		if now := w.servers.States(); now[0].State != "idle" || w.list("mcp", id)["db"].Enabled {
			w.Errorf("after it was disabled it is %+v", now)
		}
		var act any
		err := w.Editor.Call(w.Context(), "emendo/view/act", worldtest.Obj{"id": w.list("mcp", id)["db"].ID, "actionId": "restart"}, &act)
		w.Refused(err, rpc.InvalidParams, "")
		w.Refused(w.Editor.Call(w.Context(), "emendo/mcp/restart", worldtest.Obj{"sessionId": id, "name": "db"}, nil), rpc.InvalidParams, "cannot be started")
		w.act(w.list("mcp", id)["db"].ID, "enable")
		if e := w.list("mcp", id)["db"]; !e.Enabled || e.State != "idle" {
			w.Errorf("enabled again it is %+v", e)
		}
		w.Call("emendo/mcp/setEnabled", worldtest.Obj{"name": "forbidden", "enabled": false}, nil)
		err = w.Editor.Call(w.Context(), "emendo/mcp/setEnabled", worldtest.Obj{"name": "forbidden", "enabled": true}, nil)
		if err == nil || !strings.Contains(err.Error(), "/etc/emendo/settings.json") {
			w.Errorf("what the administrator disables was enabled: %v", err)
		}
	})
}

func TestTheUserSignsInWithTheEditorsBrowser(t *testing.T) {
	w := worldtest.NewWorld(t, nil)
	w.Servers = []client.MCPServer{{Name: "db", Standing: client.Starts, SignsIn: true, Needs: true}}
	play(t, true, w, func(w *world) {
		id := w.Session(nil)
		w.servers.states = []state.ServerState{{Name: "db", State: "failed", Err: errors.New("no"), Login: true}}
		if got := w.act(w.list("mcp", id)["db"].ID, "sign_in"); got != "You are signed in to db. It starts with the next prompt." {
			w.Errorf("said is %q", got)
		}
		if got := w.Editor.Seen().Documents; !slices.Equal(got, []string{"https://db.example/login"}) {
			w.Errorf("shown are %q", got)
		}
		if got := w.list("mcp", id)["db"].shown(); got != "starts with the next prompt · signed in [sign_out disable]" {
			w.Errorf("it is %q", got)
		}
		w.Call("emendo/mcp/signOut", worldtest.Obj{"sessionId": id, "name": "db"}, nil)
		if got := w.list("mcp", id)["db"].State; got != "needs_login" {
			w.Errorf("signed out it is %s", got)
		}
	})
}

// Nothing opens a browser.
func TestSigningInNeedsABrowser(t *testing.T) {
	w := worldtest.NewWorld(t, nil)
	w.Servers = []client.MCPServer{{Name: "db", Standing: client.Starts, SignsIn: true}}
	play(t, false, w, func(w *world) {
		err := w.Editor.Call(w.Context(), "emendo/mcp/signIn", worldtest.Obj{"name": "db"}, nil)
		if err == nil || !strings.Contains(err.Error(), "https://db.example/login") {
			w.Errorf("the error does not say where to sign in: %v", err)
		}
	})
}

func TestWhatIsDisabledIsNotInTheNextRequest(t *testing.T) {
	for name, tt := range map[string]struct{ kind, of, file, text, described string }{
		"a skill":  {"skills", "pdf", ".emendo/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads forms\n---\nDo.\n", "Reads forms"},
		"an agent": {"subagents", "tester", ".emendo/agents/tester.md", "---\nname: tester\ndescription: Tests things\n---\nTest.\n", "Tests things"},
	} {
		t.Run(name, func(t *testing.T) {
			w := worldtest.NewWorld(t, []modeltest.Reply{worldtest.Say("a"), worldtest.Say("b"), worldtest.Say("c")})
			w.Write(tt.file, tt.text)
			w.Write(filepath.Dir(filepath.Dir(tt.file))+"/broken.md", "no front matter")
			play(t, true, w, func(w *world) {
				id := w.Session(nil)
				w.Prompt(id, "1")
				e := w.list(tt.kind, id)[tt.of]
				if !w.has(tt.described) || e.shown() != tt.described+" · from the project [disable open_file]" {
					w.Fatalf("at first it is %q", e.shown())
				}
				w.act(e.ID, "disable")
				w.Prompt(id, "2")
				if e = w.list(tt.kind, id)[tt.of]; w.has(tt.described) || e.Enabled || e.shown() != "disabled · "+tt.described+" · from the project [enable open_file]" {
					w.Errorf("disabled it is %q, and the model is told of it: %t", e.shown(), w.has(tt.described))
				}
				w.Call("emendo/"+tt.kind+"/setEnabled", worldtest.Obj{"sessionId": id, "name": tt.of, "enabled": true}, nil)
				w.Prompt(id, "3")
				if !w.has(tt.described) || !w.list(tt.kind, id)[tt.of].Enabled {
					w.Error("enabled again it is not used")
				}
			})
		})
	}
}

func TestHooksOfOneNameAreOneEntry(t *testing.T) {
	w := worldtest.NewWorld(t, nil)
	hook := func(name, command string) settings.HookList {
		return settings.HookList{{Hooks: []settings.HookEntry{{Type: "command", Name: name, Command: command}}}}
	}
	w.Hooks = settings.Hooks{BeforeTool: hook("guard", "check"), AfterTool: hook("guard", "check"), SessionEnd: hook("", "bye")}
	play(t, true, w, func(w *world) {
		id := w.Session(nil)
		l := w.list("hooks", id)
		got := map[string]string{}
		for name, e := range l {
			got[name] = e.shown()
		}
		want := map[string]string{"guard": "at BeforeTool, AfterTool · from your settings [disable]", "bye": "at SessionEnd · from your settings [disable]"}
		if d := cmp.Diff(want, got); d != "" {
			w.Error(d)
		}
		if said := w.act(l["guard"].ID, "disable"); said != "guard is disabled, from the next event on." || w.list("hooks", id)["guard"].Enabled {
			w.Errorf("said is %q", said)
		}
	})
}

// A client that draws nothing gets the same without words, and errors for what there is not.
func TestListsWithoutWords(t *testing.T) {
	play(t, false, worldtest.NewWorld(t, nil), func(w *world) {
		var l worldtest.Obj
		for _, kind := range []string{"mcp", "skills", "hooks"} {
			w.Call("emendo/"+kind+"/list", worldtest.Obj{}, &l)
			if d := cmp.Diff(worldtest.Obj{"entries": []any{}}, l); d != "" {
				w.Errorf("%s: %s", kind, d)
			}
		}
		agents := w.list("subagents", "")
		if e := agents["generalist"]; !e.Enabled || e.Label != nil || e.Actions != nil {
			w.Errorf("an agent is %+v", e)
		}
		for _, refused := range []struct {
			method string
			params worldtest.Obj
		}{
			{"emendo/skills/setEnabled", worldtest.Obj{"name": "none", "enabled": true}},
			{"emendo/skills/setEnabled", worldtest.Obj{"enabled": true}},
			{"emendo/subagents/setEnabled", worldtest.Obj{"name": "generalist"}},
			{"emendo/mcp/restart", worldtest.Obj{"name": "none"}},
			{"emendo/mcp/signIn", worldtest.Obj{"name": "none"}},
			{"emendo/mcp/list", worldtest.Obj{"cwd": "here"}},
		} {
			w.Refused(w.Editor.Call(w.Context(), refused.method, refused.params, nil), rpc.InvalidParams, "")
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/skills/list", worldtest.Obj{"sessionId": "none"}, nil), rpc.RequestFailed, "unknown_session")
		synctest.Wait()
	})
}
