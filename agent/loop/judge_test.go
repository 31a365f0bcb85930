package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/loop"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

// says is a judge of that confidence; asked counts its questions.
func says(confidence float64, asked *int) func(context.Context, loop.Question) (loop.Opinion, error) {
	return func(context.Context, loop.Question) (loop.Opinion, error) {
		*asked++
		return loop.Opinion{Analysis: "it runs make again and again", Confidence: confidence}, nil
	}
}

// short is a history of nothing but its prompt.
func short() []model.Message { return rounds(0) }

func TestAMoreConfidentJudgeIsAskedSooner(t *testing.T) {
	for _, tt := range []struct {
		name       string
		confidence float64
		want       []int // of a hundred steps
	}{
		{"all is well", 0, []int{30, 45, 60, 75, 90}},
		{"it may be", 0.5, []int{30, 40, 50, 60, 70, 80, 90, 100}},
		{"it is likely", 0.89, []int{30, 36, 42, 48, 54, 60, 66, 72, 78, 84, 90, 96}},
		{"out of all bounds", -7, []int{30, 45, 60, 75, 90}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			n := 0
			g := loop.New(loop.Options{Judge: func(context.Context, loop.Question) (loop.Opinion, error) {
				got = append(got, n)
				return loop.Opinion{Confidence: tt.confidence}, nil
			}})
			for n = 1; n <= 100; n++ {
				if v := g.Step(t.Context(), n, short); v.Strike != loop.GoOn {
					t.Fatalf("step %d: %+v", n, v)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("asked at other steps (-want +got):\n%s", d)
			}
		})
	}
}

func TestJudgement(t *testing.T) {
	fails := func(err error) func(context.Context, loop.Question) (loop.Opinion, error) {
		return func(context.Context, loop.Question) (loop.Opinion, error) { return loop.Opinion{}, err }
	}
	var n int
	sure, almost := says(0.9, &n), says(0.89, &n)
	for _, tt := range []struct {
		name          string
		judge, second func(context.Context, loop.Question) (loop.Opinion, error)
		want          loop.Strike
	}{
		{"sure", sure, nil, loop.Recover},
		{"almost sure", almost, nil, loop.GoOn},
		{"both are sure", sure, sure, loop.Recover},
		{"the second is not", sure, almost, loop.GoOn},
		{"the second is not asked without the first", almost, sure, loop.GoOn},
		{"the second is one that the user does not have", sure, fails(&model.Error{Kind: model.NotFound}), loop.Recover},
		{"the second one's quota is used up", sure, fails(&model.Error{Kind: model.Quota}), loop.Recover},
		{"the second fails", sure, fails(&model.Error{Kind: model.Unavailable}), loop.GoOn},
		{"the first fails", fails(errors.New("no")), sure, loop.GoOn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := loop.New(loop.Options{Judge: tt.judge, Second: tt.second})
			v := g.Step(t.Context(), 30, short)
			if v.Strike != tt.want {
				t.Fatalf("%+v, want strike %d", v, tt.want)
			}
			if v.Strike != loop.Recover {
				return
			}
			if v.Kind != loop.NoProgress || !strings.Contains(v.Advice, "runs make again") {
				t.Errorf("%+v", v)
			}
			if v := g.Text("I see."); v.Strike != loop.GoOn {
				t.Errorf("the response with the advice: %+v", v)
			}
			if v := g.Step(t.Context(), 36, short); v.Strike != loop.Stop {
				t.Errorf("still stuck: %+v", v)
			}
		})
	}
}

func TestTheJudgeIsNotAskedInAShortTurn(t *testing.T) {
	asked := 0
	g := loop.New(loop.Options{Judge: says(1, &asked)})
	for range 5 {
		g.Prompt("another")
		for n := 1; n < 30; n++ {
			g.Step(t.Context(), n, short)
		}
	}
	if asked != 0 {
		t.Errorf("asked %d times", asked)
	}
}

// rounds is a history of one prompt and n rounds of a call.
func rounds(n int) []model.Message {
	ms := []model.Message{{ID: "prompt", Role: model.User, Parts: []model.Part{model.Text{Text: "mend the build"}}}}
	for i := range n {
		id := fmt.Sprint(i)
		ms = append(ms,
			model.Message{ID: id, Role: model.Model, Parts: []model.Part{
				model.Thought{Text: "hm"},
				model.Text{Text: "I run make."},
				model.Call{ID: id, Name: "run", Args: []byte(`{"command":"` + strings.Repeat("x", 9000) + `"}`)},
			}},
			model.Message{ID: id + "/results", Role: model.User, Parts: []model.Part{
				model.Result{CallID: id, Name: "run", Output: strings.Repeat("error ", 9000), Blobs: []model.Blob{{MIME: "image/png", Data: []byte{1}}}},
			}})
	}
	return ms
}

func TestWhatTheJudgeIsAsked(t *testing.T) {
	cut := rounds(40)
	for _, tt := range []struct {
		name    string
		history []model.Message
		calls   int
	}{
		{"nothing but the prompt", rounds(0), 0},
		{"a few rounds", rounds(3), 3},
		{"the last twenty messages", cut, 10},
		{"a cut between a call and its answer", append(slices.Clone(cut), model.Message{Role: model.Model, Parts: []model.Part{model.Text{Text: "Done."}}}), 9},
		{"calls that are not answered yet", cut[:len(cut)-1], 9},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say("no")}, {modeltest.Say("```json\n{\"unproductive_state_analysis\": \"make fails\", \"unproductive_state_confidence\": 0.95}\n```")}}}
			g := loop.New(loop.Options{Judge: loop.Ask(s, "fast")})
			g.Prompt("mend the build " + strings.Repeat("now ", 9000))
			if v := g.Step(t.Context(), 30, func() []model.Message { return tt.history }); v.Strike != loop.Recover || v.Detail != "make fails" {
				t.Fatalf("%+v", v)
			}
			reqs := s.Requests() // the script has checked them
			if len(reqs) != 2 || reqs[0].Model != "fast" || !strings.Contains(reqs[0].System, "unproductive_state_confidence") {
				t.Fatalf("%d requests", len(reqs))
			}
			calls, size := 0, 0
			for _, m := range reqs[0].Messages {
				for _, p := range m.Parts {
					switch p := p.(type) {
					case model.Call:
						calls++
						size += len(p.Args)
					case model.Result:
						size += len(p.Output)
					case model.Text:
						size += len(p.Text)
					default:
						t.Errorf("the judge is shown a %T", p)
					}
				}
			}
			first := reqs[0].Messages[0].Parts[0].(model.Text).Text
			if calls != tt.calls || !strings.HasPrefix(first, "<original_request>\nmend the build now") {
				t.Errorf("%d calls, want %d, after %.40q", calls, tt.calls, first)
			}
			if size > 10_100+20*2200 {
				t.Errorf("the judge is shown %d characters", size)
			}
			if n := len(tt.history); n > 1 {
				if r, ok := tt.history[2].Parts[0].(model.Result); !ok || len(r.Output) < 9000 || len(r.Blobs) != 1 {
					t.Error("the history itself was cut")
				}
			}
		})
	}
}

func TestALongOpinionIsShortened(t *testing.T) {
	g := loop.New(loop.Options{Judge: func(context.Context, loop.Question) (loop.Opinion, error) {
		return loop.Opinion{Analysis: strings.Repeat("it runs make ", 10_000), Confidence: 1}, nil
	}})
	if v := g.Step(t.Context(), 30, short); v.Strike != loop.Recover || len(v.Detail) > 600 || len(v.Advice) > 1600 {
		t.Errorf("%d bytes of opinion, %d of advice", len(v.Detail), len(v.Advice))
	}
}

func TestACancelledJudgeReturnsNoVerdict(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var n int
	g := loop.New(loop.Options{Judge: says(1, &n), Second: func(ctx context.Context, _ loop.Question) (loop.Opinion, error) {
		cancel()
		return loop.Opinion{}, context.Cause(ctx)
	}})
	if v := g.Step(ctx, 30, short); v.Strike != loop.GoOn {
		t.Errorf("%+v", v)
	}
}
