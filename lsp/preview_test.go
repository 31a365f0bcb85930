package lsp_test

import (
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// carried has the fields of an answer to emendo/context/list that are checked.
type carried struct {
	Items    []struct{ Kind, Source, URI string }
	Withheld []struct{ Title, Reason string }
}

func (c carried) kinds() (kinds []string) {
	for _, i := range c.Items {
		kinds = append(kinds, i.Kind)
	}
	return kinds
}

func TestContextOfTheNextPrompt(t *testing.T) {
	play(t, plugin, []modeltest.Reply{say("Hello.")}, func(w *world) {
		w.write(".env", "KEY=hunter2\n")
		uri := w.open()
		w.notify("emendo/editor/didChangeContext", obj{"activeEditor": obj{"uri": uri, "selections": []any{w.rangeOf(uri, "// one")}}})
		id := w.session(nil)
		next := func(params obj) (got carried) {
			params["sessionId"], params["next"] = id, true
			params["prompt"] = []obj{{"type": "text", "text": "See @main.go and @.env"}}
			w.call("emendo/context/list", params, &got)
			return got
		}
		got := next(obj{})
		if kinds := got.kinds(); !slices.Equal(kinds, []string{"environment", "folders", "editor", "linked", "prompt"}) || len(got.Withheld) != 1 || got.Withheld[0].Title != ".env was not sent" {
			t.Errorf("got %+v", got)
		}
		if linked := got.Items[3]; linked.URI != uri || got.Items[0].URI != "" {
			t.Errorf("the file is %+v, the environment %+v", linked, got.Items[0])
		}
		for name, params := range map[string]obj{
			"without the editor":      {"context": false, "exclude": []obj{{"kind": "folders"}}},
			"with all of it left out": {"exclude": []obj{{"kind": "folders"}, {"kind": "editor"}}},
		} {
			if kinds := next(params).kinds(); !slices.Equal(kinds, []string{"environment", "linked", "prompt"}) {
				t.Errorf("%s: got %v", name, kinds)
			}
		}
		if kinds := next(obj{"exclude": []obj{{"uri": uri}}}).kinds(); !slices.Equal(kinds, []string{"environment", "folders", "prompt"}) {
			t.Errorf("without the file: got %v", kinds)
		}
		var last carried
		w.call("emendo/context/list", obj{"sessionId": id}, &last)
		if len(last.Items) != 0 || len(w.model.Requests()) != 0 {
			t.Errorf("a preview is recorded: %+v", last)
		}
		bad := obj{"sessionId": id, "next": true, "exclude": []obj{{"kind": "system"}}}
		w.refused(w.e.Call(w.Context(), "emendo/context/list", bad, nil), rpc.InvalidParams, "")
		prompt := promptOf(id, "Hello")
		prompt["exclude"] = []obj{{"kind": "system"}}
		w.refused(w.e.Call(w.Context(), "emendo/session/prompt", prompt, nil), rpc.InvalidParams, "")
		prompt["exclude"] = []obj{{"kind": "editor"}}
		w.call("emendo/session/prompt", prompt, nil)
		w.call("emendo/context/list", obj{"sessionId": id}, &last)
		if slices.Contains(last.kinds(), "editor") || len(last.Items) == 0 {
			t.Errorf("the prompt carried %v", last.kinds())
		}
	})
}
