package client

import (
	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/ide"
)

// The arguments of the commands that code actions, lenses and the status offer.
// Every command takes one object.

// AskArgs are the arguments of emendo.ask.
type AskArgs struct {
	Prompt    string     `json:"prompt,omitzero"`
	URI       string     `json:"uri"`
	Range     *ide.Range `json:"range"`
	SessionID string     `json:"sessionId"`
	Selected  bool       `json:"selected,omitzero"` // the text of the range is the prompt
}

// TargetArgs are the arguments of a command about a range.
type TargetArgs struct {
	URI         string     `json:"uri,omitzero"`
	Range       *ide.Range `json:"range,omitzero"`
	Instruction string     `json:"instruction,omitzero"`
	Problems    []string   `json:"problems,omitzero"` // of emendo.fix: the messages of diagnostics
	HunkID      string     `json:"hunkId,omitzero"`   // of emendo.explain: a proposed change
	SessionID   string     `json:"sessionId,omitzero"`
}

// HunkArgs name a hunk, or a whole change set.
type HunkArgs struct {
	ChangeSetID string `json:"changeSetId,omitzero"`
	HunkID      string `json:"hunkId,omitzero"`
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
