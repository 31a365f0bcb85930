package wiretest

import (
	"encoding/json"
	"strings"
	"testing"
)

// begin has the first messages of a client and a server.
const begin = `
> {"id": 1, "method": "initialize", "params": {"capabilities": CAN}}
< {"id": 1, "result": {"capabilities": {"executeCommandProvider": {"commands": ["emendo.chat"]}}}}
`

// Each rule finds what breaks it, and nothing in what is allowed.
func TestChecker(t *testing.T) {
	for _, c := range []struct {
		name string
		can  string // capabilities; {} if empty
		wire string // > from the client, < from the server
		want string // part of the only problem; empty: none
	}{
		{name: "a message that needs nothing", wire: `< {"method": "window/showMessage", "params": {"type": 3, "message": "Hi"}}`},
		{name: "an unknown message", wire: `< {"method": "emendo/nonsense"}`, want: "not a message that a client can declare"},
		{name: "an undeclared message", wire: `< {"id": "a", "method": "workspace/applyEdit", "params": {"edit": {}}}`, want: "needs workspace.applyEdit"},
		{name: "a declared one", can: `{"workspace": {"applyEdit": true}}`, wire: `< {"id": "a", "method": "workspace/applyEdit", "params": {"edit": {}}}`},
		{name: "an undeclared update", wire: `< {"method": "emendo/session/update", "params": {}}`, want: "needs experimental.emendo.session"},
		{name: "a field that LSP does not know", wire: `< {"method": "window/showMessage", "params": {"type": 3, "message": "Hi", "color": "red"}}`, want: "LSP does not know .color"},
		{name: "a URI that escapes what need not be", can: `{"textDocument": {"publishDiagnostics": {}}}`, wire: `< {"method": "textDocument/publishDiagnostics", "params": {"uri": "file:///%24a", "diagnostics": []}}`},
		{name: "a wrong type", wire: `< {"method": "window/showMessage", "params": {"type": "info", "message": "Hi"}}`, want: "window/showMessage: "},
		{
			name: "data of a diagnostic", can: `{"textDocument": {"publishDiagnostics": {}}}`,
			wire: `< {"method": "textDocument/publishDiagnostics", "params": {"uri": "file:///a", "diagnostics": [{"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "message": "m", "data": {"x": 1}}]}}`,
			want: "data of a diagnostic needs dataSupport",
		},
		{
			name: "documentChanges", can: `{"workspace": {"applyEdit": true}}`,
			wire: `< {"id": "a", "method": "workspace/applyEdit", "params": {"edit": {"documentChanges": []}}}`, want: "documentChanges needs them declared",
		},
		{
			name: "a resource operation", can: `{"workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create"]}}}`,
			wire: `< {"id": "a", "method": "workspace/applyEdit", "params": {"edit": {"documentChanges": [{"kind": "delete", "uri": "file:///a"}]}}}`, want: `the resource operation "delete"`,
		},
		{
			name: "an edit without a version", can: `{"workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}}}`,
			wire: `
> {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///a", "languageId": "go", "version": 3, "text": ""}}}
< {"id": "a", "method": "workspace/applyEdit", "params": {"edit": {"documentChanges": [{"textDocument": {"uri": "file:///a", "version": null}, "edits": []}]}}}`,
			want: "is open, has no version",
		},
		{
			name: "an edit of a version to come", can: `{"workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}}}`,
			wire: `
> {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///a", "languageId": "go", "version": 3, "text": ""}}}
< {"id": "a", "method": "workspace/applyEdit", "params": {"edit": {"documentChanges": [{"textDocument": {"uri": "file:///a", "version": 4}, "edits": []}]}}}`,
			want: "an edit of version 4",
		},
		{name: "a registration", wire: `< {"id": "a", "method": "client/registerCapability", "params": {"registrations": [{"id": "1", "method": "workspace/didChangeConfiguration"}]}}`, want: "needs workspace.didChangeConfiguration.dynamicRegistration"},
		{name: "a token that was not created", can: `{"window": {"workDoneProgress": true}}`, wire: `< {"method": "$/progress", "params": {"token": "t", "value": {"kind": "begin", "title": "x"}}}`, want: "never created"},
		{
			name: "progress in order", can: `{"window": {"workDoneProgress": true}}`,
			wire: `
< {"id": "a", "method": "window/workDoneProgress/create", "params": {"token": "t"}}
> {"id": "a", "result": null}
< {"method": "$/progress", "params": {"token": "t", "value": {"kind": "begin", "title": "x"}}}
< {"method": "$/progress", "params": {"token": "t", "value": {"kind": "report", "message": "x"}}}
< {"method": "$/progress", "params": {"token": "t", "value": {"kind": "end"}}}`,
		},
		{
			name: "progress after its end", can: `{"window": {"workDoneProgress": true}}`,
			wire: `
> {"id": 2, "method": "workspace/executeCommand", "params": {"command": "emendo.ask", "workDoneToken": "t"}}
< {"method": "$/progress", "params": {"token": "t", "value": {"kind": "begin", "title": "x"}}}
< {"method": "$/progress", "params": {"token": "t", "value": {"kind": "end"}}}
< {"method": "$/progress", "params": {"token": "t", "value": {"kind": "report"}}}`,
			want: `"report" after "end"`,
		},
		{
			name: "the focus, unasked", can: `{"window": {"showDocument": {"support": true}}}`,
			wire: `< {"id": "a", "method": "window/showDocument", "params": {"uri": "file:///a", "takeFocus": true}}`, want: "took the focus",
		},
		{
			name: "a document without the focus", can: `{"window": {"showDocument": {"support": true}}}`,
			wire: `< {"id": "a", "method": "window/showDocument", "params": {"uri": "file:///a"}}`,
		},
		{
			name: "the focus, once for a command", can: `{"window": {"showDocument": {"support": true}}}`,
			wire: `
> {"id": 2, "method": "workspace/executeCommand", "params": {"command": "emendo.chat"}}
< {"id": "a", "method": "window/showDocument", "params": {"uri": "file:///a", "takeFocus": true}}
< {"id": "b", "method": "window/showDocument", "params": {"uri": "file:///a", "takeFocus": true}}`,
			want: "took the focus",
		},
		{name: "a literal of a code action", wire: `
> {"id": 2, "method": "textDocument/codeAction", "params": {"context": {"diagnostics": []}}}
< {"id": 2, "result": [{"title": "x", "kind": "quickfix"}]}`, want: "needs codeActionLiteralSupport"},
		{name: "a command that was not offered", wire: `
> {"id": 2, "method": "textDocument/codeAction", "params": {"context": {"diagnostics": []}}}
< {"id": 2, "result": [{"title": "x", "command": "emendo.other"}]}`, want: "names the command emendo.other"},
		{name: "a kind that was not asked for", can: `{"textDocument": {"codeAction": {"codeActionLiteralSupport": {}}}}`, wire: `
> {"id": 2, "method": "textDocument/codeAction", "params": {"context": {"diagnostics": [], "only": ["source"]}}}
< {"id": 2, "result": [{"title": "x", "kind": "quickfix"}]}`, want: `of the kind "quickfix"`},
		{name: "a snippet", wire: `
> {"id": 2, "method": "textDocument/completion", "params": {}}
< {"id": 2, "result": {"isIncomplete": false, "items": [{"label": "x", "insertTextFormat": 2}]}}`, want: "needs snippetSupport"},
		{name: "Markdown in a completion", wire: `
> {"id": 2, "method": "textDocument/completion", "params": {}}
< {"id": 2, "result": [{"label": "x", "documentation": {"kind": "markdown", "value": "x"}}]}`, want: "documentationFormat"},
		{name: "Markdown in a hover", can: `{"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}`, wire: `
> {"id": 2, "method": "textDocument/hover", "params": {}}
< {"id": 2, "result": {"contents": {"kind": "markdown", "value": "x"}}}`, want: "contentFormat"},
		{name: "symbols in a tree", wire: `
> {"id": 2, "method": "textDocument/documentSymbol", "params": {}}
< {"id": 2, "result": [{"name": "x", "kind": 15, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "selectionRange": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}}]}`, want: "hierarchicalDocumentSymbolSupport"},
		{name: "too many folds", can: `{"textDocument": {"foldingRange": {"rangeLimit": 1}}}`, wire: `
> {"id": 2, "method": "textDocument/foldingRange", "params": {}}
< {"id": 2, "result": [{"startLine": 0, "endLine": 1}, {"startLine": 2, "endLine": 3}]}`, want: "more than the limit"},
		{name: "the tooltip of a link", wire: `
> {"id": 2, "method": "textDocument/documentLink", "params": {}}
< {"id": 2, "result": [{"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "tooltip": "x"}]}`, want: "tooltipSupport"},
		{name: "a response to nothing", wire: `< {"id": 7, "result": null}`, want: "responded to an unknown request"},
		{name: "a request that the client refused", can: `{"window": {"showMessage": {}}}`, wire: `
< {"id": "a", "method": "window/showMessageRequest", "params": {"type": 3, "message": "x"}}
> {"id": "a", "error": {"code": -32601, "message": "no"}}`, want: "the client refused window/showMessageRequest"},
		{name: "a cancellation of nothing", wire: `< {"method": "$/cancelRequest", "params": {"id": "a"}}`, want: "did not ask"},
	} {
		t.Run(c.name, func(t *testing.T) {
			can := c.can
			if can == "" {
				can = "{}"
			}
			var checker Checker
			client, server := checker.Beside()
			for line := range strings.Lines(strings.Replace(begin, "CAN", can, 1) + c.wire) {
				side, text, ok := strings.Cut(strings.TrimSpace(line), " ")
				if !ok {
					continue
				}
				to := client
				if side == "<" {
					to = server
				}
				frame := "Content-Length: " + length(text) + "\r\n\r\n" + text
				for i := range len(frame) { // in pieces
					if _, err := to.Write([]byte{frame[i]}); err != nil {
						t.Fatal(err)
					}
				}
			}
			got := checker.Problems()
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

func length(text string) string {
	b, err := json.Marshal(len(text))
	if err != nil {
		panic(err) // it is a number
	}
	return string(b)
}
