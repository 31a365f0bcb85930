package chat_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
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

// What goes with the next prompt, and what of it is kept back, is said to clients that draw.
func TestChipsOfTheNextPrompt(t *testing.T) {
	drawing := lsptest.Recorded("helix").With("experimental.emendo", worldtest.Obj{"view": 1})
	play(t, drawing, nil, func(w *world) {
		w.Write(".env", "KEY=hunter2\n")
		w.Write("AGENTS.md", "Speak plainly.\n")
		uri := w.Open()
		id := w.Session(nil)
		lines := func(first, last int) worldtest.Obj {
			return worldtest.Obj{"start": worldtest.Obj{"line": first, "character": 0}, "end": worldtest.Obj{"line": last, "character": 0}}
		}
		type chip struct {
			Kind, Label, Note, Off string
		}
		chips := func(active string, prompt ...worldtest.Obj) (l []chip) {
			t.Helper()
			w.Notify("emendo/editor/didChangeContext", worldtest.Obj{"activeEditor": worldtest.Obj{"uri": active, "selections": []any{lines(0, 0)}}})
			var got struct {
				Chips []struct {
					Kind, Off   string
					Label, Note struct{ Text string }
				}
			}
			w.Call("emendo/context/list", worldtest.Obj{"sessionId": id, "next": true, "prompt": append([]worldtest.Obj{}, prompt...)}, &got)
			for _, c := range got.Chips {
				l = append(l, chip{c.Kind, c.Label.Text, c.Note.Text, c.Off})
			}
			return l
		}
		link := worldtest.Obj{"type": "resource_link", "uri": uri, "name": "main.go", "_meta": worldtest.Obj{"range": lines(0, 2)}}
		secret := worldtest.Obj{"type": "resource_link", "uri": w.URI(".env"), "name": ".env", "_meta": worldtest.Obj{"range": lines(0, 1)}}
		gone := worldtest.Obj{"type": "resource_link", "uri": w.URI("gone.go"), "name": "gone.go", "_meta": worldtest.Obj{"range": lines(0, 1)}}
		text := worldtest.Obj{"type": "resource", "resource": worldtest.Obj{"uri": "untitled:a#L1-2", "text": "a"}, "_meta": worldtest.Obj{"emendo": worldtest.Obj{"kind": "selection", "label": "a:1-2"}}}
		unread := "The file cannot be read: read " + strings.TrimPrefix(w.URI("gone.go"), "file://") + ": no such file or directory."
		rules, tree := chip{Kind: "context_file", Label: "AGENTS.md"}, chip{Kind: "folders", Label: "Folder tree"}
		file := chip{Kind: "editor", Label: "main.go"}
		for _, c := range []struct {
			name, active string
			prompt       []worldtest.Obj
			want         []chip
		}{
			{"lines and a text", uri, []worldtest.Obj{link, text}, []chip{{Kind: "linked", Label: "main.go:1-2"}, {Kind: "linked", Label: "a:1-2"}, file, rules, tree}},
			{"what is kept back", w.URI("none.go"), []worldtest.Obj{secret}, []chip{{"linked", ".env:1", "The file looks as if it holds secrets.", "kept"}, {"editor", "none.go", "Outside of the workspace", "kept"}, rules, tree}},
			{"each for its own reason", uri, []worldtest.Obj{gone, secret}, []chip{{"linked", "gone.go:1", unread, "kept"}, {"linked", ".env:1", "The file looks as if it holds secrets.", "kept"}, file, rules, tree}},
		} {
			if diff := cmp.Diff(c.want, chips(c.active, c.prompt...)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
		for kind, file := range map[string]string{"editor": uri, "context_file": w.URI("AGENTS.md")} {
			w.Call("emendo/context/exclude", worldtest.Obj{"sessionId": id, "kind": kind, "uri": file, "on": true}, nil)
		}
		const out = "Left out of the session"
		if diff := cmp.Diff([]chip{{"editor", "main.go", out, "left_out"}, {"context_file", "AGENTS.md", out, "left_out"}, tree}, chips(uri)); diff != "" {
			t.Errorf("left out (-want +got):\n%s", diff)
		}
	})
}
