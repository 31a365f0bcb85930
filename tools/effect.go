package tools

import (
	"encoding/json"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/shellcmd"
)

// An Effect describes what an action would do: [Reads], [Edits],
// [Runs], [Ends], [Notes], [Finds], [Asks], [Plans], [Presents],
// [Remembers], [Sends], [Calls] or [Samples].
//
//sumtype:decl
type Effect interface{ traits() Traits }

// Traits are what the gate, rules and the turn know of an effect. What else they know of
// it needs its fields: what a question about it shows, and what untrusted content may
// have to do with it.
type Traits struct {
	Name string // in built-in rules
	// Acts: it changes or reaches something, so a rule acts on it in plan mode only if the
	// rule names that mode.
	Acts bool
	// Restricted is why it is denied in a restricted folder: a clause; empty: it is not.
	Restricted string
	// WhyAsked is the reason of a built-in rule that asks about it, a sentence; empty: none is
	// needed. InPlanMode is why it is denied in plan mode; empty: as other changes are.
	WhyAsked, InPlanMode string
	// Refused is what the model reads after the user refused it; empty: that they did.
	Refused string
	// Complete: it describes the whole call, so calls with the same effect share a question.
	Complete bool
	// Repeatable: the user can be offered to always allow exactly this call.
	Repeatable bool
	NamesFiles bool // arguments that are paths name files of the user's
	ReadsDisk  bool // it runs where the session's proposed edits are not seen
}

// TraitsOf returns the traits of an effect, which may be nil: that of a call that was never
// prepared.
func TraitsOf(e Effect) Traits {
	if e == nil {
		return Traits{Acts: true, Restricted: "this tool is not available", Repeatable: true}
	}
	return e.traits()
}

// Reads looks at files, or at what MCP servers offer, and changes nothing.
type Reads struct {
	Paths []string // files whose text the model would see, absolute, links resolved
	Given []string // the same files as the call names them, absolute
	Key   bool     // the text has a private key, whatever the file is called
	// Servers are the MCP servers whose resources the model would see. Rules that
	// name one of them apply to the call.
	Servers []string
	Skill   string // the name of a skill, whose instructions these are
	// Definition is a hash of a skill's file and its content.
	Definition string
	// Asks: the servers are asked for the resources, so they learn which. Local: by a
	// process on this machine, which reads the disk.
	Asks, Local bool
}

// Edits proposes changes to files.
type Edits struct {
	Files []ledger.Proposed
	Given []string // the same files as the call names them, absolute, links not followed
	Note  string   // how the edit was interpreted, for the model
	Whole bool     // the call has the whole text of the file
	// Hidden are the files that the model may not read, by their names, see
	// [ledger.Proposed.Name]: the result must not have their text.
	Hidden []string
	// Left says to the model what of the call is not among Files, and why; empty: nothing.
	Left   string
	Doubts []string // what the model is asked back about with Left, see [Error]
	// Parts are the calls of other tools that would do the same together. Rules and hooks
	// that are about those apply. None: the call is one of its own kind.
	Parts []Part
}

// A Part is a call of another tool that does a part of what an [Edits] does.
type Part struct {
	Tool string
	Args json.RawMessage
}

// Hides reports whether the model may not read the text of a file.
func (e Edits) Hides(f ledger.Proposed) bool { return slices.Contains(e.Hidden, f.Name()) }

// Runs runs a command.
type Runs struct {
	shellcmd.Analysis
	Background bool // it keeps running after the call
	Discovered bool // it is the command of a discovered tool, not one of the model's
}

// Ends ends a command that the session runs in the background.
type Ends struct {
	PID     int
	Command string
}

// Notes replaces the task list that the user sees.
type Notes struct {
	Todos []Todo
	// Tasks is the state of the list of package tracker, kept with the session; nil:
	// the call replaced it with a plain list.
	Tasks  json.RawMessage
	Output string // for the model; empty: the list
}

// Finds reports a problem in lines of a file.
type Finds struct {
	Finding

	Lines ide.Passage
}

// A Todo is an entry of the task list.
type Todo struct {
	Description string     `json:"description" jsonschema:"The step, in one line."`
	Status      TodoStatus `json:"status" enum:"pending,in_progress,completed,cancelled,blocked" jsonschema:"The status."`
}

// TodoStatus is the status of a task.
type TodoStatus string

// The statuses.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
	TodoCancelled  TodoStatus = "cancelled"
	TodoBlocked    TodoStatus = "blocked"
)

// Asks puts questions to the user.
type Asks struct{ Questions []Question }

// Plans switches the session to plan mode.
type Plans struct {
	Reason string // one line; may be empty
}

// Presents asks the user to approve a plan.
type Presents struct {
	Path string // absolute
	Text string // what is approved
}

// Remembers saves a fact that later sessions of the workspace read.
type Remembers struct{ Fact string }

// Sends sends data from this machine: to fetch a page, or call a server.
type Sends struct {
	URLs []string // where to
	Text string   // what is sent to an agent; empty: what the addresses say
	// Agent is the name of the remote agent; empty: the addresses are fetched.
	Agent string
	// Provider means only to the provider of the model, which has the conversation
	// anyway.
	Provider bool
}

// Calls calls a tool of an MCP server, which may do anything that the server can do.
type Calls struct {
	Server string // its name
	Tool   string // the server's name for the tool
	// ReadOnly: a server that the user trusts says that the tool changes nothing.
	ReadOnly bool
	// Local: the server is a process on this machine, which reads the disk.
	Local bool
}

// Samples has the model answer messages of an MCP server, which gets the answer.
type Samples struct{ Server string }

// Sampling is the name of that request: in the protocol, in rules and for the user.
const Sampling = "sampling/createMessage"

// noServers is why [Calls] and [Samples] are not done in a restricted folder.
const noServers = "MCP servers are not called"

func (e Reads) traits() Traits {
	return Traits{Name: "reads", Complete: len(e.Paths) > 0, Repeatable: true, NamesFiles: true, ReadsDisk: e.Asks && e.Local}
}

func (Edits) traits() Traits {
	return Traits{Name: "edits", Acts: true, Complete: true, NamesFiles: true, WhyAsked: "The edit needs the user's approval."}
}

func (Runs) traits() Traits {
	return Traits{
		Name: "runs", Acts: true, Complete: true, NamesFiles: true, ReadsDisk: true, Restricted: "commands do not run here",
		WhyAsked: "No rule allows the command.", InPlanMode: "Commands do not run in plan mode. Describe what you would run instead.",
	}
}

func (Ends) traits() Traits {
	return Traits{Name: "ends", Complete: true}
}

func (Notes) traits() Traits {
	return Traits{Name: "notes"}
}

func (Finds) traits() Traits {
	return Traits{Name: "finds"}
}

func (Asks) traits() Traits {
	return Traits{Name: "asks"}
}

func (Plans) traits() Traits {
	return Traits{
		Name: "plans", Acts: true, WhyAsked: "The session would only read and plan until you approve the plan.",
		Refused: "The user does not want a plan first. Continue with the task.",
	}
}

func (Presents) traits() Traits {
	return Traits{
		Name: "presents", Complete: true,
		Refused: "The user did not approve the plan, and the session stays in plan mode. Change the plan and present it again, or ask what the user wants instead.",
	}
}

func (Remembers) traits() Traits {
	return Traits{
		Name: "remembers", Acts: true, Complete: true, Restricted: "nothing can be saved", WhyAsked: "All later sessions in this workspace would read it.",
		InPlanMode: "Nothing is saved in plan mode. Write in the plan what should be remembered.",
	}
}

func (Sends) traits() Traits {
	return Traits{Name: "sends", Acts: true, Repeatable: true, Restricted: "network access is denied", WhyAsked: "It would use the network."}
}

func (e Calls) traits() Traits {
	return Traits{
		Name: "calls", Acts: true, ReadsDisk: e.Local, Restricted: noServers, WhyAsked: "It would be done by an MCP server, outside of emendo's control.",
		InPlanMode: "Tools of MCP servers do not run in plan mode, except those of servers that the user trusts that only read. Describe what you would do instead.",
	}
}

func (Samples) traits() Traits {
	return Traits{
		Name: "samples", Acts: true, Restricted: noServers,
		WhyAsked: "The model would answer this at your cost, without knowing your session, and the server would get the answer.",
	}
}
