package buffers_test

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func (w *world) announce(name string) {
	w.Helper()
	b, err := json.Marshal(map[string]any{"version": 2, "folders": []string{w.dir}})
	if err == nil {
		err = os.WriteFile(filepath.Join(w.state, name+".json"), b, 0o600)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// TestEndedProcessesAreForgotten: what a process that was killed has left behind is removed by
// those that look and by the next editor, and what else is there is not.
func TestEndedProcessesAreForgotten(t *testing.T) {
	w := newWorld(t)
	if err := os.Mkdir(w.state, 0o700); err != nil {
		t.Fatal(err)
	}
	left := func(name string) {
		t.Helper()
		path := filepath.Join(w.state, name+".sock")
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		long := time.Now().Add(-time.Hour)
		if err := errors.Join(l.Close(), os.Chtimes(path, long, long)); err != nil {
			t.Fatal(err)
		}
		w.announce(name)
	}
	left("dead")
	if err := os.WriteFile(filepath.Join(w.state, "broken.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ws, _, _ := w.mirror(w.dir); shown(ws) != "" {
		t.Errorf("it sees %s", shown(ws))
	}
	if got := w.announcements(); len(got) != 1 || filepath.Base(got[0]) != "broken.json" {
		t.Errorf("left: %v", got)
	}
	left("dead2")
	_, s := w.editor(w.dir)
	for len(w.announcements()) != 3 { // the broken one, and its own two
		select {
		case <-t.Context().Done():
			t.Fatalf("not removed by an editor: %v", w.announcements())
		case <-time.After(time.Millisecond):
		}
	}
	for _, f := range w.announcements() {
		if fi, err := os.Stat(f); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v, %v", f, fi.Mode(), err)
		}
	}
	s.Close()
	if got := w.announcements(); len(got) != 1 {
		t.Errorf("left by an editor that was closed: %v", got)
	}
}

// TestAnnouncementOnItsWayStays until it is old: others neither take it for one nor remove it.
func TestAnnouncementOnItsWayStays(t *testing.T) {
	w := newWorld(t)
	if err := os.Mkdir(w.state, 0o700); err != nil {
		t.Fatal(err)
	}
	young, old := filepath.Join(w.state, ".part-1.json"), filepath.Join(w.state, ".part-2.json")
	w.announce(".part-1")
	w.announce(".part-2")
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	w.mirror(w.dir)
	if got := w.announcements(); len(got) != 2 {
		t.Fatalf("after a look for editors there are %v", got)
	}
	w.editor(w.dir)
	for len(w.announcements()) != 3 { // the young one, and the editor's own two
		select {
		case <-t.Context().Done():
			t.Fatalf("not removed by an editor: %v", w.announcements())
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := os.Stat(young); err != nil {
		t.Error(err)
	}
}
