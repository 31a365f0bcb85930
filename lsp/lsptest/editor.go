package lsptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/wiretest"
)

// Serve runs a server on its side of the pipe until the connection ends.
type Serve func(ctx context.Context, r io.Reader, w io.Writer) error

// Editor is a user's editor with one server. Typing, undo, redo, closing and how
// edits are answered are the [idetest.Editor]'s; the server is notified of them. Its
// methods may be called by several goroutines at once.
type Editor struct {
	*idetest.Editor
	// Ask answers emendo/session/requestPermission with its result; nil: the
	// first option. It may wait; ctx ends when the question is withdrawn.
	Ask func(ctx context.Context, q Question) (any, error)
	// Elicit answers emendo/session/elicit with its result; nil: cancelled.
	Elicit func(ctx context.Context, raw json.RawMessage) (any, error)
	// Pass answers emendo/editor/request with the result of the editor's own language
	// servers; nil: with null.
	Pass func(ctx context.Context, method string, params json.RawMessage) (any, error)
	// Problems answers emendo/editor/diagnostics with the items; nil: with none.
	Problems func(params json.RawMessage) []any
	// Choose answers window/showMessageRequest with the title of an action; nil
	// or an empty title: with null.
	Choose func(ctx context.Context, text string, actions []string) string
	// Apply answers workspace/applyEdit with its result; nil: the buffers of the
	// [idetest.Editor] are changed.
	Apply func(ctx context.Context, raw json.RawMessage) (any, error)
	// Applies is called before the buffers are changed for workspace/applyEdit; may be nil.
	Applies func()
	// ShowDocument is called with the params of window/showDocument; may be nil.
	ShowDocument func(raw json.RawMessage)
	// Heard is called with every notification of the server, in order; may be nil.
	// It blocks every later message and must not call the server.
	Heard func(method string, raw json.RawMessage)

	conn   *rpc.Conn
	can    wiretest.Capabilities
	wire   *wiretest.Checker        // nil: the wire is not read
	config func(section string) any // nil: nothing is configured
	server json.RawMessage          // the answer to initialize
	served chan error
	ended  chan error

	mu     sync.Mutex
	seen   Seen
	create map[string]bool // tokens that were created
}

// Seen is everything that the server has sent.
type Seen struct {
	Updates      []Update
	ChangeSets   []ChangeSet // of each didChange, deltas applied
	Deltas       []Delta
	Questions    []Question
	Requests     []string // texts of window/showMessageRequest
	Messages     []string // of window/showMessage
	Severities   []int    // of Messages, from 1 for an error
	Shown        []string // "message" or "progress" and its kind, in order
	Statuses     []Status
	Progress     []Progress
	Documents    []string    // that window/showDocument opened
	Saves        int         // emendo/editor/save
	Sessions     []Session   // of emendo/sessions/didChange
	Comments     [][]Comment // of each emendo/comment/didChange
	ModelChanges int         // emendo/models/didChange
	Diagnostics  map[string][]Diagnostic
	Withdrawn    int      // questions that the server withdrew
	Wrong        []string // what it should not have sent
}

// Start connects an editor of that kind, with a workspace folder open, to a server
// and initializes it.
func Start(p Profile, folder string, serve Serve) (*Editor, error) {
	e, err := Connect(p, serve)
	if err != nil {
		return nil, err
	}
	params, err := p.params(string(ide.FileURI(folder)))
	if err != nil {
		return nil, fmt.Errorf("the initialize of %s: %w", p.Name, err)
	}
	return e, e.Initialize(params)
}

// Connect connects an editor that has not sent anything yet.
func Connect(p Profile, serve Serve) (*Editor, error) {
	params, err := p.params("file:///")
	if err != nil {
		return nil, fmt.Errorf("the initialize of %s: %w", p.Name, err)
	}
	can, _ := params["capabilities"].(map[string]any)
	o, _ := params["initializationOptions"].(map[string]any)
	if o["showDocument"] == true {
		child(child(can, "window"), "showDocument")["support"] = true
	}
	if o["client"] == "kate" { // which makes edits and does not declare it
		child(can, "workspace")["applyEdit"] = true
	}
	e := &Editor{can: can, wire: p.Wire, config: p.Configured, create: map[string]bool{}, seen: Seen{Diagnostics: map[string][]Diagnostic{}}}
	e.dial(serve)
	return e, nil
}

// dial runs a server and the connection to it.
func (e *Editor) dial(serve Serve) {
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	var in io.Reader = fromServer
	var out io.WriteCloser = untilHeard{toServer}
	if e.wire != nil {
		client, server := e.wire.Beside()
		in, out = readBeside{io.TeeReader(in, server), fromServer}, writeBeside{out, client}
	}
	conn := rpc.NewConn(in, out, e, rpc.Options{})
	served, ended := make(chan error, 1), make(chan error, 1)
	e.conn, e.served, e.ended = conn, served, ended
	// Both end with the connection; finish waits for them.
	go func() { served <- serve(context.Background(), fromClient, toClient) }()
	go func() { ended <- conn.Run(context.Background()) }()
}

// untilHeard writes to a server until that stops reading. Later writes are lost;
// what the server sent before its end is still read.
type untilHeard struct{ *io.PipeWriter }

func (w untilHeard) Write(b []byte) (int, error) {
	n, err := w.PipeWriter.Write(b)
	if errors.Is(err, io.ErrClosedPipe) {
		return len(b), nil
	}
	return n, err
}

// readBeside reads from a server what is also checked beside the connection.
type readBeside struct {
	io.Reader
	io.Closer
}

// writeBeside writes to a server what is also checked beside the connection.
type writeBeside struct {
	io.WriteCloser
	beside io.Writer
}

func (w writeBeside) Write(b []byte) (int, error) {
	if n, err := w.beside.Write(b); err != nil {
		return n, err
	}
	return w.WriteCloser.Write(b)
}

// Reconnect connects the editor to another server once the last one has ended. It
// keeps its buffers with their undo history, and opens them on the new server.
func (e *Editor) Reconnect(p Profile, folder string, serve Serve) error {
	params, err := p.params(string(ide.FileURI(folder)))
	if err != nil {
		return fmt.Errorf("the initialize of %s: %w", p.Name, err)
	}
	e.dial(serve)
	if err := e.conn.Call(context.Background(), "initialize", params, &e.server); err != nil {
		return err
	}
	if err := e.Notify("initialized", struct{}{}); err != nil {
		return err
	}
	for _, d := range e.Workspace.Snapshot().Documents() {
		e.report(ide.Event{Kind: ide.Opened, After: d}, e.Workspace.Encoding())
	}
	return nil
}

// Initialize sends initialize with these params, and initialized.
func (e *Editor) Initialize(params map[string]any) error {
	if err := e.conn.Call(context.Background(), "initialize", params, &e.server); err != nil {
		return err
	}
	var answer struct {
		Capabilities struct {
			Encoding ide.Encoding `json:"positionEncoding"`
		}
	}
	if err := json.Unmarshal(e.server, &answer); err != nil {
		return err
	}
	enc := answer.Capabilities.Encoding
	if !e.can.Lists("general.positionEncodings", string(enc)) && enc != ide.UTF16 {
		return fmt.Errorf("the server chose %s, which was not offered", enc)
	}
	w := ide.NewWorkspace(nil, enc)
	e.Editor = idetest.New(w)
	w.Watch(func(ev ide.Event) { e.report(ev, enc) })
	return e.conn.Notify(context.Background(), "initialized", struct{}{})
}

// Server returns the server's answer to initialize.
func (e *Editor) Server() json.RawMessage { return e.server }

// Call sends a request to the server; result may be nil.
func (e *Editor) Call(ctx context.Context, method string, params, result any) error {
	var raw json.RawMessage
	if err := e.conn.Call(ctx, method, params, &raw); err != nil || result == nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// Command runs a command of the server; args may be nil.
func (e *Editor) Command(ctx context.Context, name string, args, result any) error {
	p := map[string]any{"command": name}
	if args != nil {
		p["arguments"] = []any{args}
	}
	return e.Call(ctx, "workspace/executeCommand", p, result)
}

// Notify sends a notification to the server.
func (e *Editor) Notify(method string, params any) error {
	return e.conn.Notify(context.Background(), method, params)
}

// End ends the server as a closing editor does. It returns the error of Serve and
// everything that the server sent undeclared.
func (e *Editor) End() error {
	if err := e.conn.Call(context.Background(), "shutdown", nil, nil); err != nil {
		return fmt.Errorf("shutdown: %w", err)
	}
	return e.Exit()
}

// Exit ends the server without shutdown.
func (e *Editor) Exit() error {
	if err := e.Notify("exit", nil); err != nil {
		return err
	}
	return e.finish()
}

// Vanish closes the connection.
func (e *Editor) Vanish() error {
	_ = e.conn.Close() // always nil
	return e.finish()
}

func (e *Editor) finish() error {
	err := <-e.served
	<-e.ended // with the server's end of the stream, when all it sent has been read
	if e.Editor != nil {
		e.Wait()
	}
	wrong := e.Seen().Wrong
	if e.wire != nil {
		wrong = append(wrong, e.wire.Problems()...)
	}
	for _, w := range wrong {
		err = errors.Join(err, errors.New(w))
	}
	return err
}

// Seen returns what the server has sent so far.
func (e *Editor) Seen() Seen {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.seen
	s.Updates, s.ChangeSets, s.Questions = slices.Clone(s.Updates), slices.Clone(s.ChangeSets), slices.Clone(s.Questions)
	s.Requests, s.Messages, s.Statuses = slices.Clone(s.Requests), slices.Clone(s.Messages), slices.Clone(s.Statuses)
	s.Severities = slices.Clone(s.Severities)
	s.Deltas = slices.Clone(s.Deltas)
	s.Progress, s.Documents, s.Wrong = slices.Clone(s.Progress), slices.Clone(s.Documents), slices.Clone(s.Wrong)
	diagnostics := make(map[string][]Diagnostic, len(s.Diagnostics))
	for u, l := range s.Diagnostics {
		diagnostics[u] = l
	}
	s.Diagnostics = diagnostics
	return s
}

// report sends an event of a document to the server.
func (e *Editor) report(ev ide.Event, enc ide.Encoding) {
	type object = map[string]any
	d := ev.After
	if d == nil {
		d = ev.Before
	}
	name := object{"uri": d.Spelling}
	var err error
	switch ev.Kind {
	case ide.Opened:
		err = e.Notify("textDocument/didOpen", object{"textDocument": object{"uri": d.Spelling, "languageId": d.Language, "version": d.Version, "text": d.Text.String()}})
	case ide.Saved:
		err = e.Notify("textDocument/didSave", object{"textDocument": name})
	case ide.Closed:
		err = e.Notify("textDocument/didClose", object{"textDocument": name})
	case ide.Changed:
		var changes []object
		text := ev.Before.Text
		for _, s := range ev.Splices {
			changes = append(changes, object{"range": text.Range(s.A, s.B, enc), "text": s.Text})
			text = text.Splice(s.A, s.B, s.Text)
		}
		name["version"] = d.Version
		err = e.Notify("textDocument/didChange", object{"textDocument": name, "contentChanges": changes})
	}
	if err != nil && !errors.Is(err, rpc.ErrClosed) {
		e.wrong("the editor could not tell of a document: " + err.Error())
	}
}

// Path returns the path of a document that is a file.
func Path(uri string) string { return filepath.Clean(ide.ParseURI(uri).Path()) }
