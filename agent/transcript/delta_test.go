package transcript

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
)

// chunked is a turn with consecutive chunks and events between them.
func chunked() []Record {
	at := time.Unix(5, 0).UTC()
	var rs []Record
	seq := int64(0)
	add := func(e Event) {
		r := Record{Turn: "t", At: at, Event: e}
		if Shown(e) {
			seq++
			r.Seq = seq
		}
		rs = append(rs, r)
	}
	add(Thought{"m", "Plan", "first"})
	add(Thought{"m", "", " then <that> & \"this\"\n"})
	add(Thought{"m", "Another", "x"})
	add(Text{MessageID: "m", Part: 1, Text: "a"})
	add(Text{MessageID: "m", Part: 1, Text: "b"})
	add(Text{MessageID: "m", Part: 1, Text: "c", Signature: []byte("s")})
	add(Text{MessageID: "m", Part: 2, Text: "d"})
	add(Given{MessageID: "m", Kind: "k", Text: "between"})
	add(Text{MessageID: "m", Part: 2, Text: "e"})
	add(Text{MessageID: "n", Text: "f"})
	seq++ // a lost record
	add(Text{MessageID: "n", Text: "g"})
	add(Text{MessageID: "n", Text: "h"})
	add(ResponseFinished{MessageID: "n", Reason: model.Stop})
	return rs
}

func TestChunksRoundTrip(t *testing.T) {
	want := chunked()
	for from := range want { // a reader that has already read that many
		w := write(t)
		if _, err := w.Lock(); err != nil {
			t.Fatal(err)
		}
		r := &Log{path: w.path}
		if _, err := r.CatchUp(); err != nil {
			t.Fatal(err)
		}
		var got []Record
		for i, rec := range want {
			if i == from {
				got = read(t, r)
			}
			if err := w.Append(rec, false); err != nil {
				t.Fatal(err)
			}
		}
		got = append(got, read(t, r)...)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Fatalf("after %d records (-got +want):\n%s", from, diff)
		}
	}
}

func read(t *testing.T, l *Log) []Record {
	t.Helper()
	rs, err := l.CatchUp()
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

func TestSizeOfAChunk(t *testing.T) {
	l := write(t)
	if _, err := l.Lock(); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(l.path)
	if err != nil {
		t.Fatal(err)
	}
	const many = 100
	text := string(bytes.Repeat([]byte("<words> & "), 10))
	for i := range many {
		if err := l.Append(Record{Seq: int64(10 + i), Turn: "a-turn", At: time.Now(), Event: Text{MessageID: "a-message", Text: text}}, false); err != nil {
			t.Fatal(err)
		}
	}
	after, err := os.Stat(l.path)
	if err != nil {
		t.Fatal(err)
	}
	if got, most := after.Size()-before.Size(), int64(many*len(text)*12/10); got > most {
		t.Errorf("%d bytes, more than %d", got, most)
	}
}

// A short record is only read if the record before it is known.
func TestAChunkWithoutItsBeginningIsSkipped(t *testing.T) {
	l := write(t)
	whole, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	broken := append(bytes.Clone(whole), "{\"seq\":4,\"ki\n{\"+\":\"lost\"}\n"...)
	if err := os.WriteFile(l.path, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := texts(read(t, &Log{path: l.path})); got != "abc" {
		t.Errorf("%q is read", got)
	}
}

func TestADiffIsStoredAsChanges(t *testing.T) {
	long := strings.Repeat("a line of text <&>\n", 100)
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		name  string
		diff  Diff
		whole bool // the new text is stored too
	}{
		{name: "a small change of a long text", diff: Diff{"/a", &long, "first\n" + long + "last"}},
		{name: "lines taken out", diff: Diff{"/a", &long, long[19*3:]}},
		{name: "a new file", diff: Diff{"/a", nil, long}, whole: true},
		{name: "a new empty file", diff: Diff{"/a", nil, ""}, whole: true},
		{name: "emptied", diff: Diff{"/a", &long, ""}, whole: true},
		{name: "all of it is another", diff: Diff{"/a", &long, strings.ToUpper(long)}, whole: true},
		{name: "short texts", diff: Diff{"/a", text("a\n"), "b\n"}, whole: true},
		{name: "nothing changed", diff: Diff{"/a", &long, long}, whole: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Record{Event: ToolUpdate{CallID: "c", Diffs: []Diff{c.diff}}}
			line, err := r.line()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(line), `"new"`); got != c.whole {
				t.Errorf("the whole new text is stored: %v\n%s", got, line)
			}
			got, err := parseRecord(line)
			if err != nil || !reflect.DeepEqual(got.Event, r.Event) {
				t.Errorf("got %+v, %v", got.Event, err)
			}
		})
	}
}

func TestInvalidDiffs(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{name: "both texts, as older logs have them", line: `{"path":"/a","old":"a\n","new":"b\n"}`, want: "b\n"},
		{name: "changes", line: `{"path":"/a","old":"a\nb\nc\n","changes":[{"a":0,"b":2,"text":"A\n"},{"a":4,"b":6}]}`, want: "A\nb\n"},
		{name: "neither", line: `{"path":"/a"}`, want: "error"},
		{name: "changes out of order", line: `{"path":"/a","old":"a\nb\nc\n","changes":[{"a":4,"b":6},{"a":0,"b":2}]}`, want: "error"},
		{name: "a change past the end", line: `{"path":"/a","old":"a\n","changes":[{"a":0,"b":3}]}`, want: "error"},
		{name: "a change before the beginning", line: `{"path":"/a","old":"a\n","changes":[{"a":-1,"b":1}]}`, want: "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d Diff
			got := "error"
			if err := json.Unmarshal([]byte(c.line), &d); err == nil {
				got = d.New
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
