package tools

import (
	"cmp"

	"github.com/emendo-dev/emendo/ide/ledger"
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
	Command string // as the model gave it
	// Canonical is the same command printed again from what was parsed, and what
	// the shell is given. It is empty when the command has no such form: then the
	// shell is given Command, and no rule about some commands covers it.
	Canonical string
	Dir       string // where, absolute
	// Background says that it goes on when the call has ended.
	Background bool
	// Parts are the simple commands in it and all that these would run, in the
	// order in which they begin, as far as it can be told without running it.
	Parts []Part
	// Known says that the parts are all that would run.
	Known bool
	Why   string // else why not: the construct that cannot be told, one clause
	// Destructive says why the command could destroy something that cannot be
	// brought back; empty when it is not known to.
	Destructive string
	Git         GitUse
}

// Line is what the shell is given.
func (r Runs) Line() string { return cmp.Or(r.Canonical, r.Command) }

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
