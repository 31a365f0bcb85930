package lsp_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

var listing = plugin.With("experimental.emendo.sessions", true)

// statuses returns the reported statuses of a session, without repetitions.
func (w *world) statuses(id string) string {
	var l []string
	for _, s := range w.e.Seen().Sessions {
		if s.SessionID == id && (len(l) == 0 || l[len(l)-1] != s.Status) {
			l = append(l, s.Status)
		}
	}
	return strings.Join(l, " ")
}

func TestSessionStatusesAreListed(t *testing.T) {
	play(t, listing, []modeltest.Reply{append(modeltest.Reply{modeltest.Pause(time.Second)}, twoHunks()...), {modeltest.Pause(time.Second), modeltest.Say("Done.")}}, func(w *world) {
		w.open()
		id := w.session(nil)
		w.advance()
		if l := w.e.Seen().Sessions; len(l) > 0 {
			t.Errorf("updates about a session without a prompt: %+v", l)
		}
		wait := w.prompting(w.Context(), id, "change both")
		w.advance()
		w.advance()
		sent := w.e.Seen().Sessions
		if last := sent[len(sent)-1]; last.Status != "waiting" || last.PendingHunks != 2 || last.Title == "" {
			t.Errorf("while hunks wait: %+v", last)
		}
		w.call("emendo/changes/resolve", obj{"decisions": []obj{{"changeSetId": w.e.Seen().ChangeSets[0].ChangeSetID, "action": "accept"}}}, nil)
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		w.advance()
		if got := w.statuses(id); got != "running waiting running idle" {
			t.Errorf("statuses %s", got)
		}
		var r struct{ Sessions []struct{ Status string } }
		w.call("emendo/session/list", obj{}, &r)
		if len(r.Sessions) != 1 || r.Sessions[0].Status != "idle" {
			t.Errorf("listed %+v", r)
		}
	})
}

func TestAQuestionMakesASessionWait(t *testing.T) {
	ask := modeltest.Reply{modeltest.Pause(time.Second), modeltest.Call("ask_user", `{"questions":[{"header":"H","question":"Which?","type":"text","placeholder":"p"}]}`)}
	play(t, listing, []modeltest.Reply{ask, say("Done.")}, func(w *world) {
		answer := make(chan struct{})
		w.e.Elicit = func(context.Context, json.RawMessage) (any, error) {
			<-answer
			return obj{"cancelled": true}, nil
		}
		id := w.session(nil)
		wait := w.prompting(w.Context(), id, "ask me")
		w.advance()
		w.advance()
		if got := w.statuses(id); got != "running waiting" {
			t.Errorf("statuses %s", got)
		}
		close(answer)
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSessionsAreExported(t *testing.T) {
	play(t, plugin, []modeltest.Reply{say("Fine.")}, func(w *world) {
		id := w.session(nil)
		w.prompt(id, "A question")
		for _, format := range []string{"markdown", "json"} {
			var r struct{ Text string }
			w.call("emendo/session/export", obj{"sessionId": id, "format": format}, &r)
			if r.Text != format+" of A question" {
				t.Errorf("exported %q", r.Text)
			}
		}
		w.refused(w.e.Call(w.Context(), "emendo/session/export", obj{"sessionId": id, "format": "pdf"}, nil), -32602, "")
		w.refused(w.e.Call(w.Context(), "emendo/session/export", obj{"sessionId": "none", "format": "json"}, nil), -32803, "unknown_session")
	})
}

func TestAnEphemeralSessionIsNotStored(t *testing.T) {
	play(t, listing, []modeltest.Reply{say("Fine."), say("Still fine.")}, func(w *world) {
		id := w.session(obj{"ephemeral": true})
		w.prompt(id, "one")
		if end := w.prompt(id, "two"); end.StopReason != "end_turn" {
			t.Errorf("the second turn ended as %s", end.StopReason)
		}
		var r struct{ Sessions []any }
		w.call("emendo/session/list", obj{}, &r)
		if sent := w.e.Seen().Sessions; len(r.Sessions) > 0 || len(sent) > 0 {
			t.Errorf("listed %v, updates %v", r.Sessions, sent)
		}
		w.call("emendo/session/close", obj{"sessionId": id}, nil)
		synctest.Wait()
		left, err := filepath.Glob(filepath.Join(w.dir, ".state", "*", "*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left are %v, %v", left, err)
		}
		if l, err := os.ReadDir(filepath.Join(w.dir, ".out")); err == nil && len(l) > 0 {
			t.Errorf("outputs are left: %v", l)
		}
		w.refused(w.e.Call(w.Context(), "emendo/session/load", obj{"sessionId": id}, nil), -32803, "unknown_session")
	})
}

func TestTheEndOfATurnHasASummary(t *testing.T) {
	usage := modeltest.Usage(model.Usage{Input: 1000, Output: 100, Total: 1100})
	replies := []modeltest.Reply{append(twoHunks(), usage), {modeltest.Pause(time.Second), modeltest.Say("Done."), usage}}
	play(t, listing, replies, func(w *world) {
		uri := w.open()
		id := w.session(obj{"model": "gemini-2.5-flash"})
		wait := w.prompting(w.Context(), id, "change both")
		w.advance()
		set := w.e.Seen().ChangeSets[0]
		w.call("emendo/changes/resolve", obj{"decisions": []obj{
			{"changeSetId": set.ChangeSetID, "hunkId": set.Files[0].Hunks[0].HunkID, "action": "accept"},
			{"changeSetId": set.ChangeSetID, "hunkId": set.Files[0].Hunks[1].HunkID, "action": "reject"},
		}}, nil)
		end, err := wait()
		if err != nil {
			t.Fatal(err)
		}
		us := w.e.Seen().Updates
		var last struct {
			DurationMS int64 `json:"durationMs"`
			Files      []struct {
				URI, ChangeSetID string
				Added, Removed   int
			}
			Usage struct {
				Cost struct {
					Amount    float64
					Currency  string
					Estimated bool
				}
			}
		}
		if err := json.Unmarshal(us[len(us)-1].Update, &last); err != nil {
			t.Fatal(err)
		}
		if last.DurationMS < 1000 || last.DurationMS > 10_000 {
			t.Errorf("it took %d ms", last.DurationMS)
		}
		if len(last.Files) != 1 || last.Files[0].URI != uri || last.Files[0].Added != 1 || last.Files[0].Removed != 1 || last.Files[0].ChangeSetID != set.ChangeSetID {
			t.Errorf("it changed %+v", last.Files)
		}
		if c := last.Usage.Cost; math.Abs(c.Amount-0.0011) > 1e-9 || c.Currency != "USD" || !c.Estimated { // 2,000 tokens at 0.30, and 200 at 2.50 for a million
			t.Errorf("it cost %+v", c)
		}
		if end.StopReason != "end_turn" {
			t.Errorf("it ended as %s", end.StopReason)
		}
	})
}
