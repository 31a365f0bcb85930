package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestASummaryIsCleaned(t *testing.T) {
	for _, tt := range []struct{ name, says, want string }{
		{"a sentence", "Mend the build.", "Mend the build."},
		{"white space", "\n Mend  the\nbuild. ", "Mend the build."},
		{"quotes", `"Mend the build."`, "Mend the build."},
		{"quotes of another kind", "“Mend the build.”", "Mend the build."},
		{"one pair of them alone", `""Mend" the build"`, `"Mend" the build`},
		{"quotes within", `Mend "the build"`, `Mend "the build"`},
		{"far too much", strings.Repeat("Mend it ", 40), strings.TrimSpace(strings.Repeat("Mend it ", 20)) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, nil, answers("fixed", tt.says), func(t *testing.T, w *world) {
				s := w.session("")
				w.prompt(s, "fix it")
				if end := w.prompt(s, "/summarize"); end.Text != tt.want || s.Info().Summary != tt.want {
					t.Errorf("the answer is %q, the summary %q", end.Text, s.Info().Summary)
				}
			})
		})
	}
}

func TestTheSummaryRequest(t *testing.T) {
	w := func(f func(t *testing.T, w *world)) { inWorld(t, nil, nil, f) }
	w(func(t *testing.T, w *world) {
		w.model.Answer = func(r model.Request) modeltest.Reply {
			if len(r.Tools) == 0 {
				return modeltest.Reply{modeltest.Say("Count."), modeltest.Usage(model.Usage{Input: 5, Total: 5})}
			}
			return modeltest.Reply{modeltest.Say(fmt.Sprintf("answer %d", len(w.model.Requests())))}
		}
		s := w.session("")
		if end := w.prompt(s, "/summarize"); end.Text != "The conversation is empty." {
			t.Errorf("before anything was said: %q", end.Text)
		}
		w.prompt(s, strings.Repeat("long ", 200))
		for n := 2; n <= 12; n++ {
			w.prompt(s, fmt.Sprintf("prompt %d", n))
		}
		end := w.prompt(s, "/summarize")
		asked := all(w.last())
		for _, part := range []string{strings.Repeat("long ", 100) + "...\n\n", "Agent: answer 1\n\nUser: prompt 2", "Agent: answer 5\n\n(…)\n\nUser: prompt 8", "Agent: answer 12"} {
			if !strings.Contains(asked, part) {
				t.Errorf("%.60q is not in\n%s", part, asked)
			}
		}
		if strings.Contains(asked, "summarize") || strings.Contains(asked, "prompt 6") || end.Usage.Total != 5 || s.Info().Usage.Total != 5 {
			t.Errorf("the model is asked, for %d of %d\n%s", end.Usage.Total, s.Info().Usage.Total, asked)
		}
	})
}

func TestASummaryIsStored(t *testing.T) {
	inWorld(t, nil, answers("one", "Mend the tax rates.", "two"), func(t *testing.T, w *world) {
		s := w.session("")
		w.prompt(s, "first")
		listed := func(query, want string) {
			t.Helper()
			l, _, err := w.agent.List(transcript.Listing{Query: query})
			if err != nil || len(l) != 1 || l[0].Summary != want {
				t.Errorf("listed by %q: %+v, %v", query, l, err)
			}
		}
		listed("", "")
		w.prompt(s, "/summarize")
		listed("", "Mend the tax rates.")
		listed("TAX", "Mend the tax rates.")
		w.prompt(s, "second")
		listed("", "Mend the tax rates.")
		if sent := all(w.last()); strings.Contains(sent, "tax rates") {
			t.Errorf("the model got\n%s", sent)
		}
		w.stop()
		w.start()
		s, err := w.agent.Session(t.Context(), s.ID())
		if err != nil || s.Info().Summary != "Mend the tax rates." {
			t.Fatalf("after a restart: %+v, %v", s.Info(), err)
		}
		f, err := w.agent.Fork(t.Context(), s.ID(), "")
		if err != nil || f.Info().Summary != "Mend the tax rates." {
			t.Fatalf("of a copy: %+v, %v", f.Info(), err)
		}
	})
}

func TestARewindRemovesTheSummary(t *testing.T) {
	inWorld(t, nil, answers("one", "two", "Do two things."), func(t *testing.T, w *world) {
		s := w.session("")
		w.prompt(s, "first")
		second := w.prompt(s, "second").TurnID
		w.prompt(s, "/summarize")
		if _, err := s.Rewind(t.Context(), second, rewind.Conversation, false); err != nil {
			t.Fatal(err)
		}
		if i := s.Info(); i.Summary != "" || i.Turns != 1 {
			t.Errorf("the session is %+v", i)
		}
	})
}

func TestASummaryThatFailsChangesNothing(t *testing.T) {
	inWorld(t, nil, append(answers("one"), modeltest.Reply{modeltest.Fail(model.Quota)}), func(t *testing.T, w *world) {
		s := w.session("")
		w.prompt(s, "first")
		end, err := s.Prompt(t.Context(), state.Prompt{Blocks: say("/summarize")})
		if err == nil || end.StopReason != transcript.StopError || s.Info().Summary != "" {
			t.Errorf("%s, %v, %q", end.StopReason, err, s.Info().Summary)
		}
	})
}
