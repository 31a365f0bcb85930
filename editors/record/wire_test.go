//go:build editors

package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"time"
)

// message is one of JSON-RPC's, in either direction.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// server is the language server that the editor believes to have started. It
// answers every request with null, and hands what comes to whoever waits.
type server struct {
	conn     net.Conn
	messages chan message
	encoding string
	next     int

	initialize json.RawMessage // its params
}

// serve reads what the editor sends until it hangs up.
func serve(conn net.Conn) *server {
	s := &server{conn: conn, messages: make(chan message, 10_000)}
	go func() {
		defer close(s.messages)
		in := bufio.NewReader(conn)
		for {
			header, err := textproto.NewReader(in).ReadMIMEHeader()
			if err != nil {
				return
			}
			n, _ := strconv.Atoi(header.Get("Content-Length"))
			raw := make([]byte, n)
			if _, err := io.ReadFull(in, raw); err != nil {
				return
			}
			var m message
			if json.Unmarshal(raw, &m) != nil {
				return
			}
			s.messages <- m
		}
	}()
	return s
}

func (s *server) send(m message) error {
	m.JSONRPC = "2.0"
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.conn, "Content-Length: %d\r\n\r\n%s", len(raw), raw)
	return err
}

// request asks the editor and returns the request's id.
func (s *server) request(method string, params any) (string, error) {
	s.next++
	raw, err := json.Marshal(params)
	if err != nil {
		return "", err
	}
	id := strconv.Itoa(s.next)
	return id, s.send(message{ID: json.RawMessage(id), Method: method, Params: raw})
}

// patience is how long the editor may take for what it has to do, quiet how
// long nothing comes before an edit has settled: twice the half second of idle
// time after which Emacs reports its changes.
const (
	patience = 60 * time.Second
	quiet    = 1200 * time.Millisecond
)

// until takes messages until one is wanted. What the editor asks meanwhile is
// answered.
func (s *server) until(what string, wanted func(message) bool) error {
	late := time.After(patience)
	for {
		select {
		case m, ok := <-s.messages:
			if !ok {
				return fmt.Errorf("the editor hung up before %s", what)
			}
			if err := s.answer(m); err != nil {
				return err
			}
			if wanted(m) {
				return nil
			}
		case <-late:
			return fmt.Errorf("no %s within %v", what, patience)
		}
	}
}

// answer answers a request of the editor's.
func (s *server) answer(m message) error {
	if m.Method == "" || m.ID == nil {
		return nil
	}
	result := json.RawMessage("null")
	if m.Method == "initialize" {
		s.encoding, s.initialize = "utf-16", m.Params
		var p struct {
			Capabilities struct {
				General struct{ PositionEncodings []string }
			}
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return err
		}
		for _, e := range p.Capabilities.General.PositionEncodings {
			if e == "utf-8" { // as emendo chooses
				s.encoding = e
			}
		}
		result = json.RawMessage(`{"serverInfo": {"name": "recorder"}, "capabilities": {"positionEncoding": "` + s.encoding + `",
			"textDocumentSync": {"openClose": true, "change": 2, "save": true}}}`)
	}
	return s.send(message{ID: m.ID, Result: result})
}
