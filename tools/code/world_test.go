package code

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
	"github.com/emendo-dev/emendo/tools"
)

// world is a folder with a fake language server as the only source.
type world struct {
	*testing.T
	dir     string
	ide     *ide.Workspace
	program langserver.Program
	lease   *langserver.Lease
	pending map[string]string // by path: the session's view of files with pending edits
}

func newWorld(t *testing.T, fault langservertest.Fault, files map[string]string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "words")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	server := &langservertest.Server{Fault: fault}
	lease := langserver.NewPool(langserver.Options{Start: server.Start}).Lease([]string{dir})
	t.Cleanup(func() {
		lease.Close()
		tree.Close()
	})
	return &world{T: t, dir: dir, ide: ide.NewWorkspace(tree, ide.UTF16), program: langservertest.Program(program), lease: lease, pending: map[string]string{}}
}

// open opens a document with unsaved text.
func (w *world) open(name, text string) {
	w.ide.Open(string(ide.FileURI(filepath.Join(w.dir, name))), "words", 1, text)
}

func (w *world) Answers(string) bool { return true }

func (w *world) OfEditor(*ide.Snapshot, string, string) bool { return false }

func (w *world) Ask(ctx context.Context, s *ide.Snapshot, about Subject, _ string, f func(context.Context, Server) error) error {
	if !w.program.Serves(about.Path) {
		return ErrNoServer
	}
	return w.lease.Converse(ctx, w.program, langserver.View{Snapshot: s}, []string{about.Path}, func(ctx context.Context, c *langserver.Conversation) error { return f(ctx, c) })
}

func (w *world) AskAll(ctx context.Context, s *ide.Snapshot, method string, f func(context.Context, Server) error) error {
	return w.Ask(ctx, s, Subject{Path: filepath.Join(w.dir, "a.words")}, method, f)
}

func (w *world) Diagnostics(ctx context.Context, s *ide.Snapshot, path string) (all []Problems, err error) {
	err = w.lease.Converse(ctx, w.program, langserver.View{Snapshot: s}, []string{path}, func(ctx context.Context, c *langserver.Conversation) error {
		found, err := c.Diagnostics(ctx, path)
		all = []Problems{{path, found}}
		return err
	})
	return all, err
}

func (w *world) env() tools.Env {
	s := w.ide.Snapshot()
	return tools.Env{Snapshot: s, Dir: w.dir, View: func(ctx context.Context, name string) (ide.File, error) {
		f, err := s.Read(ctx, name)
		if text, ok := w.pending[name]; ok {
			f.Text = ide.NewText(text)
		}
		return f, err
	}}
}

// call prepares and runs a call and returns what the model reads.
func (w *world) call(tool, args string) string {
	w.Helper()
	for _, t := range Offered(w) {
		if t.Spec().Name != tool {
			continue
		}
		a, err := t.Prepare(w.Context(), w.env(), json.RawMessage(args))
		var r tools.Result
		var e *tools.Error
		switch {
		case errors.As(err, &e):
			r.Err = e
		case err != nil:
			w.Fatal(err)
		default:
			if edits, ok := a.Effect.(tools.Edits); ok {
				r.Output = a.Title + "\n"
				for _, f := range edits.Files {
					r.Output += filepath.Base(f.Path) + ": " + f.New + "\n"
				}
			} else {
				r = a.Run(w.Context(), nil)
			}
		}
		if r.Err != nil {
			r.Output = string(r.Err.Type) + ": " + r.Err.Message
		}
		return strings.ReplaceAll(r.Output, w.dir, "DIR")
	}
	w.Fatalf("no tool %s", tool)
	return ""
}
