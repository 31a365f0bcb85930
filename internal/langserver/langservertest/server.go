// Package langservertest is a language server for tests, which runs in their
// process: real enough to be asked, and able to misbehave.
//
// Its language is words. A word that begins with "bad" is an error, one that begins
// with "odd" a warning, and one that begins with "broken" an error of syntax. The word
// useName is an error while no line defines Name. Words that are equal are references to each other, and the
// first of them is the definition. A line that begins with "def" defines the symbol
// that follows. The formatter removes spaces at the ends of lines.
package langservertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// Program returns the program that the tests name. It serves files that end in
// ".words", and has to exist at path.
func Program(path string) langserver.Program {
	return langserver.Program{Name: path, Languages: map[string]string{".words": "words"}}
}

// Fault is how a server misbehaves.
type Fault string

// The faults.
const (
	None     Fault = ""
	NoStart  Fault = "no start"      // the process ends at once
	Mute     Fault = "mute"          // initialize is never answered
	Deaf     Fault = "deaf"          // only initialize is answered
	Garbage  Fault = "garbage"       // what follows initialize is no message, then the process ends
	Flood    Fault = "flood"         // it sends without end
	Crash    Fault = "crash"         // it ends at the first request after initialize
	Odd      Fault = "odd"           // answers have other types than they should
	Pushing  Fault = "pushing"       // problems are published with versions, not asked for
	Unstated Fault = "no versions"   // likewise without versions
	Late     Fault = "late"          // requests wait for Server.Go
	Outside  Fault = "edits outside" // a rename edits a file outside of the workspace
)

// Server starts servers and records what they were told.
type Server struct {
	Fault Fault
	Go    chan struct{} // for Late
	// Find, if not nil, returns the errors of a text in place of those of the language.
	Find func(path, text string) []Finding

	mu      sync.Mutex
	started int           // processes
	ended   int           // likewise
	changed []string      // base names of files that have changed on disk
	news    chan struct{} // closed and replaced when a process ends
}

// Finding is an error in a line of a text.
type Finding struct {
	Line            int // from zero
	Source, Message string
}

// Changed returns the base names of the files that have changed on disk, as servers
// were told, sorted.
func (s *Server) Changed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.changed)
}

// AwaitEnd waits until no process runs, or ctx ends.
func (s *Server) AwaitEnd(ctx context.Context) error {
	for {
		s.mu.Lock()
		if s.news == nil {
			s.news = make(chan struct{})
		}
		news, left := s.news, s.started-s.ended
		s.mu.Unlock()
		if left == 0 {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Running returns how many processes run, and how many have been started.
func (s *Server) Running() (now, ever int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started - s.ended, s.started
}

// Start implements the option of [langserver.Options].
func (s *Server) Start(_ context.Context, l langserver.Launch) (sandbox.Process, error) {
	s.mu.Lock()
	s.started++
	s.mu.Unlock()
	p := &process{exited: make(chan struct{}), ended: func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended++
		if s.news != nil {
			close(s.news)
		}
		s.news = nil
	}}
	var in io.ReadCloser
	var out io.WriteCloser
	in, p.input = pipe()
	p.output, out = pipe()
	p.errors, p.theirErrors = pipe()
	h := &words{server: s, process: p, folders: l.Folders, out: out, docs: map[ide.URI]string{}, versions: map[ide.URI]int32{}}
	h.conn = rpc.NewConn(in, out, h, rpc.Options{})
	if s.Fault == NoStart {
		p.end()
		return p, nil
	}
	p.serving.Go(func() {
		_ = h.conn.Run(context.Background()) // ends with the pipes
		p.end()
	})
	return p, nil
}

// pipe returns a pipe whose waits a testing/synctest bubble knows.
func pipe() (io.ReadCloser, io.WriteCloser) { return io.Pipe() }

// process is a process that does not exist.
type process struct {
	input       io.WriteCloser
	output      io.ReadCloser
	errors      io.ReadCloser
	theirErrors io.WriteCloser
	serving     sync.WaitGroup
	ending      sync.Once
	exited      chan struct{}
	ended       func()
}

func (p *process) end() {
	p.ending.Do(func() {
		p.theirErrors.Close()
		p.input.Close()
		p.ended()
		close(p.exited)
	})
}

// PID implements [sandbox.Process].
func (p *process) PID() int { return 1 }

// Input implements [sandbox.Process].
func (p *process) Input() io.WriteCloser { return p.input }

// Output implements [sandbox.Process].
func (p *process) Output() io.ReadCloser { return p.output }

// Errors implements [sandbox.Process].
func (p *process) Errors() io.ReadCloser { return p.errors }

// Wait implements [sandbox.Process].
func (p *process) Wait() sandbox.Exit { <-p.exited; return sandbox.Exit{} }

// Kill implements [sandbox.Process].
func (p *process) Kill(time.Duration) (ended, left []int) {
	p.end()
	p.serving.Wait()
	return nil, nil
}

// words serves one client.
type words struct {
	server  *Server
	process *process
	folders []string
	out     io.Writer
	conn    *rpc.Conn

	mu       sync.Mutex
	docs     map[ide.URI]string
	versions map[ide.URI]int32
}

// Notification implements [rpc.Handler].
func (w *words) Notification(ctx context.Context, method string, raw json.RawMessage) error {
	if method == "exit" {
		go w.conn.Close()
		return nil
	}
	var p struct {
		TextDocument struct {
			URI     string
			Version int32
			Text    string
		}
		ContentChanges []struct{ Text string }
		Changes        []struct{ URI string }
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	uri := ide.ParseURI(p.TextDocument.URI)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch method {
	case "textDocument/didOpen":
		w.docs[uri] = p.TextDocument.Text
	case "textDocument/didChange":
		w.docs[uri] = p.ContentChanges[0].Text
	case "textDocument/didClose":
		delete(w.docs, uri)
		return nil
	case "workspace/didChangeWatchedFiles":
		w.server.mu.Lock()
		defer w.server.mu.Unlock()
		for _, c := range p.Changes {
			w.server.changed = append(w.server.changed, c.URI[strings.LastIndexByte(c.URI, '/')+1:])
		}
		slices.Sort(w.server.changed)
		return nil
	default:
		return nil
	}
	w.versions[uri] = p.TextDocument.Version
	if f := w.server.Fault; f == Pushing || f == Unstated {
		params := map[string]any{"uri": uri, "diagnostics": w.problems(uri, w.docs[uri], w.docs)}
		if f == Pushing {
			params["version"] = p.TextDocument.Version
		}
		return w.conn.Notify(ctx, "textDocument/publishDiagnostics", params)
	}
	return nil
}

// Request implements [rpc.Handler].
func (w *words) Request(_ context.Context, method string, raw json.RawMessage) (rpc.Work, error) {
	if method == "initialize" {
		return w.initialize(), nil
	}
	if method == "shutdown" && w.server.Fault != Deaf {
		return func(context.Context) (any, error) { return nil, nil }, nil
	}
	switch w.server.Fault {
	case Deaf:
		return hang, nil
	case Crash:
		go w.conn.Close()
		return hang, nil
	case Garbage:
		_, _ = io.WriteString(w.out, strings.Repeat("\x00garbage: }{\n", 1000))
		go w.conn.Close()
		return hang, nil
	case Flood:
		many := bytes.Repeat([]byte("Content-Length: 2\r\n\r\n{}"), 1000) // one by one takes long on a busy machine
		go func() {
			for {
				if _, err := w.out.Write(many); err != nil {
					return
				}
			}
		}()
		return hang, nil
	case Odd:
		return func(context.Context) (any, error) {
			return json.RawMessage(`[1,{"range":"x","changes":7,"uri":{}}]`), nil
		}, nil
	case Late:
		return func(ctx context.Context) (any, error) {
			select {
			case <-w.server.Go:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			return w.answer(method, raw)
		}, nil
	}
	return func(context.Context) (any, error) { return w.answer(method, raw) }, nil
}

func hang(ctx context.Context) (any, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func (w *words) initialize() rpc.Work {
	return func(ctx context.Context) (any, error) {
		if w.server.Fault == Mute {
			return hang(ctx)
		}
		can := map[string]any{"textDocumentSync": 1, "positionEncoding": "utf-16", "documentFormattingProvider": true, "diagnosticProvider": map[string]bool{}}
		if f := w.server.Fault; f == Pushing || f == Unstated {
			delete(can, "diagnosticProvider")
		}
		return map[string]any{"capabilities": can}, nil
	}
}

var word = regexp.MustCompile(`\pL[\pL\pN]*`)

// texts returns the text of every file of the language: the open documents on top
// of the disk.
func (w *words) texts() map[ide.URI]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[ide.URI]string{}
	for _, folder := range w.folders {
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if text, err := os.ReadFile(folder + "/" + e.Name()); err == nil && strings.HasSuffix(e.Name(), ".words") {
				all[ide.FileURI(folder+"/"+e.Name())] = string(text)
			}
		}
	}
	maps.Copy(all, w.docs)
	return all
}

type location struct {
	URI   ide.URI   `json:"uri"`
	Range ide.Range `json:"range"`
}

type edit struct {
	Range   ide.Range `json:"range"`
	NewText string    `json:"newText"`
}

func (w *words) answer(method string, raw json.RawMessage) (any, error) {
	var p struct {
		TextDocument struct{ URI string }
		Position     ide.Position
		NewName      string
		Query        string
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, rpc.ErrInvalidParams
	}
	texts := w.texts()
	uri := ide.ParseURI(p.TextDocument.URI)
	text := texts[uri]
	switch method {
	case "textDocument/diagnostic":
		return map[string]any{"kind": "full", "items": w.problems(uri, text, texts)}, nil
	case "textDocument/formatting":
		edits := []edit{}
		for i, line := range strings.Split(text, "\n") {
			if trimmed := strings.TrimRight(line, " "); trimmed != line {
				from := ide.Position{Line: uint32(i), Character: uint32(len(trimmed))}
				edits = append(edits, edit{ide.Range{Start: from, End: ide.Position{Line: uint32(i), Character: uint32(len(line))}}, ""})
			}
		}
		return edits, nil
	case "textDocument/documentSymbol":
		return symbols(text), nil
	case "workspace/symbol":
		found := []any{}
		for _, u := range slices.Sorted(maps.Keys(texts)) {
			for _, s := range symbols(texts[u]) {
				if strings.Contains(s.Name, p.Query) {
					found = append(found, map[string]any{"name": s.Name, "kind": 12, "location": location{u, s.Range}})
				}
			}
		}
		return found, nil
	}
	at := ide.NewText(text)
	off, err := at.Offset(p.Position, ide.UTF16)
	if err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "%v", err)
	}
	named := ""
	for _, m := range word.FindAllStringIndex(text, -1) {
		if m[0] <= off && off < m[1] {
			named = text[m[0]:m[1]]
		}
	}
	if named == "" {
		return nil, rpc.Errorf(rpc.RequestFailed, "no word there")
	}
	all := occurrences(texts, named)
	switch method {
	case "textDocument/references":
		return all, nil
	case "textDocument/definition":
		return all[0], nil
	case "textDocument/hover":
		return map[string]any{"contents": map[string]string{"kind": "markdown", "value": "the word **" + named + "**"}}, nil
	case "textDocument/rename":
		changes := map[ide.URI][]edit{}
		for _, o := range all {
			changes[o.URI] = append(changes[o.URI], edit{o.Range, p.NewName})
		}
		if w.server.Fault == Outside {
			changes["file:///etc/passwd"] = []edit{{NewText: "x"}}
		}
		return map[string]any{"changes": changes}, nil
	}
	return nil, rpc.ErrMethodNotFound
}

func occurrences(texts map[ide.URI]string, named string) []location {
	var all []location
	for _, u := range slices.Sorted(maps.Keys(texts)) {
		t := ide.NewText(texts[u])
		for _, m := range word.FindAllStringIndex(texts[u], -1) {
			if texts[u][m[0]:m[1]] == named {
				all = append(all, location{u, t.Range(m[0], m[1], ide.UTF16)})
			}
		}
	}
	return all
}

type symbol struct {
	Name           string    `json:"name"`
	Kind           int       `json:"kind"`
	Range          ide.Range `json:"range"`
	SelectionRange ide.Range `json:"selectionRange"`
}

func symbols(text string) []symbol {
	all := []symbol{}
	t := ide.NewText(text)
	for _, m := range regexp.MustCompile(`(?m)^def (\pL+)`).FindAllStringSubmatchIndex(text, -1) {
		r := t.Range(m[2], m[3], ide.UTF16)
		all = append(all, symbol{text[m[2]:m[3]], 12, r, r})
	}
	return all
}

// problems returns what the server finds wrong with a text beside others.
func (w *words) problems(uri ide.URI, text string, others map[ide.URI]string) []any {
	if w.server.Find == nil {
		return problems(text, others)
	}
	found := []any{}
	for _, f := range w.server.Find(uri.Path(), text) {
		at := ide.Position{Line: uint32(f.Line)}
		found = append(found, map[string]any{"range": ide.Range{Start: at, End: at}, "severity": 1, "source": f.Source, "message": f.Message})
	}
	return found
}

// problems returns what is wrong with a text beside others.
func problems(text string, others map[ide.URI]string) []any {
	found := []any{}
	t := ide.NewText(text)
	for _, m := range word.FindAllStringIndex(text, -1) {
		w := text[m[0]:m[1]]
		severity, source, message := map[string]int{"bad": 1, "odd": 2, "bro": 1, "use": 1}[w[:min(3, len(w))]], "words", "the word "+w
		used, uses := strings.CutPrefix(w, "use")
		switch {
		case severity == 0, uses && (used == strings.ToLower(used) || defined(used, others)):
			continue
		case uses:
			message = "undefined: " + used
		case strings.HasPrefix(w, "broken"):
			source = "syntax"
		}
		found = append(found, map[string]any{"range": t.Range(m[0], m[1], ide.UTF16), "severity": severity, "code": 7, "source": source, "message": message})
	}
	return found
}

func defined(name string, texts map[ide.URI]string) bool {
	for _, text := range texts {
		for _, s := range symbols(text) {
			if s.Name == name {
				return true
			}
		}
	}
	return false
}
