package briefing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/settings"
)

// TestEditorContext sends two prompts with different states of the editor and checks the
// context of the second one.
func TestEditorContext(t *testing.T) {
	at := func(line, character uint32) ide.Range {
		p := ide.Position{Line: line, Character: character}
		return ide.Range{Start: p, End: p}
	}
	lines := func(from, to uint32) ide.Range {
		return ide.Range{Start: ide.Position{Line: from}, End: ide.Position{Line: to}}
	}
	many := make([]string, 12)
	for i := range many {
		many[i] = fmt.Sprintf("f%02d.go", i)
	}
	type focus struct {
		active string
		at     ide.Range
		open   []string
	}
	for _, tt := range []struct {
		name       string
		first      focus
		then       focus
		has, lacks []string
	}{
		{name: "nothing changed", first: focus{active: "a.go", open: []string{"a.go"}}, then: focus{active: "a.go", open: []string{"a.go"}}, lacks: []string{"<editor_context>"}},
		{
			name: "the cursor moved, counted in characters from one", first: focus{active: "a.go"}, then: focus{active: "a.go", at: at(1, 4)},
			has: []string{"Changed in the editor", "Cursor: line 2, column 4\n"}, lacks: []string{"Active file", "Open files"}, // 𝄞 is two units of UTF-16
		},
		{name: "a selection", first: focus{active: "a.go"}, then: focus{active: "a.go", at: lines(0, 1)}, has: []string{"Selected in a.go, lines 1 to 1:\nvar x = 1\n"}},
		{name: "a selection that is cleared", first: focus{active: "a.go", at: lines(0, 1)}, then: focus{active: "a.go"}, has: []string{"Nothing is selected now."}, lacks: []string{"var x"}},
		{name: "another file", first: focus{active: "a.go"}, then: focus{active: "f01.go", open: []string{"f01.go", "a.go"}}, has: []string{"Active file: f01.go", "- f01.go\n- a.go\n"}},
		{name: "no editor is active", first: focus{active: "a.go"}, then: focus{}, has: []string{"No editor is active now."}, lacks: []string{"Active file"}},
		{name: "a file was closed", first: focus{active: "a.go", open: []string{"a.go", "f01.go"}}, then: focus{active: "a.go", open: []string{"a.go"}}, has: []string{"Open files", "- a.go\n"}, lacks: []string{"f01.go"}},
		{name: "ten files at most", first: focus{active: "a.go", open: []string{"a.go"}}, then: focus{active: "a.go", open: many}, has: []string{"- f09.go\n"}, lacks: []string{"- f10.go", "- f11.go"}},
		{name: "a long selection", first: focus{active: "a.go"}, then: focus{active: "long.txt", at: lines(0, 2000)}, has: []string{"(the rest of the selection is left out)", "row 1 "}, lacks: []string{"row 1999 "}},
		{name: "a file that looks secret", first: focus{active: "a.go"}, then: focus{active: ".env", at: lines(0, 1)}, has: []string{"Active file: (a file that is hidden from you"}, lacks: []string{".env", "hunter2"}},
		{name: "open files that are hidden", first: focus{active: "a.go"}, then: focus{active: "a.go", open: []string{"a.go", ".env", "secrets.txt", "f01.go"}}, has: []string{"- a.go\n- f01.go\n"}, lacks: []string{".env", "secrets.txt"}},
		{name: "an ignored file is active", first: focus{active: "a.go"}, then: focus{active: "secrets.txt", at: lines(0, 1)}, has: []string{"Active file: (a file that is hidden from you"}, lacks: []string{"secrets.txt", "swordfish"}},
		{name: "a range beyond the text", first: focus{active: "f01.go"}, then: focus{active: "f02.go", at: lines(900, 901)}, has: []string{"Active file: f02.go"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{".geminiignore": "secrets.txt\n"}, []modeltest.Reply{agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				w.Options = func(o *state.Options) {
					o.Settings.Context.FileFiltering = settings.FileFiltering{RespectGitIgnore: true, RespectGeminiIgnore: true}
				}
				w.Stop()
				w.Start()
				w.Editor.Open(w.URI("secrets.txt"), "swordfish\n")
				w.Editor.Open(w.URI("a.go"), "var x = 1\n\"𝄞\" + y\n")
				w.Editor.Open(w.URI(".env"), "KEY=hunter2\n")
				var long strings.Builder
				for i := range 2000 {
					fmt.Fprintf(&long, "row %d of the long text\n", i)
				}
				w.Editor.Open(w.URI("long.txt"), long.String())
				for _, name := range many {
					w.Editor.Open(w.URI(name), "package f\n")
				}
				s := w.Session(policy.Default)
				for _, f := range []focus{tt.first, tt.then} {
					given := &frontend.Focus{Selections: []ide.Range{f.at}}
					if f.active != "" {
						given.Active = ide.ParseURI(w.URI(f.active))
					}
					for _, name := range f.open {
						given.Open = append(given.Open, ide.ParseURI(w.URI(name)))
					}
					if given.Open == nil {
						given.Open = []ide.URI{ide.ParseURI(w.URI("a.go"))}
					}
					if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("look"), Focus: given}); err != nil {
						t.Fatal(err)
					}
				}
				_, sent, _ := strings.Cut(agenttest.TextOf(w.LastRequest()), "Done.")
				if len(sent) > 20<<10 {
					t.Errorf("%d bytes are sent", len(sent))
				}
				for _, want := range tt.has {
					if !strings.Contains(sent, want) {
						t.Errorf("%q is missing in\n%.600s", want, sent)
					}
				}
				for _, not := range tt.lacks {
					if strings.Contains(sent, not) {
						t.Errorf("%q should not be in\n%.600s", not, sent)
					}
				}
			})
		})
	}
}

// TestEditorContextIsWholeInTheTurnThatWasSummarized: the summary replaces the prompt that
// said what is open and selected, so the turn says it again.
func TestEditorContextIsWholeInTheTurnThatWasSummarized(t *testing.T) {
	agenttest.InWorld(t, nil, agenttest.Answers("one", "two", "three", agenttest.Summary, agenttest.Summary, "four", "five"), func(t *testing.T, w *agenttest.World) {
		w.LimitTokens(80_000)
		w.Editor.Open(w.URI("a.go"), "var x = 1\n")
		a := ide.ParseURI(w.URI("a.go"))
		look := &frontend.Focus{Active: a, Open: []ide.URI{a}, Selections: []ide.Range{{End: ide.Position{Line: 1}}}}
		s := w.Session("")
		ask := func(text string) {
			if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say(text), Focus: look}); err != nil {
				t.Fatal(err)
			}
		}
		for _, word := range []string{"first", "second", "third", "fourth"} {
			ask(agenttest.LongText(word))
		}
		has := []string{"The user counts sheep.", "Active file: a.go", "Selected in a.go, lines 1 to 1:\nvar x = 1\n"}
		w.CheckShown(has, []string{"first sheep"})
		ask("and now")
		w.CheckShown(has, nil)
		if n := strings.Count(agenttest.TextOf(w.LastRequest()), "<editor_context>"); n != 1 {
			t.Errorf("the model is shown the editor's state %d times", n)
		}
	})
}
