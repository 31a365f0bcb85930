package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
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
	p := promptOf(id, text)
	p["how"] = how
	var r struct{ TurnID string }
	w.call("emendo/session/inject", p, &r)
	return r.TurnID
}

// lastQueue returns the queue of the last update, which has no number.
func (w *world) lastQueue() (last queued) {
	w.Helper()
	for _, u := range w.e.Seen().Updates {
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
	w.call("emendo/session/queue", obj{"sessionId": id}, &q)
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
	for _, u := range w.e.Seen().Updates {
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
	replies := []modeltest.Reply{held(), say("1"), say("2"), say("3")}
	play(t, plugin.With("experimental.emendo.queue", true), replies, func(w *world) {
		id := w.session(nil)
		wait := w.prompting(w.Context(), id, "zero")
		w.wantQueue(id, "")
		one, two := w.inject(id, "queue", "one"), w.inject(id, "queue", "two")
		three, steers := w.inject(id, "queue", "three"), w.inject(id, "steer", "left")
		w.wantQueue(id, "steer left, queue one, queue two, queue three")

		edit := func(turn string, change obj) {
			t.Helper()
			change["sessionId"], change["turnId"] = id, turn
			w.call("emendo/session/editQueue", change, nil)
		}
		edit(steers, obj{"prompt": []obj{{"type": "text", "text": "right"}}})
		edit(two, obj{"prompt": []obj{{"type": "text", "text": "zwei"}}, "position": 0})
		edit(one, obj{"remove": true})
		edit(three, obj{"position": 99})
		w.wantQueue(id, "steer right, queue zwei, queue three")
		edit(steers, obj{"remove": true})
		w.wantQueue(id, "queue zwei, queue three")
		for _, gone := range []string{one, "none"} {
			err := w.e.Call(w.Context(), "emendo/session/editQueue", obj{"sessionId": id, "turnId": gone, "remove": true}, nil)
			w.refused(err, rpc.InvalidParams, "")
		}

		w.e.Notify("emendo/session/cancel", obj{"sessionId": id})
		if end, err := wait(); err != nil || end.StopReason != "cancelled" {
			t.Fatalf("it ended %+v, %v", end, err)
		}
		w.wantQueue(id, "queue zwei, queue three, paused")
		w.e.Notify("emendo/session/cancel", obj{"sessionId": id}) // must not remove any of them
		w.wantQueue(id, "queue zwei, queue three, paused")
		if got := w.asked(); got != "zero" {
			t.Errorf("after the cancel %q was asked", got)
		}
		w.call("emendo/session/editQueue", obj{"sessionId": id, "resume": true}, nil)
		w.advance()
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
			replies := []modeltest.Reply{held(), say("1"), say("2")}
			play(t, plugin.With("experimental.emendo.queue", true), replies, func(w *world) {
				id := w.session(nil)
				wait := w.prompting(w.Context(), id, "zero")
				w.inject(id, "queue", "one")
				w.e.Notify("emendo/session/cancel", obj{"sessionId": id})
				if _, err := wait(); err != nil {
					t.Fatal(err)
				}
				w.wantQueue(id, "queue one, paused")
				if how == "" {
					w.prompt(id, "next")
				} else {
					w.inject(id, how, "next")
				}
				w.advance()
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
	play(t, plugin, []modeltest.Reply{held(), say("1")}, func(w *world) {
		id := w.session(nil)
		wait := w.prompting(w.Context(), id, "zero")
		w.inject(id, "queue", "one")
		w.e.Notify("emendo/session/cancel", obj{"sessionId": id})
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		w.advance()
		if got := w.asked(); got != "zero one" {
			t.Errorf("%q was asked", got)
		}
		if got := kinds(w.e.Seen().Updates); strings.Contains(got, "queue") {
			t.Errorf("updates %s", got)
		}
	})
}

// A command is not sent to the model, so a steering prompt cannot become one.
func TestSteeringPromptIsNotACommand(t *testing.T) {
	play(t, plugin.With("experimental.emendo.queue", true), []modeltest.Reply{held()}, func(w *world) {
		id := w.session(nil)
		w.prompting(w.Context(), id, "zero")
		steers := w.inject(id, "steer", "left")
		for _, text := range []string{"/compact", "/help"} {
			err := w.e.Call(w.Context(), "emendo/session/editQueue", obj{"sessionId": id, "turnId": steers, "prompt": []obj{{"type": "text", "text": text}}}, nil)
			w.refused(err, rpc.InvalidParams, "")
		}
		w.wantQueue(id, "steer left")
	})
}
