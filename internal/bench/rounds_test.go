package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/genai"
)

// round holds the cost of one call of read_file, from the model's answer with the
// call to the request with its result.
type round struct {
	took time.Duration
	next request
}

// perTurn is the number of rounds in a turn; in longer turns a model would be asked
// to look for loops.
const perTurn = 25

// rounds has the model read a file n times in the session, with different arguments
// each time, so that no loop is detected.
func rounds(e *editor, m *modelServer, session, file string, many int) []round {
	e.tb.Helper()
	called := make(chan time.Time, perTurn)
	var l []round
	for len(l) < many {
		left := min(perTurn, many-len(l))
		n := left
		m.answer = func(a *answer) {
			if left == 0 {
				a.done()
				return
			}
			left--
			args, err := json.Marshal(map[string]any{"file_path": file, "end_line": 10_000 + left})
			if err != nil {
				panic(err) // a name and a number
			}
			a.call("read_file", string(args))
			called <- time.Now()
		}
		e.prompt(session, "read it")
		<-m.requests
		for range n {
			next := <-m.requests
			l = append(l, round{next.read.Sub(<-called), next})
		}
	}
	return l
}

// readRound measures a round with a file of a kilobyte.
func readRound(b *testing.B) []figure {
	m := newModel(b)
	once := func(p program) float64 {
		e := open(b, p)
		defer e.stop()
		file := p.file(b, "a.go", code(25))
		s := e.session()
		rounds(e, m, s, file, 5)
		var took []time.Duration
		for _, r := range rounds(e, m, s, file, 40) {
			took = append(took, r.took)
		}
		return ms(median(took))
	}
	return []figure{{name: "one round with a read file", value: once(newEmendo(b, m)), floor: once(newFloor(b, m)), beside: "bare server", unit: "ms", budget: 2.5}}
}

// longSession measures a round with 2 MB of history, beside the client library's
// own encoding of the same requests, and by how much more than the library's its
// cost has grown since the session was short.
func longSession(b *testing.B) []figure {
	const early, late, around = 10, 200, 5
	m := newModel(b)
	p := newEmendo(b, m)
	p.configure(b, `{"contextManagement.tools.outputMasking": {"protectionThresholdTokens": 1000000000}}`) // or what was read long ago would not be sent again
	e := open(b, p)
	defer e.stop()
	file := p.file(b, "a.go", code(10_300/len(code(1))))
	s := e.session()
	m.keep = true
	l := rounds(e, m, s, file, late+around)
	m.keep = false
	near := func(n int) (ours, library float64) {
		var took, encoded []time.Duration
		for _, r := range l[n-around : n+around] {
			took = append(took, r.took)
			encoded = append(encoded, encode(b, m, r.next.body))
		}
		return ms(median(took)), ms(median(encoded))
	}
	first, firstLibrary := near(early)
	last, lastLibrary := near(late)
	name := fmt.Sprintf("round %d, a request of %.1f MB", late, float64(len(l[late].next.body))/1e6)
	return []figure{
		{name: name, value: last, floor: lastLibrary, beside: "genai", unit: "ms", budget: 1.6, times: true},
		{name: fmt.Sprintf("growth of a round from %d to %d, beyond that of genai", early, late), value: (last - lastLibrary) - (first - firstLibrary), unit: "ms", budget: 25},
	}
}

// encode returns the client library's time for a request, from the call to the
// arrival of all of it.
func encode(b *testing.B, m *modelServer, body []byte) time.Duration {
	b.Helper()
	var r struct {
		Contents          []*genai.Content
		SystemInstruction *genai.Content
		Tools             []*genai.Tool
	}
	body = bytes.ReplaceAll(body, []byte(`"skip_thought_signature_validator"`), []byte(`"c2tpcA=="`)) // the library's type takes base64 alone
	if err := json.Unmarshal(body, &r); err != nil {
		b.Fatal(err)
	}
	c, err := genai.NewClient(b.Context(), &genai.ClientConfig{Backend: genai.BackendGeminiAPI, APIKey: "k", HTTPOptions: genai.HTTPOptions{BaseURL: m.url}})
	if err != nil {
		b.Fatal(err)
	}
	m.answer = (*answer).done
	send := func() time.Duration {
		began := time.Now()
		for _, err := range c.Models.GenerateContentStream(context.Background(), "gemini-2.5-pro", r.Contents, &genai.GenerateContentConfig{SystemInstruction: r.SystemInstruction, Tools: r.Tools}) {
			if err != nil {
				b.Fatal(err)
			}
		}
		return (<-m.requests).read.Sub(began)
	}
	send() // connects
	return send()
}

// diskBytes measures the size of a session's log per byte of content.
func diskBytes(b *testing.B) []figure {
	m := newModel(b)

	said := func() float64 { // a long answer, in chunks of the size and, but for the pause, at the pace of real ones
		const many, size = 2000, 100
		text := code(many * size / len(code(1)) * 2)
		p := newEmendo(b, m)
		e := open(b, p)
		m.answer = func(a *answer) {
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for i := range many {
				<-tick.C
				a.say(text[i*size : (i+1)*size])
				a.flush()
			}
			a.done()
		}
		e.prompt(e.session(), "tell me")
		e.stop()
		return float64(logSize(b, p)) / float64(many*size)
	}
	read := func() float64 {
		const many = 50
		p := newEmendo(b, m)
		e := open(b, p)
		text := code(10_300 / len(code(1)))
		rounds(e, m, e.session(), p.file(b, "a.go", text), many)
		e.stop()
		return float64(logSize(b, p)) / float64(many*len(text))
	}
	return []figure{
		{name: "bytes on disk for each byte said", value: said(), floor: 1, beside: "the text", unit: "", budget: 1.3},
		{name: "bytes on disk for each byte read", value: read(), floor: 1, beside: "the text", unit: "", budget: 1.3},
	}
}

// logSize returns the size of all session logs of a program in bytes.
func logSize(b *testing.B, p program) int64 {
	b.Helper()
	var size int64
	err := filepath.WalkDir(p.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		info, err := os.Stat(path)
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil || size == 0 {
		b.Fatalf("%d bytes of logs, %v", size, err)
	}
	return size
}
