package chatdoc

import (
	"time"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/ide"
)

// An editor that reloads a file sends a change of the document, as for any deletion, and
// what it discarded is to come back, other than what the user deletes. Most editors close
// the document and open it again at once. Helix says that the file has changed, right
// before or after the change; it says so after it has saved the document, too, and watches
// nothing.

// reloadWithin is the longest time between the two messages of a reload.
const reloadWithin = 500 * time.Millisecond

// WatchFiles has the client report reloads, if it does so by what it says of files.
func (d *Documents) WatchFiles() {
	if !d.serves() || !d.c.Can.Reloads {
		return
	}
	d.c.Go(func() {
		p := protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: "emendo-chat-documents", Method: "workspace/didChangeWatchedFiles",
			RegisterOptions: protocol.LSPAny(`{"watchers":[{"globPattern":"**/*` + ide.ChatSuffix + `"}]}`),
		}}}
		if err := d.c.Call(d.c.Life(), "client/registerCapability", p, nil); err != nil {
			d.c.Log.Debug("register for reloads of chat documents", "error", err)
		}
	})
}

// FilesParams are the params of workspace/didChangeWatchedFiles.
type FilesParams struct {
	Changes []struct {
		URI string `json:"uri"`
	} `json:"changes"`
}

// FilesChanged handles workspace/didChangeWatchedFiles.
func (d *Documents) FilesChanged(f FilesParams) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range f.Changes {
		for _, p := range d.pages {
			p.reload.fileChanged(ide.ParseURI(c.URI))
		}
	}
	return nil
}

// reload tells reloads of the document of a page from changes by the user. The page's mu
// guards it.
type reload struct {
	p *page

	onDisk   *ide.Text // of the open document's file; nil: not known
	reverted time.Time // when the document got the text of its file, with the last change; zero: it did not
	touched  time.Time // when the client said last that the file has changed, for no known reason
	saves    int       // of the document, of which the client has not said so
	closed   time.Time // when the document was
	running  bool      // nothing is written until the document was compared with the session
}

// opened notes that another document is the page's.
func (r *reload) opened(doc *ide.Document) {
	r.onDisk, r.reverted, r.saves = nil, time.Time{}, 0
	if r.p.d.c.Can.Reloads {
		r.p.d.c.Go(func() { r.readFile(doc) })
	}
}

// reopens reports whether an event opens the document again that was closed just now. It
// may have named no session when it was saved last.
func (r *reload) reopens(e ide.Event, session string) bool {
	return e.Kind == ide.Opened && session == "" && e.After.Path == r.p.path && time.Since(r.closed) < reloadWithin
}

// saved notes that the document was saved.
func (r *reload) saved() {
	r.reverted = time.Time{}
	r.saves++
}

// changed notes whether the document has the text of its file after a change.
func (r *reload) changed() {
	r.reverted = time.Time{}
	text := r.p.doc.Text
	if !r.p.d.c.Can.Reloads || r.onDisk == nil || text.Len() != r.onDisk.Len() || text.String() != r.onDisk.String() {
		return
	}
	r.reverted = time.Now()
	if time.Since(r.touched) < reloadWithin {
		r.begin()
	}
}

// fileChanged notes that the client says that a file has changed.
func (r *reload) fileChanged(u ide.URI) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	switch {
	case r.p.doc == nil || r.p.doc.URI != u:
	case r.saves > 0: // of which the client says so
		r.saves--
	case r.reverted.IsZero():
		r.touched = time.Now()
	default:
		r.begin()
	}
}

// begin has what the document lacks after a reload written.
func (r *reload) begin() {
	r.reverted, r.touched = time.Time{}, time.Time{}
	r.p.forgetPlaces()
	r.running = r.p.d.c.Go(r.run)
}

func (r *reload) run() {
	p := r.p
	err := p.catchUp(p.d.c.Life())
	if err != nil { // what this process has written comes back all the same
		p.d.c.Log.Warn("read a session after a reload of its document", "session", p.session, "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.running = false
	p.startWriting()
}

// wait returns how long to wait for the client to report a reload, which decides what to
// write.
func (r *reload) wait() time.Duration { return time.Until(r.reverted.Add(reloadWithin)) }

// readFile returns the text of the file of an open document, and notes it; false if it
// has none. The page's mu is not held.
func (r *reload) readFile(doc *ide.Document) (string, bool) {
	text, err := readText(doc.Path)
	if err != nil {
		return "", false
	}
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	if r.p.doc != nil && r.p.doc.URI == doc.URI {
		r.onDisk = ide.NewText(text)
	}
	return text, true
}
