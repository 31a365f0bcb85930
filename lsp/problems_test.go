package lsp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

// The problems of all files are asked for without a list of files, so that no client takes an empty list for no files.
func TestAllProblemsAreAskedForWithoutAList(t *testing.T) {
	play(t, plugin, []modeltest.Reply{say("Seen.")}, func(w *world) {
		uri := w.open()
		var asked []string
		w.e.Problems = func(params json.RawMessage) []any {
			asked = append(asked, string(params))
			var p struct{ URIs []string }
			if err := json.Unmarshal(params, &p); err != nil {
				t.Error(err)
			}
			if p.URIs != nil {
				return []any{} // the files of the editor's context
			}
			at := obj{"line": 2, "character": 0}
			return []any{obj{"uri": uri, "diagnostics": []obj{{"range": obj{"start": at, "end": at}, "severity": 1, "message": "undefined: y"}}}}
		}
		id := w.session(nil)
		w.prompt(id, "Fix @problems")
		if got := w.request(0); !strings.Contains(got, "line 3, error: undefined: y") {
			t.Errorf("the model is asked %s", got)
		}
		if !slices.Contains(asked, "{}") {
			t.Errorf("asked: %v", asked)
		}
	})
}
