//go:build editors

package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A recording is one case as one editor did it: a line of a fixture.
type recording struct {
	Name     string     `json:"name"`
	Encoding string     `json:"encoding"` // of positions
	Disk     string     `json:"disk"`     // the file before
	Initial  string     `json:"initial"`  // the document, as didOpen had it
	Version  int        `json:"version"`  // its version then
	Edits    []textEdit `json:"edits"`
	Messages []reported `json:"messages"`
	Final    string     `json:"final"` // the document in the end, by what the editor reported
}

// reported is a message of the editor's: one of the two.
type reported struct {
	DidChange *didChange `json:"didChange,omitempty"`
	Response  *response  `json:"response,omitempty"` // of workspace/applyEdit
}

type didChange struct {
	Version        int             `json:"version"`
	ContentChanges []contentChange `json:"contentChanges"`
}

type response struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// replayed applies the reports of the editor to the initial text.
func (r recording) replayed() (string, error) {
	text := r.Initial
	for _, m := range r.Messages {
		if m.DidChange == nil {
			continue
		}
		var err error
		if text, err = changed(text, m.DidChange.ContentChanges, r.Encoding); err != nil {
			return "", fmt.Errorf("version %d: %w", m.DidChange.Version, err)
		}
	}
	return text, nil
}

// record has the editor open a case's file and apply its edits. It has the
// user type a letter and undo it by letter and undo.
func (s *server) record(c editCase, file string, letter, undo func()) (recording, error) {
	r := recording{Name: c.name, Encoding: s.encoding, Disk: c.text}
	if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
		return r, err
	}
	uri := "file://" + file
	if _, err := s.request("window/showDocument", map[string]any{"uri": uri, "takeFocus": true}); err != nil {
		return r, err
	}
	err := s.until("didOpen of "+filepath.Base(file), func(m message) bool {
		var p struct {
			TextDocument struct {
				URI     string `json:"uri"`
				Version int    `json:"version"`
				Text    string `json:"text"`
			} `json:"textDocument"`
		}
		if m.Method != "textDocument/didOpen" || json.Unmarshal(m.Params, &p) != nil || p.TextDocument.URI != uri {
			return false
		}
		r.Initial, r.Version = p.TextDocument.Text, p.TextDocument.Version
		return true
	})
	if err != nil {
		return r, err
	}
	if err := s.pause(); err != nil { // an editor may have more to say about a file that it has just opened
		return r, err
	}
	if c.typed {
		opened := r.Initial
		for _, press := range []func(){letter, undo} {
			press()
			if r.Messages, err = s.settle("", uri); err != nil {
				return r, err
			}
			if r.Initial, err = r.replayed(); err != nil {
				return r, err
			}
			r.Version = r.Messages[len(r.Messages)-1].DidChange.Version
		}
		if r.Initial != opened {
			return r, fmt.Errorf("typing a letter and undoing it made %q of %q", r.Initial, opened)
		}
	}
	r.Edits = c.edits(r.Initial, s.encoding)
	id, err := s.request("workspace/applyEdit", map[string]any{
		"label": c.name,
		"edit": map[string]any{"documentChanges": []any{map[string]any{
			"textDocument": map[string]any{"uri": uri, "version": r.Version},
			"edits":        r.Edits,
		}}},
	})
	if err != nil {
		return r, err
	}
	if r.Messages, err = s.settle(id, uri); err != nil {
		return r, err
	}
	r.Final, err = r.replayed()
	return r, err
}

// pause waits until the editor has nothing to say.
func (s *server) pause() error {
	for {
		select {
		case m, ok := <-s.messages:
			if !ok {
				return errors.New("the editor hung up")
			}
			if m.Method == "textDocument/didChange" {
				return errors.New("the editor changed the document by itself")
			}
			if err := s.answer(m); err != nil {
				return err
			}
		case <-time.After(quiet / 4):
			return nil
		}
	}
}

// settle collects what the editor says about a change of a document until that
// has settled: after its answer to the request with that id, or, without an id,
// after a didChange.
func (s *server) settle(id, uri string) (l []reported, err error) {
	answered := false
	late := time.After(patience)
	for {
		var still <-chan time.Time
		if answered {
			still = time.After(quiet)
		}
		select {
		case m, ok := <-s.messages:
			if !ok {
				return l, errors.New("the editor hung up")
			}
			if err := s.answer(m); err != nil {
				return l, err
			}
			switch {
			case m.Method == "textDocument/didChange":
				var p struct {
					TextDocument struct {
						URI     string `json:"uri"`
						Version int    `json:"version"`
					} `json:"textDocument"`
					ContentChanges []contentChange `json:"contentChanges"`
				}
				if err := json.Unmarshal(m.Params, &p); err != nil {
					return l, err
				}
				if p.TextDocument.URI != uri {
					return l, fmt.Errorf("%s was changed instead", p.TextDocument.URI)
				}
				l = append(l, reported{DidChange: &didChange{p.TextDocument.Version, p.ContentChanges}})
				answered = answered || id == ""
			case m.Method == "" && id != "" && string(m.ID) == id:
				answered = true
				l = append(l, reported{Response: &response{m.Result, m.Error}})
			}
		case <-still:
			return l, nil
		case <-late:
			return l, errors.New("the edit did not settle")
		}
	}
}

// write writes a fixture, a line for each case.
func write(file string, l []recording) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, r := range l {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return os.WriteFile(file, b.Bytes(), 0o600)
}

// read reads a fixture.
func read(file string) (l []recording, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var r recording
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, err
		}
		l = append(l, r)
	}
	return l, nil
}
