package chatdoc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/emendo-dev/emendo/internal/private"
)

// errElsewhere means that an editor has the document open through another process of
// emendo. Some editors start one for each project in a workspace.
var errElsewhere = errors.New("it is open in another window, where emendo.chat shows the answer")

// claim claims the file of a document among the user's processes until release is
// called: the one whose editor has it open, or the one that writes it.
func (d *Documents) claim(ctx context.Context, path string) (release func(), err error) {
	h, err := d.host.Need(ctx)
	if err != nil {
		return nil, err
	}
	if h.Chats.Path == "" { // no other process would know
		return func() {}, nil
	}
	folder := filepath.Join(h.Chats.Path, "open")
	if err := private.Folder(folder); err != nil {
		return nil, fmt.Errorf("claim a chat document: %w", err)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	sum := sha256.Sum256([]byte(path))
	f, err := private.OpenFile(filepath.Join(folder, hex.EncodeToString(sum[:])[:16]+".lock"), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("claim a chat document: %w", err)
	}
	free, err := private.TryLock(f)
	if free {
		return func() { _ = f.Close() }, nil // releases the lock
	}
	if err == nil {
		err = errElsewhere
	}
	return nil, errors.Join(err, f.Close())
}

// claimed is the claim of a page's document while that is open.
type claimed struct {
	mu      sync.Mutex
	path    string // empty: nothing is open
	release func() // nil: another process has the claim
}

// follow claims the document if it is open, and releases the one before.
func (c *claimed) follow(p *page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.mu.Lock()
	path := ""
	if p.doc != nil {
		path = p.doc.Path
	}
	p.mu.Unlock()
	if path == c.path {
		return
	}
	if c.release != nil {
		c.release()
	}
	c.path, c.release = path, nil
	if path == "" {
		return
	}
	life := p.d.c.Life()
	release, err := p.d.claim(life, path)
	if err != nil { // open in two editors: both show the answer
		p.d.c.Log.Debug("a chat document is not claimed", "session", p.session, "error", err)
		return
	}
	c.release = release
	context.AfterFunc(life, release)
}

// take claims the file of the page's document, which no editor of this process has open
// any more.
func (c *claimed) take(ctx context.Context, p *page, path string) (release func(), err error) {
	c.follow(p) // releases the claim of the editor, which may just have closed it
	return p.d.claim(ctx, path)
}
