package agent_test

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
	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
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

// world is a workspace with an editor, a scripted model and a client.
type world struct {
	t         *testing.T
	dir       string
	state     string
	model     *modeltest.Script
	editor    *idetest.Editor
	workspace *ide.Workspace
	ledger    *ledger.Ledger
	spawn     *sandboxtest.Spawner
	agent     *agent.Agent
	trusted   bool
	abilities frontend.Abilities
	answer    func(context.Context, frontend.Question) (frontend.Answer, error)
	options   func(*state.Options)
	wait      settings.EditsWait
	ids       int

	mu        sync.Mutex
	updates   []transcript.Update
	events    []string // what Happened was told, as JSON
	questions []frontend.Question
}

// inWorld runs f in a bubble, with files in a workspace and the model's replies.
func inWorld(t *testing.T, files map[string]string, replies []modeltest.Reply, f func(t *testing.T, w *world)) {
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
		w := &world{t: t, dir: dir, state: state, model: &modeltest.Script{Replies: replies}, trusted: true, abilities: frontend.Abilities{Reviews: true, Asks: true}}
		w.start()
		f(t, w)
		w.stop()
		if n := w.spawn.Running(); n != 0 {
			t.Errorf("%d commands are still running", n)
		}
	})
}

// start creates an agent, like a new process.
func (w *world) start() {
	w.t.Helper()
	tree, err := disk.NewTree([]string{w.dir})
	if err != nil {
		w.t.Fatal(err)
	}
	w.workspace = ide.NewWorkspace(tree, ide.UTF16)
	w.editor = idetest.New(w.workspace)
	w.ledger = ledger.New(ledger.Options{Workspace: w.workspace, Editor: w.editor, NewID: w.newID})
	w.spawn = &sandboxtest.Spawner{}
	set := settings.Defaults()
	set.Edits.Wait = cmp.Or(w.wait, settings.WaitAlways) // most tests decide while the call waits
	set.Edits.Verify, set.General.Plan.ModelRouting, set.Model.Fallback = false, false, settings.FallbackNever
	set.Context.FileFiltering, set.Tools.Shell.Ask, set.Model.MaxSessionTurns = settings.FileFiltering{}, string(policy.AskOutside), 100
	o := state.Options{
		Client: w, Workspace: w.workspace, Ledger: w.ledger, Editor: w.editor, Store: transcript.NewStore(filepath.Join(w.state, "sessions")),
		Choices: state.Choices{
			Model:     "test-model",
			Settings:  &set,
			Generator: func(name string) (model.Generator, string, error) { return w.model, name, nil },
			Tools:     []tools.Tool{tools.NewReadFile(), tools.NewListDirectory(), tools.NewGlob(), tools.NewGrepSearch(), tools.NewReplace(), tools.NewWriteFile(), patch.New(), shell.New(shell.Options{Spawner: w.spawn})},
		},
		Trusted: func(string) bool { return w.trusted },
		NewID:   w.newID, OutputDir: filepath.Join(w.state, "output"),
		Checkpoints: checkpoint.NewStore(filepath.Join(w.state, "checkpoints"), checkpoint.Git{}),
	}
	if w.options != nil {
		w.options(&o)
	}
	w.agent = agent.New(o)
}

func (w *world) stop() {
	w.agent.Close()
	w.editor.Wait()
	if err := w.workspace.Snapshot().Tree().Close(); err != nil {
		w.t.Error(err)
	}
}

func (w *world) newID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids++
	return fmt.Sprintf("id-%d", w.ids)
}

func (w *world) Show(_ context.Context, u transcript.Update) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.updates = append(w.updates, u)
	return nil
}

func (w *world) Happened(_ string, e frontend.Event) {
	data, err := json.Marshal(e)
	if err != nil {
		w.t.Error(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e.Kind()+" "+string(data))
}

func (w *world) Ask(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	w.mu.Lock()
	w.questions = append(w.questions, q)
	answer := w.answer
	w.mu.Unlock()
	for _, o := range q.Options {
		if o.Kind == frontend.AllowAlways && !strings.Contains(o.Name, "session") && !strings.Contains(o.Name, "project") {
			w.t.Errorf("the option %q does not name its scope", o.Name)
		}
	}
	if answer == nil {
		return frontend.Answer{OptionID: "allow_once"}, nil
	}
	return answer(ctx, q)
}

func (w *world) Abilities() frontend.Abilities { return w.abilities }

// session creates a session in the workspace.
func (w *world) session(mode policy.Mode) *agent.Session {
	w.t.Helper()
	s, err := w.agent.Create(w.t.Context(), agent.NewSession{Cwd: w.dir, Mode: mode})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func say(text string) []transcript.Block {
	return []transcript.Block{{Type: transcript.TextBlock, Text: text}}
}

// prompt runs a turn to its end.
func (w *world) prompt(s *agent.Session, text string) state.Ended {
	w.t.Helper()
	end, err := s.Prompt(w.t.Context(), state.Prompt{Blocks: say(text)})
	if err != nil {
		w.t.Fatalf("prompt %q: %v", text, err)
	}
	return end
}

// begin starts a turn and returns a function that waits for its end.
func (w *world) begin(s *agent.Session, text string) func() (state.Ended, error) {
	type outcome struct {
		end state.Ended
		err error
	}
	c := make(chan outcome, 1)
	go func() {
		end, err := s.Prompt(context.Background(), state.Prompt{Blocks: say(text)})
		c <- outcome{end, err}
	}()
	synctest.Wait()
	return func() (state.Ended, error) { o := <-c; return o.end, o.err }
}

// shown returns the text that a client shows, without retracted messages.
func (w *world) shown() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var order []string
	texts := map[string]string{}
	for _, u := range w.updates {
		switch e := u.Event.(type) {
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

// states returns the states of every call in the order of the updates.
func (w *world) states() map[string][]transcript.CallState {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := map[string][]transcript.CallState{}
	names := map[string]string{}
	for _, u := range w.updates {
		switch e := u.Event.(type) {
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

// last returns the last request to the model.
func (w *world) last() model.Request {
	w.t.Helper()
	l := w.model.Requests()
	if len(l) == 0 {
		w.t.Fatal("the model got no request")
	}
	return l[len(l)-1]
}

// results returns the results of calls in the last message of a request.
func results(r model.Request) []model.Result {
	var l []model.Result
	for _, p := range r.Messages[len(r.Messages)-1].Parts {
		if x, ok := p.(model.Result); ok {
			l = append(l, x)
		}
	}
	return l
}

// all returns the text of a request.
func all(r model.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case model.Text:
				b.WriteString(p.Text + "\n")
			case model.Result:
				b.WriteString(p.Output + "\n")
			}
		}
	}
	return b.String()
}

func (w *world) uri(name string) string { return string(ide.FileURI(filepath.Join(w.dir, name))) }

func (w *world) file(name string) string {
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		return "!" + err.Error()
	}
	return string(b)
}

func (w *world) checkNumbers() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	next := map[string]int64{}
	for _, u := range w.updates {
		if u.Replay {
			continue
		}
		if n := next[u.SessionID]; n != 0 && u.Seq != n {
			w.t.Errorf("update %d of session %s, want %d", u.Seq, u.SessionID, n)
		}
		next[u.SessionID] = u.Seq + 1
	}
}

var errNobody = errors.New("nobody answers")

type rangeOf = ide.Range
