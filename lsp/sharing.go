package lsp

import (
	"sync"

	"github.com/emendo-dev/emendo/internal/buffers"
	"github.com/emendo-dev/emendo/lsp/client"
)

// sharing shows what the editor has open to the user's other emendo processes, such as
// `emendo acp`, from the start of the host on.
type sharing struct {
	client *client.Client
	folder string // see [Options.Editors]

	mu     sync.Mutex
	closed bool
	server *buffers.Server // nil: not begun
}

// begin starts to show it.
func (x *sharing) begin(h *client.Host) {
	if x.folder == "" {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed || x.server != nil {
		return
	}
	c := x.client
	o := buffers.ServerOptions{Folder: x.folder, Workspace: c.Workspace, Folders: &c.Folders, Applier: h.Ledger, Log: c.Log}
	if c.Can.Save {
		o.Editor = c
	}
	server, err := buffers.Serve(c.Life(), o)
	if err != nil {
		c.Log.Warn(err.Error())
		return
	}
	x.server = server
}

// foldersChanged tells where files of the editor can be now.
func (x *sharing) foldersChanged() {
	x.client.Go(func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.server == nil || x.closed {
			return
		}
		if err := x.server.FoldersChanged(); err != nil {
			x.client.Log.Warn("cannot announce the folders to other processes", "error", err)
		}
	})
}

// close ends it for good.
func (x *sharing) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	if x.server != nil {
		x.server.Close()
	}
}
