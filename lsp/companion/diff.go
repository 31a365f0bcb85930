package companion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// tools returns the server with the two tools of the protocol.
func (s *service) tools() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "emendo", Version: s.c.o.Version}, &mcp.ServerOptions{
		Logger: s.c.log, KeepAlive: keepAlive, InitializedHandler: func(context.Context, *mcp.InitializedRequest) { s.moved.Raise() },
	})
	mcp.AddTool(server, &mcp.Tool{Name: "openDiff", Description: "Shows a change of a file in the editor, for the user to accept or reject."}, s.openDiff)
	mcp.AddTool(server, &mcp.Tool{Name: "closeDiff", Description: "Withdraws a change that was shown, and returns the text that the file would have had."}, s.closeDiff)
	return server
}

type openParams struct {
	Path    string `json:"filePath" jsonschema:"the absolute path of the file"`
	Content string `json:"newContent" jsonschema:"the whole new text of the file"`
}

type closeParams struct {
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

// openDiff shows a change. It is answered at once; a notification reports the decision.
func (s *service) openDiff(ctx context.Context, _ *mcp.CallToolRequest, p openParams) (*mcp.CallToolResult, any, error) {
	if _, err := s.withdraw(ctx, p.Path); err != nil {
		return nil, nil, err
	}
	proposal := agent.UserProposal{URI: string(ide.FileURI(p.Path)), NewText: p.Content, Title: "Proposed in a terminal", Snapshot: s.c.o.Client.Workspace.Snapshot()}
	var err error
	if proposal.Base, err = onDisk(ctx, proposal.Snapshot, p.Path); err != nil {
		return nil, nil, err
	}
	cs, err := s.host.Agent.Propose(ctx, proposal)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	s.shown[p.Path] = cs.ID
	s.mu.Unlock()
	s.decided.Raise() // it may have been decided already
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

// closeDiff withdraws a change. The result is the text with what the user has not
// rejected: the program writes it if the user accepts there.
func (s *service) closeDiff(ctx context.Context, _ *mcp.CallToolRequest, p closeParams) (*mcp.CallToolResult, any, error) {
	text, err := s.withdraw(ctx, p.Path)
	if err != nil {
		return nil, nil, err
	}
	if text != nil && !p.Quiet {
		s.notify(ctx, diffRejected, rejected{p.Path})
	}
	content, err := json.Marshal(map[string]*string{"content": text})
	if err != nil {
		return nil, nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(content)}}}, nil, nil
}

// withdraw rejects what is pending of a change, and returns the text that the file
// would have had; nil if no change of the file is shown.
func (s *service) withdraw(ctx context.Context, path string) (*string, error) {
	s.mu.Lock()
	changeSet, ok := s.shown[path]
	delete(s.shown, path) // so that no notification reports a rejection
	s.mu.Unlock()
	if !ok {
		return nil, nil
	}
	text, err := s.textOf(ctx, changeSet)
	if err != nil {
		return nil, err
	}
	_, err = s.host.Agent.Resolve(ctx, []ledger.Decision{{ChangeSetID: changeSet, Action: ledger.Reject}}, "")
	return &text, err
}

// reportDecisions notifies programs of the user's decisions, until ctx ends.
func (s *service) reportDecisions(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.decided:
		}
		s.mu.Lock()
		all := maps.Clone(s.shown)
		s.mu.Unlock()
		for path, changeSet := range all {
			if err := s.reportDecision(ctx, path, changeSet); err != nil && ctx.Err() == nil {
				s.c.log.Warn("companion: a decision was not sent", "file", path, "error", err)
			}
		}
	}
}

// reportDecision sends the decision about a change, if there is one.
func (s *service) reportDecision(ctx context.Context, path, changeSet string) error {
	cs, err := s.host.Ledger.Get(changeSet)
	if err == nil && slices.ContainsFunc(cs.Files, ledger.FileChange.Waits) {
		return nil
	}
	s.mu.Lock()
	_, ok := s.shown[path]
	delete(s.shown, path)
	s.mu.Unlock()
	if !ok {
		return nil // withdrawn meanwhile
	}
	if err != nil || !slices.ContainsFunc(cs.Files, func(f ledger.FileChange) bool {
		return slices.ContainsFunc(f.Hunks, func(h ledger.Hunk) bool { return h.State.Applied() })
	}) {
		s.notify(ctx, diffRejected, rejected{path})
		return err
	}
	text, err := s.savedText(ctx, cs)
	if err != nil {
		s.notify(ctx, diffRejected, rejected{path}) // the program must not wait for ever
		return err
	}
	s.notify(ctx, diffAccepted, accepted{path, text})
	return nil
}

// savedText returns the text of the file of an accepted change. The program writes
// the same text to the disk, so the editor saves it before, if it can: a document
// with unsaved text whose file changes would make the editor ask which one to keep.
func (s *service) savedText(ctx context.Context, cs ledger.ChangeSet) (string, error) {
	if cs.Files[0].Open {
		if _, err := s.c.o.Client.Save(ctx, []ide.URI{cs.Files[0].URI}); err != nil && !errors.Is(err, ide.ErrUnsupported) {
			s.c.log.Info("companion: the editor did not save", "file", cs.Files[0].Path, "error", err)
		}
	}
	return s.textOf(ctx, cs.ID)
}

// textOf returns the text of a change's file with what is pending of it applied.
func (s *service) textOf(ctx context.Context, changeSet string) (string, error) {
	cs, err := s.host.Ledger.Get(changeSet)
	if err != nil {
		return "", err
	}
	f, err := s.host.Ledger.View(ctx, cs.SessionID, cs.Files[0].Path)
	if err != nil {
		return "", fmt.Errorf("read the file under review: %w", err)
	}
	return f.Text.String(), nil
}
