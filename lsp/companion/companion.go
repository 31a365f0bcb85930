// Package companion serves Gemini CLI's protocol for editors: a program in a
// terminal learns which files the editor shows, and has its edits reviewed there.
// It is MCP over HTTP on the loopback interface, found by a file in the folder for
// temporary files. Package companion owns this protocol, its token and that file;
// the edits are ordinary change sets.
//
// The formats are those of "Gemini CLI companion plugin: Interface specification",
// as Gemini CLI 0.61 speaks it.
package companion

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Options of [New].
type Options struct {
	Client  *client.Client
	Version string // of emendo
	Temp    string // the folder for temporary files; empty: the system's
}

// Companion serves the programs in terminals. It is off until [Companion.Set].
type Companion struct {
	o   Options
	log *slog.Logger

	// Set before anything else is called.
	editorPID  int
	editorName string

	mu      sync.Mutex              // held while it is turned on or off
	closed  bool                    // it stays off
	running atomic.Pointer[service] // nil: off
}

// New returns a companion that is off.
func New(o Options) *Companion {
	if o.Temp == "" {
		o.Temp = os.TempDir()
	}
	return &Companion{o: o, log: o.Client.Log}
}

// Initialize records the editor's name, and its process ID, by which programs in
// its terminals find it.
func (c *Companion) Initialize(name string, pid int) { c.editorName, c.editorPID = name, pid }

// Set turns the companion on or off. It returns when it is.
func (c *Companion) Set(ctx context.Context, h *client.Host, on bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !on || c.closed:
		c.stop()
		return nil
	case c.running.Load() != nil:
		return nil
	}
	s, err := c.start(ctx, h)
	if err != nil {
		return fmt.Errorf("serve Gemini CLI in terminals: %w", err)
	}
	c.running.Store(s)
	return nil
}

// Close turns the companion off for good.
func (c *Companion) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.stop()
}

func (c *Companion) stop() {
	if s := c.running.Swap(nil); s != nil {
		s.close()
	}
}

// Changed notifies the programs that the editor's documents or its focus may have
// changed. It does not wait.
func (c *Companion) Changed() {
	if s := c.running.Load(); s != nil {
		s.moved.Raise()
	}
}

// FoldersChanged writes the folders into the file by which programs find the
// companion.
func (c *Companion) FoldersChanged() {
	s := c.running.Load()
	if s == nil {
		return
	}
	c.o.Client.Go(func() {
		if err := s.describe(); err != nil {
			c.log.Warn("companion: cannot announce the folders", "error", err)
		}
	})
}

// NoteChangeSet notifies the companion of a change set. It does not wait.
func (c *Companion) NoteChangeSet(cs ledger.ChangeSet, rangesOnly bool) {
	if s := c.running.Load(); s != nil && !rangesOnly && !cs.Gone && !cs.State.Waits() {
		s.decided.Raise()
	}
}

// announcement is the content of the file by which programs find the companion.
type announcement struct {
	Port          int     `json:"port"`
	WorkspacePath string  `json:"workspacePath"` // folders, separated like those of PATH
	AuthToken     string  `json:"authToken"`
	IDE           ideInfo `json:"ideInfo"`
}

type ideInfo struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
}

// ideInfoOf returns an editor's name in the two forms that programs show and log.
func ideInfoOf(name string) ideInfo {
	if name == "" {
		name = "LSP editor"
	}
	id := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(name))
	return ideInfo{Name: id, DisplayName: name}
}

// fileFor returns the path of the announcement.
func (c *Companion) fileFor(port int) string {
	return filepath.Join(c.o.Temp, "gemini", "ide", fmt.Sprintf("gemini-ide-server-%d-%d.json", c.editorPID, port))
}
