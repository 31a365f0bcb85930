package client

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/ide"
)

// Abilities are what the client declared that it can do, and what is known of it.
type Abilities struct {
	Encoding ide.Encoding

	// emendo's own.
	Session, Permission, Elicit, Changes, Status, Save, Diagnostics, Models, Queue, Sessions, Events bool

	OutputDelta  bool // takes what was added to a call's output instead of the whole
	ChangesDelta bool // takes the changes of a change set instead of the whole

	Requests []string // methods that it passes on to its own language servers

	MessageRequest bool // window/showMessageRequest
	Progress       bool // window/workDoneProgress/create
	ShowDocument   bool
	ApplyEdit      bool
	VersionedEdits bool // documentChanges of a workspace edit
	Renames        bool // resource operations of a workspace edit
	Deletes        bool
	TellsRenames   bool // workspace/didRenameFiles
	Publish        bool // textDocument/publishDiagnostics
	PublishData    bool
	ActionLiterals bool // code actions, not only commands
	GeneratedTag   bool // the code action tag LLMGenerated
	LensRefresh    bool
	Configuration  bool // workspace/configuration
	Configurable   bool // registering for workspace/didChangeConfiguration
	HoverMarkdown  bool
	HoverPlain     bool // content with a kind, in plain text
	Completion     bool
	Symbols        bool
	SymbolTree     bool // document symbols may have children
	Folds          bool
	Links          bool

	Watches     bool // registering for workspace/didChangeWatchedFiles
	Reloads     bool // it sends that after the change when the user reloads a file, and for no other change
	HidesErrors bool // of commands: it writes them to its log alone
	HidesHints  bool // it does not draw diagnostics that are no warnings
	HidesInfo   bool // it does not show messages that are no warnings

	EditsFor time.Duration // how long it takes edits after a command; 0: always
}

// ReadAbilities reads the capabilities of the client with a name, which may be empty, and
// adds what is known of it. They are not decoded as
// go.lsp.dev/protocol's ClientCapabilities, which rejects all of them for one
// value of an unexpected shape.
func ReadAbilities(name string, raw json.RawMessage) Abilities {
	var d declared
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &d.value); err != nil {
			panic(err) // the connection has checked that it is JSON
		}
	}
	own := d.at("experimental", "emendo")
	edit := d.at("workspace", "workspaceEdit")
	publish := d.at("textDocument", "publishDiagnostics")
	action := d.at("textDocument", "codeAction")
	a := Abilities{
		Encoding:   ide.UTF16,
		Session:    own.at("session").isTrue(),
		Permission: own.at("permission").isTrue(),
		Elicit:     own.at("elicit").isTrue(),
		Changes:    own.at("changes").there(),
		Status:     own.at("status").isTrue(),
		Save:       own.at("save").isTrue(),
		Queue:      own.at("queue").isTrue(),
		Sessions:   own.at("sessions").isTrue(),
		Events:     own.at("events").isTrue(),

		OutputDelta:    own.at("outputDelta").isTrue(),
		ChangesDelta:   own.at("changes", "delta").isTrue(),
		Requests:       own.at("requests").words(),
		Diagnostics:    own.at("diagnostics").isTrue(),
		Models:         own.at("models").isTrue(),
		MessageRequest: d.at("window", "showMessage").there(),
		Progress:       d.at("window", "workDoneProgress").isTrue(),
		ShowDocument:   d.at("window", "showDocument", "support").isTrue(),
		ApplyEdit:      d.at("workspace", "applyEdit").isTrue(),
		VersionedEdits: edit.at("documentChanges").isTrue(),
		Renames:        edit.at("resourceOperations").lists("rename"),
		Deletes:        edit.at("resourceOperations").lists("delete"),
		TellsRenames:   d.at("workspace", "fileOperations", "didRename").isTrue(),
		Publish:        publish.there(),
		PublishData:    publish.at("dataSupport").isTrue(),
		ActionLiterals: action.at("codeActionLiteralSupport").there(),
		GeneratedTag:   action.at("tagSupport", "valueSet").lists(float64(protocol.CodeActionTagLLMGenerated)),
		LensRefresh:    d.at("workspace", "codeLens", "refreshSupport").isTrue(),
		Configuration:  d.at("workspace", "configuration").isTrue(),
		Watches:        d.at("workspace", "didChangeWatchedFiles", "dynamicRegistration").isTrue(),
		Configurable:   d.at("workspace", "didChangeConfiguration", "dynamicRegistration").isTrue(),
		HoverMarkdown:  d.at("textDocument", "hover", "contentFormat").lists("markdown"),
		HoverPlain:     d.at("textDocument", "hover", "contentFormat").lists("plaintext"),
		Completion:     d.at("textDocument", "completion").there(),
		Symbols:        d.at("textDocument", "documentSymbol").there(),
		SymbolTree:     d.at("textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport").isTrue(),
		Folds:          d.at("textDocument", "foldingRange").there(),
		Links:          d.at("textDocument", "documentLink").there(),
	}
	if d.at("general", "positionEncodings").lists(string(ide.UTF8)) {
		a.Encoding = ide.UTF8
	}
	a.addKnown(name)
	return a
}

// Reviews reports whether the user of this client decides on hunks: because it
// draws them, or because there is no other way to ask.
func (a Abilities) Reviews() bool { return a.Changes || !a.Permission }

// Passes reports whether the client passes requests of a method on to its own
// language servers.
func (a Abilities) Passes(method string) bool { return slices.Contains(a.Requests, method) }

// MarksHunks reports whether hunks are shown by diagnostics, lenses and hovers.
func (a Abilities) MarksHunks() bool { return !a.Changes }

// declared is a place in the client's capabilities.
type declared struct{ value any }

// at returns the value at a path of keys; a missing one is nil.
func (d declared) at(path ...string) declared {
	for _, key := range path {
		m, _ := d.value.(map[string]any)
		d.value = m[key]
	}
	return d
}

// there reports whether the value is declared. Some clients send null or false
// for what they do not support.
func (d declared) there() bool { return d.value != nil && d.value != false }

func (d declared) isTrue() bool { return d.value == true }

// words returns the strings of a list, or nil.
func (d declared) words() (words []string) {
	l, _ := d.value.([]any)
	for _, x := range l {
		if word, ok := x.(string); ok {
			words = append(words, word)
		}
	}
	return words
}

func (d declared) lists(word any) bool {
	l, _ := d.value.([]any)
	for _, x := range l {
		if x == word {
			return true
		}
	}
	return false
}

// known are the clients that can do other things than they declare, by their names in lower
// case. It is the only place that looks at the name, and the only exception to the rule
// that nothing is sent that the client did not declare.
var known = map[string]func(*Abilities){
	"helix": func(a *Abilities) {
		a.Symbols = true      // it shows them
		a.HidesErrors = true  // it writes those of commands to its log alone
		a.Reloads = a.Watches // it says so of its own writes and reloads, and watches nothing
	},
	"kate": func(a *Abilities) {
		a.ApplyEdit = true
		// It takes edits for two seconds after it has sent a command. Some of them are the
		// way here, and back.
		a.EditsFor = 1700 * time.Millisecond
	},
	"qt creator": func(a *Abilities) {
		a.HidesHints = true // it draws warnings and errors alone
	},
	"vim-lsp": func(a *Abilities) {
		a.HidesInfo = true // it shows warnings and errors alone unless it is told otherwise
	},
}

// addKnown adds what is known of the client with a name to what it declared.
func (a *Abilities) addKnown(name string) {
	if add := known[strings.ToLower(name)]; add != nil {
		add(a)
	}
}
