package present_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// told has the data of an error.
type told struct {
	Code    string
	Text    *view.Text
	Actions []view.Action
}

// toldBy returns what the answer to a request that failed has for the user.
func toldBy(t *testing.T, err error) (out told) {
	t.Helper()
	var coded *rpc.Error
	if !errors.As(err, &coded) {
		t.Fatalf("the request failed with %v", err)
	}
	if raw, ok := coded.Data.(json.RawMessage); ok {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// A request that fails says so in words for the user, and what helps, to a client that draws.
func TestErrorsAreWorded(t *testing.T) {
	refused := []modeltest.Reply{{modeltest.FailWith(&model.Error{Kind: model.Auth, Message: "no key"})}}
	play(t, refused, func(d *drawing) {
		id := d.Session(nil)
		err := d.Editor.Call(d.Context(), "emendo/session/prompt", worldtest.PromptOf(id, "Hello"), nil)
		got := toldBy(t, err)
		want := told{"auth_required", &view.Text{Text: "Sign in to go on: no key", Code: "error.auth_required", Args: phrase.Args{{Name: "why", Value: "no key"}}}, []view.Action{view.Door(view.ClientSignIn), view.Door(view.ClientModel)}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		for method, text := range map[string]string{
			"emendo/session/load":    "This conversation does not exist any more.",
			"emendo/session/setMode": `Unknown mode "fast": want default, auto_edit, plan or yolo`,
		} {
			err := d.Editor.Call(d.Context(), method, worldtest.Obj{"sessionId": "none", "mode": "fast"}, nil)
			if got := toldBy(t, err); got.Text == nil || got.Text.Text != text {
				t.Errorf("%s says %+v, want %q", method, got.Text, text)
			}
		}
	})
}

// A client that does not draw gets errors as before.
func TestErrorsOfOtherClientsHaveNoText(t *testing.T) {
	worldtest.Play(t, lsptest.Recorded("helix").With("experimental.emendo", worldtest.Obj{"session": true}), nil, func(w *worldtest.World) {
		err := w.Editor.Call(w.Context(), "emendo/session/load", worldtest.Obj{"sessionId": "none"}, nil)
		if got := toldBy(t, err); got.Code != "unknown_session" || got.Text != nil || got.Actions != nil {
			t.Errorf("told is %+v", got)
		}
	})
}
