package subagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/tools"
)

// write writes files into a folder and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func agent(front string) string { return "---\n" + front + "\n---\nDo it." }

func TestVariablesInPrompts(t *testing.T) {
	a := subagent.Agent{Prompt: "Do ${query} on ${today}; run ${HOME}/x and $query."}.With(map[string]string{"query": "${today}", "today": "Monday"})
	if want := "Do ${today} on Monday; run ${HOME}/x and $query."; a.Prompt != want {
		t.Errorf("got %q, want %q", a.Prompt, want)
	}
}

func TestLoad(t *testing.T) {
	dir := write(t, map[string]string{
		"agents/full.md":       agent("kind: local\nname: full\ndescription: |\n  Two\n  lines\ndisplay_name: Full\ntools: [read_file, mcp_*]\nmodel: flash\ntemperature: 0.5\nmax_turns: 3\ntimeout_mins: 2"),
		"agents/short.md":      agent("name: short\ndescription: x\nmodel: inherit"),
		"agents/_off.md":       agent("name: off\ndescription: x"),
		"agents/sub/deep.md":   agent("name: deep\ndescription: x"),
		"agents/none.txt":      agent("name: none\ndescription: x"),
		"agents/disabled.md":   agent("name: disabled\ndescription: x"),
		"agents/unknown.md":    agent("name: a\ndescription: x\ncolour: red"),
		"agents/name.md":       agent("name: Not OK\ndescription: x"),
		"agents/words.md":      agent("name: a"),
		"agents/turns.md":      agent("name: a\ndescription: x\nmax_turns: 0"),
		"agents/time.md":       agent("name: a\ndescription: x\ntimeout_mins: -1"),
		"agents/heat.md":       agent("name: a\ndescription: x\ntemperature: 3"),
		"agents/type.md":       agent("name: a\ndescription: x\nmax_turns: many"),
		"agents/remote.md":     agent("kind: remote\nname: a\ndescription: x"),
		"agents/servers.md":    agent("name: a\ndescription: x\nmcp_servers: {x: {args: [y]}}"),
		"agents/tcp.md":        agent("name: a\ndescription: x\nmcp_servers: {x: {tcp: \"host:1\"}}"),
		"agents/field.md":      agent("name: a\ndescription: x\nmcp_servers: {x: {command: y, httpURL2: z}}"),
		"agents/star.md":       agent("name: a\ndescription: x\nmcp_servers: {\"*\": {command: y}}"),
		"agents/tools.md":      agent("name: a\ndescription: x\ntools: [\"read file\"]"),
		"agents/bare.md":       "Do it.",
		"agents/empty.md":      "---\nname: a\ndescription: x\n---\n",
		"agents/generalist.md": agent("name: generalist\ndescription: x"),
		".claude/agents/c.md":  agent("name: from-claude\ndescription: x\ntools: Read, Bash, Task\nmodel: opus\ncolor: red"),
		".claude/agents/d.md":  agent("name: useless\ndescription: x\ntools: [Task]"),
		"strong/short.md":      agent("name: short\ndescription: y"),
	})
	var folders []definition.Folder
	for _, f := range []string{"agents", ".claude/agents", "strong"} {
		folders = append(folders, definition.Folder{Path: filepath.Join(dir, filepath.FromSlash(f)), Scope: definition.User})
	}
	set := subagent.Load(t.Context(), folders, []string{"disabled", "codebase_investigator"})
	var got []string
	for _, a := range set.Agents {
		if a.Scope != definition.BuiltIn {
			got = append(got, fmt.Sprintf("%s | %s | %s | %v | %s | %d %v", a.Name, a.Description, a.Prompt, a.Tools, a.Model, a.MaxTurns, a.Timeout))
		}
	}
	want := []string{
		"from-claude | x | Do it. | [read_file run_shell_command] |  | 30 10m0s",
		"full | Two lines | Do it. | [read_file mcp_*] | flash | 3 2m0s",
		"short | y | Do it. | [] |  | 30 10m0s",
	}
	if diff := gocmp.Diff(got, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	if a, ok := set.Find("generalist"); !ok || a.Scope != definition.BuiltIn || len(set.Agents) != 4 {
		t.Errorf("the generalist is %+v, %t, and %d agents", a, ok, len(set.Agents))
	}
	wants := map[string]string{
		"unknown.md": `unknown field "colour"`, "name.md": `name: invalid name "Not OK"`, "words.md": "description: missing or empty", "turns.md": "max_turns: 0 is not between 1 and 1000",
		"time.md": "timeout_mins: -1 is not", "heat.md": "temperature: 3 is not", "type.md": "max_turns: line 3: cannot be a string", "remote.md": "agent_card_url: missing or empty",
		"servers.md": "mcp_servers: x: must have a command", "tcp.md": "mcp_servers: x: tcp: ", "field.md": `mcp_servers: x: unknown field "httpURL2"`, "star.md": "mcp_servers: invalid name", "tools.md": `tools: invalid name "read file"`, "bare.md": "front matter", "empty.md": "no text behind the front matter",
		"generalist.md": "the agent generalist is built in", "d.md": "tools: none of them", "short.md": "replaces the agent short of",
	}
	if len(set.Problems) != len(wants) {
		t.Errorf("%d problems, want %d", len(set.Problems), len(wants))
	}
	for file, want := range wants {
		found := false
		for _, p := range set.Problems {
			found = found || strings.Contains(p, string(filepath.Separator)+file) && strings.Contains(p, want)
		}
		if !found {
			t.Errorf("no problem of %s says %q: %s", file, want, strings.Join(set.Problems, "\n"))
		}
	}
}

func TestServersOfAgents(t *testing.T) {
	dir := write(t, map[string]string{
		"home/agents/a.md":      agent("name: a\ndescription: x\nmcp_servers:\n  docs: {command: docs, args: [\"1\"], env: {K: $V}, trust: true, include_tools: [find], timeout: 1500}\n  web: {http_url: \"https://web.test\"}"),
		".gemini/agents/b.md":   agent("name: b\ndescription: x\nmcp_servers: {docs: {command: docs, trust: true}}"),
		"p/.claude/agents/c.md": agent("name: c\ndescription: x\ntools: Read\nmcpServers:\n  - known\n  - docs: {type: stdio, command: docs, trust: true, other: 1}"),
		"ext/agents/d.md":       agent("name: d\ndescription: x\nmcp_servers: {docs: {command: docs, cwd: sub}}"),
	})
	project := filepath.Join(dir, "p")
	set := subagent.Load(t.Context(), []definition.Folder{
		{Path: filepath.Join(dir, "ext", "agents"), Scope: definition.Extension, Extension: "ext"},
		{Path: filepath.Join(dir, ".gemini", "agents"), Scope: definition.User},
		{Path: filepath.Join(dir, "home", "agents"), Scope: definition.User},
		{Path: filepath.Join(project, ".claude", "agents"), Scope: definition.Project},
	}, nil)
	if len(set.Problems) > 0 {
		t.Fatal(set.Problems)
	}
	file := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for name, want := range map[string][]config.Server{
		"a": {
			{Name: "docs", Transport: config.Stdio, Command: "docs", Args: []string{"1"}, Env: map[string]string{"K": "$V"}, Trust: true, Include: []string{"find"}, Timeout: 1500 * time.Millisecond, Own: true, File: file("home/agents/a.md")},
			{Name: "web", Transport: config.HTTP, URL: "https://web.test", Own: true, File: file("home/agents/a.md")},
		},
		"b": {{Name: "docs", Transport: config.Stdio, Command: "docs", Trust: true, File: file(".gemini/agents/b.md")}},
		"c": {{Name: "docs", Transport: config.Stdio, Command: "docs", Dir: project, Confined: true, Project: project, File: file("p/.claude/agents/c.md")}},
		"d": {{Name: "docs", Transport: config.Stdio, Command: "docs", Dir: filepath.Join(project, "sub"), Extension: "ext", Home: file("ext"), File: file("ext/agents/d.md")}},
	} {
		a, _ := set.Find(name)
		for i := range want {
			want[i].Folder = project
		}
		if diff := gocmp.Diff(want, a.MCPServers(project)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	if c, _ := set.Find("c"); !slices.Equal(c.Tools, []string{"read_file", "mcp_known_*"}) {
		t.Errorf("the tools are %q", c.Tools)
	}
}

func TestInvoke(t *testing.T) {
	tool := subagent.NewInvoke(subagent.Load(t.Context(), nil, nil))
	if s := tool.Spec(); !strings.Contains(string(s.Schema), `"enum":["codebase_investigator","generalist"]`) || !strings.Contains(s.Description, "- generalist: ") {
		t.Errorf("it is %s %s", s.Description, s.Schema)
	}
	for args, want := range map[string]string{
		`{"agent_name":"general","prompt":"x"}`:    "agent_name",
		`{"agent_name":"generalist","prompt":" "}`: "prompt is empty",
		`{"agent_name":"generalist"}`:              "prompt",
	} {
		var e *tools.Error
		if _, err := tool.Prepare(t.Context(), tools.Env{}, json.RawMessage(args)); !errors.As(err, &e) || !strings.Contains(e.Message, want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	a, err := tool.Prepare(t.Context(), tools.Env{}, json.RawMessage(`{"agent_name":"generalist","prompt":"Tidy\nup."}`))
	if _, reads := a.Effect.(tools.Reads); err != nil || a.Title != "generalist: Tidy up." || !reads {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestOffered(t *testing.T) {
	var all []model.Tool
	for _, name := range []string{"read_file", "replace", "mcp_db_query", "mcp_db_drop", "invoke_agent", "ask_user", "tracker_list_tasks"} {
		all = append(all, model.Tool{Name: name})
	}
	for _, tt := range []struct{ tools, want string }{
		{"", "read_file replace mcp_db_query mcp_db_drop"},
		{"*", "read_file replace mcp_db_query mcp_db_drop"},
		{"read_file mcp_*_query invoke_agent", "read_file mcp_db_query"},
	} {
		var got []string
		for _, o := range (subagent.Agent{Tools: strings.Fields(tt.tools)}).Offered(all) {
			got = append(got, o.Name)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: got %q", tt.tools, got)
		}
	}
}

// played runs an agent against a scripted model.
func played(t *testing.T, a subagent.Agent, replies []modeltest.Reply, calls func(model.Call) string) (m *modeltest.Script, report string, why subagent.Reason, err error) {
	t.Helper()
	m = &modeltest.Script{Replies: replies}
	ids := 0
	report, why, err = a.Run(t.Context(), "the task", subagent.Host{
		Model: "m", System: "s", Tools: []model.Tool{{Name: "look"}}, NewID: func() string { ids++; return fmt.Sprint(ids) },
		Worker: worker{m, calls},
	})
	return m, report, why, err
}

// worker asks a scripted model, and makes calls by a function.
type worker struct {
	model *modeltest.Script
	calls func(model.Call) string
}

func (w worker) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return w.model.Stream(ctx, req)
}

func (w worker) Make(_ context.Context, cs []model.Call, pause func() func()) (l []model.Result) {
	defer pause()()
	for _, c := range cs {
		l = append(l, model.Result{Output: w.calls(c)})
	}
	return l
}

func (worker) Show(string) {}

func (worker) LeftOut(*model.Error) {}

func TestRun(t *testing.T) {
	done := modeltest.Reply{modeltest.Call("complete_task", `{"result":"all well"}`)}
	look := modeltest.Reply{modeltest.Call("look", `{"at":1}`)}
	small := subagent.Agent{Name: "a", MaxTurns: 2, Timeout: time.Minute}
	for _, tt := range []struct {
		name    string
		replies []modeltest.Reply
		slow    time.Duration
		report  string
		why     subagent.Reason
		err     bool
		last    string // part of the last message that the model was sent
	}{
		{name: "a report", replies: []modeltest.Reply{done}, report: "all well", why: subagent.Goal, last: "the task"},
		{name: "a call before it", replies: []modeltest.Reply{look, done}, report: "all well", why: subagent.Goal, last: `seen {"at":1}`},
		{name: "a tool that is not offered", replies: []modeltest.Reply{{modeltest.Call("rm", `{}`)}, done}, report: "all well", why: subagent.Goal, last: "Unauthorized tool call: rm"},
		{name: "an empty report", replies: []modeltest.Reply{{modeltest.Call("complete_task", `{"result":" "}`)}, done}, report: "all well", why: subagent.Goal, last: "result is empty"},
		{name: "words instead of a report", replies: []modeltest.Reply{{modeltest.Say("well")}, done}, report: "all well", why: subagent.Goal, last: "Call complete_task now"},
		{name: "words only", replies: []modeltest.Reply{{modeltest.Say("well")}, {modeltest.Say("still well")}}, report: "still well\n\n(It stopped without a report.)", why: subagent.Unfinished, last: "(ERROR_NO_COMPLETE_TASK_CALL)"},
		{name: "too many requests", replies: []modeltest.Reply{look, look, done}, report: "all well", why: subagent.Goal, last: "(MAX_TURNS)"},
		{name: "too many requests and no report", replies: []modeltest.Reply{look, look, look}, report: "The agent made no report. It reached its limit of 2 model requests.", why: subagent.OutOfTurns},
		{name: "calls that take long", replies: []modeltest.Reply{look, done}, slow: time.Hour, report: "all well", why: subagent.Goal},
		{name: "a model that takes long", replies: []modeltest.Reply{{modeltest.Pause(time.Hour)}, done}, report: "all well", why: subagent.Goal, last: "(TIMEOUT)"},
		{name: "an error", replies: []modeltest.Reply{{modeltest.Fail(model.Auth)}}, err: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, report, why, err := played(t, small, tt.replies, func(c model.Call) string {
					time.Sleep(tt.slow)
					return "seen " + string(c.Args)
				})
				if report != tt.report || why != tt.why || (err != nil) != tt.err {
					t.Errorf("got %q, %s, %v", report, why, err)
				}
				rs := m.Requests()
				ms := rs[len(rs)-1].Messages
				if text := fmt.Sprintf("%+v", ms[len(ms)-1]); !strings.Contains(text, tt.last) {
					t.Errorf("the last message is %s, want %q", text, tt.last)
				}
				for i, msg := range ms {
					if i > 0 && msg.Role == ms[i-1].Role {
						t.Errorf("two messages of the %s follow each other", msg.Role)
					}
				}
			})
		})
	}
}
