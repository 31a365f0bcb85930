package chat_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestTurnIsStreamedAndAnswered(t *testing.T) {
	reply := modeltest.Reply{modeltest.Say("Hel"), modeltest.Pause(time.Second), modeltest.Say("lo."), modeltest.Usage(model.Usage{Input: 7, Output: 2, Total: 9})}
	play(t, worldtest.Plugin, []modeltest.Reply{reply}, func(w *world) {
		id := w.Session(worldtest.Obj{"mode": "plan"})
		end := w.Prompt(id, "Hi 42")
		us := w.Editor.Seen().Updates
		if want := "user_message_chunk session_info_update agent_message_chunk usage_update _emendo/response_finished _emendo/turn_ended"; worldtest.Kinds(us) != want {
			t.Errorf("got %s, want %s", worldtest.Kinds(us), want)
		}
		if worldtest.Said(us) != "Hello." || end.StopReason != "end_turn" {
			t.Errorf("it said %q and ended %+v", worldtest.Said(us), end)
		}
		for i, u := range us {
			if u.Seq != int64(i+1) || u.SessionID != id || u.TurnID != end.TurnID || u.Replay {
				t.Errorf("update %d is %+v", i+1, u)
			}
		}
		if !strings.Contains(w.Request(0), "Hi 42") {
			t.Error("the prompt did not reach the model")
		}
	})
}

func TestSessionInfoIsWhole(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		var r struct{ Session map[string]any }
		w.Call("emendo/session/new", worldtest.Obj{"cwd": w.Dir, "mode": "auto_edit", "model": "other"}, &r)
		for _, k := range []string{"sessionId", "title", "cwd", "roots", "createdAt", "updatedAt", "model", "mode", "turns", "usage"} {
			if _, ok := r.Session[k]; !ok {
				t.Errorf("it lacks %s", k)
			}
		}
		if r.Session["cwd"] != w.Dir || r.Session["mode"] != "auto_edit" || r.Session["model"] != "other" {
			t.Errorf("got %v", r.Session)
		}
		if at, err := time.Parse("2006-01-02T15:04:05.000Z", r.Session["createdAt"].(string)); err != nil || at.IsZero() {
			t.Errorf("createdAt: %v", err)
		}
		if u := r.Session["usage"].(map[string]any); len(u) != 7 {
			t.Errorf("usage %v", u)
		}
	})
}

func TestBadParameters(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("Fine.")}, func(w *world) {
		id := w.Session(nil)
		text := []worldtest.Obj{{"type": "text", "text": "x"}}
		for _, c := range []struct {
			method string
			params any
		}{
			{"emendo/session/prompt", worldtest.Obj{}},
			{"emendo/session/prompt", []int{1}},
			{"emendo/session/prompt", worldtest.Obj{"sessionId": 7, "prompt": text}},
			{"emendo/session/prompt", worldtest.Obj{"sessionId": id, "prompt": "text"}},
			{"emendo/session/prompt", worldtest.Obj{"sessionId": id, "prompt": []worldtest.Obj{}}},
			{"emendo/session/prompt", worldtest.Obj{"sessionId": id}},
			{"emendo/session/prompt", worldtest.Obj{"sessionId": id, "prompt": []worldtest.Obj{{"type": "text", "text": " \n"}}}},
			{"emendo/session/prompt", worldtest.Obj{"sessionId": id, "prompt": []worldtest.Obj{{"type": "nonsense"}}}},
			{"emendo/session/prompt", worldtest.Obj{"sessionId": id, "prompt": []worldtest.Obj{{"type": "text"}}}},
			{"emendo/session/new", worldtest.Obj{"cwd": "relative"}},
			{"emendo/session/new", worldtest.Obj{"cwd": w.Dir + "/main.go"}},
			{"emendo/session/new", worldtest.Obj{"cwd": w.Dir + "/none"}},
			{"emendo/session/new", worldtest.Obj{"mode": "sometimes"}},
			{"emendo/session/new", worldtest.Obj{"cwd": 7}},
			{"emendo/session/load", worldtest.Obj{}},
			{"emendo/session/close", nil},
			{"emendo/session/delete", worldtest.Obj{"sessionId": ""}},
			{"emendo/session/rename", worldtest.Obj{"sessionId": id}},
			{"emendo/session/list", worldtest.Obj{"limit": -1}},
			{"emendo/session/list", worldtest.Obj{"limit": "all"}},
			{"emendo/session/setMode", worldtest.Obj{"sessionId": id, "mode": "sometimes"}},
			{"emendo/session/setModel", worldtest.Obj{"sessionId": id}},
			{"emendo/session/replay", worldtest.Obj{"sessionId": id, "fromSeq": "one"}},
			{"emendo/session/inject", worldtest.Obj{"sessionId": id, "prompt": text, "how": "sometimes"}},
			{"emendo/session/inject", worldtest.Obj{"sessionId": id, "prompt": []worldtest.Obj{}, "how": "queue"}},
			{"emendo/session/inject", worldtest.Obj{"prompt": text, "how": "queue"}},
			{"emendo/session/rewind", worldtest.Obj{"sessionId": id, "turnId": "nope", "scope": "both"}},
			{"emendo/session/rewind", worldtest.Obj{"sessionId": id, "turnId": "nope", "scope": "all"}},
			{"emendo/session/rewind", worldtest.Obj{"sessionId": id, "scope": "both"}},
			{"emendo/session/compact", worldtest.Obj{}},
			{"emendo/context/list", worldtest.Obj{}},
			{"emendo/context/exclude", worldtest.Obj{"sessionId": id, "kind": "editor"}},
			{"emendo/context/exclude", worldtest.Obj{"sessionId": id, "kind": "nope", "on": true}},
			{"emendo/context/exclude", worldtest.Obj{"sessionId": id, "uri": "untitled:a", "on": true}},
			{"emendo/changes/list", worldtest.Obj{"state": "odd"}},
			{"emendo/changes/get", worldtest.Obj{"changeSetId": "nope"}},
			{"emendo/changes/resolve", worldtest.Obj{}},
			{"emendo/changes/resolve", worldtest.Obj{"decisions": []worldtest.Obj{{"changeSetId": "nope", "action": "accept"}}}},
			{"emendo/changes/resolve", worldtest.Obj{"decisions": []worldtest.Obj{{"changeSetId": "nope", "action": "eat"}}}},
			{"textDocument/codeAction", worldtest.Obj{}},
			{"textDocument/codeLens", worldtest.Obj{}},
			{"textDocument/hover", worldtest.Obj{"textDocument": worldtest.Obj{"uri": 1}}},
			{"textDocument/hover", worldtest.Obj{"textDocument": worldtest.Obj{"uri": w.URI("main.go")}, "position": worldtest.Obj{"line": -1, "character": 0}}},
			{"codeAction/resolve", []int{}},
			{"workspace/executeCommand", worldtest.Obj{"command": "emendo.fly"}},
			{"workspace/executeCommand", worldtest.Obj{"command": "emendo.ask", "arguments": "x"}},
			{"workspace/executeCommand", worldtest.Obj{"command": "emendo.ask", "arguments": []any{7}}},
			{"workspace/executeCommand", worldtest.Obj{"command": "emendo.accept", "arguments": []any{worldtest.Obj{"hunkId": "h"}}}},
			{"workspace/executeCommand", worldtest.Obj{"command": "emendo.accept", "arguments": []any{worldtest.Obj{"changeSetId": "nope"}}}},
			{"workspace/executeCommand", worldtest.Obj{"command": "emendo.setMode", "arguments": []any{worldtest.Obj{"mode": "odd"}}}},
			{"workspace/executeCommand", worldtest.Obj{"command": "emendo.trust", "arguments": []any{worldtest.Obj{"uri": "file:///elsewhere"}}}},
			{"workspace/executeCommand", worldtest.Obj{"command": "emendo.permission", "arguments": []any{worldtest.Obj{"sessionId": id}}}},
		} {
			err := w.Editor.Call(w.Context(), c.method, c.params, nil)
			if err == nil {
				t.Errorf("%s accepted %v", c.method, c.params)
			}
			w.Refused(err, rpc.InvalidParams, "")
		}
		if end := w.Prompt(id, "A good one"); end.StopReason != "end_turn" {
			t.Errorf("a good prompt afterwards: %+v", end)
		}
	})
}

func TestFailuresAreClassified(t *testing.T) {
	for _, c := range []struct {
		kind model.ErrorKind
		code string
	}{
		{model.Auth, "auth_required"},
		{model.Quota, "quota_exhausted"},
		{model.Overflow, "context_overflow"},
		{model.TLS, "tls_untrusted"},
		{model.Invalid, `provider_unavailable","kind":"invalid"`},
		{model.NotFound, `provider_unavailable","kind":"not_found"`},
		{model.RateLimited, "rate_limited"},
		{model.Unavailable, `provider_unavailable","kind":"unavailable"`},
		{model.Empty, "invalid_response"},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			replies := make([]modeltest.Reply, 20) // more than the number of attempts
			for i := range replies {
				replies[i] = modeltest.Reply{modeltest.Fail(c.kind)}
			}
			play(t, worldtest.Plugin, replies, func(w *world) {
				id := w.Session(nil)
				w.Refused(w.Editor.Call(w.Context(), "emendo/session/prompt", worldtest.PromptOf(id, "Hi"), nil), rpc.RequestFailed, c.code)
			})
		})
	}
}

func TestPromptWithoutCredentials(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		w.NoKey = true
		id := w.Session(nil)
		err := w.Editor.Call(w.Context(), "emendo/session/prompt", worldtest.PromptOf(id, "Hi"), nil)
		w.Refused(err, rpc.RequestFailed, "auth_required")
		if !strings.Contains(err.Error(), "GEMINI_API_KEY") {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if l := w.Editor.Seen().Statuses; len(l) == 0 || l[len(l)-1].Kind != "signed_out" {
			t.Errorf("the status is %+v", l)
		}
	})
}

func TestUnknownAndBusySessions(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		hold := make(chan struct{})
		w.Model.Replies = []modeltest.Reply{{modeltest.Hold(hold), modeltest.Say("One.")}, worldtest.Say("Other.")}
		for method, params := range map[string]worldtest.Obj{
			"prompt": worldtest.PromptOf("nope", "Hi"), "load": {"sessionId": "nope"}, "delete": {"sessionId": "../../etc"}, "close": {"sessionId": "nope"},
			"setMode": {"sessionId": "nope", "mode": "plan"}, "setModel": {"sessionId": "nope", "model": "m"}, "replay": {"sessionId": "nope"}, "rename": {"sessionId": "nope", "title": "x"},
			"fork": {"sessionId": "nope"}, "compact": {"sessionId": "nope"}, "rewind": {"sessionId": "nope", "turnId": "t", "scope": "both"}, "inject": worldtest.InjectionOf("nope", "Hi"),
		} {
			w.Refused(w.Editor.Call(w.Context(), "emendo/session/"+method, params, nil), rpc.RequestFailed, "unknown_session")
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/context/list", worldtest.Obj{"sessionId": "nope"}, nil), rpc.RequestFailed, "unknown_session")
		w.Refused(w.Editor.Call(w.Context(), "emendo/context/exclude", worldtest.Obj{"sessionId": "nope", "kind": "editor", "on": true}, nil), rpc.RequestFailed, "unknown_session")
		id := w.Session(nil)
		wait := w.Prompting(w.Context(), id, "one")
		err := w.Editor.Call(w.Context(), "emendo/session/prompt", worldtest.PromptOf(id, "two"), nil)
		w.Refused(err, rpc.RequestFailed, "busy")
		if !strings.Contains(err.Error(), "emendo/session/inject") {
			t.Errorf("it does not name inject: %v", err)
		}
		if end := w.Prompt(w.Session(nil), "beside it"); end.StopReason != "end_turn" {
			t.Errorf("another session: %+v", end)
		}
		close(hold)
		if _, err := wait(); err != nil {
			t.Errorf("the first: %v", err)
		}
	})
}

// Of two prompts sent while the agent starts, the first one runs.
func TestFirstPromptRuns(t *testing.T) {
	w := newWorld(t, nil)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(worldtest.Plugin)
		w.Model.Replies = []modeltest.Reply{worldtest.Say("Zero.")}
		id := w.Session(nil)
		w.Prompt(id, "zero")
		w.End()
		for range 20 {
			answer := make(chan struct{})
			w.Model.Replies = []modeltest.Reply{{modeltest.Hold(answer), modeltest.Say("One.")}}
			w.Hold = make(chan struct{})
			w.Start(worldtest.Plugin)
			first := w.Prompting(w.Context(), id, "one")
			second := w.Prompting(w.Context(), id, "two")
			close(w.Hold)
			synctest.Wait()
			close(answer)
			_, err := second()
			w.Refused(err, rpc.RequestFailed, "busy")
			if end, err := first(); err != nil || end.StopReason != "end_turn" {
				t.Errorf("the first: %+v, %v", end, err)
			}
			w.End()
		}
	})
}

func TestCancelledPromptsHaveAResult(t *testing.T) {
	for _, c := range []struct {
		name   string
		cancel func(w *world, id string)
	}{
		{"by the notification", func(w *world, id string) { w.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id}) }},
		{"by closing the session", func(w *world, id string) { w.Call("emendo/session/close", worldtest.Obj{"sessionId": id}, nil) }},
		{"by the command", func(w *world, _ string) { w.Command("emendo.cancel", nil, nil) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, worldtest.Plugin, []modeltest.Reply{{modeltest.Say("a"), worldtest.Forever}, worldtest.Say("Next.")}, func(w *world) {
				id := w.Session(nil)
				wait := w.Prompting(w.Context(), id, "Long")
				c.cancel(w, id)
				if end, err := wait(); err != nil || end.StopReason != "cancelled" || end.TurnID == "" {
					t.Errorf("got %+v, %v", end, err)
				}
				if end := w.Prompt(id, "Again"); end.StopReason != "end_turn" {
					t.Errorf("the next prompt: %+v", end)
				}
			})
		})
	}
}

func TestImmediateCancelIsNotLost(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{{worldtest.Forever}}, func(w *world) {
		id := w.Session(nil)
		done := make(chan worldtest.TurnEnd, 1)
		go func() {
			var r worldtest.TurnEnd
			if err := w.Editor.Call(context.WithoutCancel(w.Context()), "emendo/session/prompt", worldtest.PromptOf(id, "Hi"), &r); err != nil {
				t.Error(err)
			}
			done <- r
		}()
		// A cancel after the prompt ends it, however early; a cancel before it does
		// nothing.
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case r := <-done:
				if r.StopReason != "cancelled" {
					t.Errorf("got %+v", r)
				}
				return
			case <-tick.C:
				if err := w.Editor.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestWithdrawnPromptIsCancelled(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{{modeltest.Say("a"), worldtest.Forever}}, func(w *world) {
		id := w.Session(nil)
		ctx, withdraw := context.WithCancel(w.Context())
		wait := w.Prompting(ctx, id, "Long")
		withdraw()
		if _, err := wait(); err == nil {
			t.Error("the client's call continued")
		}
		synctest.Wait()
		us := w.Editor.Seen().Updates
		if last := us[len(us)-1]; last.Kind() != "_emendo/turn_ended" || !strings.Contains(string(last.Update), "cancelled") {
			t.Errorf("the last update is %s", last.Update)
		}
	})
}

func TestLoadListReplayRenameDelete(t *testing.T) {
	w := newWorld(t, []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two."), worldtest.Say("More.")})
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(worldtest.Plugin)
		id, other := w.Session(nil), w.Session(nil)
		w.Prompt(id, "apples please")
		w.Prompt(other, "pears please")
		w.Call("emendo/session/rename", worldtest.Obj{"sessionId": id, "title": "Fruit"}, nil)
		old := w.of(id)
		w.End()

		w.Start(worldtest.Plugin) // a new process
		w.Call("emendo/session/load", worldtest.Obj{"sessionId": id}, nil)
		now := w.of(id)
		if worldtest.Said(now) != "One." || len(now) != len(old) || now[len(now)-1].Seq != old[len(old)-1].Seq {
			t.Errorf("replayed %s, was %s", worldtest.Kinds(now), worldtest.Kinds(old))
		}
		for _, u := range now {
			if !u.Replay || u.TurnID == "" && u.Kind() != "session_info_update" {
				t.Errorf("replayed %+v", u)
			}
		}
		var replay struct {
			Updates []lsptest.Update
			NextSeq int64
		}
		w.Call("emendo/session/replay", worldtest.Obj{"sessionId": id, "fromSeq": 3}, &replay)
		if len(replay.Updates) != len(old)-2 || replay.Updates[0].Seq != 3 || replay.NextSeq != int64(len(old)+1) {
			t.Errorf("replay from 3 gave %d updates of %d, next %d", len(replay.Updates), len(old), replay.NextSeq)
		}
		if got := w.list(worldtest.Obj{"query": "fruit"}); len(got) != 1 || got[0] != id {
			t.Errorf("found %v", got)
		}
		if got := w.list(worldtest.Obj{"cwd": w.Dir, "limit": 1}); len(got) != 1 {
			t.Errorf("one page is %v", got)
		}
		if got := w.list(worldtest.Obj{"cwd": "/"}); len(got) != 0 {
			t.Errorf("elsewhere there are %v", got)
		}
		w.Prompt(id, "and now?")
		if !strings.Contains(w.Request(2), "apples please") {
			t.Error("the history is not whole")
		}
		w.Call("emendo/session/delete", worldtest.Obj{"sessionId": other}, nil)
		if got := w.list(nil); len(got) != 1 || got[0] != id {
			t.Errorf("left %v", got)
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/session/load", worldtest.Obj{"sessionId": other}, nil), rpc.RequestFailed, "unknown_session")
		w.End()
	})
}

func (w *world) of(id string) []lsptest.Update {
	var l []lsptest.Update
	for _, u := range w.Editor.Seen().Updates {
		if u.SessionID == id {
			l = append(l, u)
		}
	}
	return l
}

func (w *world) list(params any) (ids []string) {
	w.Helper()
	var r struct{ Sessions []struct{ SessionID string } }
	w.Call("emendo/session/list", params, &r)
	for _, s := range r.Sessions {
		ids = append(ids, s.SessionID)
	}
	return ids
}

func TestPromptSeesEarlierChanges(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two.")}, func(w *world) {
		u := w.Open()
		w.Typed(u, "return 1", "return 1 // unsaved-77")
		w.Notify("emendo/editor/didChangeContext", worldtest.Obj{
			"activeEditor": worldtest.Obj{"uri": u, "selections": []any{w.RangeOf(u, "// unsaved-77")}},
			"openEditors":  []worldtest.Obj{{"uri": u, "lastFocused": "2026-01-01T00:00:00.000Z"}},
		})
		id := w.Session(nil)
		w.Prompt(id, "What is selected?")
		if !strings.Contains(w.Request(0), "unsaved-77") || strings.Contains(w.Request(0), "inferred") {
			t.Errorf("the model got %s", w.Request(0))
		}
		p := worldtest.PromptOf(w.Session(nil), "Nothing but this")
		p["context"] = false
		w.Call("emendo/session/prompt", p, nil)
		if strings.Contains(w.Request(1), "unsaved-77") {
			t.Error("the editor's context was sent all the same")
		}
	})
}

func TestClientTokenShowsProgress(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("One.")}, func(w *world) {
		p := worldtest.PromptOf(w.Session(nil), "Hi")
		p["workDoneToken"] = w.Editor.Token("mine")
		w.Call("emendo/session/prompt", p, nil)
		l := w.Editor.Seen().Progress
		if len(l) < 2 || l[0].Value.Kind != "begin" || l[len(l)-1].Value.Kind != "end" {
			b, _ := json.Marshal(l)
			t.Errorf("got %s", b)
		}
	})
}
