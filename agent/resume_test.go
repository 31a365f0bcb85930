package agent_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/geminichat"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// soon limits the time to resume a session of 10,000 messages.
const soon = 2 * time.Second

// BenchmarkResume fails if resuming takes longer than soon.
func BenchmarkResume(b *testing.B) {
	sessions := longSession(b, 10_000)
	for b.Loop() {
		if took := resume(b, sessions); took > soon {
			b.Errorf("it took %s", took)
		}
	}
}

// longSession stores a session with that many messages of 200 bytes.
func longSession(t testing.TB, messages int) (dir string) {
	c := geminichat.Chat{SessionID: "long", StartTime: time.Now()}
	text := fmt.Sprintf("%200d", 0)
	for i := range messages {
		kind := []string{"user", "gemini"}[i%2]
		c.Messages = append(c.Messages, geminichat.Message{ID: fmt.Sprint(i), Type: kind, Content: geminichat.Content{{Text: text}}})
	}
	dir = t.TempDir()
	cwd, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := transcript.NewStore(dir).Import(c, transcript.Import{Cwd: cwd, Model: "test-model", Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// resume opens the session in a new agent, shows its history, runs a turn, and returns
// the time that this took.
func resume(t testing.TB, sessions string) time.Duration {
	tree, err := disk.NewTree([]string{t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	workspace := ide.NewWorkspace(tree, ide.UTF16)
	defer func() {
		if err := workspace.Snapshot().Tree().Close(); err != nil {
			t.Error(err)
		}
	}()
	script := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say("yes")}}}
	a := agent.New(state.Options{
		Checkpoints: rewind.NewStore(filepath.Join(t.TempDir(), "checkpoints"), rewind.Git{}),
		Client:      nobody{}, Workspace: workspace, Ledger: ledger.New(ledger.Options{Workspace: workspace}), Store: transcript.NewStore(sessions),
		Choices: state.Choices{Generator: func(name string) (model.Generator, string, error) { return script, name, nil }},
	})
	defer a.Close()
	begun := time.Now()
	s, err := a.Session(t.Context(), "long")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("go on")}); err != nil {
		t.Fatal(err)
	}
	return time.Since(begun)
}

// nobody is a client that ignores everything.
type nobody struct{}

func (nobody) Show(context.Context, transcript.Update) error { return nil }

func (nobody) Ask(context.Context, frontend.Question) (frontend.Answer, error) {
	return frontend.Answer{}, nil
}

func (nobody) Abilities() frontend.Abilities { return frontend.Abilities{} }
