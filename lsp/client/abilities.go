package client

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/ide"
)

// Abilities are what the client declared that it can do, and what is known of it. The tag
// of a field is where in the capabilities it is declared: as true, or, with a word behind
// the path, as a list that has the word, or, with "any", as anything that is not false.
type Abilities struct {
	Encoding ide.Encoding

	// emendo's own.
	Session      bool `at:"experimental.emendo.session"`  // shows sessions, see [Abilities.Updates]
	View         bool `at:"experimental.emendo.view any"` // takes conversations, questions, changes and messages as items
	Permission   bool `at:"experimental.emendo.permission"`
	Elicit       bool `at:"experimental.emendo.elicit"`
	Changes      bool `at:"experimental.emendo.changes any"`
	Status       bool `at:"experimental.emendo.status"`
	Save         bool `at:"experimental.emendo.save"`
	Diagnostics  bool `at:"experimental.emendo.diagnostics"`
	Models       bool `at:"experimental.emendo.models"`
	Queue        bool `at:"experimental.emendo.queue"`
	Sessions     bool `at:"experimental.emendo.sessions"`
	Comments     bool `at:"experimental.emendo.comments"`
	Terminals    bool `at:"experimental.emendo.terminals"` // draws terminals
	Events       bool `at:"experimental.emendo.events"`
	OutputDelta  bool `at:"experimental.emendo.outputDelta"`   // takes what was added to a call's output instead of the whole
	ChangesDelta bool `at:"experimental.emendo.changes.delta"` // takes the changes of a change set instead of the whole

	Requests []string // methods that it passes on to its own language servers

	MessageRequest bool `at:"window.showMessage any"`  // window/showMessageRequest
	Progress       bool `at:"window.workDoneProgress"` // window/workDoneProgress/create
	ShowDocument   bool `at:"window.showDocument.support"`
	ApplyEdit      bool `at:"workspace.applyEdit"`
	VersionedEdits bool `at:"workspace.workspaceEdit.documentChanges"`
	Renames        bool `at:"workspace.workspaceEdit.resourceOperations rename"`
	Deletes        bool `at:"workspace.workspaceEdit.resourceOperations delete"`
	TellsRenames   bool `at:"workspace.fileOperations.didRename"`
	Publish        bool `at:"textDocument.publishDiagnostics any"`
	PublishData    bool `at:"textDocument.publishDiagnostics.dataSupport"`
	ActionLiterals bool `at:"textDocument.codeAction.codeActionLiteralSupport any"` // code actions, not only commands
	GeneratedTag   bool // the code action tag LLMGenerated
	LensRefresh    bool `at:"workspace.codeLens.refreshSupport"`
	Configuration  bool `at:"workspace.configuration"`                              // workspace/configuration
	Configurable   bool `at:"workspace.didChangeConfiguration.dynamicRegistration"` // registering for it
	HoverMarkdown  bool `at:"textDocument.hover.contentFormat markdown"`
	HoverPlain     bool `at:"textDocument.hover.contentFormat plaintext"` // content with a kind, in plain text
	Completion     bool `at:"textDocument.completion any"`
	Symbols        bool `at:"textDocument.documentSymbol any"`
	SymbolTree     bool `at:"textDocument.documentSymbol.hierarchicalDocumentSymbolSupport"` // document symbols may have children
	Folds          bool `at:"textDocument.foldingRange any"`
	Links          bool `at:"textDocument.documentLink any"`

	Watches     bool `at:"workspace.didChangeWatchedFiles.dynamicRegistration"`
	Reloads     bool // it sends didChangeWatchedFiles after the change when the user reloads a file, and for no other change
	HidesErrors bool // of commands: it writes them to its log alone
	HidesHints  bool // it does not draw diagnostics that are no warnings
	HidesInfo   bool // it does not show messages that are no warnings
	PrintsEdits bool // it prints the label of each edit, which the user has to dismiss if there are several

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
	a := Abilities{
		Encoding:     ide.UTF16,
		Requests:     d.valueAt("experimental.emendo.requests").words(),
		GeneratedTag: d.valueAt("textDocument.codeAction.tagSupport.valueSet").lists(float64(protocol.CodeActionTagLLMGenerated)),
	}
	if d.valueAt("general.positionEncodings").lists(string(ide.UTF8)) {
		a.Encoding = ide.UTF8
	}
	fields := reflect.ValueOf(&a).Elem()
	for i := range fields.NumField() {
		path, word, _ := strings.Cut(fields.Type().Field(i).Tag.Get("at"), " ")
		switch x := d.valueAt(path); {
		case path == "":
		case word == "":
			fields.Field(i).SetBool(x.value == true)
		case word == "any":
			fields.Field(i).SetBool(x.value != nil && x.value != false) // some clients send null or false for what they do not support
		default:
			fields.Field(i).SetBool(x.lists(word))
		}
	}
	if a.View { // it shows sessions, as items
		a.Session, a.Queue = true, true
	}
	a.addKnown(name)
	return a
}

// Reviews reports whether the user of this client decides on hunks: because it
// draws them, or because there is no other way to ask.
func (a Abilities) Reviews() bool { return a.Changes || !a.Permission }

// Updates reports whether the client takes what is in sessions as updates, and not as a view.
func (a Abilities) Updates() bool { return a.Session && !a.View }

// Chooses reports whether the client can show a message with buttons.
func (a Abilities) Chooses() bool { return a.MessageRequest || a.View }

// Passes reports whether the client passes requests of a method on to its own
// language servers.
func (a Abilities) Passes(method string) bool { return slices.Contains(a.Requests, method) }

// MarksHunks reports whether hunks are shown by diagnostics, lenses and hovers.
func (a Abilities) MarksHunks() bool { return !a.Changes }

// declared is a place in the client's capabilities.
type declared struct{ value any }

// valueAt returns the value at a path of keys; a missing one is nil.
func (d declared) valueAt(path string) declared {
	for key := range strings.SplitSeq(path, ".") {
		m, _ := d.value.(map[string]any)
		d.value = m[key]
	}
	return d
}

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
	return slices.Contains(l, word)
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
	"neovim": func(a *Abilities) {
		a.PrintsEdits = true
	},
	"qt creator": func(a *Abilities) {
		a.HidesHints = true // it draws warnings and errors alone
	},
	"vim-lsp": func(a *Abilities) {
		a.HidesInfo = true // it shows warnings and errors alone unless it is told otherwise
		a.PrintsEdits = true
	},
	"vim": func(a *Abilities) {
		a.PrintsEdits = true
	},
}

// addKnown adds what is known of the client with a name to what it declared.
func (a *Abilities) addKnown(name string) {
	if add := known[strings.ToLower(name)]; add != nil {
		add(a)
	}
}
