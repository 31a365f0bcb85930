// Command openrequesttest sends the prompt "hi" in a new session. While the model's server
// has the request of the turn, it writes the stack of the request into a folder, its first
// argument. With the second argument "packages" it also writes which blocks of code ran
// since the prompt; then it is built with -cover. Its test does the rest in its own process.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/coverage"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/transport"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/patch"
	"github.com/emendo-dev/emendo/tools/shell"
)

func main() {
	if err := run(os.Args[1], len(os.Args) > 2 && os.Args[2] == "packages"); err != nil {
		slog.Error("run the turn", "err", err)
		os.Exit(1)
	}
}

// run runs the turn. What it measures is in out when it returns: the stack and, if counted,
// the blocks of code that ran.
func run(out string, counted bool) error {
	dir := filepath.Join(out, "work")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		return err
	}
	server := &server{out: out, counted: counted}
	google, err := gemini.New(gemini.Options{APIKey: "key", Way: transport.Options{HTTP: server}})
	if err != nil {
		return err
	}
	workspace := ide.NewWorkspace(tree, ide.UTF16)
	editor := idetest.New(workspace)
	a := agent.New(state.Options{
		Client: client{}, Workspace: workspace, Editor: editor, Store: transcript.NewStore(filepath.Join(out, "sessions")),
		Ledger: ledger.New(ledger.Options{Workspace: workspace, Editor: editor, NewID: transcript.RandomID}),
		Choices: state.Choices{
			Model: "gemini-2.5-pro",
			Generator: func(name string) (model.Generator, string, error) {
				return model.Issued(google, "gemini", ""), name, nil
			},
			Tools: []tools.Tool{tools.ReadFile, tools.ListDirectory, tools.Glob, tools.GrepSearch, tools.Replace, tools.WriteFile, patch.Tool, shell.New(shell.Options{Spawner: &sandboxtest.Spawner{}})},
		},
		Trusted:   func(string) bool { return true },
		OutputDir: filepath.Join(out, "outputs"), Checkpoints: rewind.NewStore(filepath.Join(out, "checkpoints"), rewind.Git{}),
	})
	defer a.Close()
	s, err := a.Create(context.Background(), agent.NewSession{Cwd: dir})
	if err != nil {
		return err
	}
	if counted {
		if err := coverage.ClearCounters(); err != nil {
			return err
		}
	}
	_, err = s.Prompt(context.Background(), state.Prompt{Blocks: []transcript.Block{{Type: transcript.TextBlock, Text: "hi"}}})
	if server.err != nil {
		return server.err
	}
	if !server.asked {
		return fmt.Errorf("no request was made: %w", err)
	}
	return nil
}

// client is a user's editor that shows nothing.
type client struct{}

func (client) Show(context.Context, transcript.Update) error { return nil }

func (client) Ask(context.Context, frontend.Question) (frontend.Answer, error) {
	return frontend.Answer{Cancelled: true}, nil
}

func (client) Abilities() frontend.Abilities { return frontend.Abilities{Reviews: true, Asks: true} }

// server takes the request, on the goroutine that makes it, and refuses it.
type server struct {
	out     string
	counted bool // the program has counters
	asked   bool
	err     error // of the measurement
}

// RoundTrip implements [http.RoundTripper].
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.asked {
		s.asked, s.err = true, s.measure()
	}
	return &http.Response{StatusCode: http.StatusBadRequest, Body: http.NoBody, Request: r, Header: http.Header{}}, nil
}

func (s *server) measure() error {
	if s.counted {
		if err := errors.Join(coverage.WriteMetaDir(s.out), coverage.WriteCountersDir(s.out)); err != nil {
			return err
		}
	}
	stack := make([]byte, 1<<20)
	return os.WriteFile(filepath.Join(s.out, "stack"), stack[:runtime.Stack(stack, false)], 0o600)
}
