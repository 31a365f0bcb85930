package turn_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

// compactions returns the states of the shown compactions.
func compactions(w *agenttest.World) (l []string) {
	for _, u := range w.Updates {
		if c, ok := u.Event.(transcript.Compaction); ok && !u.Replay {
			l = append(l, c.Status)
		}
	}
	return l
}

// If the provider rejects a request as too long, the conversation is compacted and the
// request is retried, whatever the estimate, as often as that makes it shorter.
func TestCompactionAfterTheProviderRejectsTheLength(t *testing.T) {
	tooLong := modeltest.Reply{modeltest.FailWith(&model.Error{Kind: model.Overflow, Status: 400, Message: "too long", Counted: 30_000, Limit: 29_000})}
	summary := modeltest.Reply{modeltest.Say(agenttest.Summary)}
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
			agenttest.InWorld(t, nil, append(agenttest.Answers("one", "two"), tt.replies...), func(t *testing.T, w *agenttest.World) {
				w.LimitTokens(1_000_000)
				s := w.Session("")
				w.Prompt(s, agenttest.LongText("first"))
				w.Prompt(s, agenttest.LongText("second"))
				if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("third")}); (err != nil) != tt.fails {
					t.Errorf("the turn ends with %v", err)
				}
				if got := compactions(w); !slices.Equal(got, tt.shown) {
					t.Errorf("the compactions shown are %v, want %v", got, tt.shown)
				}
				if n := len(w.Model.Requests()); n != 2+len(tt.replies) {
					t.Errorf("%d requests, want %d", n, 2+len(tt.replies))
				}
				if tt.shown[1] == "completed" {
					w.CheckShown([]string{"The user counts sheep."}, []string{"first sheep"})
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
			return modeltest.Reply{modeltest.Say(agenttest.Summary)}
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
			agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
				w.LimitTokens(1 << 20)
				for _, file := range []string{"a.txt", "b.txt"} {
					write(w, file, strings.Repeat("0123456789abcde\n", 60_000/16))
				}
				called := false
				w.Model.Answer = small(40_000, refusal, func(req model.Request) modeltest.Reply {
					if called {
						return modeltest.Reply{modeltest.Say("done")}
					}
					called = true
					return modeltest.Reply{agenttest.Call("read_file", map[string]any{"file_path": "a.txt"}), agenttest.Call("read_file", map[string]any{"file_path": "b.txt"})}
				})
				s := w.Session("")
				for _, text := range []string{"read both", "and now", "and then"} {
					end, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say(text)})
					if err != nil || end.StopReason != transcript.EndTurn {
						t.Fatalf("%q ends with %s, %v", text, end.StopReason, err)
					}
				}
				if n := len(w.Model.Requests()); n > 12 {
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
	agenttest.InWorld(t, nil, agenttest.Answers("one", "two", "three", agenttest.Summary, agenttest.Summary, "four", "five", "six"), func(t *testing.T, w *agenttest.World) {
		w.LimitTokens(80_000)
		s := w.Session("")
		for _, word := range []string{"first", "second", "third", "fourth"} {
			w.Prompt(s, agenttest.LongText(word))
		}
		if got := compactions(w); !slices.Equal(got, []string{"in_progress", "completed"}) {
			t.Fatalf("the compactions shown are %v", got)
		}
		has, lacks := []string{"The user counts sheep.", "fourth sheep", "<session_context>"}, []string{"first sheep", "second sheep"}
		w.CheckShown(has, lacks)
		w.Prompt(s, "go on")
		w.CheckShown(has, lacks)
		s = w.Reopen(s)
		w.Prompt(s, "and on")
		w.CheckShown(append(has, "go on"), lacks)
	})
}

func TestAUselessSummaryIsNotRetried(t *testing.T) {
	bloated := "<state_snapshot>" + agenttest.LongText("x") + agenttest.LongText("y") + agenttest.LongText("z") + agenttest.LongText("z") + "</state_snapshot>"
	agenttest.InWorld(t, nil, agenttest.Answers("one", "two", "three", bloated, bloated, "four", "five"), func(t *testing.T, w *agenttest.World) {
		w.LimitTokens(80_000)
		s := w.Session("")
		for _, word := range []string{"first", "second", "third", "fourth"} {
			w.Prompt(s, agenttest.LongText(word))
		}
		w.Prompt(s, "fifth")
		if got := compactions(w); !slices.Equal(got, []string{"in_progress", "failed"}) {
			t.Errorf("the compactions shown are %v", got)
		}
		w.CheckShown([]string{"first sheep", "fifth"}, []string{"state_snapshot"})
	})
}

func TestCompactAtTheUsersCommand(t *testing.T) {
	agenttest.InWorld(t, nil, agenttest.Answers("one", "two", agenttest.Summary, agenttest.Summary, "three", "four"), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		if got, err := s.Compact(t.Context(), ""); err != nil || got.Status != "noop" {
			t.Errorf("an empty session: %+v, %v", got, err)
		}
		w.Prompt(s, agenttest.LongText("first"))
		w.Prompt(s, agenttest.LongText("second"))
		got, err := s.Compact(t.Context(), "")
		if err != nil || got.Status != "compacted" || got.After >= got.Before || got.After == 0 {
			t.Errorf("%+v, %v", got, err)
		}
		if got := compactions(w); len(got) > 0 {
			t.Errorf("between turns there is shown %v", got)
		}
		has, lacks := []string{"The user counts sheep.", "<session_context>"}, []string{"first sheep"}
		w.Prompt(s, "go on")
		w.CheckShown(has, lacks)
		s = w.Reopen(s)
		w.Prompt(s, "and on")
		w.CheckShown(append(has, "go on"), lacks)
	})
}

func TestARewindUndoesACompaction(t *testing.T) {
	agenttest.InWorld(t, nil, agenttest.Answers("one", "two", "three", agenttest.Summary, agenttest.Summary, "four", "five"), func(t *testing.T, w *agenttest.World) {
		w.LimitTokens(80_000)
		s := w.Session("")
		var last state.Ended
		for _, word := range []string{"first", "second", "third", "fourth"} {
			last = w.Prompt(s, agenttest.LongText(word))
		}
		if _, err := s.Rewind(t.Context(), last.TurnID, rewind.Conversation, false); err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "fifth")
		w.CheckShown([]string{"first sheep", "third sheep", "fifth"}, []string{"fourth sheep", "The user counts sheep."})
	})
}

func TestOldAnswersOfToolsAreMasked(t *testing.T) {
	files := map[string]string{}
	var replies []modeltest.Reply
	for i := range 8 {
		name := fmt.Sprintf("%d.txt", i)
		files[name] = fmt.Sprintf("begin %d\n", i) + strings.Repeat("what stands in the file\n", 2000)
		replies = append(replies, modeltest.Reply{agenttest.Call("read_file", map[string]any{"file_path": name})})
	}
	replies = append(replies, agenttest.Answers("done", "more")...)
	agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		w.Prompt(s, "read")
		masked := func() (l []bool) {
			for _, m := range w.LastRequest().Messages {
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
		w.CheckShown([]string{"begin 0", "begin 7"}, nil)
		s = w.Reopen(s)
		w.Prompt(s, "more")
		if got := masked(); !slices.Equal(got, want) {
			t.Errorf("masked after a restart are %v, before it were %v", got, want)
		}
	})
}

func TestAFailedSummaryIsNotRetriedAtOnce(t *testing.T) {
	quota := modeltest.Reply{modeltest.Fail(model.Quota)}
	agenttest.InWorld(t, nil, slices.Concat(agenttest.Answers("one", "two", "three"), []modeltest.Reply{quota}, agenttest.Answers("four", "five", agenttest.Summary, agenttest.Summary, "six")), func(t *testing.T, w *agenttest.World) {
		w.LimitTokens(80_000)
		s := w.Session("")
		for _, word := range []string{"first", "second", "third", "fourth"} {
			w.Prompt(s, agenttest.LongText(word))
		}
		w.Prompt(s, "fifth") // little more than before
		if got := compactions(w); !slices.Equal(got, []string{"in_progress", "failed"}) {
			t.Fatalf("the compactions shown are %v", got)
		}
		w.Prompt(s, agenttest.LongText("sixth")) // a tenth of the limit more
		if got := compactions(w); !slices.Equal(got, []string{"in_progress", "failed", "in_progress", "completed"}) {
			t.Errorf("the compactions shown are %v", got)
		}
	})
}

func TestTheFocusIsInTheSummaryRequest(t *testing.T) {
	agenttest.InWorld(t, nil, agenttest.Answers("one", "two", agenttest.Summary, agenttest.Summary), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		w.Prompt(s, agenttest.LongText("first"))
		w.Prompt(s, agenttest.LongText("second"))
		if got, err := s.Compact(t.Context(), "the black sheep"); err != nil || got.Status != "compacted" {
			t.Fatalf("%+v, %v", got, err)
		}
		if text := agenttest.TextOf(w.LastRequest()); !strings.Contains(text, "above all: the black sheep") {
			t.Errorf("the request ends in %.2000q", text[max(0, len(text)-2000):])
		}
	})
}

func TestASummaryRequestNamesTheApprovedPlan(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		plan(w, noAnswer)
		s := w.Session(policy.Plan)
		path := filepath.Join(w.State, "plans", s.ID(), "plan.md")
		w.Model.Replies = slices.Concat([]modeltest.Reply{
			{agenttest.Call("write_file", map[string]any{"file_path": path, "content": "count sheep\n"})},
			{agenttest.Call("exit_plan_mode", map[string]any{"plan_filename": "plan.md"})},
		}, agenttest.Answers("counting", "two", agenttest.Summary, agenttest.Summary))
		w.Prompt(s, agenttest.LongText("first"))
		s = w.Reopen(s)
		w.Prompt(s, agenttest.LongText("second"))
		if got, err := s.Compact(t.Context(), ""); err != nil || got.Status != "compacted" {
			t.Fatalf("%+v, %v", got, err)
		}
		if text := agenttest.TextOf(w.LastRequest()); !strings.Contains(text, "The user approved the plan in the file "+path) {
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
	agenttest.InWorld(t, files, nil, func(t *testing.T, w *agenttest.World) {
		w.LimitTokens(30_000)
		reads := 0
		w.Model.Answer = func(r model.Request) modeltest.Reply {
			switch {
			case len(r.Tools) == 0:
				return modeltest.Reply{modeltest.Say(agenttest.Summary)}
			case reads == 7:
				return agenttest.Done()
			}
			reads++
			return modeltest.Reply{agenttest.Call("read_file", map[string]any{"file_path": fmt.Sprintf("%d.txt", reads)})}
		}
		s := w.Session("")
		w.Editor.Open(w.URI("main.go"), "package main\n")
		if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("read them all"), Focus: &frontend.Focus{Active: ide.ParseURI(w.URI("main.go"))}}); err != nil {
			t.Fatal(err)
		}
		text := agenttest.TextOf(w.LastRequest())
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
