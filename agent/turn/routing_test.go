package turn_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// askedModels returns the requested models in order.
func askedModels(w *agenttest.World) (names []string) {
	for _, r := range w.Model.Requests() {
		names = append(names, r.Model)
	}
	return names
}

// candidates returns the built-in models that may answer for a name which leaves the
// choice to emendo, best first.
func candidates(name string) []string {
	n, ok := catalogue.BuiltIn().Lookup("gemini", name)
	if !ok {
		panic("no such name: " + name)
	}
	return n.Candidates(n.Role)
}

// answerers returns the models that answered according to notices and records.
func answerers(w *agenttest.World) (names []string) {
	for _, u := range w.Updates {
		if f, ok := u.Event.(transcript.ResponseFinished); ok {
			names = append(names, f.Model)
		}
	}
	return names
}

func TestAnOpenChoiceOfTheModel(t *testing.T) {
	strong, fast, lite := candidates("pro")[0], candidates("flash")[0], candidates("flash-lite")[0]
	list := agenttest.Call("list_directory", map[string]any{"dir_path": "."})
	done := modeltest.Reply{modeltest.Say("done")}
	judged := func(choice string) modeltest.Reply {
		return modeltest.Reply{modeltest.Say(`{"reasoning":"r","model_choice":"` + choice + `"}`)}
	}
	type routing struct{ plans, classifier bool }
	classifier := routing{classifier: true}
	for _, tt := range []struct {
		name    string
		model   string // empty: auto
		routing routing
		mode    policy.Mode
		replies []modeltest.Reply
		want    []string // requested models
	}{
		{name: "nothing is asked first", replies: []modeltest.Reply{done}, want: []string{strong}},
		{name: "of the third family", model: "auto-gemini-3", replies: []modeltest.Reply{done}, want: candidates("auto-gemini-3")[:1]},
		{name: "of the second", model: "gemini/auto-gemini-2.5", replies: []modeltest.Reply{done}, want: []string{"gemini-2.5-pro"}},
		{name: "an easy prompt, and all that follows from it", routing: classifier, replies: []modeltest.Reply{judged("fast"), {list}, {list}, done}, want: []string{lite, fast, fast, fast}},
		{name: "a hard prompt", routing: classifier, replies: []modeltest.Reply{judged("strong"), {list}, done}, want: []string{lite, strong, strong}},
		{name: "a judgment that says nothing", routing: classifier, replies: []modeltest.Reply{{modeltest.Say("Shop work")}, done}, want: []string{lite, strong}},
		{name: "one that cannot be had", routing: classifier, replies: []modeltest.Reply{{modeltest.Fail(model.Invalid)}, done}, want: []string{lite, strong}},
		{name: "a plan is not judged", routing: routing{plans: true, classifier: true}, mode: policy.Plan, replies: []modeltest.Reply{done}, want: []string{strong}},
		{name: "a plan is judged where modes do not count", routing: classifier, mode: policy.Plan, replies: []modeltest.Reply{judged("fast"), done}, want: []string{lite, fast}},
		{name: "a model that the user named", model: "pro", routing: classifier, replies: []modeltest.Reply{done}, want: []string{strong}},
		{name: "the fast one by name", model: "flash", routing: classifier, replies: []modeltest.Reply{done}, want: []string{fast}},
		{name: "the smallest by name", model: "vertex/flash-lite", replies: []modeltest.Reply{done}, want: []string{lite}},
		{name: "one of another provider", model: "ollama/flash", routing: classifier, replies: []modeltest.Reply{done}, want: []string{"flash"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, tt.replies, func(t *testing.T, w *agenttest.World) {
				w.Options = func(o *state.Options) {
					o.Model, o.Settings.General.Plan.ModelRouting, o.Settings.Model.Routing.Classifier = "auto", tt.routing.plans, tt.routing.classifier
					o.Generator = func(name string) (model.Generator, string, error) { return w.Model, filepath.Base(name), nil }
				}
				w.Stop()
				w.Start()
				s, err := w.Agent.Create(t.Context(), agent.NewSession{Cwd: w.Dir, Mode: tt.mode, Model: tt.model})
				if err != nil {
					t.Fatal(err)
				}
				chosen := s.Info().Model
				end := w.Prompt(s, "go")
				if d := cmp.Diff(tt.want, askedModels(w)); d != "" {
					t.Errorf("requested models (-want +got):\n%s", d)
				}
				want := slices.DeleteFunc(slices.Clone(tt.want), func(name string) bool { return name == lite && len(tt.want) > 1 })
				if got := answerers(w); !slices.Equal(got, want) {
					t.Errorf("answers are attributed to %v, want %v", got, want)
				}
				if s.Info().Model != chosen {
					t.Errorf("the session's model is %s now", s.Info().Model)
				}
				var total model.Usage
				for _, u := range end.Models {
					total = total.Add(u)
				}
				if total != end.Usage.Usage {
					t.Errorf("the models' counts are %v, the turn's %v", end.Models, end.Usage)
				}
			})
		})
	}
}

func TestTheFastModelImplementsAnApprovedPlan(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{
		{agenttest.Call("write_file", map[string]any{"file_path": "plan.md", "content": "1. do it\n"})},
		{agenttest.Call("exit_plan_mode", map[string]any{"plan_filename": "plan.md"})},
		{agenttest.Call("write_todos", map[string]any{"todos": []any{map[string]any{"description": "do it", "status": "pending"}}})},
		{modeltest.Say("done")},
		{modeltest.Say("and this")},
	}, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Options = func(o *state.Options) {
			o.Tools, o.PlansDir = append([]tools.Tool{tools.WriteFile}, agenttest.PlanningTools()...), filepath.Join(w.State, "plans")
			o.Model, o.Settings.General.Plan.ModelRouting = "auto-gemini-3", true
		}
		w.Start()
		w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
			return frontend.Answer{OptionID: "allow_once"}, nil
		}
		s := w.Session(policy.Plan)
		w.Prompt(s, "plan it")
		w.Prompt(s, "what else?")
		strong, fast := candidates("pro")[0], candidates("flash")[0]
		if got, want := askedModels(w), []string{strong, strong, fast, fast, strong}; !slices.Equal(got, want) {
			t.Errorf("asked were %v, want %v", got, want)
		}
		var named []string // at the start, and with each change
		for line := range strings.SplitSeq(w.NoticesOf(transcript.NoticeModel), "\n") {
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "Model: "), " (")
			named = append(named, name)
		}
		if want := []string{strong, fast, strong}; !slices.Equal(named, want) {
			t.Errorf("notices name %v, want %v", named, want)
		}
	})
}

func TestRequestsHaveTheModelsConfiguration(t *testing.T) {
	cold, level := float32(0.25), catalogue.Values{Config: model.Config{ThinkingLevel: "LOW"}}
	table, err := catalogue.NewTuning(catalogue.TuningOptions{
		Presets: map[string]catalogue.Preset{
			"mine":   {Extends: "chat-base-2.5", Values: catalogue.Values{Model: "flash", Config: model.Config{Temperature: &cold}}},
			"nobody": {Extends: "base"},
		},
		Overrides: []catalogue.Override{{Match: catalogue.Match{Model: "chat-base-3"}, Values: level}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, model, want string }{
		{"of the second family", "auto-gemini-2.5", "gemini-2.5-pro 1 8192"},
		{"of the third, as the user wants it", "gemini-3-flash-preview", "gemini-3-flash-preview 1 LOW"},
		{"behind the user's own name", "mine", candidates("flash")[0] + " 0.25 8192"},
		{"of another provider", "ollama/qwen", "ollama/qwen"},
		{"behind a name without a model", "nobody", `model request: preset "nobody" has no model: set one in it or in a preset that it extends`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("done")}}, func(t *testing.T, w *agenttest.World) {
				w.Options = func(o *state.Options) { o.Model, o.Tuning = tt.model, table }
				w.Stop()
				w.Start()
				var got string
				if _, err := w.Session("").Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("go")}); err != nil {
					got = err.Error()
				} else {
					r := w.LastRequest()
					got = r.Model
					if c := r.Config.Temperature; c != nil {
						got += fmt.Sprint(" ", *c)
					}
					if b := r.Config.ThinkingBudget; b != nil {
						got += fmt.Sprint(" ", *b)
					}
					if l := r.Config.ThinkingLevel; l != "" {
						got += " " + l
					}
				}
				if got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
			})
		})
	}
}

func TestAnUnavailableSmallModelIsRequestedOnce(t *testing.T) {
	judge := modeltest.Reply{modeltest.Say(`{"model_choice":"fast"}`)}
	done := modeltest.Reply{modeltest.Say("done")}
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Fail(model.NotFound)}, judge, done, judge, done}, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Model, o.Settings.Model.Routing.Classifier = "auto", true }
		w.Stop()
		w.Start()
		s := w.Session("")
		w.Prompt(s, "one")
		w.Prompt(s, "two")
		lite, fast := candidates("flash-lite"), candidates("flash")[0]
		if got, want := askedModels(w), []string{lite[0], lite[1], fast, lite[1], fast}; !slices.Equal(got, want) {
			t.Errorf("asked were %v, want %v", got, want)
		}
	})
}

// A role falls back to an available model whatever the fallback setting, with one
// notice.
func TestARoleFallsBackToAnAvailableModel(t *testing.T) {
	gone := func(k model.ErrorKind) modeltest.Reply { return modeltest.Reply{modeltest.Fail(k)} }
	done := modeltest.Reply{modeltest.Say("done")}
	strong, fast := candidates("pro"), candidates("flash")
	for _, tt := range []struct {
		name, model string
		replies     []modeltest.Reply
		want        []string
		notices     int
		fails       bool
	}{
		{
			name: "auto", model: "auto", replies: []modeltest.Reply{gone(model.NotFound), done, done},
			want: []string{strong[0], strong[1], strong[1]}, notices: 1,
		},
		{
			name: "pro, for a key that has no strong model", model: "pro", replies: []modeltest.Reply{gone(model.NoAccess), gone(model.NotFound), done, done},
			want: []string{strong[0], strong[1], strong[2], strong[2]}, notices: 2,
		},
		{
			name: "flash", model: "flash", replies: []modeltest.Reply{gone(model.NotFound), done, done},
			want: []string{fast[0], fast[1], fast[1]}, notices: 1,
		},
		{
			name: "a preset of the user's for a role", model: "mine", replies: []modeltest.Reply{gone(model.NotFound), done, done},
			want: []string{fast[0], fast[1], fast[1]}, notices: 1,
		},
		{name: "a model that the user named", model: "gemini-3.8-flash", replies: []modeltest.Reply{gone(model.NotFound), gone(model.NotFound)}, want: []string{"gemini-3.8-flash", "gemini-3.8-flash"}, fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, tt.replies, func(t *testing.T, w *agenttest.World) {
				table, err := catalogue.NewTuning(catalogue.TuningOptions{Presets: map[string]catalogue.Preset{"mine": {Values: catalogue.Values{Model: "flash"}}}})
				if err != nil {
					t.Fatal(err)
				}
				w.Options = func(o *state.Options) { o.Model, o.Tuning = tt.model, table }
				w.Stop()
				w.Start()
				s := w.Session("")
				for range 2 {
					if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("go")}); (err != nil) != tt.fails {
						t.Errorf("the turn ends with %v", err)
					}
				}
				if got := askedModels(w); !slices.Equal(got, tt.want) {
					t.Errorf("asked were %v, want %v", got, tt.want)
				}
				named := 0
				codes, _ := w.Notices()
				for _, c := range codes {
					if c == transcript.NoticeModelFallback {
						named++
					}
				}
				if named != tt.notices {
					t.Errorf("%d notices, want %d", named, tt.notices)
				}
			})
		})
	}
}

// Discarded answers count, because they are billed like others.
func TestDiscardedAnswersAreCounted(t *testing.T) {
	count := func(n int64) modeltest.Step { return modeltest.Usage(model.Usage{Input: n, Output: 1, Total: n + 1}) }
	agenttest.InWorld(t, nil, []modeltest.Reply{
		{modeltest.Say("half"), count(100), modeltest.Fail(model.Cut)},
		{count(100), modeltest.Finish(model.Stop)},
		{modeltest.Say("whole"), count(100)},
		{modeltest.Say("half"), count(1000), modeltest.Fail(model.Cut)},
		{modeltest.Say("half"), count(1000), modeltest.Fail(model.Invalid)},
	}, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		end := w.Prompt(s, "go")
		if end.Usage.Total != 303 || s.Info().Usage.Total != 303 {
			t.Errorf("the turn took %d tokens and the session %d, want 303", end.Usage.Total, s.Info().Usage.Total)
		}
		end, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("again")})
		if err == nil || end.Usage.Total != 2002 {
			t.Errorf("a turn that fails with %v took %d tokens, want 2002", err, end.Usage.Total)
		}
		w.Stop()
		w.Start()
		again, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Info().Usage.Total; got != 2305 {
			t.Errorf("after a restart the session took %d tokens, want 2305", got)
		}
	})
}
