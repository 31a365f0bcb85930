package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func texts(rs []Record) string {
	s := ""
	for _, r := range rs {
		if e, ok := r.Event.(Text); ok {
			s += e.Text
		}
	}
	return s
}

// write makes a log of three texts.
func write(t *testing.T) *Log {
	t.Helper()
	l := &Log{path: filepath.Join(t.TempDir(), "sessions", "x.jsonl")}
	for i, s := range []string{"a", "b", "c"} {
		if err := l.Append(Record{Seq: int64(i + 1), At: time.Unix(0, 0).UTC(), Event: Text{MessageID: "m", Text: s}}, true); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func TestATruncatedLogKeepsItsCompleteRecords(t *testing.T) {
	l := write(t)
	whole, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		p := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(p, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := ""
		for _, b := range whole[:cut] {
			if b == '\n' {
				want += string(rune('a' + len(want)))
			}
		}
		c := &Log{path: p}
		rs, err := c.Lock()
		if err != nil || texts(rs) != want {
			t.Fatalf("cut at %d: %q, %v, want %q", cut, texts(rs), err, want)
		}
		if err := c.Append(Record{Seq: 9, Event: Text{Text: "z"}}, true); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.Unlock(), c.Close()); err != nil {
			t.Fatal(err)
		}
		rs, err = (&Log{path: p}).CatchUp()
		if err != nil || texts(rs) != want+"z" {
			t.Fatalf("cut at %d, then written: %q, %v", cut, texts(rs), err)
		}
	}
}

func TestALogHasOneWriterAtATime(t *testing.T) {
	a := write(t)
	b := &Log{path: a.path}
	if _, err := a.Lock(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Lock(); !errors.Is(err, ErrBusy) {
		t.Errorf("a second lock: %v", err)
	}
	if err := a.Append(Record{Seq: 4, Event: Text{Text: "d"}}, false); err != nil {
		t.Fatal(err)
	}
	if err := a.Unlock(); err != nil {
		t.Fatal(err)
	}
	rs, err := b.Lock()
	if err != nil || texts(rs) != "abcd" {
		t.Errorf("the second process reads %q, %v", texts(rs), err)
	}
	if err := b.Append(Record{Seq: 5, Event: Text{Text: "e"}}, false); err != nil {
		t.Fatal(err)
	}
	if err := b.Unlock(); err != nil {
		t.Fatal(err)
	}
	if rs, err := a.Lock(); err != nil || texts(rs) != "e" {
		t.Errorf("the first process reads %q, %v of what the second wrote", texts(rs), err)
	}
}

func TestADeletedLogIsNotWritten(t *testing.T) {
	l := write(t)
	if err := os.Remove(l.path); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Lock(); !errors.Is(err, ErrUnknownSession) {
		t.Errorf("lock of a deleted log: %v", err)
	}
}

func TestLogFilesAreOnlyAccessibleToTheUser(t *testing.T) {
	l := write(t)
	for p, want := range map[string]os.FileMode{l.path: 0o600, filepath.Dir(l.path): 0o700} {
		fi, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := fi.Mode().Perm(); got != want {
			t.Errorf("%s has mode %v, want %v", filepath.Base(p), got, want)
		}
	}
}

func TestRecordsOfLaterVersionsAreSkipped(t *testing.T) {
	r, err := parseRecord([]byte(`{"seq":7,"at":"2026-01-01T00:00:00Z","kind":"hologram","event":{"x":1}}`))
	if err != nil || r.Event != nil || r.Seq != 7 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestATornLineDoesNotAffectTheNext(t *testing.T) {
	a := write(t)
	f, err := os.OpenFile(a.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"seq":4,"at":"20`); err != nil { // and was killed
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b := &Log{path: a.path}
	if err := b.Append(Record{Seq: 4, Event: Text{Text: "d"}}, true); err != nil {
		t.Fatal(err)
	}
	if rs, err := b.CatchUp(); err != nil || texts(rs) != "abcd" {
		t.Errorf("read %q, %v", texts(rs), err)
	}
}

// A user may decide on hunks in one process while a turn of the session runs in
// another.
func TestRecordsOfOtherProcessesDuringATurn(t *testing.T) {
	a := write(t)
	b := &Log{path: a.path}
	if _, err := a.Lock(); err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		l    *Log
		text string
	}{{a, "d"}, {b, "e"}, {a, "f"}, {a, "g"}} {
		if err := w.l.Append(Record{Event: Text{Text: w.text}}, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Unlock(); err != nil {
		t.Fatal(err)
	}
	if rs, err := a.Lock(); err != nil || texts(rs) != "" {
		t.Errorf("the turn's own process reads %q, %v again", texts(rs), err)
	}
	if rs, err := (&Log{path: a.path}).CatchUp(); err != nil || texts(rs) != "abcdefg" {
		t.Errorf("the log holds %q, %v", texts(rs), err)
	}
}
