package agent_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

const snapshot = "<state_snapshot>\nThe user counts sheep.\n</state_snapshot>"

// long is a prompt of some 10,000 tokens.
func long(word string) string { return word + strings.Repeat(" sheep and more", 40_000/15) }

// compactions returns the states of the shown compactions.
func (w *world) compactions() (l []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.updates {
		if c, ok := u.Event.(transcript.Compaction); ok && !u.Replay {
			l = append(l, c.Status)
		}
	}
	return l
}

// check checks the contents of the last request.
func (w *world) check(has, lacks []string) {
	w.t.Helper()
	if err := modeltest.Check(w.last()); err != nil {
		w.t.Error(err)
	}
	text := all(w.last())
	for _, s := range has {
		if !strings.Contains(text, s) {
			w.t.Errorf("the model is not shown %q", s)
		}
	}
	for _, s := range lacks {
		if strings.Contains(text, s) {
			w.t.Errorf("the model is shown %q", s)
		}
	}
}

// reopen opens the session as a new process would.
func (w *world) reopen(s *agent.Session) *agent.Session {
	w.t.Helper()
	w.stop()
	w.start()
	s, err := w.agent.Session(w.t.Context(), s.ID())
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func answers(texts ...string) (l []modeltest.Reply) {
	for _, t := range texts {
		l = append(l, modeltest.Reply{modeltest.Say(t)})
	}
	return l
}

// If the provider rejects a request as too long, the conversation is compacted and the
// request is retried, whatever the estimate, as often as that makes it shorter.
func TestCompactionAfterTheProviderRejectsTheLength(t *testing.T) {
	tooLong := modeltest.Reply{modeltest.FailWith(&model.Error{Kind: model.Overflow, Status: 400, Message: "too long", Counted: 30_000, Limit: 29_000})}
	summary := modeltest.Reply{modeltest.Say(snapshot)}
	three := modeltest.Reply{modeltest.Say("three")}
	once := []string{"in_progress", "completed"}
	for _, tt := range []struct {
		name    string
		replies []modeltest.Reply
		shown   []string
		fails   bool
	}{
		{"once", []modeltest.Reply{tooLong, summary, summary, summary, three}, once, false}, // in two pieces, and the check
		{"and again after that", []modeltest.Reply{tooLong, summary, summary, summary, tooLong}, once, true},
		{"and it cannot be shortened", []modeltest.Reply{tooLong, {modeltest.Fail(model.Quota)}}, []string{"in_progress", "failed"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, nil, append(answers("one", "two"), tt.replies...), func(t *testing.T, w *world) {
				w.limit(1_000_000)
				s := w.session("")
				w.prompt(s, long("first"))
				w.prompt(s, long("second"))
				if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: say("third")}); (err != nil) != tt.fails {
					t.Errorf("the turn ends with %v", err)
				}
				if got := w.compactions(); !slices.Equal(got, tt.shown) {
					t.Errorf("the compactions shown are %v, want %v", got, tt.shown)
				}
				if n := len(w.model.Requests()); n != 2+len(tt.replies) {
					t.Errorf("%d requests, want %d", n, 2+len(tt.replies))
				}
				if tt.shown[1] == "completed" {
					w.check([]string{"The user counts sheep."}, []string{"first sheep"})
				}
			})
		})
	}
}

// small is a model that takes few tokens and does not say how many. A token of its own
// is two characters.
func small(limit int, refusal model.Error, reply func(model.Request) modeltest.Reply) func(model.Request) modeltest.Reply {
	return func(req model.Request) modeltest.Reply {
		size := len(req.System) / 2
		for _, tool := range req.Tools {
			size += (len(tool.Description) + len(tool.Schema)) / 2
		}
		for _, m := range req.Messages {
			for _, p := range m.Parts {
				switch p := p.(type) {
				case model.Text:
					size += len(p.Text) / 2
				case model.Result:
					size += len(p.Output) / 2
				}
			}
		}
		if size > limit {
			e := refusal
			return modeltest.Reply{modeltest.FailWith(&e)}
		}
		if strings.Contains(req.System, "<overall_goal>") {
			return modeltest.Reply{modeltest.Say(snapshot)}
		}
		return append(reply(req), modeltest.Usage(model.Usage{Input: int64(size)}))
	}
}

// A model whose limit nobody knows refuses a large result. The turn goes on, and so does
// the session.
func TestALargeResultIsNotTheEndOfASessionWithAnUnknownLimit(t *testing.T) {
	for name, refusal := range map[string]model.Error{
		"the refusal says the limit": {Kind: model.Overflow, Status: 400, Message: "too long", Limit: 40_000},
		"it does not":                {Kind: model.Overflow, Status: 400, Message: "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, nil, nil, func(t *testing.T, w *world) {
				w.limit(1 << 20)
				for _, file := range []string{"a.txt", "b.txt"} {
					w.write(file, strings.Repeat("0123456789abcde\n", 60_000/16))
				}
				called := false
				w.model.Answer = small(40_000, refusal, func(req model.Request) modeltest.Reply {
					if called {
						return modeltest.Reply{modeltest.Say("done")}
					}
					called = true
					return modeltest.Reply{call("read_file", map[string]any{"file_path": "a.txt"}), call("read_file", map[string]any{"file_path": "b.txt"})}
				})
				s := w.session("")
				for _, text := range []string{"read both", "and now", "and then"} {
					end, err := s.Prompt(t.Context(), state.Prompt{Blocks: say(text)})
					if err != nil || end.StopReason != transcript.EndTurn {
						t.Fatalf("%q ends with %s, %v", text, end.StopReason, err)
					}
				}
				if n := len(w.model.Requests()); n > 12 {
					t.Errorf("%d requests", n)
				}
				if got, err := s.Compact(t.Context(), ""); err != nil || got.Status == "noop" {
					t.Errorf("compacting: %+v, %v", got, err)
				}
			})
		})
	}
}

func TestALongConversationIsCompacted(t *testing.T) {
	inWorld(t, nil, answers("one", "two", "three", snapshot, snapshot, "four", "five", "six"), func(t *testing.T, w *world) {
		w.limit(80_000)
		s := w.session("")
		for _, word := range []string{"first", "second", "third", "fourth"} {
			w.prompt(s, long(word))
		}
		if got := w.compactions(); !slices.Equal(got, []string{"in_progress", "completed"}) {
			t.Fatalf("the compactions shown are %v", got)
		}
		has, lacks := []string{"The user counts sheep.", "fourth sheep", "<session_context>"}, []string{"first sheep", "second sheep"}
		w.check(has, lacks)
		w.prompt(s, "go on")
		w.check(has, lacks)
		s = w.reopen(s)
		w.prompt(s, "and on")
		w.check(append(has, "go on"), lacks)
	})
}

func TestAUselessSummaryIsNotRetried(t *testing.T) {
	bloated := "<state_snapshot>" + long("x") + long("y") + long("z") + long("z") + "</state_snapshot>"
	inWorld(t, nil, answers("one", "two", "three", bloated, bloated, "four", "five"), func(t *testing.T, w *world) {
		w.limit(80_000)
		s := w.session("")
		for _, word := range []string{"first", "second", "third", "fourth"} {
			w.prompt(s, long(word))
		}
		w.prompt(s, "fifth")
		if got := w.compactions(); !slices.Equal(got, []string{"in_progress", "failed"}) {
			t.Errorf("the compactions shown are %v", got)
		}
		w.check([]string{"first sheep", "fifth"}, []string{"state_snapshot"})
	})
}

func TestCompactAtTheUsersCommand(t *testing.T) {
	inWorld(t, nil, answers("one", "two", snapshot, snapshot, "three", "four"), func(t *testing.T, w *world) {
		s := w.session("")
		if got, err := s.Compact(t.Context(), ""); err != nil || got.Status != "noop" {
			t.Errorf("an empty session: %+v, %v", got, err)
		}
		w.prompt(s, long("first"))
		w.prompt(s, long("second"))
		got, err := s.Compact(t.Context(), "")
		if err != nil || got.Status != "compacted" || got.After >= got.Before || got.After == 0 {
			t.Errorf("%+v, %v", got, err)
		}
		if got := w.compactions(); len(got) > 0 {
			t.Errorf("between turns there is shown %v", got)
		}
		has, lacks := []string{"The user counts sheep.", "<session_context>"}, []string{"first sheep"}
		w.prompt(s, "go on")
		w.check(has, lacks)
		s = w.reopen(s)
		w.prompt(s, "and on")
		w.check(append(has, "go on"), lacks)
	})
}

func TestARewindUndoesACompaction(t *testing.T) {
	inWorld(t, nil, answers("one", "two", "three", snapshot, snapshot, "four", "five"), func(t *testing.T, w *world) {
		w.limit(80_000)
		s := w.session("")
		var last state.Ended
		for _, word := range []string{"first", "second", "third", "fourth"} {
			last = w.prompt(s, long(word))
		}
		if _, err := s.Rewind(t.Context(), last.TurnID, rewind.Conversation, false); err != nil {
			t.Fatal(err)
		}
		w.prompt(s, "fifth")
		w.check([]string{"first sheep", "third sheep", "fifth"}, []string{"fourth sheep", "The user counts sheep."})
	})
}

func TestOldAnswersOfToolsAreMasked(t *testing.T) {
	files := map[string]string{}
	var replies []modeltest.Reply
	for i := range 8 {
		name := fmt.Sprintf("%d.txt", i)
		files[name] = fmt.Sprintf("begin %d\n", i) + strings.Repeat("what stands in the file\n", 2000)
		replies = append(replies, modeltest.Reply{call("read_file", map[string]any{"file_path": name})})
	}
	replies = append(replies, answers("done", "more")...)
	inWorld(t, files, replies, func(t *testing.T, w *world) {
		s := w.session("")
		w.prompt(s, "read")
		masked := func() (l []bool) {
			for _, m := range w.last().Messages {
				for _, p := range m.Parts {
					if r, ok := p.(model.Result); ok {
						l = append(l, strings.HasPrefix(r.Output, "<tool_output_masked>"))
					}
				}
			}
			return l
		}
		want := masked()
		if len(want) != 8 || !want[0] || want[7] {
			t.Fatalf("masked %v", want)
		}
		w.check([]string{"begin 0", "begin 7"}, nil)
		s = w.reopen(s)
		w.prompt(s, "more")
		if got := masked(); !slices.Equal(got, want) {
			t.Errorf("masked after a restart are %v, before it were %v", got, want)
		}
	})
}

func TestAFailedSummaryIsNotRetriedAtOnce(t *testing.T) {
	quota := modeltest.Reply{modeltest.Fail(model.Quota)}
	inWorld(t, nil, slices.Concat(answers("one", "two", "three"), []modeltest.Reply{quota}, answers("four", "five", snapshot, snapshot, "six")), func(t *testing.T, w *world) {
		w.limit(80_000)
		s := w.session("")
		for _, word := range []string{"first", "second", "third", "fourth"} {
			w.prompt(s, long(word))
		}
		w.prompt(s, "fifth") // little more than before
		if got := w.compactions(); !slices.Equal(got, []string{"in_progress", "failed"}) {
			t.Fatalf("the compactions shown are %v", got)
		}
		w.prompt(s, long("sixth")) // a tenth of the limit more
		if got := w.compactions(); !slices.Equal(got, []string{"in_progress", "failed", "in_progress", "completed"}) {
			t.Errorf("the compactions shown are %v", got)
		}
	})
}

func TestTheFocusIsInTheSummaryRequest(t *testing.T) {
	inWorld(t, nil, answers("one", "two", snapshot, snapshot), func(t *testing.T, w *world) {
		s := w.session("")
		w.prompt(s, long("first"))
		w.prompt(s, long("second"))
		if got, err := s.Compact(t.Context(), "the black sheep"); err != nil || got.Status != "compacted" {
			t.Fatalf("%+v, %v", got, err)
		}
		if text := all(w.last()); !strings.Contains(text, "above all: the black sheep") {
			t.Errorf("the request ends in %.2000q", text[max(0, len(text)-2000):])
		}
	})
}

func TestASummaryRequestNamesTheApprovedPlan(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		w.plan(noAnswer)
		s := w.session(policy.Plan)
		path := filepath.Join(w.state, "plans", s.ID(), "plan.md")
		w.model.Replies = slices.Concat([]modeltest.Reply{
			{call("write_file", map[string]any{"file_path": path, "content": "count sheep\n"})},
			{call("exit_plan_mode", map[string]any{"plan_filename": "plan.md"})},
		}, answers("counting", "two", snapshot, snapshot))
		w.prompt(s, long("first"))
		s = w.reopen(s)
		w.prompt(s, long("second"))
		if got, err := s.Compact(t.Context(), ""); err != nil || got.Status != "compacted" {
			t.Fatalf("%+v, %v", got, err)
		}
		if text := all(w.last()); !strings.Contains(text, "The user approved the plan in the file "+path) {
			t.Errorf("the request ends in %.2000q", text[max(0, len(text)-2000):])
		}
	})
}

// A summary request quotes the user's text without the context that emendo added.
func TestASummaryInMidTurnQuotesWhatTheUserTyped(t *testing.T) {
	files := map[string]string{"main.go": "package main\n"}
	for i := range 8 {
		files[fmt.Sprintf("%d.txt", i)] = strings.Repeat("what is in the file\n", 900)
	}
	inWorld(t, files, nil, func(t *testing.T, w *world) {
		w.limit(30_000)
		reads := 0
		w.model.Answer = func(r model.Request) modeltest.Reply {
			switch {
			case len(r.Tools) == 0:
				return modeltest.Reply{modeltest.Say(snapshot)}
			case reads == 7:
				return done()
			}
			reads++
			return modeltest.Reply{call("read_file", map[string]any{"file_path": fmt.Sprintf("%d.txt", reads)})}
		}
		s := w.session("")
		w.editor.Open(w.uri("main.go"), "package main\n")
		if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: say("read them all"), Focus: &frontend.Focus{Active: ide.ParseURI(w.uri("main.go"))}}); err != nil {
			t.Fatal(err)
		}
		text := all(w.last())
		if !strings.Contains(text, "<request_in_progress>\nread them all\n</request_in_progress>") {
			t.Errorf("the request is not quoted as it was typed:\n%.3000s", text)
		}
		for _, tag := range []string{"<session_context>", "<folders>"} {
			if n := strings.Count(text, tag); n != 1 {
				t.Errorf("%s is sent %d times", tag, n)
			}
		}
	})
}
