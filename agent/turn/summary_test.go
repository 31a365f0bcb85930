package turn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
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
			agenttest.InWorld(t, nil, agenttest.Answers("fixed", tt.says), func(t *testing.T, w *agenttest.World) {
				s := w.Session("")
				w.Prompt(s, "fix it")
				if end := w.Prompt(s, "/summarize"); end.Text != tt.want || s.Info().Summary != tt.want {
					t.Errorf("the answer is %q, the summary %q", end.Text, s.Info().Summary)
				}
			})
		})
	}
}

func TestTheSummaryRequest(t *testing.T) {
	w := func(f func(t *testing.T, w *agenttest.World)) { agenttest.InWorld(t, nil, nil, f) }
	w(func(t *testing.T, w *agenttest.World) {
		w.Model.Answer = func(r model.Request) modeltest.Reply {
			if len(r.Tools) == 0 {
				return modeltest.Reply{modeltest.Say("Count."), modeltest.Usage(model.Usage{Input: 5, Total: 5})}
			}
			return modeltest.Reply{modeltest.Say(fmt.Sprintf("answer %d", len(w.Model.Requests())))}
		}
		s := w.Session("")
		if end := w.Prompt(s, "/summarize"); end.Text != "The conversation is empty." {
			t.Errorf("before anything was said: %q", end.Text)
		}
		w.Prompt(s, strings.Repeat("long ", 200))
		for n := 2; n <= 12; n++ {
			w.Prompt(s, fmt.Sprintf("prompt %d", n))
		}
		end := w.Prompt(s, "/summarize")
		asked := agenttest.TextOf(w.LastRequest())
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
	agenttest.InWorld(t, nil, agenttest.Answers("one", "Mend the tax rates.", "two"), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		w.Prompt(s, "first")
		listed := func(query, want string) {
			t.Helper()
			l, _, err := w.Agent.List(transcript.Listing{Query: query})
			if err != nil || len(l) != 1 || l[0].Summary != want {
				t.Errorf("listed by %q: %+v, %v", query, l, err)
			}
		}
		listed("", "")
		w.Prompt(s, "/summarize")
		listed("", "Mend the tax rates.")
		listed("TAX", "Mend the tax rates.")
		w.Prompt(s, "second")
		listed("", "Mend the tax rates.")
		if sent := agenttest.TextOf(w.LastRequest()); strings.Contains(sent, "tax rates") {
			t.Errorf("the model got\n%s", sent)
		}
		w.Stop()
		w.Start()
		s, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil || s.Info().Summary != "Mend the tax rates." {
			t.Fatalf("after a restart: %+v, %v", s.Info(), err)
		}
		f, err := w.Agent.Fork(t.Context(), s.ID(), "")
		if err != nil || f.Info().Summary != "Mend the tax rates." {
			t.Fatalf("of a copy: %+v, %v", f.Info(), err)
		}
	})
}

func TestARewindRemovesTheSummary(t *testing.T) {
	agenttest.InWorld(t, nil, agenttest.Answers("one", "two", "Do two things."), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		w.Prompt(s, "first")
		second := w.Prompt(s, "second").TurnID
		w.Prompt(s, "/summarize")
		if _, err := s.Rewind(t.Context(), second, rewind.Conversation, false); err != nil {
			t.Fatal(err)
		}
		if i := s.Info(); i.Summary != "" || i.Turns != 1 {
			t.Errorf("the session is %+v", i)
		}
	})
}

func TestASummaryThatFailsChangesNothing(t *testing.T) {
	agenttest.InWorld(t, nil, append(agenttest.Answers("one"), modeltest.Reply{modeltest.Fail(model.Quota)}), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		w.Prompt(s, "first")
		end, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("/summarize")})
		if err == nil || end.StopReason != transcript.StopError || s.Info().Summary != "" {
			t.Errorf("%s, %v, %q", end.StopReason, err, s.Info().Summary)
		}
	})
}
