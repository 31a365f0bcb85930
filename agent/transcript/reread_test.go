package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The results of calls are read again from the log, whoever wrote them; of what is damaged there
// is an error, and the others are read all the same.
func TestResultsOfCallsAreReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions", "x.jsonl")
	result := func(id, text string) ToolUpdate { return ToolUpdate{CallID: id, State: Success, Display: text} }
	ours, theirs := &Log{path: path}, &Log{path: path}
	for i, w := range []struct {
		l *Log
		e Event
	}{{ours, Text{MessageID: "m", Text: "a"}}, {ours, result("c2", "two")}, {ours, ToolUpdate{CallID: "c3", State: Executing}}, {theirs, result("c4", strings.Repeat("four", 5000))}, {ours, result("c5", "five")}} {
		if err := w.l.Append(Record{Seq: int64(i + 1), Event: w.e}, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ours.CatchUp(); err != nil {
		t.Fatal(err)
	}
	loaded := &Log{path: path}
	if _, err := loaded.CatchUp(); err != nil {
		t.Fatal(err)
	}
	read := func(l *Log, may func([]byte) bool) (s string) {
		l.Reread([]int64{5, 1, 2, 3, 4, 9}, may, func(_ int, u ToolUpdate, err error) {
			if err != nil && !errors.Is(err, ErrLost) {
				t.Error(err)
			}
			if err != nil {
				u.CallID = "-"
			}
			s += u.CallID + " "
		})
		return strings.TrimSpace(s)
	}
	for _, l := range []*Log{ours, loaded} {
		if got := read(l, nil); got != "c5 - c2 - c4 -" {
			t.Errorf("read %s", got)
		}
		if got := read(l, func(line []byte) bool { return strings.Contains(string(line), "five") }); got != "c5 - - -" {
			t.Errorf("read %s of what may be wanted", got)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := func(b []byte, want string) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := read(loaded, nil); got != want {
			t.Errorf("of a damaged log was read %s, want %s", got, want)
		}
	}
	damage(whole[:len(whole)-10], "- - c2 - c4 -")
	damage([]byte(strings.Replace(string(whole), `{"seq":2`, `{"seq":7`, 1)), "c5 - - - c4 -")
	damage([]byte(strings.Replace(string(whole), "fourfour", "four\"our", 1)), "c5 - c2 - - -")
	damage(nil, "- - - - - -")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := read(ours, nil); got != "- - - - - -" {
		t.Errorf("without a log was read %s", got)
	}
}
