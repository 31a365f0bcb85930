package turn_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/user"
)

// deed is a tool that counts its runs.
type deed struct {
	name   string
	origin tools.Origin
	from   []tools.Author
	leads  []tools.Lead
	server *tools.ServerTool
	effect tools.Effect
	needs  string // the host that its command cannot do without; empty: none
	open   string // the host that the settings open to commands
	runs   *int
}

func (d deed) Spec() tools.Spec {
	return tools.Spec{Name: d.name, Display: d.name, Kind: tools.Other, Origin: d.origin, Server: d.server, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (d deed) Prepare(context.Context, tools.Env, json.RawMessage) (tools.Action, error) {
	run := func(w tools.Access) func(context.Context, func(tools.Progress)) tools.Result {
		return func(context.Context, func(tools.Progress)) tools.Result {
			if d.needs != "" && !slices.Contains(w.Hosts, d.needs) && (d.needs != d.open || w.Closed) {
				return tools.Result{Output: "no such host", Exit: &tools.Exit{Code: 1}, Met: &tools.Met{Wall: tools.Wall{Hosts: []string{d.needs}}}}
			}
			*d.runs++
			return tools.Result{Output: "done", From: d.from, Leads: d.leads}
		}
	}
	return tools.Action{Title: "do " + d.name, Effect: d.effect, Run: run(tools.Access{}), WithAccess: run}, nil
}

// ofServer returns a tool of an MCP server with a result of its own.
func ofServer(server, name string, readOnly bool) deed {
	return deed{name: "mcp_" + server + "_" + name, origin: tools.OfMCP, server: &tools.ServerTool{Server: server, Tool: name, Trusted: true}, effect: tools.Calls{Server: server, Tool: name, ReadOnly: readOnly}}
}

// ofCommand returns a tool that runs a command of these words.
func ofCommand(name string, remote bool, needs string) deed {
	return deed{name: name, effect: tools.Runs{Analysis: shellcmd.Analysis{Command: name, Parts: []shellcmd.Part{{Text: name, Words: []string{name}, Known: true, ReadOnly: true, Remote: remote}}, Known: true}}, needs: needs, open: "open.test"}
}

// deeds are the tools of the table.
func deeds() []deed {
	return []deed{
		ofServer("far", "lookup", false), ofServer("far", "send", false), ofServer("near", "send", false), ofServer("near", "peek", true),
		{name: "read_far", origin: tools.OfMCP, effect: tools.Reads{Servers: []string{"far"}, Asks: true}},
		{name: "read_near", origin: tools.OfMCP, effect: tools.Reads{Servers: []string{"near"}, Asks: true}},
		{name: "page", origin: tools.OfWeb, from: []tools.Author{{Origin: tools.OfWeb, Name: "page.test"}}, effect: tools.Sends{URLs: []string{"https://page.test/"}}},
		{name: "leak", origin: tools.OfWeb, effect: tools.Sends{URLs: []string{"https://evil.test/?q=key"}}},
		{name: "named", origin: tools.OfWeb, effect: tools.Sends{URLs: []string{"https://docs.test/a"}}},
		{name: "both", origin: tools.OfWeb, effect: tools.Sends{URLs: []string{"https://docs.test/a", "https://docs.test/a?q=key"}}},
		{name: "search", origin: tools.OfWeb, leads: []tools.Lead{{To: "https://found.test/"}}, effect: tools.Sends{Provider: true}},
		{name: "found", origin: tools.OfWeb, leads: []tools.Lead{{From: "https://found.test/", To: "https://moved.test/"}, {From: "https://moved.test/", To: "https://moved.test/b"}}, effect: tools.Sends{URLs: []string{"https://found.test/"}}},
		{name: "moved", origin: tools.OfWeb, effect: tools.Sends{URLs: []string{"https://moved.test/b"}}},
		{name: "led", origin: tools.OfWeb, leads: []tools.Lead{{From: "https://evil.test/", To: "https://evil.test/b"}}, effect: tools.Sends{URLs: []string{"https://evil.test/"}}},
		{name: "agent", origin: tools.OfWeb, from: []tools.Author{{Origin: tools.OfWeb, Name: "helper", Agent: true}}, effect: tools.Sends{URLs: []string{"https://agent.test/"}, Text: "Go.", Agent: "helper"}},
		ofCommand("build", false, ""), ofCommand("download", true, "other.test"), ofCommand("install", false, "open.test"), ofCommand("phone", false, "other.test"),
	}
}

// column is a mode in which the calls are made, with somebody there or not.
type column struct {
	mode     policy.Mode
	headless bool
}

func (c column) String() string {
	if c.headless {
		return "headless " + string(c.mode)
	}
	return string(c.mode)
}

// What becomes of a call.
const (
	runs     = "runs"
	told     = "runs, and the user is told"
	asks     = "asks"
	met      = "asks when it meets the host"
	refused  = "refused"
	proposed = "proposed"
)

// The table of what follows content from outside, cell by cell.
func TestAfterContentFromOutside(t *testing.T) {
	columns := []column{{policy.Default, false}, {policy.AutoEdit, false}, {policy.Yolo, false}, {policy.Default, true}, {policy.AutoEdit, true}, {policy.Yolo, true}}
	same := func(s string) []string { return []string{s, s, s, s, s, s} }
	requests := []string{asks, asks, told, refused, refused, told}
	always := []string{asks, asks, asks, refused, refused, refused}
	edits := []string{proposed, proposed, proposed, refused, refused, refused}
	edit := func(name string) []string {
		return []string{"write_file", `{"file_path":"` + name + `","content":"new\n"}`}
	}
	for _, tt := range []struct {
		name   string
		before []string // calls before it; nil: of the server far
		call   []string // with its arguments
		prompt string
		want   []string // by column
	}{
		{name: "a call of the same server", call: []string{"mcp_far_lookup"}, want: same(runs)},
		{name: "a call of another tool of it", call: []string{"mcp_far_send"}, want: same(runs)},
		{name: "a resource of it", call: []string{"read_far"}, want: same(runs)},
		{name: "a call of it, after a page too", before: []string{"mcp_far_lookup", "page"}, call: []string{"mcp_far_lookup"}, prompt: "https://page.test", want: requests},
		{name: "a call of another server", call: []string{"mcp_near_send"}, want: requests},
		{name: "a call of a server, after a page", before: []string{"page"}, call: []string{"mcp_near_send"}, want: requests},
		{name: "a resource of another server", call: []string{"read_near"}, want: requests},
		{name: "a page that nobody named", call: []string{"leak"}, want: requests},
		{name: "pages of which one was named", call: []string{"both"}, prompt: "https://docs.test/a", want: requests},
		{name: "a page to which one redirects that nobody named", before: []string{"led"}, call: []string{"moved"}, want: requests},
		{name: "a task for a remote agent", call: []string{"agent"}, want: requests},
		{name: "another task for it", before: []string{"agent"}, call: []string{"agent"}, want: same(runs)},
		{name: "a tool of a trusted server that only reads", call: []string{"mcp_near_peek"}, want: same(runs)},
		{name: "a search", call: []string{"search"}, want: same(runs)},
		{name: "a page that the user named", call: []string{"named"}, prompt: "See docs.test/a#top.", want: same(runs)},
		{name: "a page that a search found", before: []string{"search"}, call: []string{"found"}, want: same(runs)},
		{name: "a page to which it redirects", before: []string{"search", "found"}, call: []string{"moved"}, want: same(runs)},
		{name: "a command", call: []string{"build"}, want: same(runs)},
		{name: "a command whose words need a host", call: []string{"download"}, want: []string{asks, asks, met, refused, refused, refused}},
		{name: "a command that meets a host of the settings", call: []string{"install"}, want: []string{met, met, runs, refused, refused, runs}},
		{name: "a command that meets another host", call: []string{"phone"}, want: []string{met, met, met, refused, refused, refused}},
		{name: "a fact to remember", call: []string{"save_memory", `{"fact":"new"}`}, want: always},
		{name: "a context file", call: edit("AGENTS.md"), want: edits},
		{name: "a pipeline", call: edit(".github/workflows/ci.yml"), want: edits},
		{name: "a file that tools run by themselves", call: edit("conftest.py"), want: edits},
		{name: "a chat document", call: edit("a.emendo.md"), want: edits},
		{name: "another file", call: edit("a.txt"), want: []string{proposed, runs, runs, runs, runs, runs}},
		{name: "a call of a server, after no such content", before: []string{}, call: []string{"mcp_near_send"}, want: same(runs)},
		{name: "a page, after no such content", before: []string{}, call: []string{"leak"}, want: same(runs)},
		{name: "a fact, after no such content", before: []string{}, call: []string{"save_memory", `{"fact":"new"}`}, want: same(runs)},
		{name: "a context file, after no such content", before: []string{}, call: edit("AGENTS.md"), want: []string{proposed, proposed, runs, refused, refused, runs}},
		{name: "a file to read", call: []string{"read_file", `{"file_path":"a.txt"}`}, want: same(runs)},
	} {
		for i, col := range columns {
			t.Run(tt.name+"/"+col.String(), func(t *testing.T) {
				var replies []modeltest.Reply
				for _, name := range tt.before {
					replies = append(replies, agenttest.Calls(name))
				}
				if tt.before == nil {
					replies = append(replies, agenttest.Calls("mcp_far_lookup"))
				}
				replies = append(replies, agenttest.Calls(tt.call[0], tt.call[1:]...), agenttest.Done())
				agenttest.InWorld(t, map[string]string{"a.txt": "old\n"}, replies, func(t *testing.T, w *agenttest.World) {
					count := 0
					w.Options = func(o *state.Options) {
						o.MemoryDir, o.Sandbox = filepath.Join(w.State, "memory"), &agenttest.SandboxOf{Level: sandbox.Isolated}
						o.Tools = append(o.Tools, user.SaveMemory)
						o.Settings.Tools.Allowed = []string{"save_memory", "write_file", "read_file"}
						for _, d := range deeds() {
							d.runs = new(int)
							if d.name == tt.call[0] {
								d.runs = &count
							}
							o.Tools, o.Settings.Tools.Allowed = append(o.Tools, d), append(o.Settings.Tools.Allowed, d.name)
						}
						if col == columns[0] { // there edits are proposed
							o.Settings.Tools.Allowed = slices.DeleteFunc(o.Settings.Tools.Allowed, func(s string) bool { return s == "write_file" })
						}
					}
					w.Can = frontend.Abilities{Asks: !col.headless, Reviews: !col.headless}
					w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
						return frontend.Answer{OptionID: "reject_once"}, nil
					}
					w.Stop()
					w.Start()
					s := w.Session(col.mode)
					end := w.Begin(s, cmp.Or(tt.prompt, "look"))
					pending := len(pending(w))
					if pending > 0 {
						s.Cancel("")
					}
					if _, err := end(); err != nil {
						t.Fatal(err)
					}
					if slices.Contains(tt.before, tt.call[0]) || tt.before == nil && tt.call[0] == "mcp_far_lookup" {
						count-- // of the call before
					}
					text := written(w)
					did := count > 0 || strings.Contains(text, "new") || tt.call[0] == "read_file"
					about := 0
					for _, q := range w.Questions {
						about++
						if !strings.Contains(q.Reason, "Content from ") {
							t.Errorf("the question does not name the content: %s", q.Reason)
						}
					}
					got := refused
					codes, notices := w.Notices()
					switch {
					case pending > 0:
						got = proposed
					case about == 1 && !did && strings.Contains(w.Questions[0].Reason, "other.test") || about == 1 && !did && strings.Contains(w.Questions[0].Reason, "open.test"):
						got = met
					case about == 1 && !did:
						got = asks
					case did && about == 0 && slices.Contains(codes, transcript.NoticeOutside):
						got = told
					case did && about == 0:
						got = runs
					}
					if got != tt.want[i] {
						t.Errorf("%s, want: %s; questions %v, notices %v", got, tt.want[i], w.Questions, notices)
					}
				})
			})
		}
	}
}

// pending returns the change sets that wait for a decision.
func pending(w *agenttest.World) []ledger.ChangeSet { return w.Ledger.List("", "", ledger.Pending) }

// written returns the text of the workspace's files and of the facts that were saved.
func written(w *agenttest.World) string {
	var b strings.Builder
	for _, dir := range []string{w.Dir, filepath.Join(w.State, "memory")} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // there is no folder of facts
			}
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			b.Write(text)
			return err
		})
		if err != nil {
			w.T.Error(err)
		}
	}
	return b.String()
}

// withDeeds runs f in a world with the tools of the table, which rules allow.
func withDeeds(t *testing.T, replies []modeltest.Reply, f func(t *testing.T, w *agenttest.World)) {
	t.Helper()
	agenttest.InWorld(t, nil, append(replies, agenttest.Done()), func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) {
			for _, d := range deeds() {
				d.runs = new(int)
				o.Tools, o.Settings.Tools.Allowed = append(o.Tools, d), append(o.Settings.Tools.Allowed, d.name)
			}
		}
		w.Stop()
		w.Start()
		f(t, w)
	})
}

// An answer for the session is about what the call returns too: two servers that the user
// lets work together are asked about once.
func TestAnAnswerCoversBothServers(t *testing.T) {
	withDeeds(t, []modeltest.Reply{agenttest.Calls("mcp_far_lookup"), agenttest.Calls("mcp_near_send"), agenttest.Calls("mcp_far_lookup"), agenttest.Calls("mcp_near_send"), agenttest.Calls("leak")}, func(t *testing.T, w *agenttest.World) {
		w.Answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
			if len(w.Questions) > 1 {
				return frontend.Answer{OptionID: "reject_once"}, nil
			}
			return frontend.Answer{OptionID: "allow_trusting"}, nil
		}
		s := w.Session(policy.Default)
		w.Prompt(s, "look")
		if len(w.Questions) != 1 {
			t.Fatalf("asked about %v", w.Questions)
		}
		if o := w.Questions[0].Options[1]; o.Name != "Allow, and in this session ask no more about requests after content from the MCP server far and the MCP server near" {
			t.Errorf("the option is %q", o.Name)
		}
	})
}

// A script in mode yolo calls two servers ten times each and fetches a page between: nothing
// is refused, and it is told once of each author.
func TestAScriptInYoloIsRefusedNothing(t *testing.T) {
	var replies []modeltest.Reply
	for i := range 10 {
		replies = append(replies, agenttest.Calls("mcp_far_lookup", fmt.Sprintf(`{"n":%d}`, i)), agenttest.Calls("mcp_near_send", fmt.Sprintf(`{"n":%d}`, i)))
		if i == 4 {
			replies = append(replies, agenttest.Calls("leak"))
		}
	}
	withDeeds(t, replies, func(t *testing.T, w *agenttest.World) {
		w.Can = frontend.Abilities{}
		w.Prompt(w.Session(policy.Yolo), "look")
		for _, r := range w.Model.Requests() {
			for _, x := range agenttest.Results(r) {
				if x.Failed {
					t.Errorf("a call returned %q", x.Output)
				}
			}
		}
		codes, _ := w.Notices()
		if n := len(codes); n != 3 {
			t.Errorf("%d notices: %s", n, w.NoticesOf(transcript.NoticeOutside))
		}
	})
}
