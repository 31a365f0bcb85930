package transcript

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
)

// chunked is a turn in which chunks follow one another, and what breaks their row.
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
	seq++ // one was lost
	add(Text{MessageID: "n", Text: "g"})
	add(Text{MessageID: "n", Text: "h"})
	add(ResponseFinished{MessageID: "n", Reason: model.Stop})
	return rs
}

func TestChunksAreReadAsTheyWereWritten(t *testing.T) {
	want := chunked()
	for from := range want { // a reader that has read so many before
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

func TestAChunkTakesLittleMoreThanItsText(t *testing.T) {
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

// What is not known to be the end of the log is not gone on from.
func TestAChunkWithoutItsBeginningIsPassedOver(t *testing.T) {
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
