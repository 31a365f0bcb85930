package complete_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// completion has the fields of an item that are checked.
type completion struct {
	Label, Kind, Detail, InsertText string
	Range                           struct{ Start, End int }
	Block                           json.RawMessage
}

type completions struct {
	Items      []completion
	Incomplete bool
}

// complete completes a prompt at its end.
func (w *world) complete(sessionID, text string) completions {
	w.Helper()
	var answer completions
	w.Call("emendo/prompt/complete", worldtest.Obj{"sessionId": sessionID, "text": text, "offset": len(text)}, &answer)
	return answer
}

func (c completions) inserts() (texts []string) {
	for _, i := range c.Items {
		texts = append(texts, i.InsertText)
	}
	return texts
}

// tree writes files of the workspace.
func (w *world) tree(files ...string) {
	w.Helper()
	for _, name := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(w.Dir, name)), 0o755); err != nil {
			w.Fatal(err)
		}
		w.Write(name, "text\n")
	}
}

func TestFilesAreCompleted(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("Seen.")}, func(w *world) {
		w.tree("src/server.go", "src/a b.go", "docs/server.md", "out/server.o", ".env", "keys/id_rsa", ".git/HEAD")
		w.Write(".gitignore", "/out/\n")
		w.Open()
		id := w.Session(nil)
		for _, c := range []struct {
			text string
			want []string
		}{
			{"See @server", []string{"@src/server.go", "@docs/server.md"}},
			{"See @src/", []string{`@"src/a b.go"`, "@src/server.go"}},
			{`See @"a b`, []string{`@"src/a b.go"`}},
			{"See @sr", []string{"@src/", `@"src/a b.go"`, "@src/server.go"}},
			{"See @id_rsa", nil},
			{"See @out/", nil},
			{"See @.env", nil},
			{"See nothing", nil},
		} {
			got := w.complete(id, c.text).inserts()
			if !slices.Equal(got[:min(len(got), len(c.want))], c.want) || c.want == nil && len(got) > 0 {
				t.Errorf("%s: got %q", c.text, got)
			}
		}
		got := w.complete(id, "See @main")
		want := completion{Label: "main.go", Kind: "editor", InsertText: "@main.go"}
		want.Range.Start, want.Range.End = 4, 9
		block := got.Items[0].Block
		if got.Items[0].Block = nil; fmt.Sprint(got.Items[0]) != fmt.Sprint(want) || got.Incomplete {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if want := `{"type":"resource_link","uri":"` + w.URI("main.go") + `","name":"main.go","_meta":{"emendo":{"kind":"editor","label":"@main.go"}}}`; string(block) != want {
			t.Errorf("its block is %s, want %s", block, want)
		}
		if first := w.complete("", "@").Items[1]; first.InsertText != "@main.go" || first.Kind != "editor" {
			t.Errorf("with nothing typed %+v comes first", first)
		}
		w.Call("emendo/session/prompt", worldtest.Obj{"sessionId": id, "prompt": []any{worldtest.Obj{"type": "text", "text": "Explain"}, block}}, nil)
		if !strings.Contains(w.Request(0), "func a() int") {
			t.Errorf("the model got %s", w.Request(0))
		}
	})
}

func TestRangesCountUnitsOfTheEncoding(t *testing.T) {
	for name, c := range map[string]struct {
		encodings  []string
		start, end int
	}{"utf-8": {[]string{"utf-8"}, 8, 11}, "utf-16": {[]string{"utf-16"}, 5, 8}} {
		t.Run(name, func(t *testing.T) {
			play(t, worldtest.Plugin.With("general.positionEncodings", c.encodings), nil, func(w *world) {
				var got completions
				w.Call("emendo/prompt/complete", worldtest.Obj{"text": "ü 😀 @ma and more", "offset": c.end}, &got)
				if len(got.Items) == 0 || got.Items[0].Range.Start != c.start || got.Items[0].Range.End != c.end {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

func TestCommandsAreCompleted(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		got := w.complete("", " /mo")
		if len(got.Items) < 2 || got.Items[0].InsertText != "/mode " || got.Items[0].Kind != "command" || got.Items[0].Range.Start != 1 || got.Items[1].InsertText != "/model " {
			t.Errorf("got %+v", got)
		}
		if all := w.complete("", "/").inserts(); len(all) < 5 || all[0] != "/help" {
			t.Errorf("all are %q", all)
		}
		w.tree(".gemini/commands/git/commit.toml")
		w.Write(".gemini/commands/git/commit.toml", "description = \"Write a message.\"\nprompt = \"x\"")
		for _, id := range []string{"", w.Session(nil)} {
			if got := w.complete(id, "/commit"); len(got.Items) != 1 || got.Items[0].InsertText != "/git:commit " || got.Items[0].Detail != "Write a message." {
				t.Errorf("in session %q: got %+v", id, got)
			}
		}
		w.Trusted = map[string]bool{}
		if got := w.complete("", "/commit"); len(got.Items) != 0 {
			t.Errorf("without trust: got %+v", got)
		}
	})
}

func TestSelectionAndProblemsAreCompleted(t *testing.T) {
	play(t, worldtest.Plugin.With("experimental.emendo.diagnostics", true), nil, func(w *world) {
		uri := w.Open()
		w.Notify("emendo/editor/didChangeContext", worldtest.Obj{"activeEditor": worldtest.Obj{"uri": uri, "selections": []any{w.RangeOf(uri, "// one\n// two\n")}}, "openEditors": []worldtest.Obj{{"uri": uri}}})
		got := w.complete("", "@")
		if got.Items[0].InsertText != "@main.go:5-6" || got.Items[0].Kind != "selection" || got.Items[1].InsertText != "@problems" {
			t.Errorf("got %+v", got.Items[:2])
		}
	})
	play(t, worldtest.Plugin.With("experimental.emendo.diagnostics", false), nil, func(w *world) {
		w.Open()
		if got := w.complete("", "@pro"); len(got.Items) != 0 {
			t.Errorf("an editor without diagnostics is offered %+v", got)
		}
	})
}

func TestSymbolsAreCompleted(t *testing.T) {
	symbols := func(w *world) {
		w.tree(".env", "src/parse.go")
		w.Editor.Pass = func(_ context.Context, method string, params json.RawMessage) (any, error) {
			if method != "workspace/symbol" || string(params) != `{"query":"pars"}` {
				w.Errorf("asked %s %s", method, params)
			}
			symbol := func(name, uri string, line int) worldtest.Obj {
				return worldtest.Obj{"name": name, "kind": 12, "containerName": "syntax", "location": worldtest.Obj{"uri": uri, "range": worldtest.Obj{"start": worldtest.Obj{"line": line}, "end": worldtest.Obj{"line": line + 3}}}}
			}
			return []worldtest.Obj{symbol("Parse", w.URI("main.go"), 2), symbol("ParseKey", w.URI(".env"), 0), symbol("ParseOther", "file:///elsewhere/x.go", 0), symbol("unrelated", w.URI("main.go"), 0)}, nil
		}
	}
	play(t, worldtest.Plugin.With("experimental.emendo.requests", []string{"workspace/symbol"}), nil, func(w *world) {
		symbols(w)
		got := w.complete("", "@pars")
		i := slices.IndexFunc(got.Items, func(c completion) bool { return c.Kind == "symbol" })
		if i < 0 || !got.Incomplete || len(got.Items) != 2 {
			t.Fatalf("got %+v", got)
		}
		if s := got.Items[i]; s.Label != "Parse" || s.InsertText != "@main.go:3-5" || s.Detail != "syntax · main.go:3-5" || !strings.Contains(string(s.Block), `"line":2`) {
			t.Errorf("got %+v, block %s", s, s.Block)
		}
		w.Editor.Pass = func(context.Context, string, json.RawMessage) (any, error) { return nil, errors.New("no server") }
		if got := w.complete("", "@pars").inserts(); !slices.Equal(got, []string{"@src/parse.go"}) {
			t.Errorf("without them %q", got)
		}
	})
	play(t, worldtest.Plugin, nil, func(w *world) { // which fails on a request that was not declared
		symbols(w)
		if got := w.complete("", "@pars").inserts(); !slices.Equal(got, []string{"@src/parse.go"}) {
			t.Errorf("got %q", got)
		}
	})
}

// Slow language servers of the editor do not delay files.
func TestSlowSymbolsDoNotDelayFiles(t *testing.T) {
	play(t, worldtest.Plugin.With("experimental.emendo.requests", []string{"workspace/symbol"}), nil, func(w *world) {
		w.Editor.Pass = func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		start := time.Now()
		got := w.complete("", "@main")
		if d := time.Since(start); d > time.Second || !got.Incomplete || !slices.Equal(got.inserts(), []string{"@main.go"}) {
			t.Errorf("after %v: %+v", d, got)
		}
		ctx, cancel := context.WithCancel(w.Context())
		done := make(chan error, 1)
		go func() {
			done <- w.Editor.Call(ctx, "emendo/prompt/complete", worldtest.Obj{"text": "@main", "offset": 5}, nil)
		}()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled request: %v", err)
		}
	})
}

func TestInvalidCompletions(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		w.Refused(w.Editor.Call(w.Context(), "emendo/prompt/complete", worldtest.Obj{"text": "@"}, nil), rpc.InvalidParams, "")
		w.Refused(w.Editor.Call(w.Context(), "emendo/prompt/complete", worldtest.Obj{"text": "@", "offset": -1}, nil), rpc.InvalidParams, "")
		w.Refused(w.Editor.Call(w.Context(), "emendo/prompt/complete", worldtest.Obj{"sessionId": "none", "text": "@", "offset": 1}, nil), rpc.RequestFailed, "unknown_session")
	})
}
