package lsp

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/ide"
)

// abilities are what the client declared. Nothing else is ever sent to it.
type abilities struct {
	encoding ide.Encoding

	// emendo's own.
	session, permission, elicit, changes, status, save, diagnostics, models, queue bool

	changesDelta bool // takes what changed in a change set, not the whole

	messageRequest bool // window/showMessageRequest
	progress       bool // window/workDoneProgress/create
	showDocument   bool
	applyEdit      bool
	versionedEdits bool // documentChanges of a workspace edit
	renames        bool // resource operations of one
	deletes        bool
	publish        bool // textDocument/publishDiagnostics
	publishData    bool
	actionLiterals bool // code actions, not only commands
	generatedTag   bool // the tag LLMGenerated of code actions
	lensRefresh    bool
	configuration  bool // workspace/configuration
	configurations bool // registering for workspace/didChangeConfiguration
	hoverMarkdown  bool
}

// generatedByModel is LSP's CodeActionTag LLMGenerated.
const generatedByModel = 1

// readAbilities reads the client's capabilities, whatever else is in them.
func readAbilities(raw json.RawMessage) abilities {
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
	a := abilities{
		encoding:   ide.UTF16,
		session:    own.at("session").yes(),
		permission: own.at("permission").yes(),
		elicit:     own.at("elicit").yes(),
		changes:    own.at("changes").there(),
		status:     own.at("status").yes(),
		save:       own.at("save").yes(),
		queue:      own.at("queue").yes(),

		changesDelta:   own.at("changes", "delta").yes(),
		diagnostics:    own.at("diagnostics").yes(),
		models:         own.at("models").yes(),
		messageRequest: d.at("window", "showMessage").there(),
		progress:       d.at("window", "workDoneProgress").yes(),
		showDocument:   d.at("window", "showDocument", "support").yes(),
		applyEdit:      d.at("workspace", "applyEdit").yes(),
		versionedEdits: edit.at("documentChanges").yes(),
		renames:        edit.at("resourceOperations").lists("rename"),
		deletes:        edit.at("resourceOperations").lists("delete"),
		publish:        publish.there(),
		publishData:    publish.at("dataSupport").yes(),
		actionLiterals: action.at("codeActionLiteralSupport").there(),
		generatedTag:   action.at("tagSupport", "valueSet").lists(float64(generatedByModel)),
		lensRefresh:    d.at("workspace", "codeLens", "refreshSupport").yes(),
		configuration:  d.at("workspace", "configuration").yes(),
		configurations: d.at("workspace", "didChangeConfiguration", "dynamicRegistration").yes(),
		hoverMarkdown:  d.at("textDocument", "hover", "contentFormat").lists("markdown"),
	}
	if d.at("general", "positionEncodings").lists(string(ide.UTF8)) {
		a.encoding = ide.UTF8
	}
	return a
}

// reviews says whether the user of this client decides on hunks: because it
// draws them, or because it has nothing else to be asked by.
func (a abilities) reviews() bool { return a.changes || !a.permission }

// marksHunks says whether hunks are shown by what LSP has for everyone.
func (a abilities) marksHunks() bool { return !a.changes }

// declared is a place in the client's capabilities.
type declared struct{ value any }

// at goes into objects by their keys; what is not there is nothing.
func (d declared) at(path ...string) declared {
	for _, key := range path {
		m, _ := d.value.(map[string]any)
		d.value = m[key]
	}
	return d
}

// there says that it is declared at all: null and false are how some clients
// say that it is not.
func (d declared) there() bool { return d.value != nil && d.value != false }

func (d declared) yes() bool { return d.value == true }

func (d declared) lists(word any) bool {
	l, _ := d.value.([]any)
	for _, x := range l {
		if x == word {
			return true
		}
	}
	return false
}
