package catalogue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

func TestLook(t *testing.T) {
	yes, no := true, false
	hot := func(v float32) catalogue.Values { return catalogue.Values{Config: model.Config{Temperature: &v}} }
	level := func(name string, v float32) catalogue.Preset { return catalogue.Preset{Extends: name, Values: hot(v)} }
	over := func(m catalogue.Match, v float32) catalogue.Override {
		return catalogue.Override{Match: m, Values: hot(v)}
	}
	budget := int32(0)

	for _, tt := range []struct {
		name  string
		o     catalogue.TuningOptions
		q     catalogue.Query
		want  string
		error string
	}{
		{name: "a model of the second family in a conversation", q: catalogue.Query{Name: "gemini-2.5-pro", Chat: true}, want: "gemini-2.5-pro 1 0.95 64 budget 8192 thoughts"},
		{name: "one of the third", q: catalogue.Query{Name: "gemini-3-flash-preview", Chat: true}, want: "gemini-3-flash-preview 1 0.95 64 HIGH thoughts"},
		{name: "an unknown model", q: catalogue.Query{Name: "gemma-4-31b-it", Chat: true}, want: "gemma-4-31b-it 1 0.95 64 thoughts"},
		{name: "one outside a conversation is left alone", q: catalogue.Query{Name: "anything"}, want: "anything"},
		{name: "a small question", q: catalogue.Query{Name: "classifier"}, want: "flash-lite 0 1 max 1024 budget 512 LOW no thoughts"},
		{
			name: "the user's preset adds to what it extends", o: catalogue.TuningOptions{Presets: map[string]catalogue.Preset{"mine": {Extends: "gemini", Values: catalogue.Values{Model: "gemini-2.5-flash"}}, "gemini": level("chat-base", 0.2)}},
			q: catalogue.Query{Name: "mine", Chat: true}, want: "gemini-2.5-flash 0.2 0.95 64 thoughts",
		},
		{
			name: "a null thought budget is a value as well", o: catalogue.TuningOptions{Presets: map[string]catalogue.Preset{"mine": {Extends: "chat-base-2.5", Values: catalogue.Values{Model: "m", Config: model.Config{ThinkingBudget: &budget}}}}},
			q: catalogue.Query{Name: "mine"}, want: "m 1 0.95 64 budget 0 thoughts",
		},
		{
			name: "the user's preset replaces a built-in one", o: catalogue.TuningOptions{Presets: map[string]catalogue.Preset{"base": {}}},
			q: catalogue.Query{Name: "classifier"}, want: "flash-lite max 1024 budget 512 LOW",
		},
		{
			name: "a preset for a model's own name names no model", o: catalogue.TuningOptions{Presets: map[string]catalogue.Preset{"gemini-2.5-pro": {Extends: "chat-base", Values: catalogue.Values{Model: "gemini-2.5-pro"}}}},
			q: catalogue.Query{Name: "gemini-2.5-pro", Chat: true}, want: "gemini-2.5-pro 1 0.95 64 thoughts",
		},
		{
			name: "lists are replaced whole", o: catalogue.TuningOptions{
				Presets:   map[string]catalogue.Preset{"mine": {Values: catalogue.Values{Model: "m", Config: model.Config{StopSequences: []string{"a", "b"}}}}},
				Overrides: []catalogue.Override{{Match: catalogue.Match{Model: "mine"}, Values: catalogue.Values{Config: model.Config{StopSequences: []string{"c"}}}}},
			}, q: catalogue.Query{Name: "mine"}, want: "m [c]",
		},

		{name: "an override by the model's name", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Model: "m"}, 2)}}, q: catalogue.Query{Name: "m"}, want: "m 2"},
		{name: "by a preset on the way", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Model: "chat-base"}, 2)}}, q: catalogue.Query{Name: "gemini-2.5-pro", Chat: true}, want: "gemini-2.5-pro 2 0.95 64 budget 8192 thoughts"},
		{name: "of another model", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Model: "other"}, 2)}}, q: catalogue.Query{Name: "m"}, want: "m"},
		{name: "that says nothing", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{}, 2)}}, q: catalogue.Query{Name: "m"}, want: "m"},
		{name: "of the core, without a scope", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Scope: "core"}, 2)}}, q: catalogue.Query{Name: "m"}, want: "m 2"},
		{name: "of the core, for a subagent", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Scope: "core"}, 2)}}, q: catalogue.Query{Name: "m", Scope: "reviewer"}, want: "m"},
		{name: "of a subagent", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Scope: "reviewer"}, 2)}}, q: catalogue.Query{Name: "m", Scope: "reviewer"}, want: "m 2"},
		{name: "of repeated requests", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Retry: &yes}, 2)}}, q: catalogue.Query{Name: "m", Retry: true}, want: "m 2"},
		{name: "of first requests", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Retry: &no}, 2)}}, q: catalogue.Query{Name: "m", Retry: true}, want: "m"},
		{name: "all that it says has to hold", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Model: "m", Retry: &yes}, 2)}}, q: catalogue.Query{Name: "m"}, want: "m"},
		{
			name: "the nearer preset wins over the root, in any order", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Model: "chat-base-2.5"}, 3), over(catalogue.Match{Model: "base"}, 2)}},
			q: catalogue.Query{Name: "gemini-2.5-pro", Chat: true}, want: "gemini-2.5-pro 3 0.95 64 budget 8192 thoughts",
		},
		{
			name: "and over the model's own name", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Model: "base"}, 2), over(catalogue.Match{Model: "gemini-2.5-pro"}, 3)}},
			q: catalogue.Query{Name: "gemini-2.5-pro", Chat: true}, want: "gemini-2.5-pro 2 0.95 64 budget 8192 thoughts",
		},
		{
			name: "the one that says more wins", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Model: "m", Scope: "core"}, 3), over(catalogue.Match{Model: "m"}, 2)}},
			q: catalogue.Query{Name: "m"}, want: "m 3",
		},
		{name: "the later one wins", o: catalogue.TuningOptions{Overrides: []catalogue.Override{over(catalogue.Match{Model: "m"}, 2), over(catalogue.Match{Model: "m"}, 3)}}, q: catalogue.Query{Name: "m"}, want: "m 3"},
		{
			name: "a repeated request of a cold conversation is asked warmly", o: catalogue.TuningOptions{Presets: map[string]catalogue.Preset{"chat-base-2.5": level("chat-base", 0)}},
			q: catalogue.Query{Name: "gemini-2.5-pro", Chat: true, Retry: true}, want: "gemini-2.5-pro 1 0.95 64 thoughts",
		},

		{name: "no model", q: catalogue.Query{Name: "chat-base"}, error: `preset "chat-base" has no model`},
		{name: "a parent that is missing", o: catalogue.TuningOptions{Presets: map[string]catalogue.Preset{"a": {Extends: "b"}}}, error: `preset "a" extends unknown preset "b"`},
		{name: "a circle", o: catalogue.TuningOptions{Presets: map[string]catalogue.Preset{"a": {Extends: "b"}, "b": {Extends: "c"}, "c": {Extends: "a"}}}, error: `preset "a" extends itself by way of c, b, a`},
		{name: "itself", o: catalogue.TuningOptions{Presets: map[string]catalogue.Preset{"a": {Extends: "a"}}}, error: `preset "a" extends itself`},
		{name: "too deep", o: catalogue.TuningOptions{Presets: stairs(101)}, error: "extends more than 100 others"},
		{name: "deep", o: catalogue.TuningOptions{Presets: stairs(100)}, q: catalogue.Query{Name: "step-100", Chat: true}, want: "m"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table, err := catalogue.NewTuning(tt.o)
			var v catalogue.Values
			if err == nil {
				v, err = table.Look(tt.q)
			}
			if tt.error != "" {
				if err == nil || !strings.Contains(err.Error(), tt.error) {
					t.Errorf("the error is %v, want %s", err, tt.error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := written(v); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// stairs returns n presets, each of which extends the one before it.
func stairs(n int) map[string]catalogue.Preset {
	out := map[string]catalogue.Preset{"step-1": {Values: catalogue.Values{Model: "m"}}}
	for i := 2; i <= n; i++ {
		out[fmt.Sprintf("step-%d", i)] = catalogue.Preset{Extends: fmt.Sprintf("step-%d", i-1)}
	}
	return out
}

// written formats values on one line: the model, then its configuration.
func written(v catalogue.Values) string {
	var b strings.Builder
	b.WriteString(v.Model)
	c := v.Config
	for _, f := range []*float32{c.Temperature, c.TopP, c.TopK} {
		if f != nil {
			fmt.Fprintf(&b, " %v", *f)
		}
	}
	if c.MaxTokens != 0 {
		fmt.Fprintf(&b, " max %d", c.MaxTokens)
	}
	if c.ThinkingBudget != nil {
		fmt.Fprintf(&b, " budget %d", *c.ThinkingBudget)
	}
	if c.ThinkingLevel != "" {
		b.WriteString(" " + c.ThinkingLevel)
	}
	if c.StopSequences != nil {
		fmt.Fprintf(&b, " %v", c.StopSequences)
	}
	if c.IncludeThoughts != nil {
		b.WriteString(map[bool]string{true: " thoughts", false: " no thoughts"}[*c.IncludeThoughts])
	}
	return b.String()
}

func TestEveryPurposeHasAPreset(t *testing.T) {
	for _, p := range []model.Purpose{model.Classifier, model.LoopJudge, model.SecondJudge, model.NextSpeaker, model.Summarizer} {
		v, err := catalogue.BuiltInTuning().Look(catalogue.Query{Name: string(p)})
		if err != nil || v.Model == string(p) {
			t.Errorf("%s: %+v, %v", p, v, err)
		}
	}
}
