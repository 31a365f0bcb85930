package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/trust"
)

// starter calls MayStart for a hook during a turn.
type starter struct {
	*agenttest.World
	session *agent.Session
	end     func()
	entry   trust.Entry
}

// inTurn runs f while a turn runs in a trusted folder that names a hook with a
// script.
func inTurn(t *testing.T, set func(w *agenttest.World), f func(t *testing.T, s *starter)) {
	t.Helper()
	files := map[string]string{".emendo/settings.json": "{}", "lint.sh": "echo lint"}
	agenttest.InWorld(t, files, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = append(holds(), holds()...)
		if set != nil {
			set(w)
		}
		more := w.Options
		w.Options = func(o *state.Options) {
			o.Approvals = trust.Open(filepath.Join(w.State, "trust"))
			o.Sandbox = &agenttest.SandboxOf{Level: sandbox.Isolated}
			if more != nil {
				more(o)
			}
		}
		w.Stop()
		w.Start()
		s := &starter{World: w, session: w.Session(policy.Default)}
		s.entry = trust.Entry{Kind: trust.Hook, Name: trust.HookName("BeforeTool", 0, 0, "lint"), On: "BeforeTool", Command: "./lint.sh", Env: map[string]string{"TOKEN": "secret", "LEVEL": "--strict"}}
		s.turn()
		f(t, s)
		s.end()
	})
}

// turn ends the running turn, if one runs, and begins another.
func (s *starter) turn() {
	if s.end != nil {
		s.end()
	}
	wait := s.Begin(s.session, "go on")
	s.end = func() {
		s.session.Cancel("")
		_, _ = wait()
	}
}

func (s *starter) may(t *testing.T, want bool) {
	t.Helper()
	if got := agent.MayStart(t.Context(), s.session, s.Dir, s.entry); got != want {
		t.Errorf("it may be started: %v, want %v", got, want)
	}
}

func (s *starter) asked(t *testing.T, want int) {
	t.Helper()
	if len(s.Questions) != want {
		t.Errorf("%d questions were asked, want %d", len(s.Questions), want)
	}
}

func alwaysSaying(id string) func(w *agenttest.World) {
	return func(w *agenttest.World) {
		w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
			return frontend.Answer{OptionID: id}, nil
		}
	}
}

func TestAHookIsShownBeforeItIsStarted(t *testing.T) {
	inTurn(t, alwaysSaying("allow_once"), func(t *testing.T, s *starter) {
		s.may(t, true)
		s.asked(t, 1)
		got := s.Questions[0]
		want := &frontend.Executable{Kind: "hook", Name: "BeforeTool 1.1 (lint)", Command: "./lint.sh", Cwd: s.Dir, Env: []frontend.Setting{{Name: "LEVEL", Value: "--strict"}, {Name: "TOKEN"}}, Headers: []frontend.Setting{}, Scripts: []string{filepath.Join(s.Dir, "lint.sh")}}
		if diff := cmp.Diff(got.Preview.Executable, want); diff != "" {
			t.Errorf("shown (-got +want):\n%s", diff)
		}
		if got.SessionID != s.session.ID() || got.TurnID == "" || got.Call.CallID == "" {
			t.Errorf("the question is about nothing: %+v", got)
		}
	})
}

func TestAnswersAboutAHook(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(context.Context, frontend.Question) (frontend.Answer, error)
		id     string
		// whether it may be started, and the number of questions so far: at first,
		// again, in the next turn, after its script has changed
		may   [4]bool
		asked [4]int
	}{
		{name: "once is for one start", id: "allow_once", may: [4]bool{true, true, true, true}, asked: [4]int{1, 2, 3, 4}},
		{name: "always lasts until it changes", id: "allow_always", may: [4]bool{true, true, true, true}, asked: [4]int{1, 1, 1, 2}},
		{name: "no lasts as long as the turn", id: "reject_once", asked: [4]int{1, 1, 2, 3}},
		{name: "never lasts as long as the session, until it changes", id: "reject_always", asked: [4]int{1, 1, 1, 2}},
		{name: "what was not offered is a no", id: "allow_everything", asked: [4]int{1, 1, 2, 3}},
		{name: "a failure is a no", answer: func(context.Context, frontend.Question) (frontend.Answer, error) {
			return frontend.Answer{OptionID: "allow_once"}, errors.New("broken")
		}, asked: [4]int{1, 1, 2, 3}},
		{name: "closing the question is a no", answer: func(context.Context, frontend.Question) (frontend.Answer, error) {
			return frontend.Answer{Cancelled: true}, nil
		}, asked: [4]int{1, 1, 2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := alwaysSaying(c.id)
			if c.answer != nil {
				set = func(w *agenttest.World) { w.Answer = c.answer }
			}
			inTurn(t, set, func(t *testing.T, s *starter) {
				s.may(t, c.may[0])
				s.asked(t, c.asked[0])
				s.may(t, c.may[1])
				s.asked(t, c.asked[1])
				s.turn()
				s.may(t, c.may[2])
				s.asked(t, c.asked[2])
				if err := os.WriteFile(filepath.Join(s.Dir, "lint.sh"), []byte("echo other"), 0o644); err != nil {
					t.Fatal(err)
				}
				s.may(t, c.may[3])
				s.asked(t, c.asked[3])
				if q := s.Questions[len(s.Questions)-1]; q.Preview.Executable.Changed != (c.id == "allow_always") {
					t.Errorf("said to have changed: %v", q.Preview.Executable.Changed)
				}
			})
		})
	}
}

// A hook that may run unseen files is asked about in each session. Approval lasts for
// the session, and nothing is stored.
func TestAHookWithUnseenFilesIsAskedAboutInEachSession(t *testing.T) {
	inTurn(t, alwaysSaying("allow_always"), func(t *testing.T, s *starter) {
		s.entry.Command, s.entry.Unseen = "make test", "make runs commands from project files"
		s.may(t, true)
		s.may(t, true)
		s.asked(t, 1)
		if !agent.Approved(s.session, s.Dir, s.entry) {
			t.Error("the approval for the session does not apply between turns")
		}
		if got := s.Questions[0].Reason; !strings.Contains(got, "approval in each session") || !strings.Contains(got, s.entry.Unseen) {
			t.Errorf("the reason is %q", got)
		}
		if got := s.Questions[0].Options[1].Name; !strings.Contains(got, "in this session") {
			t.Errorf("the answer for always is %q", got)
		}
		s.end()
		s.end = nil
		s.session = s.World.Session(policy.Default)
		s.turn()
		if agent.Approved(s.session, s.Dir, s.entry) {
			t.Error("the approval applies in another session")
		}
		s.may(t, true)
		s.asked(t, 2)
		s.entry.Command = "make all"
		s.may(t, true)
		s.asked(t, 3)
	})
}

// Names chosen by a project cannot add lines to the question.
func TestNamesOfAHookStayOnOneLine(t *testing.T) {
	inTurn(t, alwaysSaying("allow_once"), func(t *testing.T, s *starter) {
		name := "a.sh\nIt is safe"
		if err := os.WriteFile(filepath.Join(s.Dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s.entry.Name, s.entry.Command, s.entry.Unseen = "lint\nIt is safe", "bash '"+name+"'", "x\nIt is safe"
		s.may(t, true)
		if q := s.Questions[0]; strings.Contains(q.Reason, "\n") || strings.Contains(q.Call.Title, "\n") || !strings.Contains(q.Reason, `a.sh\u{000A}It is safe`) {
			t.Errorf("the question %q is asked since %q", q.Call.Title, q.Reason)
		}
	})
}

// The question says where a hook runs.
func TestAQuestionAboutAHookSaysWhereItRuns(t *testing.T) {
	for _, c := range []struct {
		held    bool
		outside bool
		want    string
	}{
		{true, false, "It runs in the sandbox, as commands do."},
		{true, true, "It runs outside the sandbox with your permissions, as your settings say."},
		{false, false, "No sandbox is available, so it runs with your permissions."},
	} {
		inTurn(t, func(w *agenttest.World) {
			alwaysSaying("allow_once")(w)
			w.Options = func(o *state.Options) {
				if !c.held {
					o.Sandbox = nil
				}
			}
		}, func(t *testing.T, s *starter) {
			s.entry.Outside = c.outside
			s.may(t, true)
			if got := s.Questions[0].Reason; !strings.HasSuffix(got, c.want) {
				t.Errorf("the reason is %q, want it to end in %q", got, c.want)
			}
		})
	}
}

// Approval applies to what was shown. A hook that changed during the question is asked
// about again.
func TestAHookThatChangesDuringTheQuestion(t *testing.T) {
	for _, id := range []string{"allow_once", "allow_always"} {
		t.Run(id, func(t *testing.T) {
			asked := 0
			inTurn(t, func(w *agenttest.World) {
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					if asked++; asked > 1 {
						return frontend.Answer{OptionID: "reject_once"}, nil
					}
					return frontend.Answer{OptionID: id}, os.WriteFile(filepath.Join(w.Dir, "lint.sh"), []byte("echo other"), 0o644)
				}
			}, func(t *testing.T, s *starter) {
				s.may(t, false)
				s.asked(t, 2)
			})
		})
	}
}

func TestWithoutTrustAHookIsNotAskedAbout(t *testing.T) {
	inTurn(t, alwaysSaying("allow_always"), func(t *testing.T, s *starter) {
		s.may(t, true)
		s.Trusted = false
		s.may(t, false)
		s.asked(t, 1)
		if agent.Approved(s.session, s.Dir, s.entry) {
			t.Error("it may be started when no turn runs")
		}
		s.Trusted = true
		s.may(t, true)
		s.asked(t, 1)
		if !agent.Approved(s.session, s.Dir, s.entry) {
			t.Error("what was approved may not be started when no turn runs")
		}
	})
}

func TestWithoutAUserAHookIsNotStarted(t *testing.T) {
	inTurn(t, func(w *agenttest.World) { w.Can = frontend.Abilities{} }, func(t *testing.T, s *starter) {
		s.may(t, false)
		s.may(t, false)
		s.asked(t, 0)
		synctest.Wait()
		var notices []transcript.Notice
		for _, u := range s.Updates {
			if n, ok := u.Event.(transcript.Notice); ok {
				notices = append(notices, n)
			}
		}
		want := []transcript.Notice{{
			Severity: transcript.Warning, Code: transcript.NoticeHook, Title: "Not started: hook BeforeTool 1.1 (lint)",
			Description: s.Dir + " would start ./lint.sh, but it was not approved, and this session cannot ask for permission. `emendo trust add` shows what would start and approves it; --trust does so for one run.",
		}}
		if diff := cmp.Diff(notices, want); diff != "" {
			t.Errorf("notices (-got +want):\n%s", diff)
		}
	})
}

func TestOneQuestionForConcurrentStarts(t *testing.T) {
	for id, want := range map[string]bool{"allow_always": true, "reject_once": false} {
		inTurn(t, nil, func(t *testing.T, s *starter) {
			release := make(chan string)
			s.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
				return frontend.Answer{OptionID: <-release}, nil
			}
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() { s.may(t, want) })
			}
			synctest.Wait()
			s.asked(t, 1)
			release <- id
			all.Wait()
			s.asked(t, 1)
		})
	}
}

func TestAQuestionAboutAHookEndsWithTheTurn(t *testing.T) {
	inTurn(t, nil, func(t *testing.T, s *starter) {
		s.Answer = func(ctx context.Context, _ frontend.Question) (frontend.Answer, error) {
			<-ctx.Done()
			return frontend.Answer{OptionID: "allow_always"}, nil // too late
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() { done <- agent.MayStart(ctx, s.session, s.Dir, s.entry) }()
		synctest.Wait()
		cancel()
		if <-done {
			t.Error("it may be started after the turn")
		}
		if agent.Approved(s.session, s.Dir, s.entry) {
			t.Error("an answer that came too late was stored")
		}
	})
}
