package servertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Frame is the framing of events. The zero value is the provider's own: one data line,
// all bytes of an event at once.
type Frame struct {
	BOM      bool          // begin with a comment and a byte order mark, as behind some proxies
	LF       bool          // end lines with LF
	CRLF     bool          // end lines with CRLF
	CR       bool          // end lines with CR
	Mixed    bool          // end lines with LF and CRLF in turn
	Comments bool          // comments, event, id and retry fields between events
	Lines    bool          // break each event's JSON into many data lines
	Done     bool          // end with data: [DONE]
	Split    int           // send this many bytes at a time; 0: whole events
	Drip     time.Duration // wait between two sends
}

// End is how a stream ends after its events.
type End int

// Ways for a stream to end.
const (
	Clean    End = iota
	Cut          // the connection breaks
	Truncate     // half of the last event is sent, then the stream ends normally
	Stall        // nothing more is sent, and the connection stays open
	Garble       // the last event's JSON is damaged
)

// Delivery is how a stream is sent.
type Delivery struct {
	Header http.Header // beside the type of the content
	Type   string      // of the content; empty: text/event-stream
	EOL    string      // that the provider uses; empty: LF
	Frame  Frame
	End    End
}

// Event is one event on the wire, or with a Hold alone a wait between two.
type Event struct {
	Name string // of the field event; may be empty
	Data []byte
	Bare bool            // Data is sent as it is
	Hold <-chan struct{} // nothing is sent before this is closed
}

func (e Event) empty() bool { return e.Name == "" && len(e.Data) == 0 && !e.Bare }

// Stream sends events as the delivery says.
func (s *Server[Q, R]) Stream(w http.ResponseWriter, h *http.Request, d Delivery, events []Event) {
	if d.Type == "" {
		d.Type = "text/event-stream"
	}
	w.Header().Set("Content-Type", d.Type)
	for name, values := range d.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(http.StatusOK)
	flush(w)
	if d.Frame.Done && d.End == Clean {
		events = append(slices.Clip(events), Event{Data: []byte("[DONE]")})
	}
	wire := framing{d: d}
	if d.Frame.BOM && !s.send(w, h, d.Frame, []byte(": hello\n\n\ufeff")) {
		return
	}
	last := len(events) - 1
	for last >= 0 && events[last].empty() {
		last--
	}
	for i, e := range events {
		if !s.Wait(h, e.Hold) {
			return
		}
		if e.empty() {
			continue
		}
		data := wire.bytes(e, i == last && d.End == Garble)
		if i == last && d.End == Truncate {
			data = data[:len(data)/2]
		}
		if !s.send(w, h, d.Frame, data) {
			return
		}
	}
	switch d.End {
	case Cut:
		panic(http.ErrAbortHandler)
	case Stall:
		s.Wait(h, make(chan struct{}))
	case Clean, Truncate, Garble:
	}
}

// send writes data in pieces of the frame's size. It reports whether the client is
// still there.
func (s *Server[Q, R]) send(w http.ResponseWriter, h *http.Request, f Frame, data []byte) bool {
	size := f.Split
	if size == 0 {
		size = max(len(data), 1)
	}
	for len(data) > 0 {
		n := min(size, len(data))
		if _, err := w.Write(data[:n]); err != nil {
			return false
		}
		flush(w)
		data = data[n:]
		if !s.pause(h, f.Drip) {
			return false
		}
	}
	return true
}

// pause waits for a time, as Wait does.
func (s *Server[Q, R]) pause(h *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	over := make(chan struct{})
	defer time.AfterFunc(d, func() { close(over) }).Stop()
	return s.Wait(h, over)
}

func flush(w http.ResponseWriter) { http.NewResponseController(w).Flush() } //nolint:errcheck // the next write reports the error

// framing puts events on the wire.
type framing struct {
	d    Delivery
	sent int // events
	ends int // of lines
}

func (f *framing) bytes(e Event, garble bool) []byte {
	f.sent++
	data := e.Data
	if garble {
		data = bytes.Replace(data, []byte(`":`), []byte(`"#:`), 1)
		data = data[:len(data)-1]
	}
	var out bytes.Buffer
	if e.Bare {
		out.Write(data)
		out.WriteString("\n\n")
		return out.Bytes()
	}
	if f.d.Frame.Comments {
		out.WriteString(": keep-alive" + f.eol())
		if e.Name == "" {
			out.WriteString("event: message" + f.eol())
		}
		fmt.Fprintf(&out, "id: %d%sretry: 3000%s", f.sent, f.eol(), f.eol())
	}
	if f.d.Frame.Lines {
		var pretty bytes.Buffer
		if json.Indent(&pretty, data, "", " ") == nil {
			data = pretty.Bytes()
		}
	}
	if e.Name != "" {
		out.WriteString("event: " + e.Name + f.eol())
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		out.WriteString("data: " + line + f.eol())
	}
	out.WriteString(f.eol())
	return out.Bytes()
}

// eol returns the next line end.
func (f *framing) eol() string {
	f.ends++
	switch o := f.d.Frame; {
	case o.LF, o.Mixed && f.ends%2 == 0:
		return "\n"
	case o.CRLF, o.Mixed:
		return "\r\n"
	case o.CR:
		return "\r"
	case f.d.EOL != "":
		return f.d.EOL
	}
	return "\n"
}
