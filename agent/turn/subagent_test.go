package turn_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
)

func invoke(name, task string) modeltest.Step {
	return modeltest.Call("invoke_agent", `{"agent_name":"`+name+`","prompt":"`+task+`"}`)
}

func report(text string) modeltest.Reply {
	return modeltest.Reply{modeltest.Call("complete_task", `{"result":"`+text+`"}`)}
}

// toolNames returns the names of the tools that a request offers.
func toolNames(r model.Request) (l []string) {
	for _, t := range r.Tools {
		l = append(l, t.Name)
	}
	return l
}

// A subagent has a conversation and tools of its own; the session's model reads
// only its report, and the user sees its calls as those of the parent.
func TestSubagentReports(t *testing.T) {
	files := map[string]string{"AGENTS.md": "Whole cents.\n", "fee.go": "package fee\n"}
	agenttest.InWorld(t, files, []modeltest.Reply{
		{invoke("codebase_investigator", "Where is the fee?")},
		{modeltest.Think("**Looking**\n\nat it"), modeltest.Call("read_file", `{"file_path":"fee.go"}`), modeltest.Call("replace", `{}`)},
		report("In fee.go."),
		{modeltest.Say("done")},
	}, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		w.Prompt(s, "go")
		rs := w.Model.Requests()
		if got := toolNames(rs[1]); !slices.Equal(got, []string{"read_file", "list_directory", "glob", "grep_search", "complete_task"}) {
			t.Errorf("the agent is offered %q", got)
		}
		for _, part := range []string{"You explore a code base", "Session folder: " + w.Dir, "Whole cents.", "You work alone"} {
			if !strings.Contains(rs[1].System, part) {
				t.Errorf("the agent did not get %q:\n%s", part, rs[1].System)
			}
		}
		if got := agenttest.TextOf(rs[1]); got != "Where is the fee?\n" && strings.TrimSpace(got) != "Where is the fee?" {
			t.Errorf("the agent is asked %q", got)
		}
		if got := agenttest.TextOf(rs[2]); !strings.Contains(got, "package fee") || !strings.Contains(got, "Unauthorized tool call: replace") {
			t.Errorf("the agent reads %s", got)
		}
		if got := agenttest.TextOf(rs[3]); !strings.Contains(got, "The agent codebase_investigator has ended.\nTermination Reason: GOAL\nResult:\nIn fee.go.") || strings.Contains(got, "package fee") {
			t.Errorf("the model reads %s", got)
		}
		var calls []string
		parent, progress := "", ""
		for _, u := range w.Updates {
			switch e := u.Event.(type) {
			case transcript.ToolCall:
				if e.Parent == "" {
					parent = e.CallID
				} else if e.Parent != parent {
					t.Errorf("the parent of %s is %s, want %s", e.Name, e.Parent, parent)
				}
				calls = append(calls, e.Name)
			case transcript.ToolUpdate:
				if e.CallID == parent && e.Live != "" {
					progress = e.Live
				}
			}
		}
		if diff := cmp.Diff(calls, []string{"invoke_agent", "read_file"}); diff != "" {
			t.Errorf("shown: got -, want +:\n%s", diff)
		}
		if !strings.Contains(progress, "Looking") {
			t.Errorf("the progress is %q", progress)
		}
		w.CheckNumbers()
		w.Stop() // another process knows the same conversation
		w.Start()
		s, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		w.Model.Replies = agenttest.Answers("ok")
		w.Prompt(s, "and now?")
		if got := agenttest.TextOf(w.LastRequest()); !strings.Contains(got, "In fee.go.") || strings.Contains(got, "package fee") {
			t.Errorf("after a restart the model reads %s", got)
		}
	})
}

// The calls of a subagent pass the gate: questions name it, rules can apply to it, and
// edits are reviewed.
func TestSubagentPassesTheGate(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"a.txt": "old\n", ".gemini/agents/fixer.md": "---\nname: fixer\ndescription: Fixes.\ntools: [replace, run_shell_command]\n---\nFix it."}, []modeltest.Reply{
		{invoke("fixer", "fix")},
		{modeltest.Call("run_shell_command", `{"command":"make"}`), modeltest.Call("replace", `{"file_path":"a.txt","old_string":"old","new_string":"new"}`)},
		report("Fixed."),
		{modeltest.Say("done")},
	}, func(t *testing.T, w *agenttest.World) {
		w.Can = frontend.Abilities{Asks: true}
		w.Stop()
		w.Start()
		w.Spawn.Scripts = map[string]sandboxtest.Script{"make": sandboxtest.Print("made\n", 0)}
		s := w.Session("")
		w.Prompt(s, "go")
		var reasons []string
		for _, q := range w.Questions {
			reasons = append(reasons, q.Call.Name+": "+q.Reason)
		}
		want := []string{"run_shell_command: The agent fixer requests this. No rule allows the command. There is no sandbox for commands here, so each needs approval.", "replace: The agent fixer requests this. The edit needs the user's approval."}
		if diff := cmp.Diff(reasons, want); diff != "" {
			t.Errorf("asked: got -, want +:\n%s", diff)
		}
		if got := agenttest.TextOf(w.Model.Requests()[2]); !strings.Contains(got, "made") || !strings.Contains(got, "new") {
			t.Errorf("the agent reads %s", got)
		}
		if text, err := os.ReadFile(filepath.Join(w.Dir, "a.txt")); err != nil || string(text) != "new\n" {
			t.Errorf("the file holds %q, %v", text, err)
		}
	})
}

// Agents called together run concurrently, but their effects are serialized.
func TestSubagentsWorkSideBySide(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		hold := make(chan struct{})
		w.Model.Answer = func(r model.Request) modeltest.Reply {
			text := agenttest.TextOf(r)
			switch {
			case strings.Contains(text, "has ended"):
				return modeltest.Reply{modeltest.Say("done")}
			case strings.HasPrefix(text, "task "):
				return modeltest.Reply{modeltest.Hold(hold), modeltest.Call("complete_task", `{"result":"well"}`)}
			}
			return modeltest.Reply{invoke("generalist", "task 1"), invoke("codebase_investigator", "task 2")}
		}
		s := w.Session("")
		ended := w.Begin(s, "go")
		if n := len(w.Model.Requests()); n != 3 {
			t.Errorf("%d requests were made", n)
		}
		close(hold)
		if end, err := ended(); err != nil || end.Text != "done" {
			t.Errorf("%+v, %v", end, err)
		}
	})
}

func TestSubagentIsCancelled(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{invoke("generalist", "task")}, {modeltest.Call("run_shell_command", `{"command":"slow"}`)}}, func(t *testing.T, w *agenttest.World) {
		w.Spawn.Scripts = map[string]sandboxtest.Script{"slow": {Hangs: true}}
		s := w.Session(policy.Default)
		ended := w.Begin(s, "go")
		if w.Spawn.Running() != 1 {
			t.Fatal("the command does not run")
		}
		s.Cancel("")
		if end, err := ended(); err != nil || end.StopReason != transcript.StopCancelled {
			t.Errorf("%+v, %v", end, err)
		}
		synctest.Wait()
	})
}

func TestSubagentsAreListedAndSwitchedOff(t *testing.T) {
	files := map[string]string{".emendo/agents/mine.md": "---\nname: mine\ndescription: Of mine.\ntools: [glob]\n---\nx", ".emendo/agents/bad.md": "x"}
	agenttest.InWorld(t, files, agenttest.Answers("one", "two"), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		if got := w.Prompt(s, "/agents").Text; !strings.Contains(got, "| mine | Of mine. | glob | project | `"+w.Dir+"/.emendo/agents/mine.md` |") || !strings.Contains(got, "| generalist |") || !strings.Contains(got, "bad.md defines no agent") {
			t.Errorf("listed %s", got)
		}
		w.Trusted = false
		w.Prompt(s, "hello")
		if d := w.LastRequest().Tools; strings.Contains(d[len(d)-1].Description, "mine") {
			t.Errorf("a restricted folder offers %s", d[len(d)-1].Description)
		}
		w.Trusted = true
		w.Options = func(o *state.Options) { o.Settings.Agents.Enabled = false }
		w.Stop()
		w.Start()
		s = w.Session("")
		w.Prompt(s, "hello")
		if offers(w.LastRequest(), "invoke_agent") {
			t.Error("agents are offered")
		}
	})
}

// The model reads once why a subagent ended without a report.
func TestAFailedSubagentIsReportedOnce(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{invoke("codebase_investigator", "look")}, {modeltest.Say("thinking of it")}, {modeltest.Say("still thinking")}, {modeltest.Say("done")}}, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(""), "go")
		if got := agenttest.TextOf(w.LastRequest()); strings.Count(got, "Termination Reason: ERROR_NO_COMPLETE_TASK_CALL") != 1 {
			t.Errorf("the model reads\n%s", got)
		}
	})
}

// A picture that a model sends is not shown, and the user learns that.
func TestAPictureInAnAnswerIsNoticed(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("Here: "), modeltest.Part(model.Blob{MIME: "image/png", Data: []byte("picture")})}}, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(""), "draw")
		if n := w.Notice(transcript.NoticeIncomplete); !strings.Contains(n.Description, "image/png with 7 bytes") {
			t.Errorf("the user is told %+v", n)
		}
	})
}
