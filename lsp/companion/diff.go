package companion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// tools returns the server with the two tools of the protocol.
func (s *service) tools() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "emendo", Version: s.c.o.Version}, &mcp.ServerOptions{
		Logger: s.c.log, KeepAlive: keepAlive, InitializedHandler: func(context.Context, *mcp.InitializedRequest) { s.contexts.mark() },
	})
	mcp.AddTool(server, &mcp.Tool{Name: "openDiff", Description: "Shows a change of a file in the editor, for the user to accept or reject."}, s.diffs.open)
	mcp.AddTool(server, &mcp.Tool{Name: "closeDiff", Description: "Withdraws a change that was shown, and returns the text that the file would have had."}, s.diffs.close)
	return server
}

type openDiff struct {
	Path    string `json:"filePath" jsonschema:"the absolute path of the file"`
	Content string `json:"newContent" jsonschema:"the whole new text of the file"`
}

type closeDiff struct {
	Path  string `json:"filePath" jsonschema:"the absolute path of the file"`
	Quiet bool   `json:"suppressNotification,omitempty" jsonschema:"send no notification"`
}

// The params of the notifications.
type (
	accepted struct {
		Path    string `json:"filePath"`
		Content string `json:"content"`
	}
	rejected struct {
		Path string `json:"filePath"`
	}
)

// diffs are the changes that programs have shown, until the user has decided them.
type diffs struct {
	s       *service
	changed chan struct{} // a change set may have been decided

	mu    sync.Mutex
	shown map[string]string // IDs of change sets, by the path that the program gave
}

func newDiffs(s *service) *diffs {
	return &diffs{s: s, changed: make(chan struct{}, 1), shown: map[string]string{}}
}

// mark has the changes looked at. It does not wait.
func (d *diffs) mark() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// open shows a change. It is answered at once; a notification reports the decision.
func (d *diffs) open(ctx context.Context, _ *mcp.CallToolRequest, p openDiff) (*mcp.CallToolResult, any, error) {
	if _, err := d.withdraw(ctx, p.Path); err != nil {
		return nil, nil, err
	}
	proposal := agent.UserProposal{URI: string(ide.FileURI(p.Path)), NewText: p.Content, Title: "Proposed in a terminal", Snapshot: d.s.c.o.Client.Workspace.Snapshot()}
	var err error
	if proposal.Base, err = onDisk(ctx, proposal.Snapshot, p.Path); err != nil {
		return nil, nil, err
	}
	cs, err := d.s.host.Agent.Propose(ctx, proposal)
	if err != nil {
		return nil, nil, err
	}
	d.mu.Lock()
	d.shown[p.Path] = cs.ID
	d.mu.Unlock()
	d.mark() // it may have been decided already
	return &mcp.CallToolResult{Content: []mcp.Content{}}, nil, nil
}

// onDisk returns the text that a file has on the disk, from which a program in a
// terminal makes its change, if the editor has unsaved text of it; nil otherwise.
func onDisk(ctx context.Context, s *ide.Snapshot, path string) (*string, error) {
	doc := s.DocumentAt(path)
	if doc == nil || !doc.Unsaved {
		return nil, nil
	}
	at, err := s.Tree().Resolve(doc.Path)
	if err != nil {
		return nil, err
	}
	f, err := s.Tree().ReadText(ctx, at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return new(""), nil
	case err != nil:
		return nil, err
	}
	return &f.Text, nil
}

// close withdraws a change. The result is the text with what the user has not
// rejected: the program writes it if the user accepts there.
func (d *diffs) close(ctx context.Context, _ *mcp.CallToolRequest, p closeDiff) (*mcp.CallToolResult, any, error) {
	text, err := d.withdraw(ctx, p.Path)
	if err != nil {
		return nil, nil, err
	}
	if text != nil && !p.Quiet {
		d.s.notify(ctx, diffRejected, rejected{p.Path})
	}
	content, err := json.Marshal(map[string]*string{"content": text})
	if err != nil {
		return nil, nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(content)}}}, nil, nil
}

// withdraw rejects what is pending of a change, and returns the text that the file
// would have had; nil if no change of the file is shown.
func (d *diffs) withdraw(ctx context.Context, path string) (*string, error) {
	d.mu.Lock()
	changeSet, ok := d.shown[path]
	delete(d.shown, path) // so that no notification reports a rejection
	d.mu.Unlock()
	if !ok {
		return nil, nil
	}
	text, err := d.textOf(ctx, changeSet)
	if err != nil {
		return nil, err
	}
	_, err = d.s.host.Agent.Resolve(ctx, []ledger.Decision{{ChangeSetID: changeSet, Action: ledger.Reject}}, "")
	return &text, err
}

// run notifies programs of the user's decisions, until ctx ends.
func (d *diffs) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.changed:
		}
		d.mu.Lock()
		all := maps.Clone(d.shown)
		d.mu.Unlock()
		for path, changeSet := range all {
			if err := d.settle(ctx, path, changeSet); err != nil && ctx.Err() == nil {
				d.s.c.log.Warn("companion: a decision was not sent", "file", path, "error", err)
			}
		}
	}
}

// settle sends the decision about a change, if there is one.
func (d *diffs) settle(ctx context.Context, path, changeSet string) error {
	cs, err := d.s.host.Ledger.Get(changeSet)
	if err == nil && slices.ContainsFunc(cs.Files, ledger.FileChange.Waits) {
		return nil
	}
	d.mu.Lock()
	_, ok := d.shown[path]
	delete(d.shown, path)
	d.mu.Unlock()
	if !ok {
		return nil // withdrawn meanwhile
	}
	if err != nil || !slices.ContainsFunc(cs.Files, func(f ledger.FileChange) bool {
		return slices.ContainsFunc(f.Hunks, func(h ledger.Hunk) bool { return h.State.Applied() })
	}) {
		d.s.notify(ctx, diffRejected, rejected{path})
		return err
	}
	text, err := d.savedText(ctx, cs)
	if err != nil {
		d.s.notify(ctx, diffRejected, rejected{path}) // the program must not wait for ever
		return err
	}
	d.s.notify(ctx, diffAccepted, accepted{path, text})
	return nil
}

// savedText returns the text of the file of an accepted change. The program writes
// the same text to the disk, so the editor saves it before, if it can: a document
// with unsaved text whose file changes would make the editor ask which one to keep.
func (d *diffs) savedText(ctx context.Context, cs ledger.ChangeSet) (string, error) {
	if cs.Files[0].Open {
		if _, err := d.s.c.o.Client.Save(ctx, []ide.URI{cs.Files[0].URI}); err != nil && !errors.Is(err, ide.ErrUnsupported) {
			d.s.c.log.Info("companion: the editor did not save", "file", cs.Files[0].Path, "error", err)
		}
	}
	return d.textOf(ctx, cs.ID)
}

// textOf returns the text of a change's file with what is pending of it applied.
func (d *diffs) textOf(ctx context.Context, changeSet string) (string, error) {
	cs, err := d.s.host.Ledger.Get(changeSet)
	if err != nil {
		return "", err
	}
	f, err := d.s.host.Ledger.View(ctx, cs.SessionID, cs.Files[0].Path)
	if err != nil {
		return "", fmt.Errorf("read the file under review: %w", err)
	}
	return f.Text.String(), nil
}
