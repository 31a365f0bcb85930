package tuning_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/tuning"
)

func TestLook(t *testing.T) {
	yes, no := true, false
	hot := func(v float32) tuning.Values { return tuning.Values{Config: model.Config{Temperature: &v}} }
	level := func(name string, v float32) tuning.Preset { return tuning.Preset{Extends: name, Values: hot(v)} }
	over := func(m tuning.Match, v float32) tuning.Override { return tuning.Override{Match: m, Values: hot(v)} }
	budget := int32(0)

	for _, tt := range []struct {
		name  string
		o     tuning.Options
		q     tuning.Query
		want  string
		error string
	}{
		{name: "a model of the second family in a conversation", q: tuning.Query{Name: "gemini-2.5-pro", Chat: true}, want: "gemini-2.5-pro 1 0.95 64 budget 8192 thoughts"},
		{name: "one of the third", q: tuning.Query{Name: "gemini-3-flash-preview", Chat: true}, want: "gemini-3-flash-preview 1 0.95 64 HIGH thoughts"},
		{name: "an unknown model", q: tuning.Query{Name: "gemma-4-31b-it", Chat: true}, want: "gemma-4-31b-it 1 0.95 64 thoughts"},
		{name: "one outside a conversation is left alone", q: tuning.Query{Name: "anything"}, want: "anything"},
		{name: "a small question", q: tuning.Query{Name: "classifier"}, want: "flash-lite 0 1 max 1024 budget 512 LOW no thoughts"},
		{
			name: "the user's preset adds to what it extends", o: tuning.Options{Presets: map[string]tuning.Preset{"mine": {Extends: "gemini", Values: tuning.Values{Model: "gemini-2.5-flash"}}, "gemini": level("chat-base", 0.2)}},
			q: tuning.Query{Name: "mine", Chat: true}, want: "gemini-2.5-flash 0.2 0.95 64 thoughts",
		},
		{
			name: "a null thought budget is a value as well", o: tuning.Options{Presets: map[string]tuning.Preset{"mine": {Extends: "chat-base-2.5", Values: tuning.Values{Model: "m", Config: model.Config{ThinkingBudget: &budget}}}}},
			q: tuning.Query{Name: "mine"}, want: "m 1 0.95 64 budget 0 thoughts",
		},
		{
			name: "the user's preset replaces a built-in one", o: tuning.Options{Presets: map[string]tuning.Preset{"base": {}}},
			q: tuning.Query{Name: "classifier"}, want: "flash-lite max 1024 budget 512 LOW",
		},
		{
			name: "a preset for a model's own name names no model", o: tuning.Options{Presets: map[string]tuning.Preset{"gemini-2.5-pro": {Extends: "chat-base", Values: tuning.Values{Model: "gemini-2.5-pro"}}}},
			q: tuning.Query{Name: "gemini-2.5-pro", Chat: true}, want: "gemini-2.5-pro 1 0.95 64 thoughts",
		},
		{
			name: "lists are replaced whole", o: tuning.Options{
				Presets:   map[string]tuning.Preset{"mine": {Values: tuning.Values{Model: "m", Config: model.Config{StopSequences: []string{"a", "b"}}}}},
				Overrides: []tuning.Override{{Match: tuning.Match{Model: "mine"}, Values: tuning.Values{Config: model.Config{StopSequences: []string{"c"}}}}},
			}, q: tuning.Query{Name: "mine"}, want: "m [c]",
		},

		{name: "an override by the model's name", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Model: "m"}, 2)}}, q: tuning.Query{Name: "m"}, want: "m 2"},
		{name: "by a preset on the way", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Model: "chat-base"}, 2)}}, q: tuning.Query{Name: "gemini-2.5-pro", Chat: true}, want: "gemini-2.5-pro 2 0.95 64 budget 8192 thoughts"},
		{name: "of another model", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Model: "other"}, 2)}}, q: tuning.Query{Name: "m"}, want: "m"},
		{name: "that says nothing", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{}, 2)}}, q: tuning.Query{Name: "m"}, want: "m"},
		{name: "of the core, without a scope", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Scope: "core"}, 2)}}, q: tuning.Query{Name: "m"}, want: "m 2"},
		{name: "of the core, for a subagent", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Scope: "core"}, 2)}}, q: tuning.Query{Name: "m", Scope: "reviewer"}, want: "m"},
		{name: "of a subagent", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Scope: "reviewer"}, 2)}}, q: tuning.Query{Name: "m", Scope: "reviewer"}, want: "m 2"},
		{name: "of repeated requests", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Retry: &yes}, 2)}}, q: tuning.Query{Name: "m", Retry: true}, want: "m 2"},
		{name: "of first requests", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Retry: &no}, 2)}}, q: tuning.Query{Name: "m", Retry: true}, want: "m"},
		{name: "all that it says has to hold", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Model: "m", Retry: &yes}, 2)}}, q: tuning.Query{Name: "m"}, want: "m"},
		{
			name: "the nearer preset wins over the root, in any order", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Model: "chat-base-2.5"}, 3), over(tuning.Match{Model: "base"}, 2)}},
			q: tuning.Query{Name: "gemini-2.5-pro", Chat: true}, want: "gemini-2.5-pro 3 0.95 64 budget 8192 thoughts",
		},
		{
			name: "and over the model's own name", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Model: "base"}, 2), over(tuning.Match{Model: "gemini-2.5-pro"}, 3)}},
			q: tuning.Query{Name: "gemini-2.5-pro", Chat: true}, want: "gemini-2.5-pro 2 0.95 64 budget 8192 thoughts",
		},
		{
			name: "the one that says more wins", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Model: "m", Scope: "core"}, 3), over(tuning.Match{Model: "m"}, 2)}},
			q: tuning.Query{Name: "m"}, want: "m 3",
		},
		{name: "the later one wins", o: tuning.Options{Overrides: []tuning.Override{over(tuning.Match{Model: "m"}, 2), over(tuning.Match{Model: "m"}, 3)}}, q: tuning.Query{Name: "m"}, want: "m 3"},
		{
			name: "a repeated request of a cold conversation is asked warmly", o: tuning.Options{Presets: map[string]tuning.Preset{"chat-base-2.5": level("chat-base", 0)}},
			q: tuning.Query{Name: "gemini-2.5-pro", Chat: true, Retry: true}, want: "gemini-2.5-pro 1 0.95 64 thoughts",
		},

		{name: "no model", q: tuning.Query{Name: "chat-base"}, error: `preset "chat-base" has no model`},
		{name: "a parent that is missing", o: tuning.Options{Presets: map[string]tuning.Preset{"a": {Extends: "b"}}}, error: `preset "a" extends unknown preset "b"`},
		{name: "a circle", o: tuning.Options{Presets: map[string]tuning.Preset{"a": {Extends: "b"}, "b": {Extends: "c"}, "c": {Extends: "a"}}}, error: `preset "a" extends itself by way of c, b, a`},
		{name: "itself", o: tuning.Options{Presets: map[string]tuning.Preset{"a": {Extends: "a"}}}, error: `preset "a" extends itself`},
		{name: "too deep", o: tuning.Options{Presets: stairs(101)}, error: "extends more than 100 others"},
		{name: "deep", o: tuning.Options{Presets: stairs(100)}, q: tuning.Query{Name: "step-100", Chat: true}, want: "m"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table, err := tuning.New(tt.o)
			var v tuning.Values
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
func stairs(n int) map[string]tuning.Preset {
	out := map[string]tuning.Preset{"step-1": {Values: tuning.Values{Model: "m"}}}
	for i := 2; i <= n; i++ {
		out[fmt.Sprintf("step-%d", i)] = tuning.Preset{Extends: fmt.Sprintf("step-%d", i-1)}
	}
	return out
}

// written formats values on one line: the model, then its configuration.
func written(v tuning.Values) string {
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
		v, err := tuning.Built().Look(tuning.Query{Name: string(p)})
		if err != nil || v.Model == string(p) {
			t.Errorf("%s: %+v, %v", p, v, err)
		}
	}
}
