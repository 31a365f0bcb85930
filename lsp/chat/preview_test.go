package chat_test

import (
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
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
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("Hello.")}, func(w *world) {
		w.Write(".env", "KEY=hunter2\n")
		uri := w.Open()
		w.Notify("emendo/editor/didChangeContext", worldtest.Obj{"activeEditor": worldtest.Obj{"uri": uri, "selections": []any{w.RangeOf(uri, "// one")}}})
		id := w.Session(nil)
		next := func(params worldtest.Obj) (got carried) {
			params["sessionId"], params["next"] = id, true
			params["prompt"] = []worldtest.Obj{{"type": "text", "text": "See @main.go and @.env"}}
			w.Call("emendo/context/list", params, &got)
			return got
		}
		got := next(worldtest.Obj{})
		if kinds := got.kinds(); !slices.Equal(kinds, []string{"environment", "folders", "editor", "linked", "prompt"}) || len(got.Withheld) != 1 || got.Withheld[0].Title != ".env was not sent" {
			t.Errorf("got %+v", got)
		}
		if linked := got.Items[3]; linked.URI != uri || got.Items[0].URI != "" {
			t.Errorf("the file is %+v, the environment %+v", linked, got.Items[0])
		}
		for name, params := range map[string]worldtest.Obj{
			"without the editor":      {"context": false, "exclude": []worldtest.Obj{{"kind": "folders"}}},
			"with all of it left out": {"exclude": []worldtest.Obj{{"kind": "folders"}, {"kind": "editor"}}},
		} {
			if kinds := next(params).kinds(); !slices.Equal(kinds, []string{"environment", "linked", "prompt"}) {
				t.Errorf("%s: got %v", name, kinds)
			}
		}
		if kinds := next(worldtest.Obj{"exclude": []worldtest.Obj{{"uri": uri}}}).kinds(); !slices.Equal(kinds, []string{"environment", "folders", "prompt"}) {
			t.Errorf("without the file: got %v", kinds)
		}
		var last carried
		w.Call("emendo/context/list", worldtest.Obj{"sessionId": id}, &last)
		if len(last.Items) != 0 || len(w.Model.Requests()) != 0 {
			t.Errorf("a preview is recorded: %+v", last)
		}
		bad := worldtest.Obj{"sessionId": id, "next": true, "exclude": []worldtest.Obj{{"kind": "system"}}}
		w.Refused(w.Editor.Call(w.Context(), "emendo/context/list", bad, nil), rpc.InvalidParams, "")
		prompt := worldtest.PromptOf(id, "Hello")
		prompt["exclude"] = []worldtest.Obj{{"kind": "system"}}
		w.Refused(w.Editor.Call(w.Context(), "emendo/session/prompt", prompt, nil), rpc.InvalidParams, "")
		prompt["exclude"] = []worldtest.Obj{{"kind": "editor"}}
		w.Call("emendo/session/prompt", prompt, nil)
		w.Call("emendo/context/list", worldtest.Obj{"sessionId": id}, &last)
		if slices.Contains(last.kinds(), "editor") || len(last.Items) == 0 {
			t.Errorf("the prompt carried %v", last.kinds())
		}
	})
}
