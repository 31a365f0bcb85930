package present_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// whole is set at night: with the race detector it takes minutes.
var whole = flag.Bool("whole", false, "run with 10,000 items, 20,000 chunks, 5,000 hunks, 8 slow clients and 1,000 stale acts")

// store stores a long session in a world, and returns how many bytes of output it has.
func store(w *worldtest.World, long viewtest.Long) (content int) {
	w.Helper()
	begun := transcript.Started{SessionID: "long", Cwd: w.Dir, Roots: []string{w.Dir}, CreatedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Model: "m", Mode: policy.Default}
	l := transcript.NewLog(transcript.NewStore(w.Dir+"/.state").Path(begun), nil)
	add := func(r transcript.Record) {
		if err := l.Append(r, false); err != nil {
			w.Fatal(err)
		}
	}
	add(transcript.Record{At: begun.CreatedAt, Event: begun})
	for u := range long.Updates() {
		if e, ok := u.Event.(transcript.ToolUpdate); ok {
			content += len(e.Display)
		}
		add(transcript.Record{Seq: u.Seq, Turn: u.TurnID, At: u.At, Event: u.Event})
	}
	if err := l.Close(); err != nil {
		w.Fatal(err)
	}
	return content
}

// live returns how many bytes are in use.
func live() int {
	runtime.GC()
	runtime.GC() // what the first made free is counted
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A long session that is stored comes in small pages, and is searched as a whole. Its outputs are
// read when they are shown, and said to be lost where they are.
func TestALongSessionComesInPages(t *testing.T) {
	long := viewtest.Long{Turns: 40, Output: 7500}
	if *whole {
		long.Turns = 1000
	}
	w := worldtest.NewWorld(t, nil)
	content, items := store(w, long), long.Turns*viewtest.ItemsOfTurn
	playIn(t, w, worldtest.Obj{"view": 1}, func(d *drawing) {
		d.Editor.Heard = nil
		d.Call("emendo/session/load", worldtest.Obj{"sessionId": "long"}, nil) // the agent has its history from now on
		before := live()
		seen, at := map[string]bool{}, ""
		for earlier := true; earlier; {
			of := worldtest.Obj{"sessionId": "long"}
			if at != "" {
				of["before"] = at
			}
			var v struct {
				Items   json.RawMessage
				Earlier bool
			}
			d.Call("emendo/view/get", of, &v)
			var page []view.Item
			if err := json.Unmarshal(v.Items, &page); err != nil {
				t.Fatal(err)
			}
			if len(v.Items) > 512<<10+len(page)+2 || len(page) == 0 { // with the commas between them
				t.Fatalf("a page of %d items has %d bytes", len(page), len(v.Items))
			}
			for _, i := range page {
				if seen[i.ID] && i.Kind != view.KindTurn { // which is above items of two pages
					t.Errorf("%s came twice", i.ID)
				}
				seen[i.ID] = true
			}
			at, earlier = viewtest.First(page), v.Earlier
		}
		if len(seen) != items {
			t.Errorf("all pages have %d items, want %d", len(seen), items)
		}
		clear(seen)
		// An item takes about 1 kB, and what it shows of a long output is in the record; the
		// connection keeps buffers of the size of its largest message.
		if used, most := live()-before, items*2<<10+4<<20; used > most {
			t.Errorf("%d items with %d bytes of output take %d bytes, want at most %d", items, content, used, most)
		}
		var found struct{ IDs []string }
		d.Call("emendo/view/find", worldtest.Obj{"sessionId": "long", "text": viewtest.LongNeedle}, &found)
		if !slices.Equal(found.IDs, []string{viewtest.LongFound}) {
			t.Fatalf("the word is found in %v", found.IDs)
		}
		var one struct{ Item view.Item }
		d.Call("emendo/view/item", worldtest.Obj{"sessionId": "long", "id": found.IDs[0]}, &one)
		if len(one.Item.Parts) != 1 || !strings.Contains(one.Item.Parts[0].Text, viewtest.LongNeedle) {
			t.Errorf("it brings %+v", one.Item)
		}
		logs, err := filepath.Glob(filepath.Join(w.Dir, ".state", "*", "*-long.jsonl"))
		if err != nil || len(logs) != 1 {
			t.Fatal(logs, err)
		}
		if err := os.Truncate(logs[0], 1000); err != nil { // as the user can
			t.Fatal(err)
		}
		d.Call("emendo/view/find", worldtest.Obj{"sessionId": "long", "text": viewtest.LongNeedle}, &found)
		d.Call("emendo/view/item", worldtest.Obj{"sessionId": "long", "id": viewtest.LongFound}, &one)
		if len(found.IDs) > 0 || len(one.Item.Parts) != 1 || one.Item.Parts[0].Text != "The record of the session no longer has this text." {
			t.Errorf("of a record that was cut, %v and %+v are left", found.IDs, one.Item.Parts)
		}
		d.Call("emendo/view/close", worldtest.Obj{"sessionId": "long"}, nil)
		if left := live() - before; left > 4<<20 { // those buffers
			t.Errorf("%d bytes stay in use", left)
		}
	})
}

// Stop is answered before the next chunk of a long stream, while another view is opened.
func TestStopDoesNotWaitForAStream(t *testing.T) {
	chunks := 2000
	if *whole {
		chunks = 20_000
	}
	var reply modeltest.Reply
	for n := range chunks { // no two are the same, which would end the turn
		reply = append(reply, modeltest.Say(fmt.Sprintf("word %x. ", n*7919)), modeltest.Pause(time.Millisecond))
	}
	w := worldtest.NewWorld(t, []modeltest.Reply{reply})
	store(w, viewtest.Long{Turns: 20, Output: 7500})
	playIn(t, w, worldtest.Obj{"view": 1}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		wait := d.Prompting(d.Context(), id, "Write")
		d.AdvanceBy(time.Duration(chunks/2) * time.Millisecond) // half of them have come
		turn, at := d.turns()[0], time.Now()
		opened := make(chan error, 1)
		go func() {
			opened <- d.Editor.Call(d.Context(), "emendo/view/get", worldtest.Obj{"sessionId": "long", "limit": 1}, nil)
		}()
		d.do(id, turn.ID, "stop", nil)
		if !time.Now().Equal(at) { // the clock stands still unless all wait for it
			t.Errorf("stop was answered %v later", time.Since(at))
		}
		if err := <-opened; err != nil {
			t.Error(err)
		}
		end, err := wait()
		if err != nil || end.StopReason != "cancelled" {
			t.Errorf("the turn ended with %+v, %v", end, err)
		}
		answer := d.fold.Items()[2]
		if n := strings.Count(answer.Parts[0].Text, "word"); n == 0 || n > chunks/2+1 {
			t.Errorf("%d chunks came of %d", n, chunks)
		}
		d.Editor.Heard = nil
		d.Call("emendo/view/close", worldtest.Obj{"sessionId": "long"}, nil)
	})
}

// What a view has not read yet is there all the same: it is found, shown, copied, copied from and
// gone back to.
func TestWhatIsFurtherBackIsThere(t *testing.T) {
	w := worldtest.NewWorld(t, nil)
	store(w, viewtest.Long{Turns: 20, Output: 7500})
	playIn(t, w, worldtest.Obj{"view": 1}, func(d *drawing) {
		opened := func() {
			var v struct{ Earlier bool }
			d.Call("emendo/view/close", worldtest.Obj{"sessionId": "long"}, nil)
			d.Call("emendo/view/get", worldtest.Obj{"sessionId": "long", "limit": 5}, &v)
			if !v.Earlier {
				t.Fatal("a page of 5 items is all")
			}
		}
		opened()
		var found struct{ IDs []string }
		d.Call("emendo/view/find", worldtest.Obj{"sessionId": "long", "text": viewtest.LongNeedle}, &found)
		if !slices.Equal(found.IDs, []string{viewtest.LongFound}) {
			t.Errorf("the word is found in %v", found.IDs)
		}
		opened()
		var one struct{ Item view.Item }
		d.Call("emendo/view/item", worldtest.Obj{"sessionId": "long", "id": viewtest.LongFound}, &one)
		if len(one.Item.Parts) != 1 || !strings.Contains(one.Item.Parts[0].Text, viewtest.LongNeedle) {
			t.Errorf("the item is %+v", one.Item)
		}
		opened()
		if l := d.do("long", view.StatusID, view.Copy, nil); len(l) != 1 || !strings.Contains(l[0].Copy, "Do-0") && !strings.Contains(l[0].Copy, "prompt-0") || !strings.Contains(l[0].Copy, viewtest.LongNeedle) {
			t.Errorf("copied are %d steps", len(l))
		}
		opened()
		d.get("long")
		first := d.turns()[0].ID
		d.do("long", first, "edit_copy", worldtest.Obj{"text": "Hi"})
		var sessions struct{ Sessions []struct{ Title string } }
		d.Call("emendo/session/list", worldtest.Obj{}, &sessions)
		if len(sessions.Sessions) != 2 {
			t.Errorf("there are %+v", sessions)
		}
		opened()
		d.Call("emendo/session/rewind", worldtest.Obj{"sessionId": "long", "turnId": "turn-3", "scope": "conversation"}, nil)
		d.get("long")
		if l := d.turns(); len(l) != 3 || l[2].ID != "turn-2" {
			t.Errorf("%d turns are left", len(l))
		}
	})
}
