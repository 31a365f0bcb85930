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
				if got := w.read("main.go"); got != mainGo {
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
		uri = c.asking(command)
	} else {
		uri = c.open()
		c.command("emendo.ask", obj{"prompt": "Run"}, nil)
	}
	c.advance()
	return uri
}

// sees waits for the answer of a turn.
func (c plainClient) sees(text string) {
	c.Helper()
	c.advance()
	if l := strings.Join(c.e.Seen().Messages, "\n"); !strings.Contains(l, text) {
		c.Errorf("the user does not see %q in %q", text, l)
	}
}

// looks asks for everything that an editor asks for at a place, as it does on its own.
func (c plainClient) looks(uri, text string) {
	c.Helper()
	at := c.rangeOf(uri, text)
	document := obj{"uri": uri}
	for method, params := range map[string]obj{
		"textDocument/hover":      {"textDocument": document, "position": at.Start},
		"textDocument/codeLens":   {"textDocument": document},
		"textDocument/codeAction": {"textDocument": document, "range": at, "context": obj{"diagnostics": []any{}, "only": []string{"source.fixAll"}, "triggerKind": 2}},
	} {
		c.call(method, params, nil)
	}
}

func TestEachClientAsksAboutASelection(t *testing.T) {
	eachClient(t, []modeltest.Reply{say("It counts hours.\n\nAnd nothing else.")}, func(w *world, c plainClient) {
		u := w.open()
		w.typed(u, "return 1", "return 17") // not saved
		c.looks(u, "return 17")
		if c.can.Has("textDocument.codeAction.codeActionLiteralSupport") {
			w.runAction(u, "func a() int { return 17 }", "source.emendo.explain")
		} else {
			w.command("emendo.explain", obj{"uri": u, "range": w.rangeOf(u, "func a() int { return 17 }")}, nil)
		}
		c.sees("It counts hours.")
		c.sees("And nothing else.")
		if !strings.Contains(w.request(0), "return 17") {
			t.Error("the model did not get the unsaved text")
		}
	})
}

func TestEachClientDecidesAboutHunks(t *testing.T) {
	eachClient(t, []modeltest.Reply{twoHunks(), say("Done.")}, func(w *world, c plainClient) {
		u := w.open()
		w.command("emendo.edit", obj{"uri": u, "range": w.rangeOf(u, "return 1"), "instruction": "Change it"}, nil)
		w.advance()
		if c.can.Has("textDocument.publishDiagnostics") && len(w.e.Seen().Diagnostics[u]) != 2 {
			t.Fatalf("the user sees %+v", w.e.Seen().Diagnostics[u])
		}
		c.looks(u, "return 1")
		want := strings.Replace(mainGo, "return 1", "return 11", 1)
		if c.can.Has("textDocument.codeAction.codeActionLiteralSupport") {
			w.runAction(u, "return 1", "quickfix.emendo.accept")
			w.runAction(u, "return 2", "quickfix.emendo.reject")
		} else {
			cs := w.sets(nil)[0]
			w.command("emendo.accept", obj{"changeSetId": cs.ChangeSetID, "hunkId": cs.Files[0].Hunks[0].HunkID}, nil)
			w.command("emendo.reject", obj{"changeSetId": cs.ChangeSetID, "hunkId": cs.Files[0].Hunks[1].HunkID}, nil)
		}
		w.advance()
		if !c.can.Has("workspace.applyEdit") && !strings.HasPrefix(c.profile.Name, "kate") { // such an editor cannot be changed
			if w.e.Text(u) != mainGo {
				t.Errorf("the text is %q", w.e.Text(u))
			}
			return
		}
		c.sees("Done.")
		if w.e.Text(u) != want {
			t.Errorf("the text is %q", w.e.Text(u))
		}
		if l := w.e.Seen().Diagnostics[u]; len(l) != 0 {
			t.Errorf("marks are left: %+v", l)
		}
		w.e.Undo()
		synctest.Wait()
		if w.e.Text(u) != mainGo || w.states() != "pending rejected" {
			t.Errorf("undone is %q, %s", w.e.Text(u), w.states())
		}
		w.command("emendo.rejectAll", nil, nil)
	})
}

func TestEachClientAllowsACommand(t *testing.T) {
	for _, way := range []string{"by a code action", "by a command", "by a message"} {
		t.Run(way, func(t *testing.T) {
			eachClient(t, []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world, c plainClient) {
				answered := make(chan string)
				w.e.Choose = func(ctx context.Context, _ string, _ []string) string {
					select {
					case title := <-answered:
						return title
					case <-ctx.Done():
						return ""
					}
				}
				u := c.asked("touch a")
				if len(w.warnings(u)) == 0 && len(w.e.Seen().Requests) == 0 {
					if c.can.Has("textDocument.publishDiagnostics") {
						t.Fatal("the user was not asked")
					}
					c.sees("touch a") // why it was refused
					if w.ran() != "" {
						t.Errorf("ran %q", w.ran())
					}
					return
				}
				c.looks(u, "return 2")
				switch {
				case way == "by a message" && len(w.e.Seen().Requests) > 0:
					answered <- "Allow once"
				case way == "by a command":
					var shown json.RawMessage
					w.command("emendo.permission", nil, &shown)
					w.choose(u, "return 2", "Allow once")
				default:
					w.choose(u, "return 2", "Allow once")
				}
				c.sees("Done.")
				if w.ran() != "touch a" || len(w.warnings(u)) != 0 {
					t.Errorf("ran %q, marks %+v", w.ran(), w.warnings(u))
				}
			})
		})
	}
}

func TestEachClientCancels(t *testing.T) {
	for _, way := range []string{"by the command", "by its progress"} {
		t.Run(way, func(t *testing.T) {
			eachClient(t, []modeltest.Reply{{modeltest.Say("It begins."), forever}, say("Next.")}, func(w *world, c plainClient) {
				w.open()
				w.command("emendo.ask", obj{"prompt": "Hi"}, nil)
				w.advance()
				if shown := w.e.Seen().Progress; way == "by its progress" && len(shown) > 0 {
					w.notify("window/workDoneProgress/cancel", obj{"token": shown[0].Token})
				} else {
					w.command("emendo.cancel", nil, nil)
				}
				w.advance()
				w.command("emendo.ask", obj{"prompt": "Again"}, nil)
				c.sees("Next.")
			})
		})
	}
}

// The user's editor restarts the server, which forgets nothing that it has to show.
func TestEachClientRestartsTheServer(t *testing.T) {
	eachClient(t, []modeltest.Reply{twoHunks(), say("Done."), say("Again.")}, func(w *world, c plainClient) {
		u := w.open()
		w.command("emendo.edit", obj{"uri": u, "range": w.rangeOf(u, "return 1"), "instruction": "Change it"}, nil)
		w.advance()
		if err := w.e.End(); err != nil { // with the hunks pending
			t.Error(err)
		}
		if err := w.e.Reconnect(c.profile, w.dir, w.serve); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.spawn.Scripts = map[string]sandboxtest.Script{}
		w.command("emendo.newSession", nil, nil)
		w.command("emendo.ask", obj{"prompt": "Hi"}, nil)
		c.sees("Done.")
	})
}

// A conversation in a chat document: the editor asks for everything that it announces, the
// question is sent, permission is given at its line, and the next question is sent after a
// restart.
func TestEachClientConverses(t *testing.T) {
	replies := []modeltest.Reply{run("touch a"), say("See main.go:3.\n\n## You\n\nIt is done."), say("You are welcome.")}
	eachClient(t, replies, func(w *world, c plainClient) {
		if !c.can.Has("workspace.applyEdit") {
			return // such an editor cannot show one
		}
		w.spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
		w.open()
		u := w.chat("a.emendo.md", "Run @")
		c.reads(u)
		end := len(w.e.Text(u))
		w.e.Type(u, end-1, end, "it.")
		if c.can.Has("textDocument.codeAction.codeActionLiteralSupport") {
			w.runAction(u, "Run it.", "source.emendo.send")
		} else {
			w.send(u)
		}
		w.settle()
		if !strings.Contains(w.e.Text(u), "- **Allow?** ") {
			t.Fatalf("the document is\n%s", w.e.Text(u))
		}
		c.looks(u, "**Allow?**")
		w.choose(u, "**Allow?**", "Allow once")
		w.settle()
		if got := w.e.Text(u); !strings.Contains(got, "allowed once") || !strings.Contains(got, "\n\\## You\n\nIt is done.\n\n## You\n") {
			t.Errorf("the document is\n%s", got)
		}
		c.reads(u)
		if w.ran() != "touch a" {
			t.Errorf("ran %q", w.ran())
		}
		w.restart(c.profile)
		end = len(w.e.Text(u))
		w.e.Type(u, end, end, "Thanks!")
		w.send(u)
		w.settle()
		if got := w.e.Text(u); !strings.HasSuffix(got, "Thanks!\n\n## emendo\n\nYou are welcome.\n\n## You\n\n") {
			t.Errorf("the document is\n%s", got)
		}
		if !strings.Contains(w.request(2), "It is done.") {
			t.Error("the model does not have the conversation")
		}
	})
}

// reads asks for everything that an editor shows of a chat document, if it knows of it.
func (c plainClient) reads(uri string) {
	c.Helper()
	document := obj{"uri": uri}
	text := c.e.Workspace.Snapshot().Document(ide.ParseURI(uri)).Text
	end := text.Position(len(strings.TrimRight(text.String(), "\n")), c.e.Workspace.Encoding())
	for method, x := range map[string]struct {
		needs  string
		params obj
	}{
		"textDocument/completion":     {"completion", obj{"textDocument": document, "position": end, "context": obj{"triggerKind": 2, "triggerCharacter": "@"}}},
		"textDocument/documentSymbol": {"documentSymbol", obj{"textDocument": document}},
		"textDocument/foldingRange":   {"foldingRange", obj{"textDocument": document}},
		"textDocument/documentLink":   {"documentLink", obj{"textDocument": document}},
		"textDocument/hover":          {"hover", obj{"textDocument": document, "position": end}},
	} {
		if c.can.Has("textDocument." + x.needs) {
			c.call(method, x.params, nil)
		}
	}
}
