package chatdoc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
)

// file is the file of a chat document.
type file struct {
	tree *disk.Tree
	path disk.Path
}

func (f file) close() { _ = f.tree.Close() } // nothing was written through it that is not synced

// read returns the file's text, that of a new document if there is no file.
func (f file) read(ctx context.Context, session string) (disk.Text, error) {
	t, err := f.tree.ReadTextLimit(ctx, f.path, disk.EditLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return disk.Text{Text: grammar.New(session)}, nil
	}
	return t, err
}

// write replaces the file if it still is as it was.
func (f file) write(ctx context.Context, text string, was disk.Text) error {
	data, err := disk.Encode(text, was.Format)
	if err != nil {
		return err
	}
	return f.tree.Write(ctx, f.path, data, disk.WriteOptions{Expect: &was.Hash})
}

// file returns the file of the page's document, which need not exist.
func (p *page) file(ctx context.Context) (file, error) {
	path, err := p.locate(ctx)
	if err != nil {
		return file{}, err
	}
	return openFile(path)
}

// openFile opens the file at a path for writing, which need not exist.
func openFile(path string) (file, error) {
	f, chats, err := fileAt(path)
	if err != nil || !chats {
		return f, err
	}
	if err := ignoreFolder(f.tree, filepath.Dir(f.path.Abs)); err != nil {
		f.close()
		return file{}, err
	}
	return f, nil
}

// fileAt returns the file at a path, and whether it is in a workspace's folder of chat
// documents.
func fileAt(path string) (f file, chats bool, err error) {
	root := filepath.Dir(path)
	if parent, ok := strings.CutSuffix(root, string(filepath.Separator)+filepath.FromSlash(ide.ChatFolder)); ok && parent != "" {
		root, chats = parent, true // so that the folder is created, and no link is followed
	}
	tree, err := disk.NewTree([]string{root})
	if err != nil {
		return file{}, false, err
	}
	f = file{tree: tree}
	if f.path, err = tree.At(filepath.Join(tree.Folders()[0], strings.TrimPrefix(path, root))); err != nil {
		f.close()
		return file{}, false, err
	}
	return f, chats, nil
}

// ignoreFolder keeps a folder out of the user's repository.
func ignoreFolder(tree *disk.Tree, folder string) error {
	p, err := tree.At(filepath.Join(folder, ".gitignore"))
	if err != nil {
		return err
	}
	if _, err := tree.Stat(p); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return tree.Write(context.Background(), p, []byte("*\n"), disk.WriteOptions{Expect: &disk.Hash{}})
}

// locate returns the path of the page's file: where the editor had it, or where a
// file of the session is, or where a new one goes.
func (p *page) locate(ctx context.Context) (string, error) {
	p.mu.Lock()
	path := p.path
	p.mu.Unlock()
	if path != "" {
		if _, err := os.Lstat(path); err == nil {
			return path, nil // else it was renamed or deleted
		}
	}
	ses, err := p.d.c.Host.Session(ctx, p.session)
	if err != nil {
		return "", err
	}
	folders, err := p.d.folders(ctx, ses.Info().Cwd)
	if err != nil {
		return "", err
	}
	found := ""
	for _, folder := range folders {
		if found = fileOf(folder, p.session); found != "" {
			break
		}
	}
	if found == "" && path != "" && slices.Contains(folders, filepath.Dir(path)) {
		found = path // it was not written yet
	}
	if found == "" {
		found = filepath.Join(folders[0], nameOf(p.session, ses.Info().CreatedAt))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.path = found
	return found, nil
}

// shortID is how much of a session's ID is in the name of its document.
const shortID = 8

// nameOf returns the name of a session's document.
func nameOf(session string, at time.Time) string {
	return at.Local().Format("2006-01-02-1504-") + session[:min(shortID, len(session))] + ide.ChatSuffix
}

// fileOf returns the document of a session in a folder; empty if there is none.
func fileOf(folder, session string) string {
	short := "-" + session[:min(shortID, len(session))] + ide.ChatSuffix
	for _, path := range documentsIn(folder) {
		if !strings.HasSuffix(path, short) {
			continue
		}
		if text, err := readText(path); err == nil && grammar.Parse(text).Session == session {
			return path
		}
	}
	return ""
}

// documentsIn returns the paths of the documents in a folder, the newest first.
func documentsIn(folder string) (l []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // it has none yet
	}
	for _, e := range slices.Backward(entries) { // their names begin with the date
		if strings.HasSuffix(e.Name(), ide.ChatSuffix) && e.Type().IsRegular() {
			l = append(l, filepath.Join(folder, e.Name()))
		}
	}
	return l
}

// readText returns the text of a document.
func readText(path string) (string, error) {
	f, _, err := fileAt(path)
	if err != nil {
		return "", err
	}
	defer f.close()
	t, err := f.read(context.Background(), "")
	return t.Text, err
}

// folders returns the folders of the documents of sessions that work in a folder: that
// of new documents first.
func (d *Documents) folders(ctx context.Context, cwd string) ([]string, error) {
	h, err := d.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	var l []string
	if h.Program.Trusted(cwd) && holdsChats(cwd) {
		l = append(l, filepath.Join(cwd, filepath.FromSlash(ide.ChatFolder)))
	}
	if state := h.Chats; state != "" {
		sum := sha256.Sum256([]byte(cwd))
		state = filepath.Join(state, hex.EncodeToString(sum[:])[:16])
		if len(l) == 0 || h.Program.ChatsOutside() {
			l = append([]string{state}, l...)
			if err := private.Folder(state); err != nil {
				return nil, err
			}
		} else {
			l = append(l, state)
		}
	}
	if len(l) == 0 {
		return nil, errors.New("the workspace is not trusted or has something else in place of .emendo/chats, and there is no other folder for chat documents")
	}
	return l, nil
}

// holdsChats reports whether a workspace folder has its folder of chat documents, or
// can get one: a repository may have a file or a link in its place, which leads
// elsewhere.
func holdsChats(workspace string) bool {
	chats := filepath.Join(workspace, filepath.FromSlash(ide.ChatFolder))
	for _, folder := range []string{filepath.Dir(chats), chats} {
		if fi, err := os.Lstat(folder); err == nil && !fi.IsDir() {
			return false
		}
	}
	fi, err := os.Lstat(filepath.Join(chats, ".gitignore"))
	return err != nil || fi.Mode().IsRegular()
}

// errElsewhere means that an editor has the document open through another process of
// emendo. Some editors start one for each project in a workspace.
var errElsewhere = errors.New("it is open in another window, where emendo.chat shows the answer")

// claim claims the file of a document among the user's processes until the claim is
// closed: the one whose editor has it open, or the one that writes it.
func (d *Documents) claim(ctx context.Context, path string) (io.Closer, error) {
	h, err := d.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	if h.Chats == "" { // no other process would know
		return io.NopCloser(nil), nil
	}
	folder := filepath.Join(h.Chats, "open")
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
		return f, nil // whose end releases the lock
	}
	if err == nil {
		err = errElsewhere
	}
	return nil, errors.Join(err, f.Close())
}

// claimed is the claim of a page's document while that is open.
type claimed struct {
	mu    sync.Mutex
	path  string    // empty: nothing is open
	claim io.Closer // nil: another process has it
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
	if c.claim != nil {
		_ = c.claim.Close() // nothing was written to it
	}
	c.path, c.claim = path, nil
	if path == "" {
		return
	}
	life := p.d.c.Life()
	claim, err := p.d.claim(life, path)
	if err != nil { // open in two editors: both show the answer
		p.d.c.Log.Debug("a chat document is not claimed", "session", p.session, "error", err)
		return
	}
	c.claim = claim
	context.AfterFunc(life, func() { _ = claim.Close() })
}

// claimFile claims the file of the page's document, which no editor of this process has open
// any more.
func (c *claimed) claimFile(ctx context.Context, p *page, path string) (io.Closer, error) {
	c.follow(p) // releases the claim of the editor, which may just have closed it
	return p.d.claim(ctx, path)
}
