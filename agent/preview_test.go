package agent_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

// kindsIn returns the kinds and the sources of context items below the workspace.
func kindsIn(w *agenttest.World, items []transcript.ContextItem) string {
	var l []string
	for _, i := range items {
		if i.Size == 0 || i.Reason == "" || i.Origin == "" {
			w.T.Errorf("an item lacks something: %+v", i)
		}
		l = append(l, strings.TrimSuffix(i.Kind+" "+strings.TrimPrefix(strings.TrimPrefix(i.Source, w.Dir), "/"), " "))
	}
	return strings.Join(l, ", ")
}

// The preview matches the prompt before and after the first prompt, with and without
// exclusions.
func TestPreviewMatchesThePrompt(t *testing.T) {
	files := map[string]string{"AGENTS.md": "Be brief.\n", "main.go": "package main // one\n", "other.go": "package main // two\n", ".env": "KEY=hunter2\n"}
	agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Editor.Open(w.URI("main.go"), files["main.go"])
		s := w.Session(policy.Default)
		p := state.Prompt{
			Blocks: agenttest.Say("Explain @other.go and @.env"), Snapshot: w.Workspace.Snapshot(),
			Focus: &frontend.Focus{Active: ide.ParseURI(w.URI("main.go"))},
		}
		preview := func() string {
			items, withheld := s.Preview(t.Context(), p)
			if len(withheld) != 1 || !strings.HasPrefix(withheld[0].Title, ".env was not sent") {
				t.Errorf("withheld %+v", withheld)
			}
			return kindsIn(w, items)
		}
		if got, want := preview(), "context_file AGENTS.md, environment, folders, editor main.go, linked other.go, prompt"; got != want {
			t.Errorf("the first prompt: got %s, want %s", got, want)
		}
		if n := len(w.Model.Requests()); n != 0 || len(w.Updates) != 0 {
			t.Errorf("%d requests, updates %v", n, kindsOf(w.Updates))
		}
		p.Exclude = transcript.Exclusions{{Kind: transcript.KindContextFile}, {Path: w.Dir + "/main.go"}, {Kind: transcript.KindFolders}}
		if got, want := preview(), "environment, linked other.go, prompt"; got != want {
			t.Errorf("with exclusions: got %s, want %s", got, want)
		}
		if _, err := s.Prompt(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		asked := w.LastRequest().System + agenttest.TextOf(w.LastRequest())
		if !strings.Contains(asked, "// two") || strings.Contains(asked, "Be brief.") || strings.Contains(asked, "main.go") || strings.Contains(asked, "hunter2") {
			t.Errorf("the model is asked %s", asked)
		}
		p.Exclude = nil
		if got, want := preview(), "context_file AGENTS.md, editor main.go, linked other.go, prompt"; got != want {
			t.Errorf("the second prompt: got %s, want %s", got, want)
		}
		if _, err := s.Prompt(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		asked = w.LastRequest().System + agenttest.TextOf(w.LastRequest())
		if !strings.Contains(asked, "Be brief.") || !strings.Contains(asked, "Active file: main.go") {
			t.Errorf("the exclusions of one prompt outlive it: %s", asked)
		}
	})
}
