package lsp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/chatdoc"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/review"
)

// initializeParams are the relevant params of initialize. Clients send null for
// omitted fields, the root in three ways, and capabilities of any shape; see
// package client for why this is not the library's type.
type initializeParams struct {
	ProcessID *int            `json:"processId"`
	RootURI   *string         `json:"rootUri"`
	RootPath  *string         `json:"rootPath"`
	Folders   []client.Folder `json:"workspaceFolders"`
	Client    struct {
		Name string `json:"name"`
	} `json:"clientInfo"`
	Capabilities json.RawMessage `json:"capabilities"`
	Options      json.RawMessage `json:"initializationOptions"`
}

// clientOptions are the initializationOptions.
type clientOptions struct {
	Settings json.RawMessage `json:"settings"`
	Trust    Trust           `json:"trust"`

	// ShowDocument declares window/showDocument. Helix supports it without
	// declaring it, so its users set this in their configuration.
	ShowDocument bool `json:"showDocument"`

	// Client is the name of a client that does not send it, such as Kate.
	Client string `json:"client"`
}

// initialize answers with the server's capabilities, and does nothing else.
func (s *server) initialize(raw json.RawMessage) (rpc.Work, error) {
	p, err := rpc.Decode[initializeParams](raw)
	if err != nil {
		return nil, err
	}
	var o clientOptions
	if len(p.Options) > 0 && p.Options[0] == '{' {
		if o, err = rpc.Decode[clientOptions](p.Options); err != nil {
			return nil, err
		}
	}
	if o.Trust == "" {
		o.Trust = AskTrust
	}
	if err := s.user.setTrust(o.Trust); err != nil {
		return nil, client.Invalid("invalid initializationOptions.trust: %v", err)
	}
	s.user.setSettings(o.Settings)
	c := s.client
	c.Can = client.ReadAbilities(cmp.Or(p.Client.Name, o.Client), p.Capabilities)
	c.Can.ShowDocument = c.Can.ShowDocument || o.ShowDocument
	c.Workspace = ide.NewWorkspace(nil, c.Can.Encoding)
	c.Workspace.Watch(s.questions.Follow)
	s.documents.Follow()
	s.client.Folders.Set(p.roots())
	if p.ProcessID != nil && *p.ProcessID > 0 && *p.ProcessID != s.o.ClientPID {
		c.Go(func() { s.watchParent(*p.ProcessID) })
	}
	editorPID := os.Getppid()
	if p.ProcessID != nil && *p.ProcessID > 0 {
		editorPID = *p.ProcessID
	}
	s.companion.Initialize(p.Client.Name, editorPID)
	c.Go(s.announce)
	s.phase = serving
	result, err := s.initializeResult()
	if err != nil {
		return nil, err
	}
	return client.Answered(result), nil
}

// roots returns the workspace folders from whichever field the client uses.
func (p initializeParams) roots() []client.Folder {
	switch {
	case len(p.Folders) > 0:
		return p.Folders
	case p.RootURI != nil:
		return []client.Folder{{URI: *p.RootURI}}
	case p.RootPath != nil && *p.RootPath != "":
		return []client.Folder{{URI: string(ide.FileURI(*p.RootPath))}}
	}
	return nil
}

// initialized makes the agent in advance, so that the first prompt does not wait
// and the user learns about invalid settings early.
func (s *server) initialized(json.RawMessage) error {
	life := s.client.Life()
	s.configuration.start()
	s.documents.WatchFiles()
	s.client.Go(func() {
		if _, err := s.client.Host.Get(life); err != nil && life.Err() == nil {
			s.client.Error(life, err.Error())
		}
	})
	return nil
}

// ownCapabilities describe emendo's own messages.
type ownCapabilities struct {
	Emendo struct {
		Version  int                    `json:"version"`
		Modes    []policy.ModeInfo      `json:"modes"`
		Models   []ModelInfo            `json:"models"`
		Commands []acp.AvailableCommand `json:"commands"`
	} `json:"emendo"`
}

// initializeResult returns the answer to initialize.
func (s *server) initializeResult() (protocol.InitializeResult, error) {
	var own ownCapabilities
	own.Emendo.Version, own.Emendo.Modes = 1, policy.Modes()
	own.Emendo.Models, own.Emendo.Commands = s.o.Models, acp.Commands(slash.BuiltIn())
	experimental, err := protocol.Marshal(own)
	if err != nil {
		return protocol.InitializeResult{}, fmt.Errorf("encode the capabilities: %w", err)
	}
	result := protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "emendo", Version: protocol.NewOptional(s.o.Version)},
		Capabilities: protocol.ServerCapabilities{
			PositionEncoding: protocol.PositionEncodingKind(s.client.Can.Encoding),
			TextDocumentSync: &protocol.TextDocumentSyncOptions{
				OpenClose: new(true), Change: new(protocol.TextDocumentSyncKindIncremental), Save: &protocol.SaveOptions{IncludeText: new(false)},
			},
			CodeActionProvider:     &protocol.CodeActionOptions{CodeActionKinds: review.ActionKinds(), ResolveProvider: new(true)},
			CodeLensProvider:       &protocol.CodeLensOptions{ResolveProvider: new(false)},
			HoverProvider:          protocol.Boolean(true),
			ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: s.commands.Names()},
			Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: new(true), ChangeNotifications: protocol.Boolean(true),
			}, FileOperations: s.fileOperations()},
			Experimental: experimental,
		},
	}
	s.offerChats(&result.Capabilities)
	return result, nil
}

// offerChats announces what is for chat documents alone, to clients that use them.
func (s *server) offerChats(c *protocol.ServerCapabilities) {
	can := s.client.Can
	if can.Session {
		return
	}
	if can.Completion {
		c.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: chatdoc.Triggers}
	}
	if can.Symbols {
		c.DocumentSymbolProvider = protocol.Boolean(true)
	}
	if can.Folds {
		c.FoldingRangeProvider = protocol.Boolean(true)
	}
	if can.Links {
		c.DocumentLinkProvider = &protocol.DocumentLinkOptions{}
	}
}

// fileOperations registers for renames of files if the client reports them; else
// nil.
func (s *server) fileOperations() *protocol.FileOperationOptions {
	if !s.client.Can.TellsRenames {
		return nil
	}
	every := protocol.FileOperationFilter{Scheme: new("file"), Pattern: protocol.FileOperationPattern{Glob: "**"}}
	return &protocol.FileOperationOptions{DidRename: protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{every}}}
}
