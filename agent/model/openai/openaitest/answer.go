package openaitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answer plays one reply.
type answer struct {
	s         *Server
	w         http.ResponseWriter
	h         *http.Request
	n         int // of the answers so far
	model     string
	chat      bool // Chat Completions
	encrypts  bool // the client wants encrypted reasoning
	summary   bool // the client wants summaries of reasoning
	counts    bool // the client wants counts in a chat completion
	frames    []frame
	hold      <-chan struct{} // of the next frame
	parts     int             // sent so far, for the counts
	thoughts  int
	finished  bool
	responses responsesAnswer
}

// frame is one event on the wire.
type frame struct {
	name string // empty: it has none
	data []byte
	bare bool
	hold <-chan struct{}
}

func (a *answer) add(name string, v any) {
	if m, ok := v.(map[string]any); ok && name != "" {
		m["type"], m["sequence_number"] = name, len(a.frames)
	}
	a.frames = append(a.frames, frame{name: name, data: mustJSON(v), hold: a.hold})
	a.hold = nil
}

func (a *answer) play(r Reply) {
	if !a.wait(r.Hold) {
		return
	}
	if r.Refusal != nil {
		r.Refusal.write(a.w)
		return
	}
	a.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for name, values := range r.Header {
		a.w.Header()[name] = values
	}
	a.w.WriteHeader(http.StatusOK)
	a.flush()
	a.render(r)
	for i, f := range a.frames {
		if !a.wait(f.hold) {
			return
		}
		last := i == len(a.frames)-1
		data := frameBytes(r.Frame, f, last && r.End == Garble)
		if last && r.End == Truncate {
			data = data[:len(data)/2]
		}
		if !a.send(r.Frame, data) {
			return
		}
	}
	switch r.End {
	case Cut:
		panic(http.ErrAbortHandler)
	case Stall:
		a.wait(make(chan struct{}))
	case Clean:
		if a.chat && a.finished && !r.Frame.NoDone {
			a.send(r.Frame, frameBytes(r.Frame, frame{data: []byte("[DONE]")}, false))
		}
	case Truncate, Garble:
	}
}

// render makes the frames of a reply.
func (a *answer) render(r Reply) {
	if !a.chat {
		a.begin()
	}
	for _, e := range r.Events {
		a.hold = e.Hold
		switch {
		case e.Raw != "":
			a.frames = append(a.frames, frame{data: []byte(e.Raw), bare: e.Bare, hold: a.hold})
		case a.chat:
			a.completion(e)
		default:
			a.response(e)
		}
	}
}

// usage returns the counts of a finished answer.
func (a *answer) usage(e Event) Usage {
	if e.Usage != nil {
		return *e.Usage
	}
	return Usage{Prompt: 10, Answer: a.parts, Thoughts: a.thoughts}
}

// wait waits for hold, and reports whether the client is still there.
func (a *answer) wait(hold <-chan struct{}) bool {
	if hold == nil {
		return true
	}
	select {
	case <-hold:
		return true
	case <-a.h.Context().Done():
	case <-a.s.quit:
	}
	return false
}

// send writes data in pieces of the frame's size.
func (a *answer) send(f Frame, data []byte) bool {
	size := f.Split
	if size == 0 {
		size = max(len(data), 1)
	}
	for len(data) > 0 {
		n := min(size, len(data))
		if _, err := a.w.Write(data[:n]); err != nil {
			return false
		}
		a.flush()
		data = data[n:]
		if f.Drip > 0 {
			over := make(chan struct{})
			timer := time.AfterFunc(f.Drip, func() { close(over) })
			there := a.wait(over)
			timer.Stop()
			if !there {
				return false
			}
		}
	}
	return true
}

func (a *answer) flush() { http.NewResponseController(a.w).Flush() } //nolint:errcheck // the next write reports the error

// frameBytes puts an event on the wire.
func frameBytes(f Frame, e frame, garble bool) []byte {
	end := "\n"
	switch {
	case f.CRLF:
		end = "\r\n"
	case f.CR:
		end = "\r"
	}
	data := e.data
	if garble {
		data = bytes.Replace(data, []byte(`":`), []byte(`"#:`), 1)
		data = data[:len(data)-1]
	}
	if e.bare {
		return append(bytes.Clone(data), "\n\n"...)
	}
	var out bytes.Buffer
	if f.Comments {
		fmt.Fprintf(&out, ": keep-alive%sid: 1%sretry: 3000%s", end, end, end)
	}
	if f.Lines {
		var pretty bytes.Buffer
		if json.Indent(&pretty, data, "", " ") == nil {
			data = pretty.Bytes()
		}
	}
	if e.name != "" {
		out.WriteString("event: " + e.name + end)
	}
	for _, line := range strings.Split(string(data), "\n") {
		out.WriteString("data: " + line + end)
	}
	out.WriteString(end)
	return out.Bytes()
}
