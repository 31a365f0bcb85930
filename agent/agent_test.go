package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
)

func kindsOf(us []transcript.Update) []string {
	var l []string
	for _, u := range us {
		l = append(l, strings.TrimPrefix(fmt.Sprintf("%T", u.Event), "transcript."))
	}
	return l
}

func TestTurnEmitsUpdatesInOrder(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Think("**Plan** think"), modeltest.Say("Hello "), modeltest.Say("you."), modeltest.Usage(model.Usage{Input: 10, Output: 3, Total: 13})}}, func(t *testing.T, w *agenttest.World) {
		end := w.Prompt(w.Session(""), "Hi there")
		if end.StopReason != transcript.EndTurn || end.Text != "Hello you." || end.Usage.Input != 10 {
			t.Errorf("ended %+v", end)
		}
		got := kindsOf(w.Updates)
		got = slices.Compact(got)
		want := []string{"UserChunk", "InfoChanged", "Thought", "Text", "UsageUpdated", "ResponseFinished", "TurnEnded"}
		if !slices.Equal(got, want) {
			t.Errorf("updates %v, want %v", got, want)
		}
		w.CheckNumbers()
	})
}

func TestReadsSeeUnsavedText(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"a.txt": "disk\n"}, []modeltest.Reply{{agenttest.Call("read_file", map[string]any{"file_path": "a.txt"}), agenttest.Call("read_file", map[string]any{"file_path": "none.txt"})}, {modeltest.Say("Read.")}}, func(t *testing.T, w *agenttest.World) {
		w.Editor.Open(w.URI("a.txt"), "unsaved\n")
		w.Prompt(w.Session(""), "Read")
		rs := agenttest.Results(w.LastRequest())
		if len(rs) != 2 || !strings.Contains(rs[0].Output, "unsaved") || !rs[1].Failed || !strings.Contains(rs[1].Output, "none.txt") {
			t.Errorf("results %+v", rs)
		}
	})
}

func TestReviewedEditsNeedNoQuestion(t *testing.T) {
	text := "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"
	agenttest.InWorld(t, map[string]string{"a.txt": text}, []modeltest.Reply{
		{agenttest.Call("write_file", map[string]any{"file_path": "a.txt", "content": strings.NewReplacer("one", "ONE", "nine", "NINE").Replace(text)})},
		{modeltest.Say("Done.")},
	}, func(t *testing.T, w *agenttest.World) {
		w.Editor.Open(w.URI("a.txt"), text)
		s := w.Session("")
		wait := w.Begin(s, "Change")
		sets := w.Ledger.List(s.ID(), "", ledger.Pending)
		if len(sets) != 1 || len(sets[0].Files[0].Hunks) != 2 {
			t.Fatalf("change sets %+v", sets)
		}
		hs := sets[0].Files[0].Hunks
		for i, action := range []ledger.Action{ledger.Accept, ledger.Reject} {
			if _, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: sets[0].ID, HunkID: hs[i].ID, Action: action}}, ""); err != nil {
				t.Fatal(err)
			}
		}
		if end, err := wait(); err != nil || end.StopReason != transcript.EndTurn {
			t.Fatalf("%+v %v", end, err)
		}
		if got := w.Editor.Text(w.URI("a.txt")); got != strings.Replace(text, "one", "ONE", 1) {
			t.Errorf("text %q", got)
		}
		if w.ReadFile("a.txt") != text {
			t.Error("the open file was written on disk")
		}
		r := agenttest.Results(w.LastRequest())[0]
		if !strings.Contains(r.Output, "applied") || !strings.Contains(r.Output, "rejected") {
			t.Errorf("the model got %q", r.Output)
		}
		if len(w.Questions) != 0 {
			t.Errorf("%d questions", len(w.Questions))
		}
		if got, want := w.States()["write_file"], []transcript.CallState{transcript.Validating, transcript.AwaitingApproval, transcript.Success}; !slices.Equal(got, want) {
			t.Errorf("states %v, want %v", got, want)
		}
	})
}

func TestAutoEditAppliesAtOnce(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"a.txt": "x := 1\n", "b.txt": "y := 1\n"}, []modeltest.Reply{
		{agenttest.Replace("a.txt", "x := 1", "x := 2"), agenttest.Replace("b.txt", "y := 1", "y := 2")}, {modeltest.Say("Done.")},
	}, func(t *testing.T, w *agenttest.World) {
		w.Editor.Open(w.URI("a.txt"), "x := 1\n")
		s := w.Session(policy.AutoEdit)
		w.Prompt(s, "Change")
		if got := w.Editor.Text(w.URI("a.txt")); got != "x := 2\n" {
			t.Errorf("open text %q", got)
		}
		if w.ReadFile("a.txt") != "x := 1\n" || w.ReadFile("b.txt") != "y := 2\n" {
			t.Errorf("disk %q %q", w.ReadFile("a.txt"), w.ReadFile("b.txt"))
		}
	})
}

func TestAnEditIsAskedAboutOnce(t *testing.T) {
	for _, c := range []struct{ option, want string }{{"allow_once", "b\n"}, {"reject_once", "a\n"}, {"nonsense", "a\n"}} {
		t.Run(c.option, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{"f": "a\n"}, []modeltest.Reply{{agenttest.Replace("f", "a", "b")}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
				w.Can = frontend.Abilities{Asks: true}
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: c.option}, nil
				}
				w.Prompt(w.Session(""), "go")
				if got := w.ReadFile("f"); got != c.want {
					t.Errorf("text %q, want %q", got, c.want)
				}
				if len(w.Questions) != 1 || w.Questions[0].Preview.ChangeSetID == "" || len(w.Questions[0].Call.Diffs) != 1 {
					t.Errorf("questions %+v", w.Questions)
				}
			})
		})
	}
}

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		name      string
		mode      policy.Mode
		untrusted bool
		alone     bool // no user available
		allowed   []string
		answer    string
		command   string
		asks      int
		runs      bool
		result    string
	}{
		{name: "asked and allowed", answer: "allow_once", command: "make", asks: 1, runs: true, result: "hello"},
		{name: "asked and refused", answer: "reject_once", command: "make", asks: 1, result: "did not allow"},
		{name: "no user available", alone: true, command: "make", result: "no user is available"},
		{name: "allowed by name", alone: true, allowed: []string{"run_shell_command"}, command: "make", runs: true, result: "hello"},
		{name: "allowed by prefix", alone: true, allowed: []string{"run_shell_command(make)"}, command: "make all", runs: true, result: "hello"},
		{name: "not covered by the prefix", alone: true, allowed: []string{"run_shell_command(make)"}, command: "make all && touch x", result: "no user is available"},
		{name: "restricted folder", untrusted: true, answer: "allow_once", command: "make", result: "untrusted_workspace"},
		{name: "restricted folder, allowed by name", untrusted: true, allowed: []string{"run_shell_command"}, command: "make", result: "untrusted_workspace"},
		{name: "plan mode", mode: policy.Plan, command: "make", result: "plan mode"},
		{name: "yolo", mode: policy.Yolo, command: "make", runs: true, result: "hello"},
		{name: "yolo asks before what destroys", mode: policy.Yolo, answer: "reject_once", command: "rm -rf build", asks: 1, result: "did not allow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{{agenttest.RunCommand(c.command)}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
				w.Stop()
				w.Trusted, w.Can = !c.untrusted, frontend.Abilities{Asks: !c.alone}
				w.Options = func(o *state.Options) { o.Settings.Tools.Allowed = c.allowed }
				w.Start()
				w.Spawn.Scripts = map[string]sandboxtest.Script{c.command: sandboxtest.Print("hello\n", 0)}
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: c.answer}, nil
				}
				w.Prompt(w.Session(c.mode), "run it")
				if len(w.Questions) != c.asks {
					t.Errorf("%d questions, want %d", len(w.Questions), c.asks)
				}
				if ran := len(w.Spawn.Started()) > 0; ran != c.runs {
					t.Errorf("ran: %v, want %v", ran, c.runs)
				}
				if r := agenttest.Results(w.LastRequest())[0]; !strings.Contains(r.Output, c.result) || r.Failed == c.runs {
					t.Errorf("the model got %q (failed %v)", r.Output, r.Failed)
				}
			})
		})
	}
}

func TestAllowAlwaysCoversThatCommandOnly(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{agenttest.RunCommand("touch a")}, {agenttest.RunCommand("touch a")}, {agenttest.RunCommand("touch b")}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
		w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0), "touch b": sandboxtest.Print("", 0)}
		w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
			return frontend.Answer{OptionID: "allow_always"}, nil
		}
		w.Prompt(w.Session(""), "run")
		var asked []string
		for _, q := range w.Questions {
			asked = append(asked, q.Preview.Command)
		}
		if want := []string{"touch a", "touch b"}; !slices.Equal(asked, want) {
			t.Errorf("asked about %q, want %q", asked, want)
		}
	})
}

func TestCancel(t *testing.T) {
	for _, c := range []struct {
		name    string
		replies func(hold chan struct{}) []modeltest.Reply
		kept    string // in the next request
		gone    string
	}{
		{name: "before any output takes the prompt out", replies: func(hold chan struct{}) []modeltest.Reply {
			return []modeltest.Reply{{modeltest.Hold(hold)}, {modeltest.Say("next")}}
		}, gone: "first"},
		{name: "in the stream keeps what was shown", replies: func(hold chan struct{}) []modeltest.Reply {
			return []modeltest.Reply{{modeltest.Say("half"), modeltest.Hold(hold)}, {modeltest.Say("next")}}
		}, kept: "half"},
		{name: "in a question leaves the call answered", replies: func(hold chan struct{}) []modeltest.Reply {
			return []modeltest.Reply{{modeltest.Say("half"), agenttest.RunCommand("make")}, {modeltest.Say("next")}}
		}, kept: "cancelled"},
		{name: "after a call that has ended keeps its result", replies: func(hold chan struct{}) []modeltest.Reply {
			return []modeltest.Reply{{agenttest.Call("read_file", map[string]any{"file_path": "a.txt"}), agenttest.RunCommand("make")}, {modeltest.Say("next")}}
		}, kept: "alpha"},
		{name: "between two steps keeps the first", replies: func(hold chan struct{}) []modeltest.Reply {
			return []modeltest.Reply{{agenttest.Call("read_file", map[string]any{"file_path": "a.txt"})}, {modeltest.Hold(hold)}, {modeltest.Say("next")}}
		}, kept: "alpha"},
		{name: "is sent to the model", replies: func(hold chan struct{}) []modeltest.Reply {
			return []modeltest.Reply{{modeltest.Say("half"), modeltest.Hold(hold)}, {modeltest.Say("next")}}
		}, kept: "The user stopped you here."},
		{name: "with a signature alone takes the prompt out", replies: func(hold chan struct{}) []modeltest.Reply {
			return []modeltest.Reply{{modeltest.Part(model.Text{Signature: []byte("s")}), modeltest.Hold(hold)}, {modeltest.Say("next")}}
		}, gone: "first"},
		{name: "with thoughts alone takes the prompt out", replies: func(hold chan struct{}) []modeltest.Reply {
			return []modeltest.Reply{{modeltest.Think("hm"), modeltest.Hold(hold)}, {modeltest.Say("next")}}
		}, gone: "first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{"a.txt": "alpha"}, nil, func(t *testing.T, w *agenttest.World) {
				w.Model.Replies = c.replies(make(chan struct{}))
				w.Answer = func(ctx context.Context, _ frontend.Question) (frontend.Answer, error) {
					<-ctx.Done()
					return frontend.Answer{}, context.Cause(ctx)
				}
				s := w.Session("")
				wait := w.Begin(s, "first")
				s.Cancel("")
				end, err := wait()
				if err != nil || end.StopReason != transcript.StopCancelled {
					t.Fatalf("%+v %v", end, err)
				}
				w.Prompt(s, "second")
				text := agenttest.TextOf(w.LastRequest())
				if c.kept != "" && !strings.Contains(text, c.kept) || c.gone != "" && strings.Contains(text, c.gone) || !strings.Contains(text, "second") {
					t.Errorf("the next request says %q", text)
				}
				if err := modeltest.Check(w.LastRequest()); err != nil {
					t.Error(err)
				}
				w.CheckNumbers()
			})
		})
	}
}

func TestBusyAndTwoSessions(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		hold := make(chan struct{})
		w.Model.Replies = []modeltest.Reply{{modeltest.Hold(hold), modeltest.Say("slow")}, {modeltest.Say("fast")}}
		a, b := w.Session(""), w.Session("")
		wait := w.Begin(a, "one")
		if _, err := a.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("two")}); !errors.Is(err, transcript.ErrBusy) {
			t.Errorf("a second prompt: %v", err)
		}
		w.Prompt(b, "three")
		close(hold)
		if end, err := wait(); err != nil || end.Text != "slow" {
			t.Errorf("%+v %v", end, err)
		}
	})
}

func TestRetryRetractsWhatWasShown(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("half an"), modeltest.Fail(model.Cut)}, {modeltest.Say("whole")}}, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(""), "go")
		if got := w.Shown(); got != "whole" {
			t.Errorf("shown %q", got)
		}
		i := slices.Index(kindsOf(w.Updates), "Notice")
		if n, ok := w.Updates[i].Event.(transcript.Notice); !ok || n.Code != transcript.NoticeRetry || n.RetryAfterMS <= 0 {
			t.Errorf("notice %+v", w.Updates[i].Event)
		}
	})
}

func TestFailureEndsTheTurnWithTheProvidersError(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Fail(model.Auth)}, {modeltest.Say("fine")}}, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		_, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("first")})
		var me *model.Error
		if !errors.As(err, &me) || me.Kind != model.Auth {
			t.Fatalf("error %v", err)
		}
		last := w.Updates[len(w.Updates)-1].Event
		if e, ok := last.(transcript.TurnEnded); !ok || e.StopReason != transcript.StopError {
			t.Errorf("the last update is %+v", last)
		}
		w.Prompt(s, "second")
		if !strings.Contains(agenttest.TextOf(w.LastRequest()), "first") {
			t.Error("the failed prompt is not in the history: the second one may be about it")
		}
	})
}

func TestTurnLimit(t *testing.T) {
	loop := modeltest.Reply{agenttest.Call("list_directory", map[string]any{"dir_path": "."})}
	agenttest.InWorld(t, nil, []modeltest.Reply{loop, loop, loop}, func(t *testing.T, w *agenttest.World) {
		end, err := w.Session("").Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("loop"), MaxSteps: 2})
		if err != nil || end.StopReason != transcript.MaxTurnRequests || len(w.Model.Requests()) != 2 {
			t.Errorf("%+v %v after %d requests", end, err, len(w.Model.Requests()))
		}
	})
}

func TestResumeAfterKill(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"a.txt": "alpha\n"}, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = []modeltest.Reply{
			{modeltest.Say("Looking. "), agenttest.Call("read_file", map[string]any{"file_path": "a.txt"})},
			{modeltest.Say("It says alpha.")},
			{modeltest.Say("half"), modeltest.Hold(make(chan struct{}))},
			{modeltest.Say("again")},
		}
		s := w.Session("")
		w.Prompt(s, "first")
		wait := w.Begin(s, "second")
		before := slices.Clone(w.Updates)
		killed := w.Agent
		w.Updates = nil
		w.Start() // another process finds the log as the killed one left it
		s2, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		if err := s2.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := w.Shown(), "Looking. It says alpha.half"; got != want {
			t.Errorf("replayed %q, want %q", got, want)
		}
		last := w.Updates[len(w.Updates)-1]
		if !last.Replay || last.Seq != before[len(before)-1].Seq {
			t.Errorf("the replay ends with %+v, the session with %+v", last, before[len(before)-1])
		}
		if _, err := s2.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("third")}); !errors.Is(err, transcript.ErrBusy) {
			t.Errorf("while another process runs a turn: %v", err)
		}
		s.Cancel("")
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		w.Prompt(s2, "third")
		text := agenttest.TextOf(w.LastRequest())
		for _, want := range []string{"first", "Looking.", "alpha", "second", "half", "third"} {
			if !strings.Contains(text, want) {
				t.Errorf("the history lacks %q: %q", want, text)
			}
		}
		killed.Close()
	})
}

func TestContextIsSentInFullThenAsADelta(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("1")}, {modeltest.Say("2")}, {modeltest.Say("3")}}, func(t *testing.T, w *agenttest.World) {
		w.Editor.Open(w.URI("a.go"), "package a\n\nvar x = 1\n")
		s := w.Session("")
		f := frontend.Focus{Active: w.Workspace.Snapshot().Documents()[0].URI}
		ask := func(line uint32) string {
			f.Selections[0].Start.Line, f.Selections[0].End.Line = line, line+1
			if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("?"), Focus: &f}); err != nil {
				t.Fatal(err)
			}
			return agenttest.TextOf(w.LastRequest())
		}
		f.Selections = make([]ide.Range, 1)
		if got := ask(2); !strings.Contains(got, "var x = 1") || !strings.Contains(got, "line 3") {
			t.Errorf("first %q", got)
		}
		if got := ask(2); strings.Count(got, "var x = 1") != 1 {
			t.Errorf("unchanged %q", got)
		}
		if got := ask(0); !strings.Contains(got, "package a") {
			t.Errorf("moved %q", got)
		}
	})
}

func TestSecretFilesNeedApproval(t *testing.T) {
	agenttest.InWorld(t, map[string]string{".env": "KEY=verysecret\n"}, []modeltest.Reply{{agenttest.Call("read_file", map[string]any{"file_path": ".env"})}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
		w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
			return frontend.Answer{}, agenttest.ErrNobody
		}
		w.Prompt(w.Session(""), "read")
		if len(w.Questions) != 1 || strings.Contains(agenttest.TextOf(w.LastRequest()), "verysecret") {
			t.Errorf("%d questions; the model read %q", len(w.Questions), agenttest.TextOf(w.LastRequest()))
		}
	})
}

func TestPendingHunksOutliveTheTurnAndTheProcess(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"f": "a\n"}, []modeltest.Reply{{agenttest.Replace("f", "a", "b")}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		wait := w.Begin(s, "go")
		s.Cancel("")
		if end, err := wait(); err != nil || end.StopReason != transcript.StopCancelled {
			t.Fatalf("%+v %v", end, err)
		}
		if n := len(w.Ledger.List(s.ID(), "", ledger.Pending)); n != 1 {
			t.Fatalf("%d pending change sets after the cancel", n)
		}
		w.Stop()
		w.Start()
		s, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		sets := w.Ledger.List(s.ID(), "", ledger.Pending)
		if len(sets) != 1 {
			t.Fatalf("%d pending change sets after the restart", len(sets))
		}
		if _, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: sets[0].ID, Action: ledger.Accept}}, ""); err != nil {
			t.Fatal(err)
		}
		if got := w.ReadFile("f"); got != "b\n" {
			t.Errorf("text %q", got)
		}
		w.Prompt(s, "and now?")
		if text := agenttest.TextOf(w.LastRequest()); !strings.Contains(text, "applied") {
			t.Errorf("the decision was not sent: %q", text)
		}
		synctest.Wait()
	})
}

func TestTheModelsOwnLaterEditIsNotTheUsers(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"old.txt": "one\ntwo\nthree\n"}, []modeltest.Reply{
		{agenttest.Call("write_file", map[string]any{"file_path": "new.txt", "content": "a\nb\nc\n"})},
		{agenttest.Replace("new.txt", "b", "B")},
		{agenttest.Replace("old.txt", "two", "TWO")},
		{agenttest.Replace("old.txt", "TWO", "TWO TWO")},
		{modeltest.Say("done")},
		{modeltest.Say("more")},
	}, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.AutoEdit)
		w.Prompt(s, "go")
		w.Prompt(s, "and now?")
		if text := agenttest.TextOf(w.LastRequest()); strings.Contains(text, "user edited") || strings.Contains(text, "edit_decisions") {
			t.Errorf("the model's own edits are sent as the user's: %s", text)
		}
	})
}
