package langserver_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// world is a folder with files, a fake server and a lease on it.
type world struct {
	*testing.T
	dir     string
	ide     *ide.Workspace
	server  *langservertest.Server
	program langserver.Program
	pool    *langserver.Pool
	lease   *langserver.Lease
}

func newWorld(t *testing.T, fault langservertest.Fault, files map[string]string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "words")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: dir, server: &langservertest.Server{Fault: fault, Go: make(chan struct{})}, program: langservertest.Program(program)}
	for name, text := range files {
		w.write(name, text)
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	w.ide = ide.NewWorkspace(tree, ide.UTF16)
	w.pool = langserver.NewPool(langserver.Options{Start: w.server.Start})
	w.lease = w.pool.Lease([]string{dir})
	t.Cleanup(func() {
		w.lease.Close()
		w.pool.Close()
		if now, _ := w.server.Running(); now != 0 {
			t.Errorf("%d processes are still running", now)
		}
		tree.Close()
	})
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) write(name, text string) {
	w.Helper()
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// problems returns the messages of the problems in files, in the texts of a view.
func (w *world) problems(ctx context.Context, texts map[string]string, names ...string) ([]string, error) {
	var paths, found []string
	for _, n := range names {
		paths = append(paths, w.path(n))
	}
	err := w.lease.Converse(ctx, w.program, langserver.View{Snapshot: w.ide.Snapshot(), Texts: texts}, paths, func(ctx context.Context, c *langserver.Conversation) error {
		for _, p := range paths {
			l, err := c.Diagnostics(ctx, p)
			if err != nil {
				return err
			}
			for _, d := range l {
				found = append(found, d.Message)
			}
		}
		return nil
	})
	return found, err
}

func TestProblemsMatchTheText(t *testing.T) {
	for _, fault := range []langservertest.Fault{langservertest.None, langservertest.Pushing} {
		w := newWorld(t, fault, map[string]string{"a.words": "bad1", "b.words": "bad2"})
		open := string(ide.FileURI(w.path("b.words")))
		w.ide.Open(open, "words", 1, "bad3 unsaved")
		for _, tt := range []struct {
			name  string
			texts map[string]string
			want  []string
		}{
			{"on disk and unsaved", nil, []string{"the word bad1", "the word bad3"}},
			{"proposed", map[string]string{w.path("a.words"): "fine", w.path("b.words"): "bad4"}, []string{"the word bad4"}},
			{"no longer proposed", nil, []string{"the word bad1", "the word bad3"}},
		} {
			got, err := w.problems(t.Context(), tt.texts, "a.words", "b.words")
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%q, %s: got %q, %v, want %q", fault, tt.name, got, err, tt.want)
			}
		}
		if _, ever := w.server.Running(); ever != 1 {
			t.Errorf("%d processes were started, want one", ever)
		}
	}
}

func TestChangesOnDiskAreReported(t *testing.T) {
	w := newWorld(t, langservertest.None, map[string]string{"a.words": "one", "gone.words": "x", "other.txt": "x"})
	if _, err := w.problems(t.Context(), nil, "a.words"); err != nil {
		t.Fatal(err)
	}
	w.write("a.words", "longer")
	w.write("new.words", "x")
	w.write("other.txt", "longer")
	if err := os.Remove(w.path("gone.words")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.problems(t.Context(), nil, "a.words"); err != nil {
		t.Fatal(err)
	}
	if got, want := w.server.Changed(), []string{"a.words", "gone.words", "new.words"}; !slices.Equal(got, want) {
		t.Errorf("the server was notified of %q, want %q", got, want)
	}
}

// A server that misbehaves fails the request, is restarted a few times, and is then
// given up.
func TestBrokenServers(t *testing.T) {
	for _, tt := range []struct {
		fault langservertest.Fault
		want  int // processes in all
	}{
		{langservertest.NoStart, 4},
		{langservertest.Garbage, 4},
		{langservertest.Crash, 4},
		{langservertest.Flood, 4},
	} {
		t.Run(string(tt.fault), func(t *testing.T) {
			w := newWorld(t, tt.fault, map[string]string{"a.words": "bad1"})
			for range 20 {
				found, err := w.problems(t.Context(), nil, "a.words") // ends with the server
				if err == nil {
					t.Fatalf("got %q and no error", found)
				}
				if errors.Is(err, langserver.ErrEnded) {
					if _, ever := w.server.Running(); ever != tt.want {
						t.Errorf("%d processes were started, want %d", ever, tt.want)
					}
					return
				}
			}
			t.Error("the server was never given up")
		})
	}
}

// A server that takes long to load a workspace does not count as hung.
func TestSlowServerIsKept(t *testing.T) {
	w := newWorld(t, langservertest.Late, map[string]string{"a.words": "bad1"})
	ready := func(ctx context.Context, c *langserver.Conversation) error { return nil }
	if err := w.lease.Converse(t.Context(), w.program, langserver.View{Snapshot: w.ide.Snapshot()}, nil, ready); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if got, err := w.problems(ctx, nil, "a.words"); err == nil {
			t.Fatalf("got %q from a server that waits", got)
		}
		cancel()
	}
	close(w.server.Go)
	if got, err := w.problems(t.Context(), nil, "a.words"); err != nil || len(got) != 1 {
		t.Errorf("got %q, %v", got, err)
	}
	if _, ever := w.server.Running(); ever != 1 {
		t.Errorf("%d processes were started, want one", ever)
	}
}

func TestUnresponsiveServerIsStopped(t *testing.T) {
	w := newWorld(t, langservertest.Deaf, map[string]string{"a.words": "bad1"})
	w.lease.Close()
	start := make(chan struct{})
	w.pool = langserver.NewPool(langserver.Options{
		Start: func(ctx context.Context, l langserver.Launch) (sandbox.Process, error) {
			<-start
			return w.server.Start(ctx, l)
		},
		Patience: time.Nanosecond,
	})
	w.lease = w.pool.Lease([]string{w.dir})
	if _, err := w.problems(expired(t), nil, "a.words"); !errors.Is(err, langserver.ErrStarting) {
		t.Fatalf("got %v, want ErrStarting", err)
	}
	close(start)
	ready := func() {
		t.Helper()
		err := w.lease.Converse(t.Context(), w.program, langserver.View{Snapshot: w.ide.Snapshot()}, nil, func(context.Context, *langserver.Conversation) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	ready()
	for range 3 {
		err := w.lease.Converse(t.Context(), w.program, langserver.View{Snapshot: w.ide.Snapshot()}, nil, func(ctx context.Context, c *langserver.Conversation) error {
			late, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			return c.Call(late, "textDocument/hover", map[string]any{}, nil)
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want the deadline", err)
		}
	}
	if err := w.server.AwaitEnd(t.Context()); err != nil {
		t.Fatal(err)
	}
	ready()
	if now, ever := w.server.Running(); now != 1 || ever < 2 {
		t.Errorf("%d of %d processes run, want another one", now, ever)
	}
}

// expired returns a context past its deadline.
func expired(t *testing.T) context.Context {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	t.Cleanup(cancel)
	return ctx
}

func TestReportsWithoutAVersionAreIgnored(t *testing.T) {
	w := newWorld(t, langservertest.Unstated, map[string]string{"a.words": "bad1"})
	if got, err := w.problems(t.Context(), nil, "a.words"); !errors.Is(err, langserver.ErrNoDiagnostics) {
		t.Errorf("got %q, %v, want ErrNoDiagnostics", got, err)
	}
}

func TestInvalidAnswersAreErrors(t *testing.T) {
	w := newWorld(t, langservertest.Odd, map[string]string{"a.words": "bad1"})
	if got, err := w.problems(t.Context(), nil, "a.words"); err == nil {
		t.Errorf("got %q and no error", got)
	}
}

func TestProgramOfTheWorkspaceIsNotRun(t *testing.T) {
	w := newWorld(t, langservertest.None, map[string]string{"a.words": "x", "words": "#!/bin/sh\n"})
	if err := os.Chmod(w.path("words"), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "words")
	if err := os.Symlink(w.path("words"), outside); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{w.path("words"), outside} {
		w.program = langservertest.Program(name)
		if _, err := w.problems(t.Context(), nil, "a.words"); !errors.Is(err, langserver.ErrNone) {
			t.Errorf("%s: got %v, want ErrNone", name, err)
		}
	}
	byName := langserver.Program{Name: "words"}
	environ := []string{"PATH=" + strings.Join([]string{w.dir, filepath.Dir(outside)}, string(os.PathListSeparator))}
	if got := byName.Find(environ, []string{w.dir}); got != "" {
		t.Errorf("found %s", got)
	}
	if got := byName.Find(environ, nil); got != w.path("words") {
		t.Errorf("in another workspace: found %q", got)
	}
}

// Sessions of one workspace share a server, which ends with the last of them.
func TestServerEndsWithItsLastLease(t *testing.T) {
	w := newWorld(t, langservertest.None, map[string]string{"a.words": "x"})
	first, second := w.lease, w.pool.Lease([]string{w.dir})
	for _, l := range []*langserver.Lease{first, second} {
		w.lease = l
		if _, err := w.problems(t.Context(), nil, "a.words"); err != nil {
			t.Fatal(err)
		}
	}
	second.Close()
	if now, ever := w.server.Running(); now != 1 || ever != 1 {
		t.Errorf("%d of %d processes run after one lease was closed, want the one", now, ever)
	}
	if _, err := w.problems(t.Context(), nil, "a.words"); !errors.Is(err, langserver.ErrClosed) {
		t.Errorf("a closed lease: got %v, want ErrClosed", err)
	}
	first.Close()
	if now, _ := w.server.Running(); now != 0 {
		t.Errorf("%d processes run after all leases were closed", now)
	}
	w.lease = first
}

// Front ends wait for half a second for the end of a session.
func TestADeafServerEndsWithItsSession(t *testing.T) {
	for _, fault := range []langservertest.Fault{langservertest.Mute, langservertest.Deaf} {
		t.Run(string(fault), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, fault, map[string]string{"a.words": "x"})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := w.problems(ctx, nil, "a.words"); err == nil {
					t.Error("it answered")
				}
				began := time.Now()
				w.lease.Close()
				if took := time.Since(began); took > 350*time.Millisecond {
					t.Errorf("it ended after %v", took)
				}
			})
		})
	}
}

func TestIdleServerEnds(t *testing.T) {
	w := newWorld(t, langservertest.None, map[string]string{"a.words": "x"})
	w.lease.Close()
	w.pool = langserver.NewPool(langserver.Options{Start: w.server.Start, Idle: time.Nanosecond})
	w.lease = w.pool.Lease([]string{w.dir})
	for range 3 {
		if _, err := w.problems(t.Context(), nil, "a.words"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.server.AwaitEnd(t.Context()); err != nil {
		t.Fatal(err)
	}
}
