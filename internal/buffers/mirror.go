package buffers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// patience is how long a prompt or a call waits for another process. One that needs
// longer is not waited for again until it has answered; what it last had open counts.
const patience = 2 * time.Second

// dialPatience is how long one look for editors waits for a server to take a connection.
const dialPatience = 500 * time.Millisecond

// echoPatience is how long an edit waits until the text that it made has arrived.
const echoPatience = 5 * time.Second

// MirrorOptions are what a [Mirror] is made of.
type MirrorOptions struct {
	Folder    string // where servers are announced, in emendo's state folder
	Workspace *ide.Workspace
	Client    Client // has the files that no editor has open; nil: the disk
	Log       *slog.Logger
}

// Client is an editor whose process this one serves.
type Client interface {
	ide.Source
	ide.Editor // of the documents that it opens in the workspace
	// HasOther reports whether it has an unsaved text of the file that is not this one.
	HasOther(ctx context.Context, d *ide.Document) bool
}

// Mirror keeps the documents that editors of other processes have open below the folders
// of a workspace open in that workspace too, and is their [ide.Editor] there.
type Mirror struct {
	o       MirrorOptions
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex // held while documents of the workspace change
	closed bool
	peers  []*peer           // in the order in which they were found
	shown  map[string]*shown // by path
}

var (
	_ ide.Source = (*Mirror)(nil)
	_ ide.Editor = (*Mirror)(nil)
)

// shown is a document that the workspace has from a peer.
type shown struct {
	peer  *peer
	text  *ide.Text     // as it came
	doc   *ide.Document // as it was put into the workspace
	rival bool          // another editor has another unsaved text of the file
}

// NewMirror returns the mirror of a workspace, which is its source from then on. It looks
// for editors at the first [Mirror.Refresh], and ends with ctx.
func NewMirror(ctx context.Context, o MirrorOptions) *Mirror {
	m := &Mirror{o: o, shown: map[string]*shown{}}
	m.life, m.end = context.WithCancel(ctx)
	o.Workspace.SetSource(m)
	return m
}

// Close ends the connections.
func (m *Mirror) Close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.end()
	m.running.Wait()
}

// Shows reports whether an editor has the file open, as far as is known.
func (m *Mirror) Shows(path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shown[path] != nil
}

// Saves reports whether there is an editor that can be asked to save.
func (m *Mirror) Saves() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.peers, func(p *peer) bool { return p.saves })
}

// Refresh implements [ide.Source]. It looks for editors too.
func (m *Mirror) Refresh(ctx context.Context) {
	m.findPeers(ctx)
	m.sync(ctx, patience)
	if m.o.Client != nil {
		m.o.Client.Refresh(ctx)
	}
}

// Document implements [ide.Source].
func (m *Mirror) Document(ctx context.Context, path string) *ide.Document {
	m.sync(ctx, patience)
	switch {
	case m.Shows(path):
		return m.o.Workspace.Snapshot().DocumentAt(path)
	case m.o.Client != nil:
		return m.o.Client.Document(ctx, path)
	}
	return nil
}

// Write implements [ide.Source]: a file that an editor has opened is not written. It looks
// for editors too: one may have been started since the prompt.
func (m *Mirror) Write(ctx context.Context, path string, before, after *ide.Text) (bool, error) {
	m.findPeers(ctx)
	m.sync(ctx, patience)
	switch {
	case m.Shows(path):
		return false, fmt.Errorf("an editor has opened %s: %w", path, disk.ErrChanged)
	case m.o.Client != nil:
		return m.o.Client.Write(ctx, path, before, after)
	}
	return false, nil
}

// publish makes the workspace's documents those that the peers have. Of a file that is
// open in several editors unsaved text counts, else the editor that was found first.
// m.mu is held.
func (m *Mirror) publish() {
	tree := m.o.Workspace.Snapshot().Tree()
	want := map[string]*shown{}
	from := map[string]*held{}
	for _, p := range m.peers {
		for path, d := range p.open {
			have := from[path]
			switch {
			case !tree.Contains(path):
			case have == nil:
				want[path], from[path] = &shown{peer: p, text: d.text}, d
			case !d.unsaved:
			case have.unsaved:
				want[path].rival = want[path].rival || d.text.String() != have.text.String()
			default:
				want[path], from[path] = &shown{peer: p, text: d.text}, d
			}
		}
	}
	for path, s := range m.shown {
		if want[path] == nil {
			m.close(s)
		}
	}
	for path, s := range want {
		m.showDocument(from[path], s, m.shown[path])
	}
	m.shown = want
}

// close closes a document, unless someone else has opened another one of the file.
func (m *Mirror) close(s *shown) {
	if m.o.Workspace.Snapshot().Document(s.doc.URI) != s.doc {
		return
	}
	if err := m.o.Workspace.Close(s.doc.Spelling); err != nil {
		m.o.Log.Error("buffers: close a document", "error", err)
	}
}

// showDocument makes the workspace's document that of a peer. last is what was shown of the file
// before; nil: nothing.
func (m *Mirror) showDocument(d *held, s, last *shown) {
	w, uri := m.o.Workspace, ide.ParseURI(d.uri)
	if last != nil && last.doc.URI != uri {
		m.close(last)
	}
	now := w.Snapshot().Document(uri)
	var err error
	switch {
	case now == nil || last == nil || now != last.doc || last.peer != s.peer:
		w.Open(d.uri, d.language, d.version, d.text.String())
	case last.text != d.text && now.Text.String() != d.text.String():
		err = w.Change(d.uri, d.version, []ide.Change{{Text: d.text.String()}})
	}
	now = w.Snapshot().Document(uri)
	switch {
	case err != nil:
	case d.unsaved && !now.Unsaved:
		err = w.Change(d.uri, d.version, []ide.Change{{Range: &ide.Range{}}}) // of nothing, which makes it unsaved
	case !d.unsaved && now.Unsaved:
		err = w.Save(d.uri)
	}
	if err != nil {
		m.o.Log.Error("buffers: show a document", "error", err)
	}
	s.doc = w.Snapshot().Document(uri)
}

// ApplyEdit implements [ide.Editor]. The editor that has a document open makes the edit,
// if it has the text that the edit was made from.
func (m *Mirror) ApplyEdit(ctx context.Context, e ide.Edit) error {
	m.sync(ctx, patience)
	by := map[*peer][]ide.FileEdit{}
	var peers []*peer
	var rest []ide.FileEdit
	for _, f := range e.Files {
		m.mu.Lock()
		s := m.shown[f.Document.Path]
		m.mu.Unlock()
		switch {
		case s == nil:
			rest = append(rest, f)
			continue
		case s.rival:
			return fmt.Errorf("%s has different unsaved text in two editors; save or close it in one of them: %w", f.Document.Path, ide.ErrRefused)
		case m.o.Client != nil && m.o.Client.HasOther(ctx, f.Document):
			return fmt.Errorf("%s is open in two editors, and this one has other unsaved text of it; save or close it in one of them: %w", f.Document.Path, ide.ErrRefused)
		case by[s.peer] == nil:
			peers = append(peers, s.peer)
		}
		by[s.peer] = append(by[s.peer], f)
	}
	for _, p := range peers {
		if err := m.apply(ctx, p, ide.Edit{Label: e.Label, Files: by[p]}); err != nil {
			return err
		}
	}
	switch {
	case len(rest) == 0:
		return nil
	case m.o.Client == nil:
		return fmt.Errorf("%s is no longer open: %w", rest[0].Document.Path, ide.ErrRefused)
	}
	return m.o.Client.ApplyEdit(ctx, ide.Edit{Label: e.Label, Files: rest})
}

// Save implements [ide.Editor].
func (m *Mirror) Save(ctx context.Context, uris []ide.URI) (saved []ide.URI, err error) {
	by := map[*peer][]string{}
	var rest []ide.URI
	m.mu.Lock()
	for _, u := range uris {
		if s := m.shown[u.Path()]; s != nil {
			by[s.peer] = append(by[s.peer], s.doc.Spelling)
		} else {
			rest = append(rest, u)
		}
	}
	m.mu.Unlock()
	for p, names := range by {
		l, perr := p.save(ctx, names)
		saved, err = append(saved, l...), errors.Join(err, perr)
	}
	m.sync(ctx, echoPatience)
	if len(rest) > 0 && m.o.Client != nil {
		l, rerr := m.o.Client.Save(ctx, rest)
		saved, err = append(saved, l...), errors.Join(err, rerr)
	}
	return saved, err
}

// Diagnostics implements [ide.Editor].
func (m *Mirror) Diagnostics(ctx context.Context, uris []ide.URI) (json.RawMessage, error) {
	if m.o.Client == nil {
		return nil, ide.ErrUnsupported
	}
	return m.o.Client.Diagnostics(ctx, uris)
}

// folders returns the folders of the workspace.
func (m *Mirror) folders() []string {
	return slices.Sorted(slices.Values(m.o.Workspace.Snapshot().Tree().Folders()))
}

// forgetPeer forgets a peer whose connection has ended, with what it had open.
func (m *Mirror) forgetPeer(p *peer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.peers = slices.DeleteFunc(slices.Clone(m.peers), func(x *peer) bool { return x == p })
	if !m.closed {
		m.publish()
	}
}

// connectedPeers returns the peers.
func (m *Mirror) connectedPeers() []*peer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.peers
}

// sync brings the documents up to date with what the editors have now, as far as they
// answer in time.
func (m *Mirror) sync(ctx context.Context, wait time.Duration) {
	peers := m.connectedPeers()
	if len(peers) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	var all sync.WaitGroup
	for _, p := range peers {
		all.Go(func() { m.await(ctx, p) })
	}
	all.Wait()
}

// await waits for an answer of a peer to a question that is asked from now on. A peer
// that is late is asked, and not waited for.
func (m *Mirror) await(ctx context.Context, p *peer) {
	m.mu.Lock()
	want := p.asked + 1
	for p.answered < want {
		m.ask(p)
		under, late := p.asking, p.late
		m.mu.Unlock()
		if under == nil || late {
			return
		}
		select {
		case <-under:
			m.mu.Lock()
		case <-ctx.Done():
			m.mu.Lock()
			if errors.Is(ctx.Err(), context.DeadlineExceeded) && p.answered < want && !p.late {
				p.late = true
				m.o.Log.Warn("buffers: an editor's emendo does not answer; what it last had open counts", "file", p.file)
			}
			m.mu.Unlock()
			return
		}
	}
	m.mu.Unlock()
}

// ask asks a peer for its documents, unless a question is under way. m.mu is held.
func (m *Mirror) ask(p *peer) {
	if p.asking != nil || m.closed || !slices.Contains(m.peers, p) {
		return
	}
	p.asking = make(chan struct{})
	p.asked++
	params := documentsParams{Folders: m.folders()}
	m.running.Go(func() {
		var r documentsResult
		err := p.conn.Call(m.life, methodDocuments, params, &r)
		m.mu.Lock()
		defer m.mu.Unlock()
		p.answered, p.late = p.asked, false
		close(p.asking)
		p.asking = nil
		switch {
		case m.life.Err() != nil:
		case err != nil:
			m.o.Log.Debug("buffers: an editor's emendo did not answer", "error", err)
			_ = p.conn.Close() // the peer is forgotten when it has ended
			p.open = nil
			m.publish()
		default:
			if !r.Same {
				p.noteAnswer(r, params.Folders)
			}
			m.publish()
		}
	})
}

// apply has a peer make an edit.
func (m *Mirror) apply(ctx context.Context, p *peer, e ide.Edit) error {
	m.mu.Lock()
	late := p.late
	m.mu.Unlock()
	if late {
		return fmt.Errorf("the editor in which %s is open does not answer: %w", e.Files[0].Document.Path, ide.ErrRefused)
	}
	r, err := p.apply(ctx, e)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("%w: %w", ide.ErrUnseen, err)
	}
	m.sync(ctx, echoPatience) // with its text, or the one that the edit was not made from
	switch r.Outcome {
	case applied:
		return nil
	case refused:
		return fmt.Errorf("%w: %s", ide.ErrRefused, r.Reason)
	}
	return fmt.Errorf("%w: %s", ide.ErrUnseen, r.Reason)
}

// hasPeer reports whether a peer is announced by that file.
func hasPeer(peers []*peer, file string) bool {
	return slices.ContainsFunc(peers, func(p *peer) bool { return p.file == file })
}
