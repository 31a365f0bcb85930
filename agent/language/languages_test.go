package language_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/agenttest"
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
func withServer(w *agenttest.World, server *langservertest.Server) {
	w.T.Helper()
	withOptions(w, server, func(*state.Options) {})
}

func withOptions(w *agenttest.World, server *langservertest.Server, more func(*state.Options)) {
	w.T.Helper()
	program := filepath.Join(w.State, "words")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		w.T.Fatal(err)
	}
	w.Stop()
	w.Options = func(o *state.Options) {
		pool := langserver.NewPool(langserver.Options{Start: server.Start})
		o.Supplies = func(s *state.Session) []state.Supply { return []state.Supply{language.NewSupply(pool, s, false)} }
		o.LanguageServers = []langserver.Program{langservertest.Program(program)}
		more(o)
	}
	w.Start()
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
			agenttest.InWorld(t, map[string]string{tt.file: "one"}, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				server := &langservertest.Server{}
				withOptions(w, server, func(o *state.Options) {
					if tt.off {
						o.LanguageServers = nil
					}
				})
				w.Trusted = !tt.restricted
				w.Editor.Answers = map[string]json.RawMessage{}
				for _, method := range tt.editor {
					w.Editor.Answers[method] = json.RawMessage("[]")
				}
				if tt.problems {
					w.Editor.Problems = func([]ide.URI) json.RawMessage { return json.RawMessage("[]") }
				}
				w.Prompt(w.Session(""), "look")
				if got := offeredTools(w.LastRequest()); !slices.Equal(got, tt.want) {
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
		agenttest.Done(),
	}
	agenttest.InWorld(t, map[string]string{"a.words": "one", "b.words": "two"}, replies, func(t *testing.T, w *agenttest.World) {
		server := &langservertest.Server{}
		withServer(w, server)
		w.Editor.Open(w.URI("b.words"), "one bad unsaved")
		s := w.Session("")
		w.Prompt(s, "look")
		requests := w.Model.Requests()
		if got, want := agenttest.Results(requests[1])[0].Output, "File: a.words\nL1: one\nFile: b.words\nL1: one bad unsaved"; got != want {
			t.Errorf("references: got %q, want %q", got, want)
		}
		if got, want := agenttest.Results(requests[2])[0].Output, "File: b.words\nL1: error: the word bad (words)"; got != want {
			t.Errorf("problems: got %q, want %q", got, want)
		}
		if now, _ := server.Running(); now != 1 {
			t.Errorf("%d servers run, want one", now)
		}
		if err := w.Agent.Release(t.Context(), s.ID()); err != nil {
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
			replies := []modeltest.Reply{agenttest.Done(), agenttest.Done()}
			if tt.calls {
				replies = append([]modeltest.Reply{{modeltest.Call("document_symbols", `{"file_path":"a.words"}`)}}, replies...)
			}
			agenttest.InWorld(t, map[string]string{"a.words": "one", "b.words": "two"}, replies, func(t *testing.T, w *agenttest.World) {
				server := &langservertest.Server{Fault: tt.fault}
				withServer(w, server)
				if tt.edits {
					w.Editor.Problems = func([]ide.URI) json.RawMessage { return json.RawMessage("[]") }
				}
				w.Editor.Open(w.URI("a.words"), "one bad\nodd unsaved")
				s := w.Session("")
				w.Prompt(s, "look")
				_, before := server.Running()
				began := time.Now()
				if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("again"), Focus: &frontend.Focus{Active: ide.ParseURI(w.URI("a.words"))}}); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > 150*time.Millisecond {
					t.Errorf("the prompt took %v", took)
				}
				want := "Problems in a.words:\n- line 1, error: the word bad (words)\n- line 2, warning: the word odd (words)\n"
				if sent := strings.Contains(agenttest.TextOf(w.LastRequest()), want); sent != tt.sent {
					t.Errorf("problems are sent: %t, want %t, in %s", sent, tt.sent, agenttest.TextOf(w.LastRequest()))
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
	replies := []modeltest.Reply{{modeltest.Call("document_symbols", `{"file_path":"a.words"}`)}, agenttest.Done(), agenttest.Done(), agenttest.Done(), agenttest.Done()}
	agenttest.InWorld(t, map[string]string{"a.words": "one"}, replies, func(t *testing.T, w *agenttest.World) {
		withServer(w, &langservertest.Server{})
		w.Editor.Open(w.URI("a.words"), "bad")
		s := w.Session("")
		prompt := func() string {
			t.Helper()
			before := len(agenttest.TextOf(w.LastRequest()))
			if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("look"), Focus: &frontend.Focus{Active: ide.ParseURI(w.URI("a.words"))}}); err != nil {
				t.Fatal(err)
			}
			return agenttest.TextOf(w.LastRequest())[before:]
		}
		w.Prompt(s, "start the server")
		if sent := prompt(); !strings.Contains(sent, "the word bad") {
			t.Errorf("at first the model got %s", sent)
		}
		if sent := prompt(); strings.Contains(sent, "roblems") {
			t.Errorf("for unchanged problems the model got %s", sent)
		}
		w.Editor.Type(w.URI("a.words"), 0, 3, "good")
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
	replies := []modeltest.Reply{{modeltest.Call("rename_symbol", `{"file_path":"0.words","line":1,"symbol":"one","new_name":"first"}`)}, agenttest.Done()}
	agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
		withServer(w, &langservertest.Server{})
		w.Editor.Open(w.URI("3.words"), "one unsaved\n")
		s := w.Session(policy.AutoEdit)
		w.Prompt(s, "rename")
		sets := w.Ledger.List(s.ID(), "", "")
		if len(sets) != 1 || len(sets[0].Files) != 10 {
			t.Fatalf("got %d change sets, want one of ten files", len(sets))
		}
		for i := range 10 {
			name := fmt.Sprintf("%d.words", i)
			want := strings.Replace(files[name], "one", "first", 1)
			got := w.ReadFile(name)
			if i == 3 {
				want, got = "first unsaved\n", w.Editor.Text(w.URI(name))
			}
			if got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	})
}
