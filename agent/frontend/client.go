package frontend

import (
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// A Client is a front end: it shows sessions to the user.
type Client interface {
	// Show shows an update. Updates of a session arrive one by one, in order. Show
	// may block while the client reads slowly.
	Show(ctx context.Context, u transcript.Update) error
	// Ask asks the user and waits. An error counts as a refusal. If ctx ends, the
	// question is withdrawn.
	Ask(ctx context.Context, q Question) (Answer, error)
	// Abilities returns what the client can do.
	Abilities() Abilities
}

// Abilities of a client.
type Abilities struct {
	// Reviews: the user decides edits hunk by hunk, and no question is asked about them.
	Reviews bool
	// Asks: a user can answer questions. Without, effects that need approval are
	// denied.
	Asks bool
	// Queue: the client shows queued prompts. When the user cancels a turn, they
	// wait until the user resumes the queue.
	Queue bool
	// Saves: the editor saves open files on request.
	Saves bool
}

// Question is a request for the user's approval of an effect.
type Question struct {
	SessionID string
	TurnID    string
	Call      CallInfo
	Reason    string // one sentence
	Rule      string // the rule that asks; empty: none
	Options   []Option
	Preview   Preview
}

// CallInfo is the call that a question is about.
type CallInfo struct {
	CallID    string
	Name      string
	Title     string
	Kind      tools.Kind
	Args      json.RawMessage
	Locations []tools.Location
	Diffs     []transcript.Diff
}

// Preview shows what would happen. Only the fields of one kind are set. Front ends
// send it unchanged.
type Preview struct {
	ChangeSetID string   `json:"changeSetId,omitzero"` // for edits
	Waits       []string `json:"waits,omitzero"`       // for a call that waits for the decision on them: change sets

	Command string   `json:"command,omitzero"` // for commands: the exact command line
	Cwd     string   `json:"cwd,omitzero"`
	Sandbox string   `json:"-"`               // the letter of the sandbox level; empty: unknown
	Parsed  []string `json:"parsed,omitzero"` // its simple commands; not nil for a command
	// Commands are the decisions on the parts of a command, in order.
	Commands []CommandPart `json:"commands,omitzero"`

	Saves   []ide.URI `json:"saves,omitzero"`   // open files that the session changed and the editor saves first
	Unsaved []ide.URI `json:"unsaved,omitzero"` // other open files, whose text on disk the command would see; not nil for a command

	Paths []string `json:"paths,omitzero"` // for reading: the files
	Skill string   `json:"skill,omitzero"` // for a skill: its name; Paths has its file

	URLs []string `json:"urls,omitzero"` // for network access: the addresses
	// Text is the task for the remote agent at the URL; without a URL, the question
	// of a remote agent.
	Text string `json:"text,omitzero"`

	// For an MCP tool: the server's name, the tool's name on the server, and the
	// arguments.
	ServerName string          `json:"serverName,omitzero"`
	ToolName   string          `json:"toolName,omitzero"`
	Args       json.RawMessage `json:"args,omitzero"`

	PlanURI ide.URI `json:"planUri,omitzero"` // for a plan: its file

	Executable *Executable `json:"executable,omitzero"` // for a program in a folder's settings
}

// CommandPart is the decision on one of the simple commands of a command.
type CommandPart struct {
	Text     string `json:"text"`
	Decision string `json:"decision"` // allow, ask or deny
	Rule     string `json:"rule,omitzero"`
	Reason   string `json:"reason,omitzero"`
	Danger   string `json:"danger,omitzero"` // why it could destroy something
}

// Executable is a hook or a server that a folder's settings would start.
type Executable struct {
	Kind    string    `json:"kind"` // "hook", "mcp" or "discovery"
	Name    string    `json:"name"`
	Command string    `json:"command"`           // the whole command line, or an address
	Cwd     string    `json:"cwd"`               // where it starts, absolute; empty: in a private folder, or nowhere
	Env     []Setting `json:"env"`               // the variables that the settings add, by name
	Headers []Setting `json:"headers,omitempty"` // of requests to the address, by name
	Hosts   []string  `json:"hosts,omitempty"`   // that it reaches in the sandbox
	Scripts []string  `json:"scripts,omitempty"` // absolute paths of the files that the command names
	Changed bool      `json:"changed"`           // a different one with this name was approved
}

// Setting is a variable or a header.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value,omitzero"` // empty if it is a secret
}

// OptionKind is the effect of choosing an option.
type OptionKind string

// The kinds of options.
const (
	AllowOnce    OptionKind = "allow_once"
	AllowAlways  OptionKind = "allow_always"
	RejectOnce   OptionKind = "reject_once"
	RejectAlways OptionKind = "reject_always"
)

// Option is a way to answer a question.
type Option struct {
	ID   string
	Name string // describes its effect to the user, including its scope if it is remembered
	Kind OptionKind
}

// Answer is the user's choice. An OptionID that was not offered is a refusal.
type Answer struct {
	OptionID  string
	Feedback  string // goes to the model
	Cancelled bool   // the user dismissed the question
}

// Focus is the user's position in the editor.
type Focus struct {
	Active     ide.URI     // empty when no editor is active
	Selections []ide.Range // in the active document; an empty range is the cursor
	Open       []ide.URI   // open editors, the most recently used first
	Inferred   bool        // guessed from requests, not reported by the editor
}
