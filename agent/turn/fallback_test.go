package turn_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/settings"
)

// answering is a client with the same answer to every question.
type answering struct {
	*agenttest.World
	word string
}

func (a answering) Elicit(context.Context, frontend.Elicitation) (frontend.Elicited, error) {
	if a.word == "" {
		return frontend.Elicited{}, frontend.ErrCannotElicit
	}
	return frontend.Elicited{Values: [][]string{{a.word}}}, nil
}

func TestAnotherModelTakesOver(t *testing.T) {
	fast := candidates("flash")[0]
	for _, c := range []struct {
		name   string
		may    settings.Fallback
		word   string
		models []string // that were asked
		notice transcript.NoticeCode
	}{
		{name: "always", may: settings.FallbackAlways, models: []string{"gemini-3-pro-preview", fast, fast}, notice: transcript.NoticeModelFallback},
		{name: "the user says yes", may: settings.FallbackAsk, word: "Yes", models: []string{"gemini-3-pro-preview", fast, fast}, notice: transcript.NoticeModelFallback},
		{name: "the user says no", may: settings.FallbackAsk, word: "No", models: []string{"gemini-3-pro-preview"}, notice: transcript.NoticeError},
		{name: "the user cannot be asked", may: settings.FallbackAsk, models: []string{"gemini-3-pro-preview"}, notice: transcript.NoticeError},
		{name: "never", may: settings.FallbackNever, models: []string{"gemini-3-pro-preview"}, notice: transcript.NoticeError},
		{name: "nothing is set", models: []string{"gemini-3-pro-preview"}, notice: transcript.NoticeError},
	} {
		t.Run(c.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{
				{modeltest.Say("half an answer"), modeltest.Fail(model.Quota)},
				{agenttest.Call("list_directory", map[string]any{"dir_path": "."})},
				{modeltest.Say("done")},
			}, func(t *testing.T, w *agenttest.World) {
				w.Options = func(o *state.Options) {
					o.Client, o.Settings.Model.Fallback, o.Model = answering{w, c.word}, c.may, "gemini-3-pro-preview"
				}
				w.Stop()
				w.Start()
				_, err := w.Session("").Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("go")})
				if failed := c.notice == transcript.NoticeError; failed != (err != nil) {
					t.Errorf("the turn's error is %v", err)
				}
				var models []string
				for _, r := range w.Model.Requests() {
					models = append(models, r.Model)
				}
				if !slices.Equal(models, c.models) {
					t.Errorf("asked were %v, want %v", models, c.models)
				}
				if codes, _ := w.Notices(); !slices.Equal(codes, []transcript.NoticeCode{c.notice}) {
					t.Errorf("the notices are %v, want %s", codes, c.notice)
				}
				if strings.Contains(w.Shown(), "half") {
					t.Error("the answer that broke off is still shown")
				}
			})
		})
	}
}
