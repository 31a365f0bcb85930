package lsp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// The problems of all files are asked for without a list of files, so that no client takes an empty list for no files.
func TestAllProblemsAreAskedForWithoutAList(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("Seen.")}, func(w *world) {
		uri := w.Open()
		var asked []string
		w.Editor.Problems = func(params json.RawMessage) []any {
			asked = append(asked, string(params))
			var p struct{ URIs []string }
			if err := json.Unmarshal(params, &p); err != nil {
				t.Error(err)
			}
			if p.URIs != nil {
				return []any{} // the files of the editor's context
			}
			at := worldtest.Obj{"line": 2, "character": 0}
			return []any{worldtest.Obj{"uri": uri, "diagnostics": []worldtest.Obj{{"range": worldtest.Obj{"start": at, "end": at}, "severity": 1, "message": "undefined: y"}}}}
		}
		id := w.Session(nil)
		w.Prompt(id, "Fix @problems")
		if got := w.Request(0); !strings.Contains(got, "line 3, error: undefined: y") {
			t.Errorf("the model is asked %s", got)
		}
		if !slices.Contains(asked, "{}") {
			t.Errorf("asked: %v", asked)
		}
	})
}
