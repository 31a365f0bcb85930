package lsp_test

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
)

func TestTurnIsStreamedAndAnswered(t *testing.T) {
	reply := modeltest.Reply{modeltest.Say("Hel"), modeltest.Pause(time.Second), modeltest.Say("lo."), modeltest.Usage(model.Usage{Input: 7, Output: 2, Total: 9})}
	play(t, plugin, []modeltest.Reply{reply}, func(w *world) {
		id := w.session(obj{"mode": "plan"})
		end := w.prompt(id, "Hi 42")
		us := w.e.Seen().Updates
		if want := "user_message_chunk session_info_update agent_message_chunk usage_update _emendo/response_finished _emendo/turn_ended"; kinds(us) != want {
			t.Errorf("got %s, want %s", kinds(us), want)
		}
		if said(us) != "Hello." || end.StopReason != "end_turn" {
			t.Errorf("it said %q and ended %+v", said(us), end)
		}
		for i, u := range us {
			if u.Seq != int64(i+1) || u.SessionID != id || u.TurnID != end.TurnID || u.Replay {
				t.Errorf("update %d is %+v", i+1, u)
			}
		}
		if !strings.Contains(w.request(0), "Hi 42") {
			t.Error("the prompt did not reach the model")
		}
	})
}

func TestSessionInfoIsWhole(t *testing.T) {
	play(t, plugin, nil, func(w *world) {
		var r struct{ Session map[string]any }
		w.call("emendo/session/new", obj{"cwd": w.dir, "mode": "auto_edit", "model": "other"}, &r)
		for _, k := range []string{"sessionId", "title", "cwd", "roots", "createdAt", "updatedAt", "model", "mode", "turns", "usage"} {
			if _, ok := r.Session[k]; !ok {
				t.Errorf("it lacks %s", k)
			}
		}
		if r.Session["cwd"] != w.dir || r.Session["mode"] != "auto_edit" || r.Session["model"] != "other" {
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
	play(t, plugin, []modeltest.Reply{say("Fine.")}, func(w *world) {
		id := w.session(nil)
		text := []obj{{"type": "text", "text": "x"}}
		for _, c := range []struct {
			method string
			params any
		}{
			{"emendo/session/prompt", obj{}},
			{"emendo/session/prompt", []int{1}},
			{"emendo/session/prompt", obj{"sessionId": 7, "prompt": text}},
			{"emendo/session/prompt", obj{"sessionId": id, "prompt": "text"}},
			{"emendo/session/prompt", obj{"sessionId": id, "prompt": []obj{}}},
			{"emendo/session/prompt", obj{"sessionId": id}},
			{"emendo/session/prompt", obj{"sessionId": id, "prompt": []obj{{"type": "text", "text": " \n"}}}},
			{"emendo/session/prompt", obj{"sessionId": id, "prompt": []obj{{"type": "nonsense"}}}},
			{"emendo/session/prompt", obj{"sessionId": id, "prompt": []obj{{"type": "text"}}}},
			{"emendo/session/new", obj{"cwd": "relative"}},
			{"emendo/session/new", obj{"cwd": w.dir + "/main.go"}},
			{"emendo/session/new", obj{"cwd": w.dir + "/none"}},
			{"emendo/session/new", obj{"mode": "sometimes"}},
			{"emendo/session/new", obj{"cwd": 7}},
			{"emendo/session/load", obj{}},
			{"emendo/session/close", nil},
			{"emendo/session/delete", obj{"sessionId": ""}},
			{"emendo/session/rename", obj{"sessionId": id}},
			{"emendo/session/list", obj{"limit": -1}},
			{"emendo/session/list", obj{"limit": "all"}},
			{"emendo/session/setMode", obj{"sessionId": id, "mode": "sometimes"}},
			{"emendo/session/setModel", obj{"sessionId": id}},
			{"emendo/session/replay", obj{"sessionId": id, "fromSeq": "one"}},
			{"emendo/session/inject", obj{"sessionId": id, "prompt": text, "how": "sometimes"}},
			{"emendo/session/inject", obj{"sessionId": id, "prompt": []obj{}, "how": "queue"}},
			{"emendo/session/inject", obj{"prompt": text, "how": "queue"}},
			{"emendo/session/rewind", obj{"sessionId": id, "turnId": "nope", "scope": "both"}},
			{"emendo/session/rewind", obj{"sessionId": id, "turnId": "nope", "scope": "all"}},
			{"emendo/session/rewind", obj{"sessionId": id, "scope": "both"}},
			{"emendo/session/compact", obj{}},
			{"emendo/context/list", obj{}},
			{"emendo/context/exclude", obj{"sessionId": id, "kind": "editor"}},
			{"emendo/context/exclude", obj{"sessionId": id, "kind": "nope", "on": true}},
			{"emendo/context/exclude", obj{"sessionId": id, "uri": "untitled:a", "on": true}},
			{"emendo/changes/list", obj{"state": "odd"}},
			{"emendo/changes/get", obj{"changeSetId": "nope"}},
			{"emendo/changes/resolve", obj{}},
			{"emendo/changes/resolve", obj{"decisions": []obj{{"changeSetId": "nope", "action": "accept"}}}},
			{"emendo/changes/resolve", obj{"decisions": []obj{{"changeSetId": "nope", "action": "eat"}}}},
			{"textDocument/codeAction", obj{}},
			{"textDocument/codeLens", obj{}},
			{"textDocument/hover", obj{"textDocument": obj{"uri": 1}}},
			{"textDocument/hover", obj{"textDocument": obj{"uri": w.uri("main.go")}, "position": obj{"line": -1, "character": 0}}},
			{"codeAction/resolve", []int{}},
			{"workspace/executeCommand", obj{"command": "emendo.fly"}},
			{"workspace/executeCommand", obj{"command": "emendo.ask", "arguments": "x"}},
			{"workspace/executeCommand", obj{"command": "emendo.ask", "arguments": []any{7}}},
			{"workspace/executeCommand", obj{"command": "emendo.accept", "arguments": []any{obj{"hunkId": "h"}}}},
			{"workspace/executeCommand", obj{"command": "emendo.accept", "arguments": []any{obj{"changeSetId": "nope"}}}},
			{"workspace/executeCommand", obj{"command": "emendo.setMode", "arguments": []any{obj{"mode": "odd"}}}},
			{"workspace/executeCommand", obj{"command": "emendo.trust", "arguments": []any{obj{"uri": "file:///elsewhere"}}}},
			{"workspace/executeCommand", obj{"command": "emendo.permission", "arguments": []any{obj{"sessionId": id}}}},
		} {
			err := w.e.Call(w.Context(), c.method, c.params, nil)
			if err == nil {
				t.Errorf("%s accepted %v", c.method, c.params)
			}
			w.refused(err, rpc.InvalidParams, "")
		}
		if end := w.prompt(id, "A good one"); end.StopReason != "end_turn" {
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
			play(t, plugin, replies, func(w *world) {
				id := w.session(nil)
				w.refused(w.e.Call(w.Context(), "emendo/session/prompt", promptOf(id, "Hi"), nil), rpc.RequestFailed, c.code)
			})
		})
	}
}

func TestPromptWithoutCredentials(t *testing.T) {
	play(t, plugin, nil, func(w *world) {
		w.noKey = true
		id := w.session(nil)
		err := w.e.Call(w.Context(), "emendo/session/prompt", promptOf(id, "Hi"), nil)
		w.refused(err, rpc.RequestFailed, "auth_required")
		if !strings.Contains(err.Error(), "GEMINI_API_KEY") {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if l := w.e.Seen().Statuses; len(l) == 0 || l[len(l)-1].Kind != "signed_out" {
			t.Errorf("the status is %+v", l)
		}
	})
}

func TestUnknownAndBusySessions(t *testing.T) {
	play(t, plugin, nil, func(w *world) {
		hold := make(chan struct{})
		w.model.Replies = []modeltest.Reply{{modeltest.Hold(hold), modeltest.Say("One.")}, say("Other.")}
		for method, params := range map[string]obj{
			"prompt": promptOf("nope", "Hi"), "load": {"sessionId": "nope"}, "delete": {"sessionId": "../../etc"}, "close": {"sessionId": "nope"},
			"setMode": {"sessionId": "nope", "mode": "plan"}, "setModel": {"sessionId": "nope", "model": "m"}, "replay": {"sessionId": "nope"}, "rename": {"sessionId": "nope", "title": "x"},
			"fork": {"sessionId": "nope"}, "compact": {"sessionId": "nope"}, "rewind": {"sessionId": "nope", "turnId": "t", "scope": "both"}, "inject": injectionOf("nope", "Hi"),
		} {
			w.refused(w.e.Call(w.Context(), "emendo/session/"+method, params, nil), rpc.RequestFailed, "unknown_session")
		}
		w.refused(w.e.Call(w.Context(), "emendo/context/list", obj{"sessionId": "nope"}, nil), rpc.RequestFailed, "unknown_session")
		w.refused(w.e.Call(w.Context(), "emendo/context/exclude", obj{"sessionId": "nope", "kind": "editor", "on": true}, nil), rpc.RequestFailed, "unknown_session")
		id := w.session(nil)
		wait := w.prompting(w.Context(), id, "one")
		err := w.e.Call(w.Context(), "emendo/session/prompt", promptOf(id, "two"), nil)
		w.refused(err, rpc.RequestFailed, "busy")
		if !strings.Contains(err.Error(), "emendo/session/inject") {
			t.Errorf("it does not name inject: %v", err)
		}
		if end := w.prompt(w.session(nil), "beside it"); end.StopReason != "end_turn" {
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
		w.start(plugin)
		w.model.Replies = []modeltest.Reply{say("Zero.")}
		id := w.session(nil)
		w.prompt(id, "zero")
		w.end()
		for range 20 {
			answer := make(chan struct{})
			w.model.Replies = []modeltest.Reply{{modeltest.Hold(answer), modeltest.Say("One.")}}
			w.hold = make(chan struct{})
			w.start(plugin)
			first := w.prompting(w.Context(), id, "one")
			second := w.prompting(w.Context(), id, "two")
			close(w.hold)
			synctest.Wait()
			close(answer)
			_, err := second()
			w.refused(err, rpc.RequestFailed, "busy")
			if end, err := first(); err != nil || end.StopReason != "end_turn" {
				t.Errorf("the first: %+v, %v", end, err)
			}
			w.end()
		}
	})
}

func TestCancelledPromptsHaveAResult(t *testing.T) {
	for _, c := range []struct {
		name   string
		cancel func(w *world, id string)
	}{
		{"by the notification", func(w *world, id string) { w.notify("emendo/session/cancel", obj{"sessionId": id}) }},
		{"by closing the session", func(w *world, id string) { w.call("emendo/session/close", obj{"sessionId": id}, nil) }},
		{"by the command", func(w *world, _ string) { w.command("emendo.cancel", nil, nil) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, plugin, []modeltest.Reply{{modeltest.Say("a"), forever}, say("Next.")}, func(w *world) {
				id := w.session(nil)
				wait := w.prompting(w.Context(), id, "Long")
				c.cancel(w, id)
				if end, err := wait(); err != nil || end.StopReason != "cancelled" || end.TurnID == "" {
					t.Errorf("got %+v, %v", end, err)
				}
				if end := w.prompt(id, "Again"); end.StopReason != "end_turn" {
					t.Errorf("the next prompt: %+v", end)
				}
			})
		})
	}
}

func (w *world) notify(method string, params any) {
	w.Helper()
	if err := w.e.Notify(method, params); err != nil {
		w.Error(err)
	}
	synctest.Wait()
}

func TestImmediateCancelIsNotLost(t *testing.T) {
	play(t, plugin, []modeltest.Reply{{forever}}, func(w *world) {
		id := w.session(nil)
		done := make(chan turnEnd, 1)
		go func() {
			var r turnEnd
			if err := w.e.Call(context.WithoutCancel(w.Context()), "emendo/session/prompt", promptOf(id, "Hi"), &r); err != nil {
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
				if err := w.e.Notify("emendo/session/cancel", obj{"sessionId": id}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestWithdrawnPromptIsCancelled(t *testing.T) {
	play(t, plugin, []modeltest.Reply{{modeltest.Say("a"), forever}}, func(w *world) {
		id := w.session(nil)
		ctx, withdraw := context.WithCancel(w.Context())
		wait := w.prompting(ctx, id, "Long")
		withdraw()
		if _, err := wait(); err == nil {
			t.Error("the client's call continued")
		}
		synctest.Wait()
		us := w.e.Seen().Updates
		if last := us[len(us)-1]; last.Kind() != "_emendo/turn_ended" || !strings.Contains(string(last.Update), "cancelled") {
			t.Errorf("the last update is %s", last.Update)
		}
	})
}

func TestLoadListReplayRenameDelete(t *testing.T) {
	w := newWorld(t, []modeltest.Reply{say("One."), say("Two."), say("More.")})
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.start(plugin)
		id, other := w.session(nil), w.session(nil)
		w.prompt(id, "apples please")
		w.prompt(other, "pears please")
		w.call("emendo/session/rename", obj{"sessionId": id, "title": "Fruit"}, nil)
		old := w.of(id)
		w.end()

		w.start(plugin) // a new process
		w.call("emendo/session/load", obj{"sessionId": id}, nil)
		now := w.of(id)
		if said(now) != "One." || len(now) != len(old) || now[len(now)-1].Seq != old[len(old)-1].Seq {
			t.Errorf("replayed %s, was %s", kinds(now), kinds(old))
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
		w.call("emendo/session/replay", obj{"sessionId": id, "fromSeq": 3}, &replay)
		if len(replay.Updates) != len(old)-2 || replay.Updates[0].Seq != 3 || replay.NextSeq != int64(len(old)+1) {
			t.Errorf("replay from 3 gave %d updates of %d, next %d", len(replay.Updates), len(old), replay.NextSeq)
		}
		if got := w.list(obj{"query": "fruit"}); len(got) != 1 || got[0] != id {
			t.Errorf("found %v", got)
		}
		if got := w.list(obj{"cwd": w.dir, "limit": 1}); len(got) != 1 {
			t.Errorf("one page is %v", got)
		}
		if got := w.list(obj{"cwd": "/"}); len(got) != 0 {
			t.Errorf("elsewhere there are %v", got)
		}
		w.prompt(id, "and now?")
		if !strings.Contains(w.request(2), "apples please") {
			t.Error("the history is not whole")
		}
		w.call("emendo/session/delete", obj{"sessionId": other}, nil)
		if got := w.list(nil); len(got) != 1 || got[0] != id {
			t.Errorf("left %v", got)
		}
		w.refused(w.e.Call(w.Context(), "emendo/session/load", obj{"sessionId": other}, nil), rpc.RequestFailed, "unknown_session")
		w.end()
	})
}

func (w *world) of(id string) []lsptest.Update {
	var l []lsptest.Update
	for _, u := range w.e.Seen().Updates {
		if u.SessionID == id {
			l = append(l, u)
		}
	}
	return l
}

func (w *world) list(params any) (ids []string) {
	w.Helper()
	var r struct{ Sessions []struct{ SessionID string } }
	w.call("emendo/session/list", params, &r)
	for _, s := range r.Sessions {
		ids = append(ids, s.SessionID)
	}
	return ids
}

func TestPromptSeesEarlierChanges(t *testing.T) {
	play(t, plugin, []modeltest.Reply{say("One."), say("Two.")}, func(w *world) {
		u := w.open()
		w.typed(u, "return 1", "return 1 // unsaved-77")
		w.notify("emendo/editor/didChangeContext", obj{
			"activeEditor": obj{"uri": u, "selections": []any{w.rangeOf(u, "// unsaved-77")}},
			"openEditors":  []obj{{"uri": u, "lastFocused": "2026-01-01T00:00:00.000Z"}},
		})
		id := w.session(nil)
		w.prompt(id, "What is selected?")
		if !strings.Contains(w.request(0), "unsaved-77") || strings.Contains(w.request(0), "inferred") {
			t.Errorf("the model got %s", w.request(0))
		}
		p := promptOf(w.session(nil), "Nothing but this")
		p["context"] = false
		w.call("emendo/session/prompt", p, nil)
		if strings.Contains(w.request(1), "unsaved-77") {
			t.Error("the editor's context was sent all the same")
		}
	})
}

func TestClientTokenShowsProgress(t *testing.T) {
	play(t, plugin, []modeltest.Reply{say("One.")}, func(w *world) {
		p := promptOf(w.session(nil), "Hi")
		p["workDoneToken"] = w.e.Token("mine")
		w.call("emendo/session/prompt", p, nil)
		l := w.e.Seen().Progress
		if len(l) < 2 || l[0].Value.Kind != "begin" || l[len(l)-1].Value.Kind != "end" {
			b, _ := json.Marshal(l)
			t.Errorf("got %s", b)
		}
	})
}
