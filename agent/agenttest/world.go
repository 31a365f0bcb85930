// Package agenttest has what the tests of sessions and turns share: a workspace with an
// editor, a scripted model and a client.
package agenttest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/patch"
	"github.com/emendo-dev/emendo/tools/shell"
)

// World is a workspace with an editor, a scripted model and a client.
type World struct {
	T         *testing.T
	Dir       string // the workspace's folder
	State     string // where emendo keeps its state
	Model     *modeltest.Script
	Editor    *idetest.Editor
	Workspace *ide.Workspace
	Ledger    *ledger.Ledger
	Spawn     *sandboxtest.Spawner
	Agent     *agent.Agent
	Trusted   bool
	Can       frontend.Abilities
	Answer    func(context.Context, frontend.Question) (frontend.Answer, error) // see Ask
	Options   func(*state.Options)                                              // changes those of the next agent; may be nil
	Wait      settings.EditsWait                                                // empty: calls wait for the decision on their edits
	IDs       int                                                               // used so far

	mu        sync.Mutex
	Updates   []transcript.Update // that the client was shown
	events    []string            // what Happened was told, as JSON
	Questions []frontend.Question // that it was asked
}

// InWorld runs f in a bubble, with files in a workspace and the model's replies.
func InWorld(t *testing.T, files map[string]string, replies []modeltest.Reply, f func(t *testing.T, w *World)) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	state := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := &World{T: t, Dir: dir, State: state, Model: &modeltest.Script{Replies: replies}, Trusted: true, Can: frontend.Abilities{Reviews: true, Asks: true}}
		w.Start()
		f(t, w)
		w.Stop()
		if n := w.Spawn.Running(); n != 0 {
			t.Errorf("%d commands are still running", n)
		}
	})
}

// Start creates an agent, like a new process.
func (w *World) Start() {
	w.T.Helper()
	tree, err := disk.NewTree([]string{w.Dir})
	if err != nil {
		w.T.Fatal(err)
	}
	w.Workspace = ide.NewWorkspace(tree, ide.UTF16)
	w.Editor = idetest.New(w.Workspace)
	w.Ledger = ledger.New(ledger.Options{Workspace: w.Workspace, Editor: w.Editor, NewID: w.NewID})
	w.Spawn = &sandboxtest.Spawner{}
	set := settings.Defaults()
	set.Edits.Wait = cmp.Or(w.Wait, settings.WaitAlways) // most tests decide while the call waits
	set.Edits.Verify, set.General.Plan.ModelRouting, set.Model.Fallback = false, false, settings.FallbackNever
	set.Context.FileFiltering, set.Tools.Shell.Ask, set.Model.MaxSessionTurns = settings.FileFiltering{}, string(policy.AskOutside), 100
	o := state.Options{
		Client: w, Workspace: w.Workspace, Ledger: w.Ledger, Editor: w.Editor, Store: transcript.NewStore(filepath.Join(w.State, "sessions")),
		Choices: state.Choices{
			Model:     "test-model",
			Settings:  &set,
			Generator: func(name string) (model.Generator, string, error) { return w.Model, name, nil },
			Tools:     []tools.Tool{tools.ReadFile, tools.ListDirectory, tools.Glob, tools.GrepSearch, tools.Replace, tools.WriteFile, patch.Tool, shell.New(shell.Options{Spawner: w.Spawn})},
		},
		Trusted: func(string) bool { return w.Trusted },
		NewID:   w.NewID, OutputDir: filepath.Join(w.State, "output"),
		Checkpoints: rewind.NewStore(filepath.Join(w.State, "checkpoints"), rewind.Git{}),
	}
	if w.Options != nil {
		w.Options(&o)
	}
	w.Agent = agent.New(o)
}

// Stop ends the agent, like the end of a process.
func (w *World) Stop() {
	w.Agent.Close()
	w.Editor.Wait()
	if err := w.Workspace.Snapshot().Tree().Close(); err != nil {
		w.T.Error(err)
	}
}

// NewID returns the next ID: id-1, id-2, ...
func (w *World) NewID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.IDs++
	return fmt.Sprintf("id-%d", w.IDs)
}

// Show implements [frontend.Client].
func (w *World) Show(_ context.Context, u transcript.Update) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Updates = append(w.Updates, u)
	return nil
}

// Happened implements [frontend.Follower].
func (w *World) Happened(_ string, e frontend.Event) {
	data, err := json.Marshal(e)
	if err != nil {
		w.T.Error(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e.Kind()+" "+string(data))
}

// Ask implements [frontend.Client] with Answer; without one everything is allowed once.
func (w *World) Ask(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	w.mu.Lock()
	w.Questions = append(w.Questions, q)
	answer := w.Answer
	w.mu.Unlock()
	for _, o := range q.Options {
		if o.Kind == frontend.AllowAlways && !strings.Contains(o.Name, "session") && !strings.Contains(o.Name, "project") {
			w.T.Errorf("the option %q does not name its scope", o.Name)
		}
	}
	if answer == nil {
		return frontend.Answer{OptionID: "allow_once"}, nil
	}
	return answer(ctx, q)
}

// Abilities implements [frontend.Client].
func (w *World) Abilities() frontend.Abilities { return w.Can }

// Session creates a session in the workspace.
func (w *World) Session(mode policy.Mode) *agent.Session {
	w.T.Helper()
	s, err := w.Agent.Create(w.T.Context(), agent.NewSession{Cwd: w.Dir, Mode: mode})
	if err != nil {
		w.T.Fatal(err)
	}
	return s
}

// Say returns a prompt of one text.
func Say(text string) []transcript.Block {
	return []transcript.Block{{Type: transcript.TextBlock, Text: text}}
}

// Prompt runs a turn to its end.
func (w *World) Prompt(s *agent.Session, text string) state.Ended {
	w.T.Helper()
	end, err := s.Prompt(w.T.Context(), state.Prompt{Blocks: Say(text)})
	if err != nil {
		w.T.Fatalf("prompt %q: %v", text, err)
	}
	return end
}

// Begin starts a turn and returns a function that waits for its end.
func (w *World) Begin(s *agent.Session, text string) func() (state.Ended, error) {
	type outcome struct {
		end state.Ended
		err error
	}
	c := make(chan outcome, 1)
	go func() {
		end, err := s.Prompt(context.Background(), state.Prompt{Blocks: Say(text)})
		c <- outcome{end, err}
	}()
	synctest.Wait()
	return func() (state.Ended, error) { o := <-c; return o.end, o.err }
}

// Shown returns the text that a client shows, without retracted messages.
func (w *World) Shown() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var order []string
	texts := map[string]string{}
	for _, u := range w.Updates {
		switch e := u.Event.(type) { //nolint:gochecksumtype // the others have no text
		case transcript.Text:
			if _, ok := texts[e.MessageID]; !ok {
				order = append(order, e.MessageID)
			}
			texts[e.MessageID] += e.Text
		case transcript.Retract:
			texts[e.MessageID] = ""
		}
	}
	var b strings.Builder
	for _, id := range order {
		b.WriteString(texts[id])
	}
	return b.String()
}

// States returns the states of every call in the order of the updates.
func (w *World) States() map[string][]transcript.CallState {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := map[string][]transcript.CallState{}
	names := map[string]string{}
	for _, u := range w.Updates {
		switch e := u.Event.(type) { //nolint:gochecksumtype // the others are of no call
		case transcript.ToolCall:
			names[e.CallID] = e.Name
			m[e.Name] = append(m[e.Name], transcript.Validating)
		case transcript.ToolUpdate:
			n := names[e.CallID]
			if l := m[n]; len(l) == 0 || l[len(l)-1] != e.State {
				m[n] = append(m[n], e.State)
			}
		}
	}
	return m
}

// LastRequest returns the last request to the model.
func (w *World) LastRequest() model.Request {
	w.T.Helper()
	l := w.Model.Requests()
	if len(l) == 0 {
		w.T.Fatal("the model got no request")
	}
	return l[len(l)-1]
}

// Results returns the results of calls in the last message of a request.
func Results(r model.Request) []model.Result {
	var l []model.Result
	for _, p := range r.Messages[len(r.Messages)-1].Parts {
		if x, ok := p.(model.Result); ok {
			l = append(l, x)
		}
	}
	return l
}

// TextOf returns the text of a request.
func TextOf(r model.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) { //nolint:gochecksumtype // the others have no text
			case model.Text:
				b.WriteString(p.Text + "\n")
			case model.Result:
				b.WriteString(p.Output + "\n")
			}
		}
	}
	return b.String()
}

// URI returns the URI of a file of the workspace.
func (w *World) URI(name string) string { return string(ide.FileURI(filepath.Join(w.Dir, name))) }

// ReadFile returns the text of a file on disk, or "!" and the error.
func (w *World) ReadFile(name string) string {
	b, err := os.ReadFile(filepath.Join(w.Dir, name))
	if err != nil {
		return "!" + err.Error()
	}
	return string(b)
}

// CheckNumbers checks that the updates are numbered without gaps.
func (w *World) CheckNumbers() {
	w.T.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	next := map[string]int64{}
	for _, u := range w.Updates {
		if u.Replay {
			continue
		}
		if n := next[u.SessionID]; n != 0 && u.Seq != n {
			w.T.Errorf("update %d of session %s, want %d", u.Seq, u.SessionID, n)
		}
		next[u.SessionID] = u.Seq + 1
	}
}

// ErrNobody is the error of a client that cannot ask.
var ErrNobody = errors.New("nobody answers")
