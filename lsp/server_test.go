package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestInitializeCapabilities(t *testing.T) {
	for _, c := range []struct {
		editor, encoding string
	}{
		{"neovim", "utf-16"}, {"helix", "utf-8"}, {"eglot", "utf-8"}, {"vscode", "utf-16"}, {"plugin", "utf-16"},
	} {
		t.Run(c.editor, func(t *testing.T) {
			play(t, lsptest.Recorded(c.editor), nil, func(w *world) {
				var r struct {
					ServerInfo   struct{ Name, Version string }
					Capabilities struct {
						PositionEncoding       string
						TextDocumentSync       struct{ Change int }
						CompletionProvider     any
						DocumentSymbolProvider any
						ExecuteCommandProvider struct{ Commands []string }
						Experimental           struct {
							Emendo struct {
								Version  int
								Modes    []struct{ ID string }
								Models   []struct{ ID string }
								Commands []any
							}
						}
					}
				}
				if err := json.Unmarshal(w.Editor.Server(), &r); err != nil {
					t.Fatal(err)
				}
				got, own := r.Capabilities, r.Capabilities.Experimental.Emendo
				if r.ServerInfo.Name != "emendo" || r.ServerInfo.Version != "1.2.3" || got.PositionEncoding != c.encoding || got.TextDocumentSync.Change != 2 {
					t.Errorf("got %s", w.Editor.Server())
				}
				if own.Version != 1 || len(own.Modes) != 4 || len(own.Models) != 1 || own.Commands == nil {
					t.Errorf("emendo's own: %+v", own)
				}
				panel := c.editor == "plugin"
				if (got.CompletionProvider == nil) != panel || (got.DocumentSymbolProvider == nil) != panel {
					t.Errorf("announced for chat documents: completion %v, symbols %v", got.CompletionProvider, got.DocumentSymbolProvider)
				}
				if l := got.ExecuteCommandProvider.Commands; len(l) == 0 || !slices.Equal(l, lsp.Commands()) {
					t.Errorf("commands: %v", l)
				}
			})
		})
	}
}

func TestLifecycle(t *testing.T) {
	w := newWorld(t, nil)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		e, err := lsptest.Connect(worldtest.Plugin, w.Serve)
		if err != nil {
			t.Fatal(err)
		}
		w.Refused(e.Call(w.Context(), "emendo/session/list", nil, nil), rpc.ServerNotInitialized, "")
		if err := e.Initialize(worldtest.Obj{"capabilities": worldtest.Obj{}, "processId": nil, "rootUri": nil}); err != nil {
			t.Fatal(err)
		}
		w.Refused(e.Call(w.Context(), "initialize", worldtest.Obj{}, nil), rpc.InvalidRequest, "")
		w.Refused(e.Call(w.Context(), "emendo/no/such", nil, nil), rpc.MethodNotFound, "")
		if err := e.Call(w.Context(), "shutdown", nil, nil); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		w.Refused(e.Call(w.Context(), "emendo/session/list", nil, nil), rpc.InvalidRequest, "")
		if err := e.Exit(); err != nil {
			t.Errorf("exit after shutdown: %v", err)
		}
	})
}

func TestExitWithoutShutdownIsReported(t *testing.T) {
	w := newWorld(t, nil)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(worldtest.Plugin)
		if err := w.Editor.Exit(); !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("got %v", err)
		}
	})
}

func TestEverythingEndsWithTheClient(t *testing.T) {
	long := modeltest.Reply{modeltest.Say("a"), worldtest.Forever}
	w := newWorld(t, []modeltest.Reply{long, long})
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(worldtest.Plugin)
		one, two := w.Prompting(w.Context(), w.Session(nil), "one"), w.Prompting(w.Context(), w.Session(nil), "two")
		at := time.Now()
		if err := w.Editor.Vanish(); err != nil && !errors.Is(err, io.ErrClosedPipe) { // a write may be under way
			t.Error(err)
		}
		for _, wait := range []func() (worldtest.TurnEnd, error){one, two} {
			if _, err := wait(); !errors.Is(err, rpc.ErrClosed) {
				t.Errorf("the prompt of a client that is gone: %v", err)
			}
		}
		if took := time.Since(at); took > time.Second {
			t.Errorf("the end took %v", took)
		}
	})
}

// A cancelled turn withdraws its edit once the editor has made the one before, which an
// editor that has closed never does.
func TestTheEndDoesNotWaitForTheEditor(t *testing.T) {
	reply := modeltest.Reply{modeltest.Call("write_file", `{"file_path":"main.go","content":"package main\n"}`)}
	w := newWorld(t, []modeltest.Reply{reply})
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(worldtest.Plugin.With("experimental.emendo", worldtest.Obj{"version": 1, "session": true, "permission": true}))
		w.Open()
		id := w.Session(nil)
		w.Editor.Ask = func(ctx context.Context, _ lsptest.Question) (any, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		w.Editor.Apply = func(ctx context.Context, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		wait := w.Prompting(w.Context(), id, "Change it")
		cs := w.Propose(worldtest.Obj{"uri": w.URI("main.go"), "newText": "package other\n", "title": "t"})
		w.Command("emendo.accept", worldtest.Obj{"changeSetId": cs.ChangeSetID}, nil)
		at := time.Now()
		if err := w.Editor.Exit(); !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(at); took > 100*time.Millisecond {
			t.Errorf("the end took %v", took)
		}
		_, _ = wait()
	})
}

func TestShutdownEndsTurnsWithTheirAnswer(t *testing.T) {
	w := newWorld(t, []modeltest.Reply{{modeltest.Say("a"), worldtest.Forever}})
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(worldtest.Plugin)
		wait := w.Prompting(w.Context(), w.Session(nil), "one")
		w.End()
		if r, err := wait(); err != nil || r.StopReason != "cancelled" {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestInitializeStartsNothing(t *testing.T) {
	w := newWorld(t, nil)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		e, err := lsptest.Connect(worldtest.Plugin, w.Serve)
		if err != nil {
			t.Fatal(err)
		}
		var answer json.RawMessage
		if err := e.Call(w.Context(), "initialize", worldtest.Obj{"capabilities": nil}, &answer); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if w.Starts != 0 {
			t.Errorf("the host was started by initialize")
		}
		if err := e.End(); err != nil {
			t.Error(err)
		}
	})
}

func TestInitializeCanBeRetried(t *testing.T) {
	w := newWorld(t, nil)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		e, err := lsptest.Connect(worldtest.Plugin, w.Serve)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []any{
			worldtest.Obj{"processId": "seven"}, worldtest.Obj{"workspaceFolders": "here"}, worldtest.Obj{"initializationOptions": worldtest.Obj{"trust": "perhaps"}}, []int{1},
		} {
			w.Refused(e.Call(w.Context(), "initialize", bad, nil), rpc.InvalidParams, "")
		}
		for _, odd := range []any{nil, 7, "x", []int{}} { // invalid capabilities count as none
			if err := e.Call(w.Context(), "initialize", worldtest.Obj{"capabilities": odd, "initializationOptions": odd}, nil); err != nil && !errors.Is(err, rpc.Errorf(rpc.InvalidRequest, "")) {
				t.Errorf("initialize with capabilities %v: %v", odd, err)
			}
		}
		if err := e.End(); err != nil {
			t.Error(err)
		}
	})
}

func TestHostStartFailureIsReportedAndRetried(t *testing.T) {
	w := newWorld(t, nil)
	w.Broken = errors.New("the disk is on fire")
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(worldtest.Plugin)
		if s := w.Editor.Seen(); len(s.Messages) != 1 || !strings.Contains(s.Messages[0], "on fire") || len(s.Statuses) == 0 || s.Statuses[0].Kind != "error" {
			t.Errorf("messages %q, status %+v", s.Messages, s.Statuses)
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/session/new", nil, nil), rpc.RequestFailed, `"failed"`)
		w.Mu.Lock()
		w.Broken = nil
		w.Mu.Unlock()
		w.Session(nil)
		w.End()
	})
}

func TestPanicEndsOnlyItsRequest(t *testing.T) {
	w := newWorld(t, []modeltest.Reply{worldtest.Say("Well.")})
	w.Crash = true
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(lsptest.Recorded("helix"))
		if l := w.Editor.Seen().Messages; len(l) != 1 || !strings.Contains(l[0], "internal error") {
			t.Errorf("messages %q", l)
		}
		w.Crash = false
		w.Session(nil)
		w.Crash = true
		w.Refused(w.Editor.Command(w.Context(), "emendo.ask", worldtest.Obj{"prompt": "one"}, nil), rpc.InternalError, "")
		w.Crash = false
		w.Command("emendo.ask", worldtest.Obj{"prompt": "two"}, nil)
		w.Advance()
		if l := w.Messages(); len(l) != 3 || !strings.Contains(l[1], "internal error") || l[2] != "Well." {
			t.Errorf("messages %q", l)
		}
		w.End()
	})
}

func TestServerEndsWithTheContext(t *testing.T) {
	w := newWorld(t, nil)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		ctx, cancel := context.WithCancelCause(w.Context())
		w.Start(worldtest.Plugin)
		gone := errors.New("gone")
		served := make(chan error, 1)
		e, err := lsptest.Connect(worldtest.Plugin, func(_ context.Context, r io.Reader, out io.Writer) error {
			err := w.Serve(ctx, r, out)
			served <- err
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		cancel(gone)
		if err := <-served; !errors.Is(err, gone) {
			t.Errorf("got %v", err)
		}
		if err := e.Vanish(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
		w.End()
	})
}
