//go:build editors

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// needs maps messages of the server to the capability that the client must declare for
// them; "" if none.
var needs = map[string]string{
	"window/showMessage":             "",
	"window/logMessage":              "",
	"$/cancelRequest":                "",
	"$/progress":                     "window.workDoneProgress",
	"window/workDoneProgress/create": "window.workDoneProgress",
	"window/showMessageRequest":      "window.showMessage",
	"window/showDocument":            "window.showDocument.support",

	"textDocument/publishDiagnostics":  "textDocument.publishDiagnostics",
	"workspace/applyEdit":              "workspace.applyEdit",
	"workspace/configuration":          "workspace.configuration",
	"workspace/workspaceFolders":       "workspace.workspaceFolders",
	"workspace/codeLens/refresh":       "workspace.codeLens.refreshSupport",
	"emendo/session/update":            "experimental.emendo.session",
	"emendo/session/requestPermission": "experimental.emendo.permission",
	"emendo/session/elicit":            "experimental.emendo.elicit",
	"emendo/changes/didChange":         "experimental.emendo.changes",
	"emendo/models/didChange":          "experimental.emendo.models",
	"emendo/status":                    "experimental.emendo.status",
	"emendo/editor/save":               "experimental.emendo.save",
	"emendo/editor/diagnostics":        "experimental.emendo.diagnostics",
}

// fields are parts of messages that need a capability of their own.
var fields = []struct{ method, field, need string }{
	{"textDocument/publishDiagnostics", "version", "textDocument.publishDiagnostics.versionSupport"},
	{"textDocument/publishDiagnostics", "diagnostics.data", "textDocument.publishDiagnostics.dataSupport"},
	{"textDocument/publishDiagnostics", "diagnostics.tags", "textDocument.publishDiagnostics.tagSupport"},
	{"textDocument/publishDiagnostics", "diagnostics.relatedInformation", "textDocument.publishDiagnostics.relatedInformation"},
	{"textDocument/publishDiagnostics", "diagnostics.codeDescription", "textDocument.publishDiagnostics.codeDescriptionSupport"},
	{"workspace/applyEdit", "edit.documentChanges", "workspace.workspaceEdit.documentChanges"},
	{"workspace/applyEdit", "edit.changeAnnotations", "workspace.workspaceEdit.changeAnnotationSupport"},
	{"workspace/applyEdit", "edit.documentChanges.kind", "workspace.workspaceEdit.resourceOperations"},
	{"workspace/applyEdit", "edit.metadata", "workspace.workspaceEdit.metadataSupport"},
}

// checkAllDeclared checks everything that the servers sent against the capabilities that
// the editor declared to each, and every response against its request.
func (w *world) checkAllDeclared() {
	w.t.Helper()
	declared := map[int]any{} // capabilities by process
	asked := map[int]map[string]string{}
	for _, s := range w.wire() {
		if asked[s.PID] == nil {
			asked[s.PID] = map[string]string{}
		}
		own := asked[s.PID]
		from, to := "editor ", "server "
		if s.Server {
			from, to = to, from
		}
		switch {
		case s.Method == "":
			if own[to+string(s.ID)] == "" {
				w.t.Errorf("the %sresponded to an unknown request, or twice: %s", from, s.ID)
			}
			if code := errorCode(w.t, s); code == -32601 || code == -32602 || code == -32700 {
				w.t.Errorf("the %srefused %s: %s", from, own[to+string(s.ID)], s.Error)
			}
			delete(own, to+string(s.ID))
			continue
		case s.ID != nil:
			own[from+string(s.ID)] = s.Method
		}
		if s.Method == "initialize" {
			declared[s.PID] = params[struct{ Capabilities any }](w.t, s).Capabilities
		}
		if s.Server {
			checkDeclared(w.t, declared[s.PID], s)
		}
	}
}

func checkDeclared(t *testing.T, capabilities any, s said) {
	t.Helper()
	need, known := needs[s.Method]
	if !known {
		t.Errorf("the server sent %s, which is not a message to clients", s.Method)
		return
	}
	if need != "" && !has(capabilities, need) {
		t.Errorf("the server sent %s, but the editor did not declare %s", s.Method, need)
	}
	for _, f := range fields {
		if f.method == s.Method && has(params[any](t, s), f.field) && !has(capabilities, f.need) {
			t.Errorf("the server sent %s of %s, but the editor did not declare %s", f.field, s.Method, f.need)
		}
	}
}

// has reports whether there is a value at a path; in a list, of any element.
func has(v any, path string) bool {
	switch v := v.(type) {
	case []any:
		if path == "" {
			return len(v) > 0
		}
		return slices.ContainsFunc(v, func(e any) bool { return has(e, path) })
	case map[string]any:
		if path == "" {
			return true
		}
		first, rest, _ := strings.Cut(path, ".")
		return has(v[first], rest)
	}
	return path == "" && v != nil && v != false
}

func errorCode(t *testing.T, s said) int {
	t.Helper()
	var e struct{ Code int }
	if s.Error != nil {
		if err := json.Unmarshal(s.Error, &e); err != nil {
			t.Errorf("not an error: %s", s.Error)
		}
	}
	return e.Code
}
