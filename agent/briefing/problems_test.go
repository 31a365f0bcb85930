package briefing_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
)

// Each prompt has the diagnostics of open files: all at first, then the changes.
func TestPromptsHaveTheEditorsDiagnostics(t *testing.T) {
	problem := func(line, severity int, source, message string) string {
		return fmt.Sprintf(`{"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":1}},"severity":%d,"source":%q,"message":%q}`, line, line, severity, source, message)
	}
	var many []string
	for i := range 40 {
		many = append(many, problem(i, 1, "go", "undefined: "+strings.Repeat("x", 1000)))
	}
	one := map[string][]string{"a.go": {problem(2, 2, "lint", "unused\nvariable"), problem(1, 1, "go", "undefined: y")}}
	for _, tt := range []struct {
		name        string
		first, then map[string][]string
		has, lacks  []string // parts of the second prompt's context
	}{
		{name: "errors first, each in one line", then: one, has: []string{"Problems in a.go:\n- line 2, error: undefined: y (go)\n- line 3, warning: unused variable (lint)\n"}},
		{name: "nothing changed", first: one, then: one, lacks: []string{"Problems"}},
		{name: "one is gone", first: one, then: map[string][]string{"a.go": one["a.go"][1:]}, has: []string{"Problems in a.go:\n- line 2, error"}, lacks: []string{"unused"}},
		{name: "all are gone", first: one, has: []string{"No problems are shown in a.go any more."}},
		{name: "another file's are not repeated", first: one, then: map[string][]string{"a.go": one["a.go"], "b.go": {problem(0, 0, "", "bad")}}, has: []string{"Problems in b.go:\n- line 1, error: bad\n"}, lacks: []string{"a.go"}},
		{name: "hints, emendo's own and other files' are left out", then: map[string][]string{"a.go": {problem(0, 4, "go", "hint"), problem(0, 2, "emendo", "hunk")}, "c.go": {problem(0, 1, "go", "not open")}}, lacks: []string{"hint", "hunk", "not open"}},
		{name: "a file that looks secret", then: map[string][]string{".env": {problem(0, 1, "sh", "KEY is not used")}}, lacks: []string{"KEY"}},
		{name: "bounded", then: map[string][]string{"a.go": many}, has: []string{"\n- 30 more\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				for _, name := range []string{"a.go", "b.go", ".env"} {
					w.Editor.Open(w.URI(name), "one\ntwo\nthree\n")
				}
				s := w.Session(policy.Default)
				for _, problems := range []map[string][]string{tt.first, tt.then} {
					w.Editor.Problems = func([]ide.URI) json.RawMessage {
						items := []string{}
						for name, l := range problems {
							items = append(items, fmt.Sprintf(`{"uri":%q,"diagnostics":[%s]}`, w.URI(name), strings.Join(l, ",")))
						}
						return json.RawMessage("[" + strings.Join(items, ",") + "]")
					}
					if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("look"), Focus: &frontend.Focus{Active: ide.ParseURI(w.URI("a.go"))}}); err != nil {
						t.Fatal(err)
					}
				}
				_, sent, _ := strings.Cut(agenttest.TextOf(w.LastRequest()), "Done.")
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
				if len(sent) > 8<<10 {
					t.Errorf("%d bytes are sent", len(sent))
				}
			})
		})
	}
}
