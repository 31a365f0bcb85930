package turn_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestLoopsCanBeAllowed(t *testing.T) {
	var replies []modeltest.Reply
	for range 8 {
		replies = append(replies, modeltest.Reply{agenttest.Call("list_directory", map[string]any{"dir_path": "."})})
	}
	agenttest.InWorld(t, nil, append(replies, agenttest.Answers("done")...), func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Settings.Model.DisableLoopDetection = true }
		w.Stop()
		w.Start()
		if end := w.Prompt(w.Session(""), "look"); end.StopReason != transcript.EndTurn {
			t.Errorf("the turn ended with %s", end.StopReason)
		}
	})
}

// longTurn is a model that lists one folder after another for that many steps. Requests
// that are not steps are questions of the loop check; opinions are the replies, each at
// the cost of one token.
func longTurn(steps int, opinions ...modeltest.Reply) *modeltest.Script {
	step := 0
	return &modeltest.Script{Answer: func(r model.Request) modeltest.Reply {
		if len(r.Tools) == 0 {
			if len(opinions) == 0 {
				return modeltest.Reply{modeltest.Fail(model.Invalid)}
			}
			o := opinions[0]
			opinions = opinions[1:]
			return append(modeltest.Reply{modeltest.Usage(model.Usage{Input: 1, Total: 1})}, o...)
		}
		if step++; step > steps {
			return modeltest.Reply{modeltest.Say("done")}
		}
		return modeltest.Reply{agenttest.Call("glob", map[string]any{"pattern": fmt.Sprint(step)})}
	}}
}

func opinion(confidence float64) modeltest.Reply {
	return modeltest.Reply{modeltest.Say(fmt.Sprintf(`{"unproductive_state_analysis": "It globs and globs.", "unproductive_state_confidence": %g}`, confidence))}
}

// asked returns the steps, counted from 1, that other requests preceded, in order.
func asked(requests []model.Request) (before []int) {
	step := 1
	for _, r := range requests {
		if len(r.Tools) == 0 {
			before = append(before, step)
		} else {
			step++
		}
	}
	return before
}

func TestALongTurnIsJudged(t *testing.T) {
	broken := modeltest.Reply{modeltest.Say("I think so.")}
	fails := func(k model.ErrorKind) modeltest.Reply { return modeltest.Reply{modeltest.Fail(k)} }
	times := func(n int, r modeltest.Reply) []modeltest.Reply { return slices.Repeat([]modeltest.Reply{r}, n) }
	for _, tt := range []struct {
		name     string
		steps    int // with calls
		opinions []modeltest.Reply
		mayLoop  bool
		maxSteps int
		asked    []int // before which steps
		advised  int   // times
		end      transcript.StopReason
	}{
		{name: "a short one is not", steps: 28, end: transcript.EndTurn},
		{name: "all is well", steps: 60, opinions: times(3, opinion(0)), asked: []int{30, 45, 60}, end: transcript.EndTurn},
		{name: "the first is sure, the second is not", steps: 39, opinions: []modeltest.Reply{opinion(0.95), opinion(0.4)}, asked: []int{30, 30}, end: transcript.EndTurn},
		{name: "both are sure, and it finds its way", steps: 31, opinions: times(2, opinion(0.9)), asked: []int{30, 30}, advised: 1, end: transcript.EndTurn},
		{name: "both are sure, and sure again", steps: 60, opinions: times(4, opinion(1)), asked: []int{30, 30, 35, 35}, advised: 1, end: transcript.StopLoop},
		{name: "advised at the limit", steps: 60, opinions: times(2, opinion(1)), maxSteps: 30, asked: []int{30, 30}, advised: 1, end: transcript.MaxTurnRequests},
		{name: "the key may not use the newest model for the second", steps: 31, opinions: []modeltest.Reply{opinion(0.9), fails(model.NotFound), opinion(0.9)}, asked: []int{30, 30, 30}, advised: 1, end: transcript.EndTurn},
		{name: "an opinion that cannot be read is asked for twice", steps: 31, opinions: []modeltest.Reply{broken, opinion(0.9), opinion(0.9)}, asked: []int{30, 30, 30}, advised: 1, end: transcript.EndTurn},
		{name: "none can be read", steps: 41, opinions: times(4, broken), asked: []int{30, 30, 40, 40}, end: transcript.EndTurn},
		{name: "the judge fails", steps: 31, opinions: times(1, fails(model.Auth)), asked: []int{30}, end: transcript.EndTurn},
		{name: "it is switched off", steps: 60, mayLoop: true, end: transcript.EndTurn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
				w.Model = longTurn(tt.steps, tt.opinions...)
				w.Options = func(o *state.Options) {
					o.Settings.Model.DisableLoopDetection, o.Settings.Model.MaxSessionTurns = tt.mayLoop, tt.maxSteps
				}
				w.Stop()
				w.Start()
				s := w.Session("")
				end := w.Prompt(s, "look everywhere")
				if end.StopReason != tt.end {
					t.Errorf("the turn ended with %s, want %s", end.StopReason, tt.end)
				}
				requests := w.Model.Requests()
				if d := cmp.Diff(tt.asked, asked(requests)); d != "" {
					t.Errorf("asked before other steps (-want +got):\n%s", d)
				}
				if n := int64(len(tt.asked)); end.Usage.Total != n || s.Info().Usage.Total != n {
					t.Errorf("the opinions cost %d and %d, want %d", end.Usage.Total, s.Info().Usage.Total, n)
				}
				for i, r := range requests {
					if len(r.Tools) == 0 && (!strings.Contains(agenttest.TextOf(r), "<original_request>\nlook everywhere\n") || strings.Contains(agenttest.TextOf(r), "unproductive_state")) {
						t.Errorf("request %d asks %s", i, agenttest.TextOf(r))
					}
				}
				steps := slices.DeleteFunc(requests, func(r model.Request) bool { return len(r.Tools) == 0 })
				sent := agenttest.TextOf(steps[len(steps)-1])
				if n := strings.Count(sent, "> It globs and globs."); n != tt.advised {
					t.Errorf("advised %d times, want %d", n, tt.advised)
				}
				if strings.Contains(sent, "unproductive_state") || strings.Contains(w.Shown(), "unproductive_state") {
					t.Error("an opinion is part of the conversation")
				}
				w.CheckNumbers()
			})
		})
	}
}

func TestASlowJudgeIsIgnored(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model = longTurn(31, modeltest.Reply{modeltest.Pause(time.Hour)})
		begun := time.Now()
		if end := w.Prompt(w.Session(""), "look"); end.StopReason != transcript.EndTurn {
			t.Errorf("the turn ended with %s", end.StopReason)
		}
		if d := time.Since(begun); d > 2*time.Minute {
			t.Errorf("the turn took %s", d)
		}
	})
}

func TestCancelDuringTheLoopCheck(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model = longTurn(31, modeltest.Reply{modeltest.Hold(make(chan struct{}))})
		s := w.Session("")
		ended := w.Begin(s, "look")
		s.Cancel("")
		synctest.Wait()
		if end, err := ended(); err != nil || end.StopReason != transcript.StopCancelled {
			t.Errorf("%s, %v", end.StopReason, err)
		}
		if d := cmp.Diff([]int{30}, asked(w.Model.Requests())); d != "" {
			t.Errorf("asked before other steps (-want +got):\n%s", d)
		}
		w.Model.Replies = agenttest.Answers("fine")
		if end := w.Prompt(s, "and now"); end.StopReason != transcript.EndTurn {
			t.Errorf("the next turn ended with %s", end.StopReason)
		}
	})
}
