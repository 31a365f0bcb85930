package buffers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// maxClients is how many processes a server takes at once.
const maxClients = 32

// savePatience is how long the editor may take to save what an edit changed.
const savePatience = 5 * time.Second

// ServerOptions are what a [Server] is made of.
type ServerOptions struct {
	Folder    string // where servers are announced, in emendo's state folder
	Workspace *ide.Workspace
	Folders   Folders // of the editor
	Applier   Applier
	Editor    ide.Editor // saves; nil: it cannot be asked to
	Log       *slog.Logger
}

// Folders are those of the editor now: absolute, links resolved. What others may see and
// change is decided by them each time.
type Folders interface {
	Roots() []string
}

// An Applier makes an edit in the editor and waits for its text, as [ide.Applier].
type Applier interface {
	Apply(ctx context.Context, e ide.Edit) error
}

// Server shows what one editor has open to other processes of its user.
type Server struct {
	o        ServerOptions
	listener *net.UnixListener
	file     string // the announcement
	life     context.Context
	end      context.CancelFunc
	running  sync.WaitGroup

	mu sync.Mutex // held while the announcement is written

	clients chan struct{}
}

// Serve begins to serve. The server ends when ctx does, or when it is closed.
func Serve(ctx context.Context, o ServerOptions) (*Server, error) {
	l, file, err := listen(ctx, o.Folder)
	if err != nil {
		return nil, fmt.Errorf("show open files to other processes: %w", err)
	}
	s := &Server{o: o, listener: l, file: file, clients: make(chan struct{}, maxClients)}
	s.life, s.end = context.WithCancel(ctx)
	if err := s.FoldersChanged(); err != nil {
		return nil, errors.Join(fmt.Errorf("show open files to other processes: %w", err), l.Close(), forget(file))
	}
	s.running.Go(s.accept)
	s.running.Go(func() {
		if err := forgetKilled(s.life, o.Folder); err != nil {
			o.Log.Warn("buffers: cannot remove what others left behind", "error", err)
		}
	})
	context.AfterFunc(s.life, func() { _ = l.Close() }) // accept ends
	return s, nil
}

// FoldersChanged announces that the editor has other folders.
func (s *Server) FoldersChanged() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return announce(s.file, announcement{Version: version, Folders: s.o.Folders.Roots()})
}

// Close ends the server and waits for its connections to end.
func (s *Server) Close() {
	if err := forget(s.file); err != nil {
		s.o.Log.Warn("buffers: cannot remove the announcement", "error", err)
	}
	s.end()
	s.running.Wait()
}

func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			if s.life.Err() == nil {
				s.o.Log.Error("buffers: the server ended", "error", err)
			}
			return
		}
		if err := sameUser(c); err != nil {
			s.o.Log.Warn("buffers: a connection was refused", "error", err)
			_ = c.Close()
			continue
		}
		select {
		case s.clients <- struct{}{}:
		default:
			s.o.Log.Warn("buffers: a connection was refused", "open", maxClients)
			_ = c.Close()
			continue
		}
		s.running.Go(func() {
			defer func() { <-s.clients }()
			o := connection()
			o.Log = s.o.Log
			if err := rpc.NewConn(c, c, &handler{s: s}, o).Run(s.life); err != nil && s.life.Err() == nil {
				s.o.Log.Debug("buffers: a connection ended", "error", err)
			}
		})
	}
}

// handler answers one process.
type handler struct {
	s *Server

	mu   sync.Mutex
	sent map[ide.URI]*ide.Document // those of the last answer; nil: there was none
}

// Notification implements [rpc.Handler].
func (*handler) Notification(context.Context, string, json.RawMessage) error {
	return rpc.ErrMethodNotFound
}

// Request implements [rpc.Handler].
func (h *handler) Request(_ context.Context, method string, params json.RawMessage) (rpc.Work, error) {
	switch method {
	case methodDocuments:
		return answer(params, h.documents)
	case methodApply:
		return answer(params, h.s.apply)
	case methodSave:
		return answer(params, h.s.save)
	}
	return nil, rpc.ErrMethodNotFound
}

func answer[P, R any](raw json.RawMessage, f func(context.Context, P) (R, error)) (rpc.Work, error) {
	p, err := rpc.Decode[P](raw)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) { return f(ctx, p) }, nil
}

// documents returns what is open in the editor's folders and those that are asked for. Chat
// documents are left out: they belong to the process that converses in them.
func (h *handler) documents(_ context.Context, p documentsParams) (documentsResult, error) {
	own := h.s.o.Folders.Roots()
	h.mu.Lock()
	defer h.mu.Unlock()
	open := map[ide.URI]*ide.Document{}
	r := documentsResult{Saves: h.s.o.Editor != nil}
	for _, d := range h.s.o.Workspace.Snapshot().Documents() {
		if d.Path == "" || d.URI.IsChat() || !paths.WithinAny(d.Path, own) || !paths.WithinAny(d.Path, p.Folders) {
			continue
		}
		open[d.URI] = d
		x := document{URI: d.Spelling, Path: d.Path, Language: d.Language, Version: d.Version, Unsaved: d.Unsaved}
		if h.sent[d.URI] != d {
			x.Text = new(d.Text.String())
		}
		r.Open = append(r.Open, x)
	}
	if h.sent != nil && maps.Equal(open, h.sent) {
		r.Same, r.Open = true, nil
	}
	h.sent = open
	return r, nil
}

// apply makes an edit of the texts that it was made from, or none. What the editor had
// saved before, it is asked to save again: the edit was approved, and whoever reads the
// disk expects it there. Unsaved text stays unsaved.
func (s *Server) apply(ctx context.Context, p applyParams) (applyResult, error) {
	e, err := s.checkedEdit(p)
	if err != nil {
		return applyResult{refused, err.Error()}, nil
	}
	var saved []ide.URI
	for _, f := range e.Files {
		if !f.Delete && f.RenameTo == "" && s.isSaved(ctx, f.Document) {
			saved = append(saved, f.Document.URI)
		}
	}
	switch err := s.o.Applier.Apply(ctx, e); {
	case ctx.Err() != nil:
		return applyResult{}, context.Cause(ctx)
	case errors.Is(err, ide.ErrRefused):
		return applyResult{refused, err.Error()}, nil
	case err != nil:
		return applyResult{unseen, err.Error()}, nil
	}
	if len(saved) > 0 && s.o.Editor != nil {
		ctx, stop := context.WithTimeout(ctx, savePatience)
		defer stop()
		if _, err := s.o.Editor.Save(ctx, saved); err != nil {
			s.o.Log.Info("buffers: the editor did not save", "error", err)
		}
	}
	return applyResult{Outcome: applied}, nil
}

// checkedEdit checks an edit and returns it.
func (s *Server) checkedEdit(p applyParams) (ide.Edit, error) {
	e, now, own := ide.Edit{Label: p.Label}, s.o.Workspace.Snapshot(), s.o.Folders.Roots()
	for _, f := range p.Files {
		d := now.Document(ide.ParseURI(f.URI))
		switch {
		case d == nil || d.Path == "" || !paths.WithinAny(d.Path, own):
			return e, fmt.Errorf("%s is no longer open", f.URI)
		case digest(d.Text.String()) != f.Base:
			return e, fmt.Errorf("the text of %s has changed", d.Path)
		case f.RenameTo != "" && !paths.WithinAny(f.RenameTo, own):
			return e, fmt.Errorf("%s is not in the editor's folders", f.RenameTo)
		}
		x := ide.FileEdit{Document: d, Delete: f.Delete, RenameTo: f.RenameTo}
		end := 0
		for _, sp := range f.Splices {
			if sp.A < end || sp.B < sp.A || sp.B > d.Text.Len() {
				return e, fmt.Errorf("the edit of %s is out of order", d.Path)
			}
			x.Splices, end = append(x.Splices, ide.Splice(sp)), sp.B
		}
		e.Files = append(e.Files, x)
	}
	return e, nil
}

// isSaved reports whether the disk has the text of a document.
func (s *Server) isSaved(ctx context.Context, d *ide.Document) bool {
	if d.Unsaved {
		return false
	}
	tree := s.o.Workspace.Snapshot().Tree()
	at, err := tree.At(d.Path)
	if err != nil {
		return false
	}
	t, err := tree.ReadText(ctx, at)
	return err == nil && ide.SameLines(t.Text, d.Text.String())
}

func (s *Server) save(ctx context.Context, p saveParams) (saveResult, error) {
	now, own := s.o.Workspace.Snapshot(), s.o.Folders.Roots()
	var uris []ide.URI
	for _, name := range p.URIs {
		if d := now.Document(ide.ParseURI(name)); d != nil && d.Path != "" && paths.WithinAny(d.Path, own) {
			uris = append(uris, d.URI)
		}
	}
	if s.o.Editor == nil || len(uris) == 0 {
		return saveResult{Saved: []string{}}, nil
	}
	saved, err := s.o.Editor.Save(ctx, uris)
	r := saveResult{Saved: make([]string, len(saved))}
	for i, u := range saved {
		r.Saved[i] = string(u)
	}
	return r, err
}
