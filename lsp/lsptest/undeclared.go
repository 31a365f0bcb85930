package lsptest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// leave returns the capability that a message of the server needs; empty for none.
var leave = map[string]string{
	"window/showMessage":               "",
	"window/logMessage":                "",
	"$/progress":                       "",
	"window/showMessageRequest":        "window.showMessage",
	"window/workDoneProgress/create":   "window.workDoneProgress",
	"window/showDocument":              "window.showDocument.support",
	"workspace/applyEdit":              "workspace.applyEdit",
	"workspace/codeLens/refresh":       "workspace.codeLens.refreshSupport",
	"workspace/configuration":          "workspace.configuration",
	"client/registerCapability":        "",
	"textDocument/publishDiagnostics":  "textDocument.publishDiagnostics",
	"emendo/session/update":            "experimental.emendo.session",
	"emendo/session/requestPermission": "experimental.emendo.permission",
	"emendo/session/elicit":            "experimental.emendo.elicit",
	"emendo/changes/didChange":         "experimental.emendo.changes",
	"emendo/sessions/didChange":        "experimental.emendo.sessions",
	"emendo/models/didChange":          "experimental.emendo.models",
	"emendo/status":                    "experimental.emendo.status",
	"emendo/editor/save":               "experimental.emendo.save",
	"emendo/editor/diagnostics":        "experimental.emendo.diagnostics",
	"emendo/editor/request":            "experimental.emendo.requests",
}

// undeclared describes what of a message this editor never declared; empty if
// nothing.
func (c capabilities) undeclared(method string, raw json.RawMessage) string {
	need, known := leave[method]
	switch {
	case !known:
		return method + " is nothing that any editor declares"
	case need != "" && !c.has(need):
		return method + " needs " + need
	case method == "textDocument/publishDiagnostics":
		return c.undeclaredInDiagnostics(raw)
	case method == "workspace/applyEdit":
		return c.undeclaredInEdit(raw)
	case method == "emendo/editor/request":
		var p struct{ Method string }
		if err := json.Unmarshal(raw, &p); err != nil || !c.lists(need, p.Method) {
			return fmt.Sprintf("the editor does not pass %q on", p.Method)
		}
	case method == "client/registerCapability":
		return c.undeclaredRegistration(raw)
	}
	return ""
}

func (c capabilities) undeclaredRegistration(raw json.RawMessage) string {
	var p struct{ Registrations []struct{ Method string } }
	if err := json.Unmarshal(raw, &p); err != nil {
		return err.Error()
	}
	for _, r := range p.Registrations {
		need := strings.ReplaceAll(r.Method, "/", ".") + ".dynamicRegistration"
		if !c.has(need) {
			return "registering for " + r.Method + " needs " + need
		}
	}
	return ""
}

func (c capabilities) undeclaredInDiagnostics(raw json.RawMessage) string {
	var p struct {
		Version     json.RawMessage
		Diagnostics []map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &p); err != nil {
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
			if d[field] != nil && !c.has(publish+need) {
				return fmt.Sprintf("%s of a diagnostic needs %s", field, need)
			}
		}
	}
	return ""
}

func (c capabilities) undeclaredInEdit(raw json.RawMessage) string {
	var p struct {
		Metadata json.RawMessage
		Edit     struct {
			Documents   []map[string]json.RawMessage `json:"documentChanges"`
			Annotations json.RawMessage              `json:"changeAnnotations"`
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err.Error()
	}
	const edit = "workspace.workspaceEdit."
	switch {
	case p.Metadata != nil && !c.has(edit+"metadataSupport"):
		return "metadata of an edit need metadataSupport"
	case p.Edit.Annotations != nil:
		return "changes are annotated, which has most editors do nothing else"
	case p.Edit.Documents != nil && !c.has(edit+"documentChanges"):
		return "an edit with documentChanges needs them declared"
	}
	for _, d := range p.Edit.Documents {
		var kind string
		if d["kind"] == nil {
			continue
		}
		if err := json.Unmarshal(d["kind"], &kind); err != nil || !c.lists(edit+"resourceOperations", kind) {
			return fmt.Sprintf("the resource operation %s is not declared", d["kind"])
		}
	}
	return ""
}
