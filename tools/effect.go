package tools

import (
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/shellcmd"
)

// An Effect is what an action would do to the user's world: [Reads], [Edits],
// [Runs], [Ends], [Notes], [Asks], [Plans], [Presents],
// [Remembers] or [Sends].
//
//sumtype:decl
type Effect interface{ isEffect() }

// Reads looks at files and changes nothing.
type Reads struct {
	Paths []string // absolute, links resolved: files whose text would be shown to the model
	Given []string // absolute: the same files as the call names them
	Key   bool     // a private key is in the text, whatever the file is called
}

// Edits proposes changes to files.
type Edits struct {
	Files []ledger.Proposed
	Given []string // absolute: the same files as the call names them, links not followed
	Note  string   // how the edit was understood, for the model
	// Whole reports that the call gave the whole text of the file.
	Whole bool
	// Hidden reports that the model may not read the file: its text must not be in the result.
	Hidden bool
}

// Runs runs a command.
type Runs struct {
	shellcmd.Analysis
	Background bool // it keeps running after the call
}

// Ends ends a command that the session has started and that goes on in the
// background.
type Ends struct {
	PID     int
	Command string
}

// Notes shows the user another list of what is to do.
type Notes struct{ Todos []Todo }

// Asks puts questions to the user.
type Asks struct{ Questions []Question }

// Plans has the session plan from here on: it reads, and changes nothing.
type Plans struct {
	Reason string // one line; may be empty
}

// Presents puts a plan before the user, with whose leave it is carried out.
type Presents struct {
	Path string // absolute
	Text string // what is approved
}

// Remembers saves a fact that later sessions of the workspace read.
type Remembers struct{ Fact string }

// Sends reaches out of this machine: a page is fetched, a server is called.
type Sends struct {
	URLs []string // where to
}

func (Reads) isEffect()     {}
func (Edits) isEffect()     {}
func (Runs) isEffect()      {}
func (Ends) isEffect()      {}
func (Notes) isEffect()     {}
func (Asks) isEffect()      {}
func (Plans) isEffect()     {}
func (Presents) isEffect()  {}
func (Remembers) isEffect() {}
func (Sends) isEffect()     {}
