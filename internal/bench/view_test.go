package bench

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
)

var longTurns = flag.Int("turns", 200, "the turns of the session in TestALongViewTakesLittleMemory; of ten items each")

// storeLong stores a long session where a program finds it.
func storeLong(tb testing.TB, p program, long viewtest.Long) {
	tb.Helper()
	begun := transcript.Started{SessionID: "long", Cwd: p.work, Roots: []string{p.work}, CreatedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Model: "m", Mode: policy.Default}
	l := transcript.NewLog(transcript.NewStore(filepath.Join(p.home, "state", "sessions")).Path(begun), nil)
	add := func(r transcript.Record) {
		if err := l.Append(r, false); err != nil {
			tb.Fatal(err)
		}
	}
	add(transcript.Record{At: begun.CreatedAt, Event: begun})
	for u := range long.Updates() {
		add(transcript.Record{Seq: u.Seq, Turn: u.TurnID, At: u.At, Event: u.Event})
	}
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
}

// A view of a long session keeps its items, and leaves the output of its calls to the record of
// the session: the server is hardly larger while it is open, and as it was once it is closed.
func TestALongViewTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	// Of ten thousand items the fold has 15 MiB. Their output, which stays in the record, would be 250
	// more.
	const more, left = 25, 8 // MiB
	p := newEmendo(t, newModel(t))
	long := viewtest.Long{Turns: *longTurns, Output: 7500}
	storeLong(t, p, long)
	params := initializeParams(p)
	params["capabilities"].(object)["experimental"].(object)["emendo"].(object)["view"] = 1
	e := start(t, p)
	e.call("initialize", params, nil)
	e.notify("initialized", object{})
	timed := func(method string, of object, result any) time.Duration {
		began := time.Now()
		e.call(method, of, result)
		return time.Since(began)
	}
	loaded := timed("emendo/session/load", object{"sessionId": "long"}, nil) // the agent has its history from now on
	pid := e.cmd.Process.Pid
	read := func() float64 { return memory(t, pid) }
	before := rested(read)
	var took []time.Duration
	items, at := map[string]bool{}, ""
	for earlier := true; earlier; {
		of := object{"sessionId": "long"}
		if at != "" {
			of["before"] = at
		}
		var v struct {
			Items   json.RawMessage
			Earlier bool
		}
		took = append(took, timed("emendo/view/get", of, &v))
		var page []view.Item
		if err := json.Unmarshal(v.Items, &page); err != nil || len(v.Items) > 513<<10 {
			t.Fatalf("a page of %d bytes: %v", len(v.Items), err)
		}
		for _, i := range page {
			items[i.ID] = true
		}
		at, earlier = viewtest.First(page), v.Earlier
	}
	if len(items) != long.Turns*viewtest.ItemsOfTurn {
		t.Errorf("all pages have %d items", len(items))
	}
	open := restedAt(read, before+more)
	var found struct{ IDs []string }
	find := timed("emendo/view/find", object{"sessionId": "long", "text": viewtest.LongNeedle}, &found)
	if !slices.Equal(found.IDs, []string{viewtest.LongFound}) {
		t.Errorf("the word is found in %v", found.IDs)
	}
	var one struct{ Item view.Item }
	item := timed("emendo/view/item", object{"sessionId": "long", "id": viewtest.LongFound}, &one)
	if len(one.Item.Parts) != 1 || !strings.Contains(one.Item.Parts[0].Text, viewtest.LongNeedle) {
		t.Errorf("the item is %+v", one.Item)
	}
	bodies := timed("emendo/view/get", object{"sessionId": "long", "before": "turn-100", "bodies": true}, nil)
	searched := restedAt(read, before+more)
	e.call("emendo/view/close", object{"sessionId": "long"}, nil)
	closed := restedAt(read, before+left)
	t.Logf("%d items: %.1f MiB before, %.1f with the view, %.1f after a search, %.1f once it was closed; loaded in %v, first page in %v, others in at most %v, with texts in %v, found in %v, an item in %v",
		len(items), before, open, searched, closed, loaded, took[0], slices.Max(took[1:]), bodies, find, item)
	if open > before+more || searched > before+more || closed > before+left {
		t.Errorf("%.1f MiB before, %.1f with the view, %.1f after a search, %.1f once it was closed", before, open, searched, closed)
	}
}
