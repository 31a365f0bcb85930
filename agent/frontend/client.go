package frontend

import (
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// A Client is whoever shows sessions to the user: a front end.
type Client interface {
	// Show shows an update. Updates of a session come one after another, in
	// order; Show may block while the user's side reads slowly.
	Show(ctx context.Context, u transcript.Update) error
	// Ask asks the user and waits. An error is a refusal. When ctx ends the
	// question is withdrawn.
	Ask(ctx context.Context, q Question) (Answer, error)
	// Abilities say what the user's side can do.
	Abilities() Abilities
}

// Abilities of a client.
type Abilities struct {
	// Reviews: the user decides edits hunk by hunk, so a proposal waits for
	// that and no question is asked.
	Reviews bool
	// Asks: there is someone to ask. Without, what needs a question is denied.
	Asks bool
	// Queue: the user sees the prompts that are queued. When the user cancels a
	// turn they wait until the user resumes the queue.
	Queue bool
	// Saves: the editor saves open files when it is asked to.
	Saves bool
}

// Question is what the user is asked before an effect.
type Question struct {
	SessionID string
	TurnID    string
	Call      CallInfo
	Reason    string // why it is asked, one sentence
	Rule      string // that asks; empty when none does
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

// Preview shows what would happen. The fields of one kind are set; front ends send
// it as it is.
type Preview struct {
	ChangeSetID string `json:"changeSetId,omitzero"` // for edits

	Command string   `json:"command,omitzero"` // for commands: exactly what would run
	Cwd     string   `json:"cwd,omitzero"`
	Sandbox string   `json:"-"`               // the letter of the sandbox level; empty: not known
	Parsed  []string `json:"parsed,omitzero"` // its simple commands; not nil for a command
	// Commands are the decisions on the parts of a command, in order.
	Commands []CommandPart `json:"commands,omitzero"`

	Saves   []ide.URI `json:"saves,omitzero"`   // open files that the editor saves first: those that the session changed
	Unsaved []ide.URI `json:"unsaved,omitzero"` // other open files, whose text on disk the command would see; not nil for a command

	Paths []string `json:"paths,omitzero"` // for reading: the files
	Skill string   `json:"skill,omitzero"` // for a skill: its name; Paths has its file

	URLs []string `json:"urls,omitzero"` // for network access: the addresses
	// Text is the task that would be sent to a remote agent at the address; without an
	// address, the question of a remote agent.
	Text string `json:"text,omitzero"`

	// For a tool of an MCP server: the names of the server and of the tool, as the
	// server calls it, and the arguments.
	ServerName string          `json:"serverName,omitzero"`
	ToolName   string          `json:"toolName,omitzero"`
	Args       json.RawMessage `json:"args,omitzero"`

	PlanURI ide.URI `json:"planUri,omitzero"` // for a plan: its file

	Executable *Executable `json:"executable,omitzero"` // for something that a folder's own settings would start
}

// CommandPart is the decision on one of the simple commands of a command.
type CommandPart struct {
	Text     string `json:"text"`
	Decision string `json:"decision"` // allow, ask or deny
	Rule     string `json:"rule,omitzero"`
	Reason   string `json:"reason,omitzero"`
}

// Executable is a hook or a server that a folder's own settings would start.
type Executable struct {
	Kind    string   `json:"kind"` // "hook", "mcp" or "discovery"
	Name    string   `json:"name"`
	Command string   `json:"command"`           // the whole command line, or an address
	Env     []string `json:"env"`               // names of the variables that its settings add
	Scripts []string `json:"scripts,omitempty"` // absolute paths of the files that the command names
	Changed bool     `json:"changed"`           // another one of that name was approved
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
	Name string // what choosing it does, for the user; of one that lasts, how far it reaches
	Kind OptionKind
}

// Answer is the user's choice. An OptionID that was not offered is a refusal.
type Answer struct {
	OptionID  string
	Feedback  string // goes to the model
	Cancelled bool   // the user chose nothing
}

// Focus is where the user is in the editor.
type Focus struct {
	Active     ide.URI     // empty when no editor is active
	Selections []ide.Range // in the active document; an empty range is the cursor
	Open       []ide.URI   // open editors, the most recently used first
	Inferred   bool        // guessed from requests, not told by the editor
}
