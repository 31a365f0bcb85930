package turn_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

func TestIdenticalOpenQuestionsAreAskedOnce(t *testing.T) {
	read := agenttest.Call("read_file", map[string]any{"file_path": ".env"})
	for _, c := range []struct {
		name    string
		answers []string // in the order of the questions
		read    int      // calls that read the file
	}{
		{name: "leave covers one call", answers: []string{"allow_once", "allow_once", "reject_once"}, read: 2},
		{name: "a refusal answers all that wait", answers: []string{"reject_once"}},
		{name: "and those that waited on", answers: []string{"allow_once", "reject_once"}, read: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{".env": "KEY=verysecret\n"}, []modeltest.Reply{{read, read, read}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
				answers := make(chan string)
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: <-answers}, nil
				}
				wait := w.Begin(w.Session(""), "read")
				for i, a := range c.answers {
					synctest.Wait()
					if n := len(w.Questions); n != i+1 {
						t.Fatalf("%d questions wait or were answered, want %d", n, i+1)
					}
					answers <- a
				}
				if end, err := wait(); err != nil || end.StopReason != transcript.EndTurn {
					t.Fatalf("%+v %v", end, err)
				}
				if n := strings.Count(agenttest.TextOf(w.LastRequest()), "verysecret"); n != c.read || len(w.Questions) != len(c.answers) {
					t.Errorf("%d calls read the file, want %d; %d questions, want %d", n, c.read, len(w.Questions), len(c.answers))
				}
			})
		})
	}
}

func TestACancelledQuestionIsAskedForTheNextCall(t *testing.T) {
	read := agenttest.Call("read_file", map[string]any{"file_path": ".env"})
	agenttest.InWorld(t, map[string]string{".env": "KEY=verysecret\n"}, []modeltest.Reply{{read, read}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
		first := true
		w.Answer = func(ctx context.Context, _ frontend.Question) (frontend.Answer, error) {
			if !first {
				return frontend.Answer{OptionID: "allow_once"}, nil
			}
			first = false
			<-ctx.Done()
			return frontend.Answer{}, context.Cause(ctx)
		}
		s := w.Session("")
		wait := w.Begin(s, "read")
		s.Cancel(w.Questions[0].Call.CallID)
		if end, err := wait(); err != nil || end.StopReason != transcript.EndTurn {
			t.Fatalf("%+v %v", end, err)
		}
		if rs := agenttest.Results(w.LastRequest()); len(w.Questions) != 2 || strings.Count(agenttest.TextOf(w.LastRequest()), "verysecret") != 1 {
			t.Errorf("%d questions; results %+v", len(w.Questions), rs)
		}
	})
}

func TestARefusedCallIsNotAskedAboutAgain(t *testing.T) {
	read := agenttest.Calls("read_file", `{"file_path":".env"}`)
	agenttest.InWorld(t, map[string]string{".env": "KEY=1\n"}, []modeltest.Reply{read, read, agenttest.Done(), read, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
			return frontend.Answer{OptionID: "reject_once"}, nil
		}
		s := w.Session(policy.Default)
		w.Prompt(s, "look")
		if len(w.Questions) != 1 {
			t.Errorf("the user was asked %d times about the same", len(w.Questions))
		}
		if got := agenttest.Results(w.Model.Requests()[2])[0].Output; !strings.Contains(got, "already refused exactly this call") {
			t.Errorf("the model got %q", got)
		}
		w.Prompt(s, "look again") // after a new prompt it may be asked again
		if len(w.Questions) != 2 {
			t.Errorf("the user was asked %d times", len(w.Questions))
		}
	})
}

// asking is a tool whose effect does not describe the call: its arguments do.
type asking struct{ outside }

func (asking) Spec() tools.Spec {
	return tools.Spec{Name: "asking", Kind: tools.Read, Schema: json.RawMessage(`{"type":"object"}`)}
}

func TestARefusalDoesNotApplyToOtherCalls(t *testing.T) {
	one, other := agenttest.Call("asking", map[string]any{"to": "a"}), agenttest.Call("asking", map[string]any{"to": "b"})
	for _, replies := range [][]modeltest.Reply{{{one, other}, agenttest.Done()}, {{one}, {other}, agenttest.Done()}} {
		agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
			w.Options = func(o *state.Options) {
				o.Tools = append(o.Tools, asking{outside{effect: tools.Sends{URLs: []string{"https://a.test/"}}}})
			}
			w.Stop()
			w.Start()
			w.Answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
				if strings.Contains(string(q.Call.Args), `"a"`) {
					return frontend.Answer{OptionID: "reject_once"}, nil
				}
				return frontend.Answer{OptionID: "allow_once"}, nil
			}
			w.Prompt(w.Session(policy.Default), "send")
			if len(w.Questions) != 2 {
				t.Errorf("%d questions, want one about each call", len(w.Questions))
			}
		})
	}
}

// "Reject and stop" ends the turn without asking about the other calls.
func TestRejectAndStop(t *testing.T) {
	edit := func(name string) modeltest.Step {
		return agenttest.Call("write_file", map[string]any{"file_path": name, "content": "x\n"})
	}
	for _, tt := range []struct {
		name    string
		calls   modeltest.Reply
		offered bool
		asked   int // adjacent edits are shown together
	}{
		{"commands", modeltest.Reply{agenttest.RunCommand("rm a"), agenttest.RunCommand("rm b"), agenttest.RunCommand("rm c")}, true, 1},
		{"edits", modeltest.Reply{edit("a.txt"), edit("b.txt"), agenttest.RunCommand("rm c")}, true, 2},
		{"a single call", modeltest.Reply{agenttest.RunCommand("rm a")}, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{"f": ""}, []modeltest.Reply{tt.calls, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				w.Can = frontend.Abilities{Asks: true}
				w.Answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
					last := q.Options[len(q.Options)-1].ID
					if (last == "reject_stop") != tt.offered {
						t.Errorf("offered last is %s", last)
					}
					return frontend.Answer{OptionID: last, Feedback: "Wrong folder."}, nil
				}
				end, err := w.Session(policy.Default).Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("go")})
				want := transcript.EndTurn
				if tt.offered {
					want = transcript.StopCancelled
				}
				if err != nil || end.StopReason != want {
					t.Errorf("ended as %s, %v", end.StopReason, err)
				}
				if n := len(w.Questions); n != tt.asked {
					t.Errorf("%d questions were asked, want %d", n, tt.asked)
				}
				for _, name := range []string{"a.txt", "b.txt"} {
					if _, err := os.Stat(filepath.Join(w.Dir, name)); err == nil {
						t.Errorf("%s was written", name)
					}
				}
			})
		})
	}
}
