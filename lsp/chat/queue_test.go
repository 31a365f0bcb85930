package chat_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// queued is a session's queue in updates and responses.
type queued struct {
	Items []struct {
		TurnID    string
		MessageID string
		How       string
		Prompt    []struct{ Text string }
	}
	Paused bool
}

// String returns "how text" of each prompt.
func (q queued) String() string {
	var l []string
	for _, i := range q.Items {
		l = append(l, i.How+" "+i.Prompt[0].Text)
	}
	if q.Paused {
		l = append(l, "paused")
	}
	return strings.Join(l, ", ")
}

// inject adds a prompt to a running turn and returns its turn.
func (w *world) inject(id, how, text string) string {
	w.Helper()
	p := worldtest.PromptOf(id, text)
	p["how"] = how
	var r struct{ TurnID string }
	w.Call("emendo/session/inject", p, &r)
	return r.TurnID
}

// lastQueue returns the queue of the last update, which has no number.
func (w *world) lastQueue() (last queued) {
	w.Helper()
	for _, u := range w.Editor.Seen().Updates {
		if u.Kind() != "_emendo/queue" {
			continue
		}
		last = queued{}
		if err := json.Unmarshal(u.Update, &last); err != nil || u.Seq != 0 || u.TurnID != "" {
			w.Fatalf("queue update %+v: %v", u, err)
		}
	}
	return last
}

// wantQueue checks the queue in updates and in responses.
func (w *world) wantQueue(id, want string) {
	w.Helper()
	var q queued
	w.Call("emendo/session/queue", worldtest.Obj{"sessionId": id}, &q)
	if got := q.String(); got != want {
		w.Errorf("queued are %q, want %q", got, want)
	}
	if got := w.lastQueue().String(); got != want {
		w.Errorf("the last update has %q, want %q", got, want)
	}
}

// asked returns the user's messages that were shown, in order.
func (w *world) asked() string {
	var l []string
	for _, u := range w.Editor.Seen().Updates {
		if u.Kind() == "user_message_chunk" {
			l = append(l, u.Text())
		}
	}
	return strings.Join(l, " ")
}

func held() modeltest.Reply { return modeltest.Reply{modeltest.Pause(time.Hour)} }

// Queued prompts are shown, can be edited, moved and removed, and are paused
// after a cancel until the user continues.
func TestQueueIsShownAndEdited(t *testing.T) {
	replies := []modeltest.Reply{held(), worldtest.Say("1"), worldtest.Say("2"), worldtest.Say("3")}
	play(t, worldtest.Plugin.With("experimental.emendo.queue", true), replies, func(w *world) {
		id := w.Session(nil)
		wait := w.Prompting(w.Context(), id, "zero")
		w.wantQueue(id, "")
		one, two := w.inject(id, "queue", "one"), w.inject(id, "queue", "two")
		three, steers := w.inject(id, "queue", "three"), w.inject(id, "steer", "left")
		w.wantQueue(id, "steer left, queue one, queue two, queue three")

		edit := func(turn string, change worldtest.Obj) {
			t.Helper()
			change["sessionId"], change["turnId"] = id, turn
			w.Call("emendo/session/editQueue", change, nil)
		}
		edit(steers, worldtest.Obj{"prompt": []worldtest.Obj{{"type": "text", "text": "right"}}})
		edit(two, worldtest.Obj{"prompt": []worldtest.Obj{{"type": "text", "text": "zwei"}}, "position": 0})
		edit(one, worldtest.Obj{"remove": true})
		edit(three, worldtest.Obj{"position": 99})
		w.wantQueue(id, "steer right, queue zwei, queue three")
		edit(steers, worldtest.Obj{"remove": true})
		w.wantQueue(id, "queue zwei, queue three")
		for _, gone := range []string{one, "none"} {
			err := w.Editor.Call(w.Context(), "emendo/session/editQueue", worldtest.Obj{"sessionId": id, "turnId": gone, "remove": true}, nil)
			w.Refused(err, rpc.InvalidParams, "")
		}

		w.Editor.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id})
		if end, err := wait(); err != nil || end.StopReason != "cancelled" {
			t.Fatalf("it ended %+v, %v", end, err)
		}
		w.wantQueue(id, "queue zwei, queue three, paused")
		w.Editor.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id}) // must not remove any of them
		w.wantQueue(id, "queue zwei, queue three, paused")
		if got := w.asked(); got != "zero" {
			t.Errorf("after the cancel %q was asked", got)
		}
		w.Call("emendo/session/editQueue", worldtest.Obj{"sessionId": id, "resume": true}, nil)
		w.Advance()
		w.wantQueue(id, "")
		if got := w.asked(); got != "zero zwei three" {
			t.Errorf("%q was asked", got)
		}
	})
}

// The user's next prompt runs before the paused ones, and resumes them.
func TestNextPromptResumesTheQueue(t *testing.T) {
	for _, how := range []string{"", "steer", "interrupt", "queue"} {
		t.Run(how, func(t *testing.T) {
			replies := []modeltest.Reply{held(), worldtest.Say("1"), worldtest.Say("2")}
			play(t, worldtest.Plugin.With("experimental.emendo.queue", true), replies, func(w *world) {
				id := w.Session(nil)
				wait := w.Prompting(w.Context(), id, "zero")
				w.inject(id, "queue", "one")
				w.Editor.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id})
				if _, err := wait(); err != nil {
					t.Fatal(err)
				}
				w.wantQueue(id, "queue one, paused")
				if how == "" {
					w.Prompt(id, "next")
				} else {
					w.inject(id, how, "next")
				}
				w.Advance()
				want := "zero next one"
				if how == "queue" {
					want = "zero one next"
				}
				if got := w.asked(); got != want {
					t.Errorf("%q was asked, want %q", got, want)
				}
				w.wantQueue(id, "")
			})
		})
	}
}

// A client that shows no queue gets no updates of it, and queued prompts run
// after a cancel.
func TestClientWithoutAQueueGetsNoUpdates(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{held(), worldtest.Say("1")}, func(w *world) {
		id := w.Session(nil)
		wait := w.Prompting(w.Context(), id, "zero")
		w.inject(id, "queue", "one")
		w.Editor.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id})
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		w.Advance()
		if got := w.asked(); got != "zero one" {
			t.Errorf("%q was asked", got)
		}
		if got := worldtest.Kinds(w.Editor.Seen().Updates); strings.Contains(got, "queue") {
			t.Errorf("updates %s", got)
		}
	})
}

// A command is not sent to the model, so a steering prompt cannot become one.
func TestSteeringPromptIsNotACommand(t *testing.T) {
	play(t, worldtest.Plugin.With("experimental.emendo.queue", true), []modeltest.Reply{held()}, func(w *world) {
		id := w.Session(nil)
		w.Prompting(w.Context(), id, "zero")
		steers := w.inject(id, "steer", "left")
		for _, text := range []string{"/compact", "/help"} {
			err := w.Editor.Call(w.Context(), "emendo/session/editQueue", worldtest.Obj{"sessionId": id, "turnId": steers, "prompt": []worldtest.Obj{{"type": "text", "text": text}}}, nil)
			w.Refused(err, rpc.InvalidParams, "")
		}
		w.wantQueue(id, "steer left")
	})
}
