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
				if err := json.Unmarshal(w.e.Server(), &r); err != nil {
					t.Fatal(err)
				}
				got, own := r.Capabilities, r.Capabilities.Experimental.Emendo
				if r.ServerInfo.Name != "emendo" || r.ServerInfo.Version != "1.2.3" || got.PositionEncoding != c.encoding || got.TextDocumentSync.Change != 2 {
					t.Errorf("got %s", w.e.Server())
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
		e, err := lsptest.Connect(plugin, w.serve)
		if err != nil {
			t.Fatal(err)
		}
		w.refused(e.Call(w.Context(), "emendo/session/list", nil, nil), rpc.ServerNotInitialized, "")
		if err := e.Initialize(obj{"capabilities": obj{}, "processId": nil, "rootUri": nil}); err != nil {
			t.Fatal(err)
		}
		w.refused(e.Call(w.Context(), "initialize", obj{}, nil), rpc.InvalidRequest, "")
		w.refused(e.Call(w.Context(), "emendo/no/such", nil, nil), rpc.MethodNotFound, "")
		if err := e.Call(w.Context(), "shutdown", nil, nil); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		w.refused(e.Call(w.Context(), "emendo/session/list", nil, nil), rpc.InvalidRequest, "")
		if err := e.Exit(); err != nil {
			t.Errorf("exit after shutdown: %v", err)
		}
	})
}

func TestExitWithoutShutdownIsReported(t *testing.T) {
	w := newWorld(t, nil)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.start(plugin)
		if err := w.e.Exit(); !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("got %v", err)
		}
	})
}

func TestEverythingEndsWithTheClient(t *testing.T) {
	long := modeltest.Reply{modeltest.Say("a"), forever}
	w := newWorld(t, []modeltest.Reply{long, long})
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.start(plugin)
		one, two := w.prompting(w.Context(), w.session(nil), "one"), w.prompting(w.Context(), w.session(nil), "two")
		at := time.Now()
		if err := w.e.Vanish(); err != nil && !errors.Is(err, io.ErrClosedPipe) { // a write may be under way
			t.Error(err)
		}
		for _, wait := range []func() (turnEnd, error){one, two} {
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
		w.start(plugin.With("experimental.emendo", obj{"version": 1, "session": true, "permission": true}))
		w.open()
		id := w.session(nil)
		w.e.Ask = func(ctx context.Context, _ lsptest.Question) (any, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		w.e.Apply = func(ctx context.Context, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		wait := w.prompting(w.Context(), id, "Change it")
		cs := w.propose(obj{"uri": w.uri("main.go"), "newText": "package other\n", "title": "t"})
		w.command("emendo.accept", obj{"changeSetId": cs.ChangeSetID}, nil)
		at := time.Now()
		if err := w.e.Exit(); !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(at); took > 100*time.Millisecond {
			t.Errorf("the end took %v", took)
		}
		_, _ = wait()
	})
}

func TestShutdownEndsTurnsWithTheirAnswer(t *testing.T) {
	w := newWorld(t, []modeltest.Reply{{modeltest.Say("a"), forever}})
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.start(plugin)
		wait := w.prompting(w.Context(), w.session(nil), "one")
		w.end()
		if r, err := wait(); err != nil || r.StopReason != "cancelled" {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestInitializeStartsNothing(t *testing.T) {
	w := newWorld(t, nil)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		e, err := lsptest.Connect(plugin, w.serve)
		if err != nil {
			t.Fatal(err)
		}
		var answer json.RawMessage
		if err := e.Call(w.Context(), "initialize", obj{"capabilities": nil}, &answer); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if w.starts != 0 {
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
		e, err := lsptest.Connect(plugin, w.serve)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []any{
			obj{"processId": "seven"}, obj{"workspaceFolders": "here"}, obj{"initializationOptions": obj{"trust": "perhaps"}}, []int{1},
		} {
			w.refused(e.Call(w.Context(), "initialize", bad, nil), rpc.InvalidParams, "")
		}
		for _, odd := range []any{nil, 7, "x", []int{}} { // invalid capabilities count as none
			if err := e.Call(w.Context(), "initialize", obj{"capabilities": odd, "initializationOptions": odd}, nil); err != nil && !errors.Is(err, rpc.ErrInvalidRequest) {
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
	w.broken = errors.New("the disk is on fire")
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.start(plugin)
		if s := w.e.Seen(); len(s.Messages) != 1 || !strings.Contains(s.Messages[0], "on fire") || len(s.Statuses) == 0 || s.Statuses[0].Kind != "error" {
			t.Errorf("messages %q, status %+v", s.Messages, s.Statuses)
		}
		w.refused(w.e.Call(w.Context(), "emendo/session/new", nil, nil), rpc.RequestFailed, `"failed"`)
		w.mu.Lock()
		w.broken = nil
		w.mu.Unlock()
		w.session(nil)
		w.end()
	})
}

func TestPanicEndsOnlyItsRequest(t *testing.T) {
	w := newWorld(t, []modeltest.Reply{say("Well.")})
	w.crash = true
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.start(lsptest.Recorded("helix"))
		if l := w.e.Seen().Messages; len(l) != 1 || !strings.Contains(l[0], "internal error") {
			t.Errorf("messages %q", l)
		}
		w.crash = false
		w.session(nil)
		w.crash = true
		w.refused(w.e.Command(w.Context(), "emendo.ask", obj{"prompt": "one"}, nil), rpc.InternalError, "")
		w.crash = false
		w.command("emendo.ask", obj{"prompt": "two"}, nil)
		w.advance()
		if l := w.messages(); len(l) != 3 || !strings.Contains(l[1], "internal error") || l[2] != "Well." {
			t.Errorf("messages %q", l)
		}
		w.end()
	})
}

func TestServerEndsWithTheContext(t *testing.T) {
	w := newWorld(t, nil)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		ctx, cancel := context.WithCancelCause(w.Context())
		w.start(plugin)
		gone := errors.New("gone")
		served := make(chan error, 1)
		e, err := lsptest.Connect(plugin, func(_ context.Context, r io.Reader, out io.Writer) error {
			err := w.serve(ctx, r, out)
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
		w.end()
	})
}
