package chat_test

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
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

var listing = worldtest.Plugin.With("experimental.emendo.sessions", true)

// statuses returns the reported statuses of a session, without repetitions.
func (w *world) statuses(id string) string {
	var l []string
	for _, s := range w.Editor.Seen().Sessions {
		if s.SessionID == id && (len(l) == 0 || l[len(l)-1] != s.Status) {
			l = append(l, s.Status)
		}
	}
	return strings.Join(l, " ")
}

func TestSessionStatusesAreListed(t *testing.T) {
	play(t, listing, []modeltest.Reply{append(modeltest.Reply{modeltest.Pause(time.Second)}, worldtest.TwoHunks()...), {modeltest.Pause(time.Second), modeltest.Say("Done.")}}, func(w *world) {
		w.Open()
		id := w.Session(nil)
		w.Advance()
		if l := w.Editor.Seen().Sessions; len(l) > 0 {
			t.Errorf("updates about a session without a prompt: %+v", l)
		}
		wait := w.Prompting(w.Context(), id, "change both")
		w.Advance()
		w.Advance()
		sent := w.Editor.Seen().Sessions
		if last := sent[len(sent)-1]; last.Status != "waiting" || last.PendingHunks != 2 || last.Title == "" {
			t.Errorf("while hunks wait: %+v", last)
		}
		w.Call("emendo/changes/resolve", worldtest.Obj{"decisions": []worldtest.Obj{{"changeSetId": w.Editor.Seen().ChangeSets[0].ChangeSetID, "action": "accept"}}}, nil)
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		w.Advance()
		if got := w.statuses(id); got != "running waiting running idle" {
			t.Errorf("statuses %s", got)
		}
		var r struct{ Sessions []struct{ Status string } }
		w.Call("emendo/session/list", worldtest.Obj{}, &r)
		if len(r.Sessions) != 1 || r.Sessions[0].Status != "idle" {
			t.Errorf("listed %+v", r)
		}
	})
}

func TestAQuestionMakesASessionWait(t *testing.T) {
	ask := modeltest.Reply{modeltest.Pause(time.Second), modeltest.Call("ask_user", `{"questions":[{"header":"H","question":"Which?","type":"text","placeholder":"p"}]}`)}
	play(t, listing, []modeltest.Reply{ask, worldtest.Say("Done.")}, func(w *world) {
		answer := make(chan struct{})
		w.Editor.Elicit = func(context.Context, json.RawMessage) (any, error) {
			<-answer
			return worldtest.Obj{"cancelled": true}, nil
		}
		id := w.Session(nil)
		wait := w.Prompting(w.Context(), id, "ask me")
		w.Advance()
		w.Advance()
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
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("Fine.")}, func(w *world) {
		id := w.Session(nil)
		w.Prompt(id, "A question")
		for _, format := range []string{"markdown", "json"} {
			var r struct{ Text string }
			w.Call("emendo/session/export", worldtest.Obj{"sessionId": id, "format": format}, &r)
			if r.Text != format+" of A question" {
				t.Errorf("exported %q", r.Text)
			}
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/session/export", worldtest.Obj{"sessionId": id, "format": "pdf"}, nil), -32602, "")
		w.Refused(w.Editor.Call(w.Context(), "emendo/session/export", worldtest.Obj{"sessionId": "none", "format": "json"}, nil), -32803, "unknown_session")
	})
}

func TestAnEphemeralSessionIsNotStored(t *testing.T) {
	play(t, listing, []modeltest.Reply{worldtest.Say("Fine."), worldtest.Say("Still fine.")}, func(w *world) {
		id := w.Session(worldtest.Obj{"ephemeral": true})
		w.Prompt(id, "one")
		if end := w.Prompt(id, "two"); end.StopReason != "end_turn" {
			t.Errorf("the second turn ended as %s", end.StopReason)
		}
		var r struct{ Sessions []any }
		w.Call("emendo/session/list", worldtest.Obj{}, &r)
		if sent := w.Editor.Seen().Sessions; len(r.Sessions) > 0 || len(sent) > 0 {
			t.Errorf("listed %v, updates %v", r.Sessions, sent)
		}
		w.Call("emendo/session/close", worldtest.Obj{"sessionId": id}, nil)
		synctest.Wait()
		left, err := filepath.Glob(filepath.Join(w.Dir, ".state", "*", "*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left are %v, %v", left, err)
		}
		if l, err := os.ReadDir(filepath.Join(w.Dir, ".out")); err == nil && len(l) > 0 {
			t.Errorf("outputs are left: %v", l)
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/session/load", worldtest.Obj{"sessionId": id}, nil), -32803, "unknown_session")
	})
}

func TestTheEndOfATurnHasASummary(t *testing.T) {
	usage := modeltest.Usage(model.Usage{Input: 1000, Output: 100, Total: 1100})
	replies := []modeltest.Reply{append(worldtest.TwoHunks(), usage), {modeltest.Pause(time.Second), modeltest.Say("Done."), usage}}
	play(t, listing, replies, func(w *world) {
		uri := w.Open()
		id := w.Session(worldtest.Obj{"model": "gemini-2.5-flash"})
		wait := w.Prompting(w.Context(), id, "change both")
		w.Advance()
		set := w.Editor.Seen().ChangeSets[0]
		w.Call("emendo/changes/resolve", worldtest.Obj{"decisions": []worldtest.Obj{
			{"changeSetId": set.ChangeSetID, "hunkId": set.Files[0].Hunks[0].HunkID, "action": "accept"},
			{"changeSetId": set.ChangeSetID, "hunkId": set.Files[0].Hunks[1].HunkID, "action": "reject"},
		}}, nil)
		end, err := wait()
		if err != nil {
			t.Fatal(err)
		}
		us := w.Editor.Seen().Updates
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
