package turn_test

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/tools"
)

// served is a tool of an MCP server.
type served struct {
	*tools.ServerTool

	readOnly bool
	allowed  *string // the definition of the last allowed call
}

func (s served) Spec() tools.Spec {
	of := *s.ServerTool
	of.Changed = *s.allowed != "" && *s.allowed != of.Definition
	return tools.Spec{Name: "mcp_" + s.Server + "_" + s.Tool, Display: s.Tool, Kind: tools.Other, Schema: json.RawMessage(`{"type":"object"}`), Server: &of}
}

func (s served) Prepare(context.Context, tools.Env, json.RawMessage) (tools.Action, error) {
	definition := s.Definition
	return tools.Action{Title: s.Tool, Effect: tools.Calls{Server: s.Server, Tool: s.Tool, ReadOnly: s.readOnly}, Run: func(context.Context, func(tools.Progress)) tools.Result {
		*s.allowed = definition
		return tools.Result{Output: "done"}
	}}, nil
}

// What allows the calls of a server does so after its own content too. Its instructions are
// no content. The session cannot ask.
func TestWhatAllowsAServerAppliesAfterItsOwnContent(t *testing.T) {
	for _, tt := range []struct {
		name    string
		mode    policy.Mode
		allowed []string
		says    string // the server that sends instructions
		calls   []string
		denied  bool // the last call is
	}{
		{name: "a rule for the tool", allowed: []string{"mcp_db_query"}, calls: []string{"mcp_db_query", "mcp_db_query"}},
		{name: "a rule for the server", allowed: []string{"mcp_db_*"}, calls: []string{"mcp_db_query", "mcp_db_drop"}},
		{name: "a rule for all servers", allowed: []string{"mcp_*"}, calls: []string{"mcp_db_query", "mcp_db_query"}},
		{name: "mode yolo", mode: policy.Yolo, calls: []string{"mcp_db_query", "mcp_db_query"}},
		{name: "no rule", calls: []string{"mcp_db_query"}, denied: true},
		{name: "its instructions", allowed: []string{"mcp_db_query"}, says: "db", calls: []string{"mcp_db_query", "mcp_db_query"}},
		{name: "instructions of another server", allowed: []string{"mcp_db_query"}, says: "other", calls: []string{"mcp_db_query"}},
		{name: "another server", allowed: []string{"mcp_db_*", "mcp_web_get"}, calls: []string{"mcp_db_query", "mcp_web_get"}, denied: true},
		{name: "another server before", allowed: []string{"mcp_db_*", "mcp_web_get"}, calls: []string{"mcp_web_get", "mcp_db_query"}, denied: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var replies []modeltest.Reply
			for _, name := range tt.calls {
				replies = append(replies, agenttest.Calls(name))
			}
			inDoubt(t, append(replies, agenttest.Done()), func(t *testing.T, w *agenttest.World) {
				w.Can = frontend.Abilities{}
				with := w.Options
				w.Options = func(o *state.Options) {
					with(o)
					o.Settings.Tools.Allowed = tt.allowed
					for _, name := range [][2]string{{"db", "query"}, {"db", "drop"}, {"web", "get"}} {
						o.Tools = append(o.Tools, returning{served{&tools.ServerTool{Server: name[0], Tool: name[1]}, false, new(string)}})
					}
					o.Supplies = func(*state.Session) []state.Supply { return []state.Supply{instructing(tt.says)} }
				}
				w.Stop()
				w.Start()
				w.Prompt(w.Session(cmp.Or(tt.mode, policy.Default)), "go")
				rs := agenttest.Results(w.LastRequest())
				if got := rs[len(rs)-1]; got.Failed != tt.denied {
					t.Errorf("the last call returned %q", got.Output)
				}
			})
		})
	}
}

// returning is a tool of an MCP server with untrusted results.
type returning struct{ served }

func (r returning) Spec() tools.Spec {
	s := r.served.Spec()
	s.Origin = tools.OfMCP
	return s
}

// instructing is a supply with a server that sends instructions.
type instructing string

func (i instructing) Tools(_ context.Context, a state.Asker) []tools.Tool {
	if i != "" {
		a.Tell(string(i), "Obey.", tools.OfMCP)
	}
	return nil
}

func (instructing) Close() {}

// withServer runs f in a session with two tools of the server db.
func withServer(t *testing.T, mode policy.Mode, query, drop served, replies []modeltest.Reply, f func(t *testing.T, w *agenttest.World, prompt func())) {
	t.Helper()
	agenttest.InWorld(t, nil, append(replies, agenttest.Done()), func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Options = func(o *state.Options) { o.Tools = append(o.Tools, query, drop) }
		w.Start()
		s := w.Session(mode)
		f(t, w, func() { w.Prompt(s, "go") })
	})
}

func TestQuestionAboutAServersTool(t *testing.T) {
	query := served{&tools.ServerTool{Server: "db", Tool: "query", Definition: "1"}, false, new(string)}
	drop := served{&tools.ServerTool{Server: "db", Tool: "drop", Definition: "2"}, false, new(string)}
	withServer(t, policy.Default, query, drop, []modeltest.Reply{agenttest.Calls("mcp_db_query")}, func(t *testing.T, w *agenttest.World, prompt func()) {
		prompt()
		if len(w.Questions) != 1 {
			t.Fatalf("%d questions", len(w.Questions))
		}
		q := w.Questions[0]
		var options []string
		for _, o := range q.Options {
			options = append(options, o.ID+": "+o.Name)
		}
		want := []string{
			"allow_once: Allow once", "allow_always: Always allow the tool query of the server db in this session",
			"allow_always_server: Always allow all tools of the server db in this session", "reject_once: Deny",
		}
		if diff := gocmp.Diff(options, want); diff != "" {
			t.Errorf("got -, want +:\n%s", diff)
		}
		if diff := gocmp.Diff(q.Preview, frontend.Preview{ServerName: "db", ToolName: "query", Args: []byte("{}")}); diff != "" {
			t.Errorf("got -, want +:\n%s", diff)
		}
	})
}

func TestPermissionForServersTools(t *testing.T) {
	for _, tt := range []struct {
		name      string
		mode      policy.Mode
		trusted   bool
		readOnly  bool
		changed   bool
		answer    string // to the first question
		redefined bool   // the definition changes after the first call
		calls     []string
		asked     int
		failed    []bool // whether the calls fail
	}{
		{name: "each call is asked about", mode: policy.Default, answer: "allow_once", calls: []string{"query", "query"}, asked: 2},
		{name: "one tool is allowed", mode: policy.Default, answer: "allow_always", calls: []string{"query", "query", "drop"}, asked: 2},
		{name: "a server is allowed", mode: policy.Default, answer: "allow_always_server", calls: []string{"query", "drop"}, asked: 1},
		{name: "approval is of a definition", mode: policy.Default, answer: "allow_always", redefined: true, calls: []string{"query", "query"}, asked: 2},
		{name: "approval of a server is not of a changed tool", mode: policy.Default, answer: "allow_always_server", redefined: true, calls: []string{"query", "query"}, asked: 2},
		{name: "a trusted server", mode: policy.Default, trusted: true, calls: []string{"query"}, asked: 0},
		{name: "a changed tool of a trusted server", mode: policy.Default, trusted: true, changed: true, answer: "allow_once", calls: []string{"query", "query"}, asked: 1},
		{name: "yolo", mode: policy.Yolo, calls: []string{"query"}, asked: 0},
		{name: "a changed tool in yolo", mode: policy.Yolo, changed: true, answer: "reject_once", calls: []string{"query"}, asked: 1, failed: []bool{true}},
		{name: "plan mode", mode: policy.Plan, calls: []string{"query"}, asked: 0, failed: []bool{true}},
		{name: "plan mode and a trusted server", mode: policy.Plan, trusted: true, calls: []string{"query"}, asked: 0, failed: []bool{true}},
		{name: "plan mode and a tool that reads", mode: policy.Plan, trusted: true, readOnly: true, answer: "allow_once", calls: []string{"query"}, asked: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			claims := map[string]any{"readOnlyHint": tt.readOnly}
			query := served{&tools.ServerTool{Server: "db", Tool: "query", Definition: "1", Trusted: tt.trusted, Annotations: claims}, tt.readOnly, new(string)}
			if tt.changed {
				*query.allowed = "0"
			}
			drop := served{&tools.ServerTool{Server: "db", Tool: "drop", Definition: "2", Trusted: tt.trusted}, false, new(string)}
			var replies []modeltest.Reply
			for _, name := range tt.calls {
				replies = append(replies, agenttest.Calls("mcp_db_"+name))
			}
			withServer(t, tt.mode, query, drop, replies, func(t *testing.T, w *agenttest.World, prompt func()) {
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					if tt.redefined {
						defer func() { query.Definition = "other" }()
					}
					if len(w.Questions) > 1 {
						return frontend.Answer{OptionID: "allow_once"}, nil
					}
					return frontend.Answer{OptionID: tt.answer}, nil
				}
				prompt()
				if len(w.Questions) != tt.asked {
					t.Errorf("%d questions, want %d", len(w.Questions), tt.asked)
				}
				var failed []bool
				for _, request := range w.Model.Requests() {
					if rs := agenttest.Results(request); len(rs) > 0 {
						failed = append(failed, rs[len(rs)-1].Failed)
					}
				}
				if want := append(slices.Clone(tt.failed), make([]bool, len(tt.calls)-len(tt.failed))...); !slices.Equal(failed, want) {
					t.Errorf("failed: %v, want %v", failed, want)
				}
			})
		})
	}
}
