package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/language"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// withServer restarts the agent with a fake language server, which is installed.
func (w *world) withServer(server *langservertest.Server) {
	w.t.Helper()
	w.withOptions(server, func(*state.Options) {})
}

func (w *world) withOptions(server *langservertest.Server, more func(*state.Options)) {
	w.t.Helper()
	program := filepath.Join(w.state, "words")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.stop()
	w.options = func(o *state.Options) {
		pool := langserver.NewPool(langserver.Options{Start: server.Start})
		o.Supplies = func(s *state.Session) []state.Supply { return []state.Supply{language.NewSupply(pool, s, false)} }
		o.LanguageServers = []langserver.Program{langservertest.Program(program)}
		more(o)
	}
	w.start()
}

// offeredTools returns the names of the tools of a request that ask language servers.
func offeredTools(r model.Request) []string {
	var l []string
	for _, t := range r.Tools {
		if slices.Contains([]string{"get_diagnostics", "find_references", "go_to_definition", "hover", "document_symbols", "workspace_symbols", "rename_symbol"}, t.Name) {
			l = append(l, t.Name)
		}
	}
	return l
}

var allOfThem = []string{"get_diagnostics", "find_references", "go_to_definition", "hover", "document_symbols", "workspace_symbols", "rename_symbol"}

// Language server tools are offered if a server is installed and may start, or if the
// editor answers.
func TestToolsOfLanguageServersAreOfferedWhereTheyWork(t *testing.T) {
	for _, tt := range []struct {
		name       string
		file       string
		restricted bool
		off        bool
		editor     []string // methods that it answers
		problems   bool     // the editor reports problems
		want       []string
	}{
		{name: "a server is installed", file: "a.words", want: allOfThem},
		{name: "nothing in the workspace is for it", file: "a.txt"},
		{name: "switched off", file: "a.words", off: true},
		{name: "restricted", file: "a.words", restricted: true},
		{name: "the editor answers some", file: "a.txt", editor: []string{"textDocument/references"}, problems: true, want: []string{"get_diagnostics", "find_references"}},
		{name: "restricted, and the editor answers", file: "a.words", restricted: true, editor: []string{"textDocument/references"}, problems: true, want: []string{"get_diagnostics"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, map[string]string{tt.file: "one"}, []modeltest.Reply{done()}, func(t *testing.T, w *world) {
				server := &langservertest.Server{}
				w.withOptions(server, func(o *state.Options) {
					if tt.off {
						o.LanguageServers = nil
					}
				})
				w.trusted = !tt.restricted
				w.editor.Answers = map[string]json.RawMessage{}
				for _, method := range tt.editor {
					w.editor.Answers[method] = json.RawMessage("[]")
				}
				if tt.problems {
					w.editor.Problems = func([]ide.URI) json.RawMessage { return json.RawMessage("[]") }
				}
				w.prompt(w.session(""), "look")
				if got := offeredTools(w.last()); !slices.Equal(got, tt.want) {
					t.Errorf("offered %q, want %q", got, tt.want)
				}
				if _, ever := server.Running(); ever != 0 {
					t.Errorf("%d servers were started before a tool needed one", ever)
				}
			})
		})
	}
}

// Tools see unsaved text, and servers end with their session.
func TestServersSeeUnsavedTextAndEndWithTheSession(t *testing.T) {
	replies := []modeltest.Reply{
		{modeltest.Call("find_references", `{"file_path":"a.words","line":1,"symbol":"one"}`)},
		{modeltest.Call("get_diagnostics", `{}`)},
		done(),
	}
	inWorld(t, map[string]string{"a.words": "one", "b.words": "two"}, replies, func(t *testing.T, w *world) {
		server := &langservertest.Server{}
		w.withServer(server)
		w.editor.Open(w.uri("b.words"), "one bad unsaved")
		s := w.session("")
		w.prompt(s, "look")
		requests := w.model.Requests()
		if got, want := results(requests[1])[0].Output, "File: a.words\nL1: one\nFile: b.words\nL1: one bad unsaved"; got != want {
			t.Errorf("references: got %q, want %q", got, want)
		}
		if got, want := results(requests[2])[0].Output, "File: b.words\nL1: error: the word bad (words)"; got != want {
			t.Errorf("problems: got %q, want %q", got, want)
		}
		if now, _ := server.Running(); now != 1 {
			t.Errorf("%d servers run, want one", now)
		}
		if err := w.agent.Release(t.Context(), s.ID()); err != nil {
			t.Fatal(err)
		}
		if now, _ := server.Running(); now != 0 {
			t.Errorf("%d servers outlive the session", now)
		}
	})
}

// A prompt has the problems of open files from emendo's own running servers if the
// editor reports none. It starts no server, and barely waits.
func TestPromptsHaveProblemsFromOwnServers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault langservertest.Fault
		calls bool // a tool has started the server before
		edits bool // the editor reports that there are no problems
		sent  bool
	}{
		{name: "a server runs", calls: true, sent: true},
		{name: "no server runs"},
		{name: "the editor reports problems", calls: true, edits: true},
		{name: "the server does not answer", calls: true, fault: langservertest.Deaf},
		{name: "the server crashes", calls: true, fault: langservertest.Crash},
		{name: "the server answers nonsense", calls: true, fault: langservertest.Odd},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replies := []modeltest.Reply{done(), done()}
			if tt.calls {
				replies = append([]modeltest.Reply{{modeltest.Call("document_symbols", `{"file_path":"a.words"}`)}}, replies...)
			}
			inWorld(t, map[string]string{"a.words": "one", "b.words": "two"}, replies, func(t *testing.T, w *world) {
				server := &langservertest.Server{Fault: tt.fault}
				w.withServer(server)
				if tt.edits {
					w.editor.Problems = func([]ide.URI) json.RawMessage { return json.RawMessage("[]") }
				}
				w.editor.Open(w.uri("a.words"), "one bad\nodd unsaved")
				s := w.session("")
				w.prompt(s, "look")
				_, before := server.Running()
				began := time.Now()
				if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: say("again"), Focus: &frontend.Focus{Active: ide.ParseURI(w.uri("a.words"))}}); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > 150*time.Millisecond {
					t.Errorf("the prompt took %v", took)
				}
				want := "Problems in a.words:\n- line 1, error: the word bad (words)\n- line 2, warning: the word odd (words)\n"
				if sent := strings.Contains(all(w.last()), want); sent != tt.sent {
					t.Errorf("problems are sent: %t, want %t, in %s", sent, tt.sent, all(w.last()))
				}
				if _, after := server.Running(); after != before {
					t.Errorf("%d servers were started for the prompt", after-before)
				}
			})
		})
	}
}

// Unknown problems of an open file stay as they were; fixed ones are reported as gone.
func TestProblemsOfOwnServersAreUpdated(t *testing.T) {
	replies := []modeltest.Reply{{modeltest.Call("document_symbols", `{"file_path":"a.words"}`)}, done(), done(), done(), done()}
	inWorld(t, map[string]string{"a.words": "one"}, replies, func(t *testing.T, w *world) {
		w.withServer(&langservertest.Server{})
		w.editor.Open(w.uri("a.words"), "bad")
		s := w.session("")
		prompt := func() string {
			t.Helper()
			before := len(all(w.last()))
			if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: say("look"), Focus: &frontend.Focus{Active: ide.ParseURI(w.uri("a.words"))}}); err != nil {
				t.Fatal(err)
			}
			return all(w.last())[before:]
		}
		w.prompt(s, "start the server")
		if sent := prompt(); !strings.Contains(sent, "the word bad") {
			t.Errorf("at first the model got %s", sent)
		}
		if sent := prompt(); strings.Contains(sent, "roblems") {
			t.Errorf("for unchanged problems the model got %s", sent)
		}
		w.editor.Type(w.uri("a.words"), 0, 3, "good")
		if sent := prompt(); !strings.Contains(sent, "No problems are shown in a.words any more.") {
			t.Errorf("for a corrected file the model got %s", sent)
		}
	})
}

// A rename is one change set over all files, open and closed, that the user decides on
// as a whole.
func TestRenameIsOneChangeSet(t *testing.T) {
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("%d.words", i)] = fmt.Sprintf("one %d\n", i)
	}
	replies := []modeltest.Reply{{modeltest.Call("rename_symbol", `{"file_path":"0.words","line":1,"symbol":"one","new_name":"first"}`)}, done()}
	inWorld(t, files, replies, func(t *testing.T, w *world) {
		w.withServer(&langservertest.Server{})
		w.editor.Open(w.uri("3.words"), "one unsaved\n")
		s := w.session(policy.AutoEdit)
		w.prompt(s, "rename")
		sets := w.ledger.List(s.ID(), "", "")
		if len(sets) != 1 || len(sets[0].Files) != 10 {
			t.Fatalf("got %d change sets, want one of ten files", len(sets))
		}
		for i := range 10 {
			name := fmt.Sprintf("%d.words", i)
			want := strings.Replace(files[name], "one", "first", 1)
			got := w.file(name)
			if i == 3 {
				want, got = "first unsaved\n", w.editor.Text(w.uri(name))
			}
			if got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	})
}
