package wiretest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Capabilities are those that a client declared.
type Capabilities map[string]any

// At returns the value at a dotted path, or nil.
func (c Capabilities) At(path string) any {
	var v any = map[string]any(c)
	for k := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

// Has reports whether there is something at the path other than false.
func (c Capabilities) Has(path string) bool { v := c.At(path); return v != nil && v != false }

// Lists reports whether the list at the path has the word.
func (c Capabilities) Lists(path string, word any) bool {
	l, _ := c.At(path).([]any)
	for _, x := range l {
		if x == word {
			return true
		}
	}
	return false
}

// needs maps the messages of a server to the capability that each needs; empty for none.
var needs = map[string]string{
	"window/showMessage":               "",
	"window/logMessage":                "",
	"$/progress":                       "", // its token is checked
	"$/cancelRequest":                  "",
	"client/registerCapability":        "", // the methods are checked
	"client/unregisterCapability":      "",
	"window/showMessageRequest":        "window.showMessage",
	"window/workDoneProgress/create":   "window.workDoneProgress",
	"window/showDocument":              "window.showDocument.support",
	"workspace/applyEdit":              "workspace.applyEdit",
	"workspace/codeLens/refresh":       "workspace.codeLens.refreshSupport",
	"workspace/foldingRange/refresh":   "workspace.foldingRange.refreshSupport",
	"workspace/configuration":          "workspace.configuration",
	"workspace/workspaceFolders":       "workspace.workspaceFolders",
	"textDocument/publishDiagnostics":  "textDocument.publishDiagnostics",
	"emendo/session/update":            "", // the kind is checked
	"emendo/session/event":             "experimental.emendo.events",
	"emendo/view/didChange":            "experimental.emendo.view",
	"emendo/session/requestPermission": "experimental.emendo.permission",
	"emendo/session/elicit":            "experimental.emendo.elicit",
	"emendo/changes/didChange":         "experimental.emendo.changes",
	"emendo/sessions/didChange":        "experimental.emendo.sessions",
	"emendo/comment/didChange":         "experimental.emendo.comments",
	"emendo/models/didChange":          "experimental.emendo.models",
	"emendo/status":                    "experimental.emendo.status",
	"emendo/editor/save":               "experimental.emendo.save",
	"emendo/editor/diagnostics":        "experimental.emendo.diagnostics",
	"emendo/editor/request":            "experimental.emendo.requests",
}

// Undeclared describes what of a message of the server the client did not declare; empty
// if nothing.
func (c Capabilities) Undeclared(method string, params json.RawMessage) string {
	need, known := needs[method]
	switch {
	case !known:
		return method + " is not a message that a client can declare"
	case need != "" && !c.Has(need):
		return method + " needs " + need
	}
	switch method {
	case "textDocument/publishDiagnostics":
		return c.undeclaredInDiagnostics(params)
	case "workspace/applyEdit":
		return c.undeclaredInEdit(params)
	case "window/showMessageRequest":
		return c.undeclaredInMessage(params)
	case "client/registerCapability":
		return c.undeclaredRegistration(params)
	case "emendo/session/update":
		var p struct {
			Update struct {
				Kind string `json:"sessionUpdate"`
			}
		}
		need := "experimental.emendo.session"
		if json.Unmarshal(params, &p) == nil && p.Update.Kind == "_emendo/terminal" {
			need = "experimental.emendo.terminals"
		}
		if !c.Has(need) {
			return method + " needs " + need
		}
	case "emendo/editor/request":
		var p struct{ Method string }
		if err := json.Unmarshal(params, &p); err != nil || !c.Lists(need, p.Method) {
			return fmt.Sprintf("the client does not pass %q on", p.Method)
		}
	}
	return ""
}

func (c Capabilities) undeclaredRegistration(params json.RawMessage) string {
	var p struct{ Registrations []struct{ Method string } }
	if err := json.Unmarshal(params, &p); err != nil {
		return err.Error()
	}
	for _, r := range p.Registrations {
		need := strings.ReplaceAll(r.Method, "/", ".") + ".dynamicRegistration"
		if !c.Has(need) {
			return "registering for " + r.Method + " needs " + need
		}
	}
	return ""
}

func (c Capabilities) undeclaredInMessage(params json.RawMessage) string {
	var p struct{ Actions []map[string]any }
	if err := json.Unmarshal(params, &p); err != nil {
		return err.Error()
	}
	for _, a := range p.Actions {
		if len(a) > 1 && !c.Has("window.showMessage.messageActionItem.additionalPropertiesSupport") {
			return "an action of a message with more than a title needs additionalPropertiesSupport"
		}
	}
	return ""
}

func (c Capabilities) undeclaredInDiagnostics(params json.RawMessage) string {
	var p struct {
		Version     json.RawMessage
		Diagnostics []map[string]json.RawMessage
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err.Error()
	}
	const publish = "textDocument.publishDiagnostics."
	if p.Version != nil {
		return "diagnostics have a version: Helix drops them when the user has typed meanwhile"
	}
	for _, d := range p.Diagnostics {
		for field, need := range map[string]string{
			"data": "dataSupport", "tags": "tagSupport", "codeDescription": "codeDescriptionSupport", "relatedInformation": "relatedInformation",
		} {
			if d[field] != nil && !c.Has(publish+need) {
				return fmt.Sprintf("%s of a diagnostic needs %s", field, need)
			}
		}
		if len(d["message"]) > 0 && d["message"][0] == '{' && !c.Has("textDocument.diagnostic.markupMessageSupport") {
			return "a message of a diagnostic in Markdown needs markupMessageSupport"
		}
	}
	return ""
}

func (c Capabilities) undeclaredInEdit(params json.RawMessage) string {
	var p struct {
		Metadata json.RawMessage
		Edit     struct {
			Documents   []map[string]json.RawMessage `json:"documentChanges"`
			Annotations json.RawMessage              `json:"changeAnnotations"`
		}
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err.Error()
	}
	const edit = "workspace.workspaceEdit."
	switch {
	case p.Metadata != nil && !c.Has(edit+"metadataSupport"):
		return "metadata of an edit need metadataSupport"
	case p.Edit.Annotations != nil:
		return "changes are annotated, which has most editors do nothing else"
	case p.Edit.Documents != nil && !c.Has(edit+"documentChanges"):
		return "an edit with documentChanges needs them declared"
	}
	for _, d := range p.Edit.Documents {
		if d["kind"] != nil {
			var kind string
			if err := json.Unmarshal(d["kind"], &kind); err != nil || !c.Lists(edit+"resourceOperations", kind) {
				return fmt.Sprintf("the resource operation %s is not declared", d["kind"])
			}
			continue
		}
		var edits []map[string]json.RawMessage
		if err := json.Unmarshal(d["edits"], &edits); err != nil {
			return err.Error()
		}
		for _, x := range edits {
			if x["snippet"] != nil && !c.Has(edit+"snippetEditSupport") {
				return "a snippet in an edit needs snippetEditSupport"
			}
		}
	}
	return ""
}
