package lsp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/wiretest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// eachClient plays a scenario with every recorded client that has no plugin, and with one
// that declares nothing. Everything on the wire is checked against what it declared.
func eachClient(t *testing.T, replies []modeltest.Reply, f func(w *world, c plainClient)) {
	t.Helper()
	clients := []lsptest.Profile{{Name: "nothing", Initialize: `{"processId": null, "rootUri": "ROOT", "capabilities": {}}`}}
	for _, name := range lsptest.Recordings() {
		if name != "plugin" {
			clients = append(clients, lsptest.Recorded(name))
		}
	}
	for _, p := range clients {
		t.Run(p.Name, func(t *testing.T) {
			var params struct{ Capabilities wiretest.Capabilities }
			if err := json.Unmarshal([]byte(p.Initialize), &params); err != nil {
				t.Fatal(err)
			}
			p.Wire = &wiretest.Checker{}
			play(t, p, replies, func(w *world) {
				f(w, plainClient{w, p, params.Capabilities})
				if got := w.Read("main.go"); got != worldtest.MainGo {
					w.Errorf("an open file was written on disk: %q", got)
				}
			})
		})
	}
}

// plainClient is a user of an editor without a plugin.
type plainClient struct {
	*world
	profile lsptest.Profile
	can     wiretest.Capabilities
}

// asked has the model ask for permission for a command.
func (c plainClient) asked(command string) (uri string) {
	c.Helper()
	if c.can.Has("textDocument.codeAction.codeActionLiteralSupport") {
		uri = c.Asking(command)
	} else {
		uri = c.Open()
		c.Command("emendo.ask", worldtest.Obj{"prompt": "Run"}, nil)
	}
	c.Advance()
	return uri
}

// sees waits for the answer of a turn.
func (c plainClient) sees(text string) {
	c.Helper()
	c.Advance()
	if l := strings.Join(c.Editor.Seen().Messages, "\n"); !strings.Contains(l, text) {
		c.Errorf("the user does not see %q in %q", text, l)
	}
}

// looks asks for everything that an editor asks for at a place, as it does on its own.
func (c plainClient) looks(uri, text string) {
	c.Helper()
	at := c.RangeOf(uri, text)
	document := worldtest.Obj{"uri": uri}
	for method, params := range map[string]worldtest.Obj{
		"textDocument/hover":      {"textDocument": document, "position": at.Start},
		"textDocument/codeLens":   {"textDocument": document},
		"textDocument/codeAction": {"textDocument": document, "range": at, "context": worldtest.Obj{"diagnostics": []any{}, "only": []string{"source.fixAll"}, "triggerKind": 2}},
	} {
		c.Call(method, params, nil)
	}
}

func TestEachClientAsksAboutASelection(t *testing.T) {
	eachClient(t, []modeltest.Reply{worldtest.Say("It counts hours.\n\nAnd nothing else.")}, func(w *world, c plainClient) {
		u := w.Open()
		w.Typed(u, "return 1", "return 17") // not saved
		c.looks(u, "return 17")
		if c.can.Has("textDocument.codeAction.codeActionLiteralSupport") {
			w.RunAction(u, "func a() int { return 17 }", "source.emendo.explain")
		} else {
			w.Command("emendo.explain", worldtest.Obj{"uri": u, "range": w.RangeOf(u, "func a() int { return 17 }")}, nil)
		}
		c.sees("It counts hours.")
		c.sees("And nothing else.")
		if !strings.Contains(w.Request(0), "return 17") {
			t.Error("the model did not get the unsaved text")
		}
	})
}

func TestEachClientDecidesAboutHunks(t *testing.T) {
	eachClient(t, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world, c plainClient) {
		u := w.Open()
		w.Command("emendo.edit", worldtest.Obj{"uri": u, "range": w.RangeOf(u, "return 1"), "instruction": "Change it"}, nil)
		w.Advance()
		if c.can.Has("textDocument.publishDiagnostics") && len(w.Editor.Seen().Diagnostics[u]) != 2 {
			t.Fatalf("the user sees %+v", w.Editor.Seen().Diagnostics[u])
		}
		c.looks(u, "return 1")
		want := strings.Replace(worldtest.MainGo, "return 1", "return 11", 1)
		if c.can.Has("textDocument.codeAction.codeActionLiteralSupport") {
			w.RunAction(u, "return 1", "quickfix.emendo.accept")
			w.RunAction(u, "return 2", "quickfix.emendo.reject")
		} else {
			cs := w.Sets(nil)[0]
			w.Command("emendo.accept", worldtest.Obj{"changeSetId": cs.ChangeSetID, "hunkId": cs.Files[0].Hunks[0].HunkID}, nil)
			w.Command("emendo.reject", worldtest.Obj{"changeSetId": cs.ChangeSetID, "hunkId": cs.Files[0].Hunks[1].HunkID}, nil)
		}
		w.Advance()
		if !c.can.Has("workspace.applyEdit") && !strings.HasPrefix(c.profile.Name, "kate") { // such an editor cannot be changed
			if w.Editor.Text(u) != worldtest.MainGo {
				t.Errorf("the text is %q", w.Editor.Text(u))
			}
			return
		}
		c.sees("Done.")
		if w.Editor.Text(u) != want {
			t.Errorf("the text is %q", w.Editor.Text(u))
		}
		if l := w.Editor.Seen().Diagnostics[u]; len(l) != 0 {
			t.Errorf("marks are left: %+v", l)
		}
		w.Editor.Undo()
		synctest.Wait()
		if w.Editor.Text(u) != worldtest.MainGo || w.States() != "pending rejected" {
			t.Errorf("undone is %q, %s", w.Editor.Text(u), w.States())
		}
		w.Command("emendo.rejectAll", nil, nil)
	})
}

func TestEachClientAllowsACommand(t *testing.T) {
	for _, way := range []string{"by a code action", "by a command", "by a message"} {
		t.Run(way, func(t *testing.T) {
			eachClient(t, []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world, c plainClient) {
				answered := make(chan string)
				w.Editor.Choose = func(ctx context.Context, _ string, _ []string) string {
					select {
					case title := <-answered:
						return title
					case <-ctx.Done():
						return ""
					}
				}
				u := c.asked("touch a")
				if len(w.Warnings(u)) == 0 && len(w.Editor.Seen().Requests) == 0 {
					if c.can.Has("textDocument.publishDiagnostics") {
						t.Fatal("the user was not asked")
					}
					c.sees("touch a") // why it was refused
					if w.Ran() != "" {
						t.Errorf("ran %q", w.Ran())
					}
					return
				}
				c.looks(u, "return 2")
				switch {
				case way == "by a message" && len(w.Editor.Seen().Requests) > 0:
					answered <- "Allow once"
				case way == "by a command":
					var shown json.RawMessage
					w.Command("emendo.permission", nil, &shown)
					w.Choose(u, "return 2", "Allow once")
				default:
					w.Choose(u, "return 2", "Allow once")
				}
				c.sees("Done.")
				if w.Ran() != "touch a" || len(w.Warnings(u)) != 0 {
					t.Errorf("ran %q, marks %+v", w.Ran(), w.Warnings(u))
				}
			})
		})
	}
}

func TestEachClientCancels(t *testing.T) {
	for _, way := range []string{"by the command", "by its progress"} {
		t.Run(way, func(t *testing.T) {
			eachClient(t, []modeltest.Reply{{modeltest.Say("It begins."), worldtest.Forever}, worldtest.Say("Next.")}, func(w *world, c plainClient) {
				w.Open()
				w.Command("emendo.ask", worldtest.Obj{"prompt": "Hi"}, nil)
				w.Advance()
				if shown := w.Editor.Seen().Progress; way == "by its progress" && len(shown) > 0 {
					w.Notify("window/workDoneProgress/cancel", worldtest.Obj{"token": shown[0].Token})
				} else {
					w.Command("emendo.cancel", nil, nil)
				}
				w.Advance()
				w.Command("emendo.ask", worldtest.Obj{"prompt": "Again"}, nil)
				c.sees("Next.")
			})
		})
	}
}

// The user's editor restarts the server, which forgets nothing that it has to show.
func TestEachClientRestartsTheServer(t *testing.T) {
	eachClient(t, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done."), worldtest.Say("Again.")}, func(w *world, c plainClient) {
		u := w.Open()
		w.Command("emendo.edit", worldtest.Obj{"uri": u, "range": w.RangeOf(u, "return 1"), "instruction": "Change it"}, nil)
		w.Advance()
		if err := w.Editor.End(); err != nil { // with the hunks pending
			t.Error(err)
		}
		if err := w.Editor.Reconnect(c.profile, w.Dir, w.Serve); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.Spawn.Scripts = map[string]sandboxtest.Script{}
		w.Command("emendo.newSession", nil, nil)
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Hi"}, nil)
		c.sees("Done.")
	})
}

// A conversation in a chat document: the editor asks for everything that it announces, the
// question is sent, permission is given at its line, and the next question is sent after a
// restart.
func TestEachClientConverses(t *testing.T) {
	replies := []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("See main.go:3.\n\n## You\n\nIt is done."), worldtest.Say("You are welcome.")}
	eachClient(t, replies, func(w *world, c plainClient) {
		if !c.can.Has("workspace.applyEdit") {
			return // such an editor cannot show one
		}
		w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
		w.Open()
		u := w.Chat("a.emendo.md", "Run @")
		c.reads(u)
		end := len(w.Editor.Text(u))
		w.Editor.Type(u, end-1, end, "it.")
		if c.can.Has("textDocument.codeAction.codeActionLiteralSupport") {
			w.RunAction(u, "Run it.", "source.emendo.send")
		} else {
			w.Send(u)
		}
		w.Settle()
		if !strings.Contains(w.Editor.Text(u), "- **Allow?** ") {
			t.Fatalf("the document is\n%s", w.Editor.Text(u))
		}
		c.looks(u, "**Allow?**")
		w.Choose(u, "**Allow?**", "Allow once")
		w.Settle()
		if got := w.Editor.Text(u); !strings.Contains(got, "allowed once") || !strings.Contains(got, "\n\\## You\n\nIt is done.\n\n## You\n") {
			t.Errorf("the document is\n%s", got)
		}
		c.reads(u)
		if w.Ran() != "touch a" {
			t.Errorf("ran %q", w.Ran())
		}
		w.Restart(c.profile)
		end = len(w.Editor.Text(u))
		w.Editor.Type(u, end, end, "Thanks!")
		w.Send(u)
		w.Settle()
		if got := w.Editor.Text(u); !strings.HasSuffix(got, "Thanks!\n\n## emendo\n\nYou are welcome.\n\n## You\n\n") {
			t.Errorf("the document is\n%s", got)
		}
		if !strings.Contains(w.Request(2), "It is done.") {
			t.Error("the model does not have the conversation")
		}
	})
}

// reads asks for everything that an editor shows of a chat document, if it knows of it.
func (c plainClient) reads(uri string) {
	c.Helper()
	document := worldtest.Obj{"uri": uri}
	text := c.Editor.Workspace.Snapshot().Document(ide.ParseURI(uri)).Text
	end := text.Position(len(strings.TrimRight(text.String(), "\n")), c.Editor.Workspace.Encoding())
	for method, x := range map[string]struct {
		needs  string
		params worldtest.Obj
	}{
		"textDocument/completion":     {"completion", worldtest.Obj{"textDocument": document, "position": end, "context": worldtest.Obj{"triggerKind": 2, "triggerCharacter": "@"}}},
		"textDocument/documentSymbol": {"documentSymbol", worldtest.Obj{"textDocument": document}},
		"textDocument/foldingRange":   {"foldingRange", worldtest.Obj{"textDocument": document}},
		"textDocument/documentLink":   {"documentLink", worldtest.Obj{"textDocument": document}},
		"textDocument/hover":          {"hover", worldtest.Obj{"textDocument": document, "position": end}},
	} {
		if c.can.Has("textDocument." + x.needs) {
			c.Call(method, x.params, nil)
		}
	}
}
