package buffers

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// peer is a process that serves an editor. Its fields below conn are guarded by the
// mutex of the mirror.
type peer struct {
	file string // that announces it
	conn *rpc.Conn

	saves bool
	open  map[string]*held // by path

	asked, answered int           // questions
	asking          chan struct{} // closed when the question under way is answered; nil: none
	late            bool          // it has not answered in time
}

// held is a document that a peer has open.
type held struct {
	uri, language string
	version       int32
	unsaved       bool
	text          *ide.Text
}

// findPeers connects to the servers whose editors may have files of the workspace open.
func (m *Mirror) findPeers(ctx context.Context) {
	files, err := os.ReadDir(m.o.Folder)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			m.o.Log.Debug("buffers: cannot look for editors", "error", err)
		}
		return
	}
	known := m.connectedPeers()
	for _, f := range files {
		path := filepath.Join(m.o.Folder, f.Name())
		if !isAnnouncement(f.Name()) || hasPeer(known, path) {
			continue
		}
		a, err := readAnnouncement(path)
		if err != nil || a.Version != version || !overlap(a.Folders, m.folders()) {
			continue
		}
		err = m.connect(ctx, path)
		if isGone(err) {
			err = forget(path)
		}
		if err != nil {
			m.o.Log.Warn("buffers: cannot connect to an editor's emendo", "error", err)
		}
	}
}

// connect connects to a server.
func (m *Mirror) connect(ctx context.Context, file string) error {
	ctx, stop := context.WithTimeout(ctx, dialPatience)
	defer stop()
	c, err := dial(ctx, file)
	if err != nil {
		return err
	}
	if err := sameUser(c); err != nil {
		return errors.Join(err, c.Close())
	}
	o := connection()
	o.Log = m.o.Log
	p := &peer{file: file, conn: rpc.NewConn(c, c, asksNothing{}, o), open: map[string]*held{}}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || len(m.peers) >= maxPeers || hasPeer(m.peers, file) {
		return c.Close()
	}
	m.peers = append(slices.Clone(m.peers), p)
	m.running.Go(func() {
		_ = p.conn.Run(m.life) // its end is no error: editors are closed
		m.forgetPeer(p)
	})
	return nil
}

// asksNothing handles the messages of servers, which only answer.
type asksNothing struct{}

// Notification implements [rpc.Handler].
func (asksNothing) Notification(context.Context, string, json.RawMessage) error {
	return rpc.ErrMethodNotFound
}

// Request implements [rpc.Handler].
func (asksNothing) Request(context.Context, string, json.RawMessage) (rpc.Work, error) {
	return nil, rpc.ErrMethodNotFound
}

// noteAnswer notes an answer. Documents outside of the folders are ignored.
func (p *peer) noteAnswer(r documentsResult, folders []string) {
	open := map[string]*held{}
	for _, d := range r.Open {
		if !paths.WithinAny(d.Path, folders) || ide.ParseURI(d.URI).Path() == "" {
			continue
		}
		h := &held{uri: d.URI, language: d.Language, version: d.Version, unsaved: d.Unsaved}
		switch last := p.open[d.Path]; {
		case d.Text != nil:
			h.text = ide.NewText(*d.Text)
		case last != nil:
			h.text = last.text
		default:
			continue
		}
		open[d.Path] = h
	}
	p.open, p.saves = open, r.Saves
}

func (p *peer) apply(ctx context.Context, e ide.Edit) (r applyResult, err error) {
	params := applyParams{Label: e.Label}
	for _, f := range e.Files {
		x := fileEdit{URI: f.Document.Spelling, Base: digest(f.Document.Text.String()), Delete: f.Delete, RenameTo: f.RenameTo}
		for _, s := range f.Splices {
			x.Splices = append(x.Splices, splice(s))
		}
		params.Files = append(params.Files, x)
	}
	return r, p.conn.Ask(ctx, methodApply, params, &r)
}

func (p *peer) save(ctx context.Context, names []string) ([]ide.URI, error) {
	ctx, stop := context.WithTimeout(ctx, echoPatience+savePatience)
	defer stop()
	var r saveResult
	err := p.conn.Call(ctx, methodSave, saveParams{URIs: names}, &r)
	saved := make([]ide.URI, len(r.Saved))
	for i, u := range r.Saved {
		saved[i] = ide.ParseURI(u)
	}
	return saved, err
}
