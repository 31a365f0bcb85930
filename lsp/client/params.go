package client

import (
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/ide"
)

// The params of LSP's own messages are types of this package where those of
// go.lsp.dev/protocol cannot be used for decoding. That library rewrites URIs
// ("file:///C:/x" becomes "file:///c%3A/x"), while clients must be sent their own
// spelling; it reads a content change with "range": null as an insertion at the
// start instead of a replacement of the document; it rejects null for absent
// numbers and capabilities of an unexpected shape, both of which editors send;
// and its errors do not name the field. Whatever the server sends uses the
// library's types.

// Document identifies or holds a text document.
type Document struct {
	URI      string `json:"uri"`
	Language string `json:"languageId"`
	Version  *int32 `json:"version"` // some clients send null for a document that never changes
	Text     string `json:"text"`
}

// VersionNumber returns the version, or 0 if there is none.
func (d Document) VersionNumber() int32 {
	if d.Version == nil {
		return 0
	}
	return *d.Version
}

// DocumentParams are the params of didOpen, didSave, didClose and codeLens.
type DocumentParams struct {
	Document Document `json:"textDocument"`
}

// ChangeParams are the params of didChange. A change without a range replaces
// the document.
type ChangeParams struct {
	Document Document `json:"textDocument"`
	Changes  []struct {
		Range *ide.Range `json:"range"`
		Text  string     `json:"text"`
	} `json:"contentChanges"`
}

// HoverParams are the params of hover.
type HoverParams struct {
	Document Document     `json:"textDocument"`
	Position ide.Position `json:"position"`
}

// CodeActionParams are the params of codeAction.
type CodeActionParams struct {
	Document Document  `json:"textDocument"`
	Range    ide.Range `json:"range"`
	Context  struct {
		Diagnostics []Diagnostic `json:"diagnostics"`
		Only        []string     `json:"only"`
		Trigger     int          `json:"triggerKind"`
	} `json:"context"`
}

// Diagnostic is a diagnostic that the client has from any server.
type Diagnostic struct {
	Range   ide.Range `json:"range"`
	Source  string    `json:"source"`
	Message string    `json:"message"`
}

// Folder is a workspace folder.
type Folder struct {
	URI string `json:"uri"`
}

// FoldersChange are the params of didChangeWorkspaceFolders.
type FoldersChange struct {
	Event struct {
		Added   []Folder `json:"added"`
		Removed []Folder `json:"removed"`
	} `json:"event"`
}

// ExecuteParams are the params of executeCommand.
type ExecuteParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// The arguments of the commands that code actions, lenses and the status offer.
// Every command takes one object.

// AskArgs are the arguments of emendo.ask.
type AskArgs struct {
	Prompt    string     `json:"prompt,omitzero"`
	URI       string     `json:"uri"`
	Range     *ide.Range `json:"range"`
	SessionID string     `json:"sessionId"`
	Selected  bool       `json:"selected,omitzero"` // the text of the range is the prompt
	Text      string     `json:"text,omitzero"`     // of a document that emendo cannot read
}

// TargetArgs are the arguments of a command about a range.
type TargetArgs struct {
	URI         string     `json:"uri,omitzero"`
	Range       *ide.Range `json:"range,omitzero"`
	Instruction string     `json:"instruction,omitzero"`
	Problems    []string   `json:"problems,omitzero"` // of emendo.fix: the messages of diagnostics
	HunkID      string     `json:"hunkId,omitzero"`   // of emendo.explain: a proposed change
	Text        string     `json:"text,omitzero"`     // of a document that emendo cannot read
	SessionID   string     `json:"sessionId,omitzero"`
}

// FindingArgs name a finding, and what to do with it.
type FindingArgs struct {
	ID     string `json:"id,omitzero"`     // empty: the finding at the cursor
	Action string `json:"action,omitzero"` // fix, explain or dismiss; empty: explain
}

// HunkArgs name a hunk, or a whole change set.
type HunkArgs struct {
	ChangeSetID string `json:"changeSetId,omitzero"`
	HunkID      string `json:"hunkId,omitzero"`
}

// CommentArgs name the lines or the hunk that a comment is about.
type CommentArgs struct {
	SessionID string     `json:"sessionId,omitzero"`
	URI       string     `json:"uri,omitzero"`
	Range     *ide.Range `json:"range,omitzero"`
	HunkID    string     `json:"hunkId,omitzero"`
	Text      string     `json:"text,omitzero"`
}

// PermissionArgs answer a question.
type PermissionArgs struct {
	SessionID string `json:"sessionId"`
	CallID    string `json:"toolCallId"`
	OptionID  string `json:"optionId"`
}

// TrustArgs name a folder to trust.
type TrustArgs struct {
	URI string `json:"uri,omitzero"`
	Ask bool   `json:"ask,omitzero"` // always ask, not only if the folder would start something
}

// NewCommand returns an LSP command with one argument, or with none if args is
// nil.
func NewCommand(title, name string, args any) protocol.Command {
	c := protocol.Command{Title: title, Command: name}
	if args != nil {
		raw, err := protocol.Marshal(args)
		if err != nil {
			panic(err) // strings, numbers and ranges
		}
		c.Arguments = []protocol.LSPAny{raw}
	}
	return c
}
