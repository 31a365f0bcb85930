package lsp_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// seeds are params by method; SESSION and FILE are replaced by an existing
// session and open document.
var seeds = map[string][]string{
	"emendo/session/new":               {`{}`, `{"cwd":"/","mode":"plan","model":"m"}`},
	"emendo/session/load":              {`{"sessionId":"SESSION"}`},
	"emendo/session/list":              {`{"cwd":"/","query":"a","cursor":"x","limit":3}`},
	"emendo/session/rename":            {`{"sessionId":"SESSION","title":"A title"}`},
	"emendo/session/fork":              {`{"sessionId":"SESSION","turnId":"x"}`},
	"emendo/session/close":             {`{"sessionId":"SESSION"}`},
	"emendo/session/delete":            {`{"sessionId":"SESSION"}`},
	"emendo/session/prompt":            {`{"sessionId":"SESSION","prompt":[{"type":"text","text":"Hi"},{"type":"resource_link","uri":"FILE","name":"a","_meta":{"range":{}}}],"context":false,"workDoneToken":1.5}`},
	"emendo/session/inject":            {`{"sessionId":"SESSION","prompt":[{"type":"text","text":"Hi"}],"how":"queue"}`},
	"emendo/session/queue":             {`{"sessionId":"SESSION"}`},
	"emendo/session/editQueue":         {`{"sessionId":"SESSION","turnId":"x","prompt":[],"position":-1,"remove":true,"resume":true}`},
	"emendo/session/setMode":           {`{"sessionId":"SESSION","mode":"yolo"}`},
	"emendo/session/setModel":          {`{"sessionId":"SESSION","model":"m"}`},
	"emendo/session/replay":            {`{"sessionId":"SESSION","fromSeq":-9223372036854775808}`},
	"emendo/session/rewind":            {`{"sessionId":"SESSION","turnId":"x","scope":"both","dryRun":true}`, `{"sessionId":"SESSION","redo":true,"dryRun":true}`},
	"emendo/session/compact":           {`{"sessionId":"SESSION","focus":"x"}`},
	"emendo/models/list":               {`{"refresh":true}`},
	"emendo/view/get":                  {`{"sessionId":"SESSION","bodies":true}`, `{"sessionId":"SESSION","before":"x","limit":1}`, `{}`},
	"emendo/view/item":                 {`{"sessionId":"SESSION","id":"x"}`, `{"id":"x"}`},
	"emendo/view/find":                 {`{"sessionId":"SESSION","text":"a"}`},
	"emendo/view/act":                  {`{"sessionId":"SESSION","id":"x","actionId":"stop","version":9,"values":{"reason":["no"]}}`},
	"emendo/view/close":                {`{"sessionId":"SESSION"}`, `{}`},
	"emendo/policy/list":               {`{"sessionId":"SESSION","cwd":"/"}`, `{}`},
	"emendo/policy/remove":             {`{"id":"x"}`},
	"emendo/mcp/list":                  {`{"sessionId":"SESSION"}`, `{"cwd":"/"}`},
	"emendo/mcp/restart":               {`{"sessionId":"SESSION","name":"x"}`},
	"emendo/mcp/signIn":                {`{"name":"x"}`},
	"emendo/mcp/signOut":               {`{"name":"x"}`},
	"emendo/mcp/setEnabled":            {`{"sessionId":"SESSION","name":"x","enabled":false}`},
	"emendo/subagents/list":            {`{"sessionId":"SESSION"}`, `{}`},
	"emendo/subagents/setEnabled":      {`{"name":"generalist","enabled":false}`},
	"emendo/skills/list":               {`{"sessionId":"SESSION"}`},
	"emendo/skills/setEnabled":         {`{"name":"x","enabled":true}`},
	"emendo/hooks/list":                {`{"cwd":"/no/such/folder"}`},
	"emendo/hooks/setEnabled":          {`{"name":"x","enabled":null}`},
	"emendo/context/list":              {`{"sessionId":"SESSION","next":true,"prompt":[{"type":"text","text":"@a"}],"exclude":[{"kind":"editor"},{"uri":"FILE"}]}`, `{"sessionId":"SESSION"}`},
	"emendo/context/exclude":           {`{"sessionId":"SESSION","kind":"memory","uri":"FILE","on":true}`},
	"emendo/comment/add":               {`{"sessionId":"SESSION","uri":"FILE","range":{"end":{"line":1}},"text":"x"}`, `{"sessionId":"SESSION","hunkId":"x","line":-1,"text":"x"}`},
	"emendo/comment/list":              {`{"sessionId":"SESSION","round":1}`},
	"emendo/comment/edit":              {`{"id":"x","text":"y"}`},
	"emendo/comment/remove":            {`{"id":"x"}`},
	"emendo/comment/send":              {`{"sessionId":"SESSION","text":"x"}`},
	"emendo/terminal/open":             {`{"sessionId":"SESSION","cwd":"/","command":"true","rows":1,"columns":1}`, `{"sessionId":"SESSION","pid":7}`, `{"rows":-1}`},
	"emendo/terminal/write":            {`{"terminalId":"x","data":"\ud800"}`},
	"emendo/terminal/resize":           {`{"terminalId":"x","rows":0,"columns":99999}`},
	"emendo/terminal/close":            {`{"terminalId":"x"}`},
	"emendo/changes/list":              {`{"uri":"FILE","sessionId":"SESSION","state":"pending"}`},
	"emendo/changes/diff":              {`{"sessionId":"SESSION","from":0,"to":1,"uri":"FILE"}`},
	"emendo/changes/get":               {`{"changeSetId":"x"}`},
	"emendo/session/export":            {`{"sessionId":"SESSION","format":"markdown"}`},
	"emendo/changes/resolve":           {`{"decisions":[{"changeSetId":"x","uri":"FILE","hunkId":"y","action":"accept","text":null}],"dependents":"leave","comment":""}`},
	"textDocument/codeAction":          {`{"textDocument":{"uri":"FILE"},"range":{"start":{"line":9,"character":4294967295},"end":{"line":0,"character":0}},"context":{"diagnostics":[{"message":"m"}],"only":["","x"],"triggerKind":2}}`},
	"codeAction/resolve":               {`{}`, `[]`},
	"textDocument/codeLens":            {`{"textDocument":{"uri":"FILE"}}`},
	"textDocument/hover":               {`{"textDocument":{"uri":"FILE"},"position":{"line":1,"character":0}}`},
	"workspace/executeCommand":         {`{"command":"emendo.ask","arguments":[{"prompt":"Hi","uri":"FILE","range":{"end":{"line":1}},"selected":true}]}`, `{"command":"emendo.fix","arguments":[{"problems":["x"]}]}`},
	"emendo/prompt/complete":           {`{"text":"See @ma","offset":7}`, `{"sessionId":"SESSION","text":"/co","offset":99}`, `{"text":"@\"a \u20ac","offset":3}`},
	"emendo/workspace/diff":            {`{"uri":"FILE","of":"staged"}`, `{"of":"uncommitted","files":["FILE"]}`},
	"emendo/changes/propose":           {`{"uri":"FILE","range":{"end":{"line":1}},"newText":"x","title":"Apply"}`, `{"sessionId":"SESSION","uri":"FILE","newText":"","title":"t"}`},
	"textDocument/didOpen":             {`{"textDocument":{"uri":"untitled:a","languageId":null,"version":null,"text":"x"}}`},
	"textDocument/didChange":           {`{"textDocument":{"uri":"FILE","version":2},"contentChanges":[{"range":null,"text":"x"},{"range":{"start":{"line":1},"end":{"line":0}},"text":"y"}]}`},
	"textDocument/didSave":             {`{"textDocument":{"uri":"FILE"}}`},
	"textDocument/didClose":            {`{"textDocument":{"uri":"FILE"}}`},
	"workspace/didChangeConfiguration": {`{"settings":{"emendo":null}}`, `{"settings":[]}`},
	"window/workDoneProgress/cancel":   {`{"token":{}}`, `{"token":"emendo-1"}`},
	"emendo/session/cancel":            {`{"sessionId":"SESSION","toolCallId":"x"}`},
	"emendo/workspace/didChangeTrust":  {`{"trust":"restricted"}`, `{"trust":"none"}`},
	"emendo/settings/didChange":        {`{"settings":{"model":{"name":"m"}}}`, `{"settings":null}`, `{"settings":[]}`},
	"emendo/editor/didChangeContext":   {`{"activeEditor":{"uri":"FILE","selections":[{}]},"openEditors":[{"uri":"a","lastFocused":[]},{"uri":"b","lastFocused":1e400}]}`},
	"workspace/didRenameFiles":         {`{"files":[{"oldUri":"URI","newUri":"file:///elsewhere.go"},{"oldUri":"untitled:a","newUri":"b"}]}`},
	"textDocument/completion":          {`{"textDocument":{"uri":"FILE"},"position":{"line":1,"character":0}}`},
	"textDocument/documentSymbol":      {`{"textDocument":{"uri":"FILE"}}`},
	"textDocument/foldingRange":        {`{"textDocument":{"uri":"FILE"}}`},
	"textDocument/documentLink":        {`{"textDocument":{"uri":"FILE"}}`},
	"workspace/didChangeWorkspaceFolders": {
		`{"event":{"added":[{"uri":"file:///no/such/folder"},{"uri":"http://x"}],"removed":[{"uri":""}]}}`,
	},
}

// FuzzParams sends requests and notifications with random params to a server with a
// session and an open document. Requests must be answered, and the server must keep
// serving.
func FuzzParams(f *testing.F) {
	requests, notifications := lsp.Methods()
	for method, params := range seeds {
		for _, p := range params {
			f.Add(method, p)
		}
	}
	for _, method := range append(requests, notifications...) {
		for _, p := range []string{``, `null`, `[1]`, `"x"`, `7`, `{"sessionId":1,"textDocument":[],"event":{},"arguments":{},"prompt":"x"}`} {
			f.Add(method, p)
		}
		if seeds[method] == nil && strings.Contains(method, "/") && method != "$/setTrace" && method != "workspace/didChangeWatchedFiles" {
			f.Errorf("%s has no seed", method)
		}
	}
	isNotification := map[string]bool{}
	for _, method := range notifications {
		isNotification[method] = true
	}
	f.Fuzz(func(t *testing.T, method, params string) {
		if method == "exit" || method == "shutdown" || params != "" && !json.Valid([]byte(params)) {
			return // invalid JSON never reaches the server: see the fuzz targets of internal/rpc
		}
		w := newWorld(t, []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two.")})
		synctest.Test(t, func(t *testing.T) {
			w.T = t
			w.Start(lsptest.Recorded("plugin"))
			defer func() {
				if err := w.Editor.End(); err != nil {
					for line := range strings.Lines(err.Error()) {
						if !strings.HasSuffix(strings.TrimSpace(line), "was never created") { // params may have any token
							t.Error(line)
						}
					}
				}
			}()
			uri := w.Open()
			id := w.Session(nil)
			var raw any
			if params != "" {
				raw = json.RawMessage(strings.NewReplacer("SESSION", id, "FILE", uri).Replace(params))
			}
			if isNotification[method] {
				w.Notify(method, raw)
			} else {
				var refused *rpc.Error
				if err := w.Editor.Call(t.Context(), method, raw, nil); err != nil && !errors.As(err, &refused) {
					t.Errorf("%s was not answered: %v", method, err)
				}
			}
			if err := w.Editor.Call(t.Context(), "emendo/session/list", nil, nil); err != nil {
				t.Errorf("after %s: %v", method, err)
			}
		})
	})
}

// FuzzInitialize starts a server with random params of initialize, which must be
// answered.
func FuzzInitialize(f *testing.F) {
	for _, name := range []string{"neovim", "helix", "eglot", "vscode", "plugin"} {
		f.Add(lsptest.Recorded(name).Initialize)
	}
	for _, p := range []string{
		``, `null`, `[]`, `{"capabilities":null,"rootPath":"/"}`, `{"processId":-1,"workspaceFolders":[{"uri":"file:///%zz"}],"initializationOptions":{"trust":"ask","settings":null}}`,
		`{"capabilities":{"window":[1],"experimental":{"emendo":true},"general":{"positionEncodings":"utf-8"}}}`,
	} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, params string) {
		if params != "" && !json.Valid([]byte(params)) {
			return
		}
		if err := lsp.Initialize(json.RawMessage(params)); err != nil {
			var refused *rpc.Error
			if !errors.As(err, &refused) {
				t.Error(err)
			}
		}
	})
}
