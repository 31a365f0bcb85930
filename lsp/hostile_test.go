package lsp_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// An invalid message fails its own request and nothing else.
func TestHostileMessagesDoNotEndTheServer(t *testing.T) {
	methods := strings.Fields(`emendo/session/new emendo/session/load emendo/session/list emendo/session/rename emendo/session/fork emendo/session/close emendo/session/delete
		emendo/session/prompt emendo/session/inject emendo/session/setMode emendo/session/setModel emendo/session/compact emendo/session/rewind emendo/session/replay
		emendo/context/list emendo/context/exclude emendo/changes/list emendo/changes/get emendo/changes/resolve
		textDocument/codeAction codeAction/resolve textDocument/codeLens textDocument/hover workspace/executeCommand`)
	notifications := strings.Fields(`textDocument/didOpen textDocument/didChange textDocument/didSave textDocument/didClose workspace/didChangeWorkspaceFolders
		window/workDoneProgress/cancel emendo/session/cancel emendo/editor/didChangeContext $/setTrace $/other initialized workspace/didChangeConfiguration no/such`)
	far := worldtest.Obj{"line": 1 << 31, "character": 1 << 31}
	backwards := worldtest.Obj{"start": worldtest.Obj{"line": 3, "character": 9}, "end": worldtest.Obj{"line": 1, "character": 0}}
	payloads := []any{
		nil,
		[]any{},
		[]any{1},
		"x", 7, true,
		worldtest.Obj{},
		worldtest.Obj{"sessionId": nil, "prompt": nil, "textDocument": nil, "range": nil, "position": nil, "command": nil, "arguments": nil, "event": nil, "token": nil},
		worldtest.Obj{"sessionId": "\x00../", "textDocument": worldtest.Obj{"uri": "\x00"}, "position": far, "range": worldtest.Obj{"start": far, "end": far}, "contentChanges": []any{worldtest.Obj{"range": backwards, "text": "x"}}},
		worldtest.Obj{"textDocument": worldtest.Obj{"uri": "untitled:a", "version": -1, "text": "x"}, "range": backwards, "position": far, "context": worldtest.Obj{"only": []any{}, "diagnostics": nil}},
		worldtest.Obj{"command": "emendo.nextHunk", "arguments": []any{worldtest.Obj{"uri": "file:///%zz", "position": far}}},
		worldtest.Obj{"command": "emendo.accept", "arguments": []any{nil, nil}},
		worldtest.Obj{"event": worldtest.Obj{"added": []any{worldtest.Obj{"uri": "file:///no/such/folder"}, worldtest.Obj{"uri": "http://x"}}, "removed": []any{worldtest.Obj{"uri": ""}}}},
		worldtest.Obj{"activeEditor": worldtest.Obj{"uri": "", "selections": []any{backwards}}, "openEditors": []any{worldtest.Obj{"uri": "a", "lastFocused": worldtest.Obj{}}, worldtest.Obj{"uri": "b", "lastFocused": 7}, worldtest.Obj{"uri": "c", "lastFocused": "z"}}},
	}
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("Well.")}, func(w *world) {
		w.Open()
		for _, p := range payloads {
			for _, m := range methods {
				_ = w.Editor.Call(w.Context(), m, p, nil) // may fail
			}
			for _, m := range notifications {
				w.Notify(m, p)
			}
		}
		if end := w.Prompt(w.Session(worldtest.Obj{"cwd": w.Dir}), "Are you there?"); end.StopReason != "end_turn" {
			t.Errorf("got %+v", end)
		}
	})
}

func TestServerEndsWithTheClientsProcess(t *testing.T) {
	client := exec.Command(os.Args[0], "-test.run=^$")
	if err := client.Run(); err != nil { // starts and exits
		t.Fatal(err)
	}
	w := newWorld(t, nil)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		served := make(chan error, 1)
		e, err := lsptest.Start(worldtest.Plugin, w.Dir, func(ctx context.Context, r io.Reader, out io.Writer) error {
			served <- lsp.Serve(ctx, r, out, lsp.Options{ClientPID: client.Process.Pid, Start: w.Host})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		at := time.Now()
		if err := <-served; err != nil || time.Since(at) > 2*time.Second {
			t.Errorf("it ended after %v with %v", time.Since(at), err)
		}
		if err := e.Vanish(); err != nil {
			t.Error(err)
		}
	})
}
