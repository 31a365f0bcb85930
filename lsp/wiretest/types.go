package wiretest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// params has the type of the params of each message of the server.
var params = map[string]func() any{
	"$/progress":                      func() any { return new(protocol.ProgressParams) },
	"client/registerCapability":       func() any { return new(protocol.RegistrationParams) },
	"window/showMessage":              func() any { return new(protocol.ShowMessageParams) },
	"window/showMessageRequest":       func() any { return new(protocol.ShowMessageRequestParams) },
	"window/logMessage":               func() any { return new(protocol.LogMessageParams) },
	"window/showDocument":             func() any { return new(protocol.ShowDocumentParams) },
	"window/workDoneProgress/create":  func() any { return new(protocol.WorkDoneProgressCreateParams) },
	"textDocument/publishDiagnostics": func() any { return new(protocol.PublishDiagnosticsParams) },
	"workspace/configuration":         func() any { return new(protocol.ConfigurationParams) },
	"workspace/applyEdit":             func() any { return new(protocol.ApplyWorkspaceEditParams) },
}

// results has the type of the result of each request of the client.
var results = map[string]func() any{
	"initialize":                  func() any { return new(protocol.InitializeResult) },
	"textDocument/codeAction":     func() any { return new([]protocol.CommandOrCodeAction) },
	"codeAction/resolve":          func() any { return new(protocol.CodeAction) },
	"textDocument/codeLens":       func() any { return new([]protocol.CodeLens) },
	"textDocument/completion":     func() any { return new(protocol.CompletionResult) },
	"completionItem/resolve":      func() any { return new(protocol.CompletionItem) },
	"textDocument/hover":          func() any { return new(protocol.Hover) },
	"textDocument/documentSymbol": func() any { return new(protocol.DocumentSymbolResult) },
	"textDocument/foldingRange":   func() any { return new([]protocol.FoldingRange) },
	"textDocument/documentLink":   func() any { return new([]protocol.DocumentLink) },
}

// mistyped describes what of a value LSP does not know at this place; empty if nothing.
func mistyped(types map[string]func() any, method string, raw json.RawMessage) string {
	make, ok := types[method]
	if !ok || len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	v := make()
	if err := protocol.Unmarshal(raw, v); err != nil {
		return fmt.Sprintf("%s: %v in %s", method, err, raw)
	}
	again, err := protocol.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%s: %v", method, err)
	}
	var sent, known any
	if err := json.Unmarshal(raw, &sent); err != nil {
		return fmt.Sprintf("%s: %v", method, err)
	}
	if err := json.Unmarshal(again, &known); err != nil {
		return fmt.Sprintf("%s: %v", method, err)
	}
	if path := unknown(sent, known, ""); path != "" {
		return fmt.Sprintf("LSP does not know %s in %s", path, method)
	}
	return ""
}

// unknown returns the path of the first part of what was sent that is not in what was
// understood. Empty values may be left out there.
func unknown(sent, known any, path string) string {
	switch s := sent.(type) {
	case map[string]any:
		k, _ := known.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(s)) {
			v, ok := k[name]
			if !ok && isEmpty(s[name]) {
				continue
			}
			if !ok {
				return path + "." + name
			}
			if p := unknown(s[name], v, path+"."+name); p != "" {
				return p
			}
		}
	case []any:
		k, _ := known.([]any)
		for i := range s {
			if i >= len(k) {
				return fmt.Sprintf("%s[%d]", path, i)
			}
			if p := unknown(s[i], k[i], fmt.Sprintf("%s[%d]", path, i)); p != "" {
				return p
			}
		}
	default:
		if sent != known && !isEmpty(sent) && !sameURI(sent, known) {
			return path
		}
	}
	return ""
}

// sameURI reports whether two values are one URI, which may escape other characters.
func sameURI(a, b any) bool {
	s, _ := a.(string)
	t, _ := b.(string)
	u, err := url.PathUnescape(s)
	v, err2 := url.PathUnescape(t)
	return err == nil && err2 == nil && strings.HasPrefix(s, "file:") && u == v
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return v == "" || v == false || v == 0.0
}
