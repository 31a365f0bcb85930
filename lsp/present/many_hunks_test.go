package present_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// manyFiles returns how many files [drawing.recordMany] changes.
func manyFiles() int {
	if *whole {
		return 300
	}
	return 60
}

// recordMany has a command change 17 places of each of many files, and returns how many.
func (d *drawing) recordMany() (hunks int) {
	d.Helper()
	id := d.Session(nil)
	d.Mu.Lock()
	l := d.Ledger
	d.Mu.Unlock()
	var files []ledger.RecordedFile
	for n := range manyFiles() {
		var old, new strings.Builder
		for i := range 17 {
			fmt.Fprintf(&old, "same %d\nsame\nsame\nsame\nold line %d\n", i, i)
			fmt.Fprintf(&new, "same %d\nsame\nsame\nsame\nnew line %d\n", i, i)
			hunks++
		}
		path := filepath.Join(d.Dir, fmt.Sprintf("f%03d.txt", n))
		if err := os.WriteFile(path, []byte(new.String()), 0o644); err != nil {
			d.Fatal(err)
		}
		files = append(files, ledger.RecordedFile{Path: path, Op: ledger.Modify, Before: old.String(), After: new.String()})
	}
	_, left, err := l.Record(d.Context(), ledger.Recorded{SessionID: id, Title: "make", Origin: ledger.OfCommand, Files: files})
	if err != nil || len(left) > 0 {
		d.Fatalf("left out are %v: %v", left, err)
	}
	return hunks
}

// A client that takes a hundred hunks at a time gets the first with the answer and the others
// with the versions after it. While some are on their way, nothing is decided that it has not
// seen.
func TestHunksComeAsManyAtATimeAsTheClientTakes(t *testing.T) {
	withHunks(t, func(d *drawing) {
		const most = 100
		u := d.Open()
		d.change(u, "return 1", "return 11")
		hunks := d.recordMany() + 1
		messages := 0
		d.Editor.Heard = func(method string, raw json.RawMessage) {
			if method == "emendo/view/didChange" {
				if came := strings.Count(string(raw), `"hunk":`); came > most {
					d.Errorf("%d hunks come at once", came)
				}
				messages++
			}
			d.heard(method, raw)
		}
		first, files := d.begin(worldtest.Obj{"limit": most}), 0
		for _, i := range first.Items {
			if i.Kind == view.KindFile {
				files++
			}
		}
		if len(first.Hunks) != most || first.Hunks[0].Version == nil || files != manyFiles()+1 {
			t.Errorf("the answer has %d hunks and %d files, and first %+v", len(first.Hunks), files, first.Hunks[0])
		}
		d.Advance()
		if len(d.fold.Hunks()) != hunks || messages < hunks/most {
			t.Errorf("%d of %d hunks came in %d messages", len(d.fold.Hunks()), hunks, messages)
		}
		if _, err := d.onHunk(view.StatusID, "keepAll", worldtest.Obj{"version": first.Version}); err == nil || len(d.fold.Hunks()) != hunks {
			t.Errorf("with the first version %d of %d are left: %v", len(d.fold.Hunks()), hunks, err)
		}
		if _, err := d.onHunk(view.StatusID, "keepAll", nil); err != nil || len(d.fold.Hunks()) != 1 {
			t.Errorf("with the last version %d of %d are left: %v", len(d.fold.Hunks()), hunks, err)
		}
		d.check()
	})
}

// A thousand unreviewed hunks in closed files, at night 5,000, have no rows on the wire, take little memory, and
// are kept by one action, of which a client is sent only what went.
func TestManyUnreviewedHunksOfClosedFiles(t *testing.T) {
	withHunks(t, func(d *drawing) {
		hunks := d.recordMany()
		before, sent := live(), d.Wire.Load()
		d.get("")
		d.Advance()
		if size := int(d.Wire.Load() - sent); len(d.fold.Hunks()) != hunks || size > hunks*600 {
			t.Errorf("%d of %d hunks are %d bytes", len(d.fold.Hunks()), hunks, size)
		}
		var one view.HunkView
		for _, h := range d.fold.Hunks() {
			one = h
			if h.State != view.HunkUnreviewed || h.Rows != nil || h.Version != nil {
				t.Fatalf("a hunk of a closed file is %+v", h)
			}
		}
		d.fold = nil
		if used := live() - before; used > hunks<<12 {
			t.Errorf("%d hunks take %d bytes", hunks, used)
		}
		var brought struct{ Hunk view.HunkView }
		d.Call("emendo/view/item", worldtest.Obj{"id": one.ID}, &brought)
		if len(brought.Hunk.Rows) != 2 {
			t.Errorf("asked for, it is %+v", brought.Hunk)
		}
		d.get("")
		sent = d.Wire.Load()
		if _, err := d.onHunk(one.ID, "keep", nil); err != nil || len(d.fold.Hunks()) != hunks-1 {
			t.Errorf("left are %d: %v", len(d.fold.Hunks()), err)
		}
		if size := d.Wire.Load() - sent; size > 4000 {
			t.Errorf("a kept hunk costs %d bytes", size)
		}
		sent = d.Wire.Load()
		if _, err := d.onHunk(view.StatusID, "keepAll", nil); err != nil {
			t.Error(err)
		}
		d.Advance()
		if size := int(d.Wire.Load() - sent); len(d.fold.Hunks())+len(d.files()) != 0 || size > hunks*60 {
			t.Errorf("left are %d hunks, and that cost %d bytes", len(d.fold.Hunks()), size)
		}
		d.check()
	})
}

// All of a session is no more than what the client has: its status counts hunks that are on their way.
func TestAllOfASessionWaitsForItsHunks(t *testing.T) {
	withHunks(t, func(d *drawing) {
		d.recordMany()
		id := d.Ledger.List("", "", "")[0].SessionID
		d.begin(worldtest.Obj{"limit": 5})
		keep := func() error {
			var v view.View
			d.Call("emendo/view/get", worldtest.Obj{"sessionId": id}, &v)
			return d.Editor.Call(d.Context(), "emendo/view/act", worldtest.Obj{"sessionId": id, "id": view.StatusID, "actionId": "keepAll", "version": v.Version}, nil)
		}
		if err := keep(); err == nil {
			t.Error("hunks were kept that the client did not have")
		}
		d.AdvanceBy(time.Minute)
		if err := keep(); err != nil {
			t.Error(err)
		}
	})
}
