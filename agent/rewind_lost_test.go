package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// rename moves a file, possibly over another.
func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(from, to)); err != nil {
		t.Error(err)
	}
}

func TestARewindKeepsFilesThatACommandMoved(t *testing.T) {
	start := map[string]string{
		"notes.txt": "user\n", "src/a.txt": "user a\n", "other.txt": "other\n",
		".emendoignore": "*.local\n.env\nignd/\ntmp/\n", "x.local": "local\n", "tmp/x": "ignored\n", ".env": "secret\n", "ignd/.env": "ignored\n",
	}
	for _, c := range []struct {
		name   string
		edits  []modeltest.Step  // accepted before the command runs
		open   map[string]string // the editor's text
		run    func(t *testing.T, w *agenttest.World, path func(string) string)
		after  func(t *testing.T, w *agenttest.World) // the user's actions after the turn
		answer string                                 // restored +, deleted -, kept =, conflicts !
		want   map[string]string                      // files on disk afterwards
	}{
		{
			name: "a renamed file comes back",
			run: func(t *testing.T, _ *agenttest.World, path func(string) string) {
				rename(t, path("notes.txt"), path("new.txt"))
				rename(t, path("src"), path("srcnew"))
			},
			answer: "+notes.txt +src/a.txt -new.txt -srcnew/a.txt",
			want:   map[string]string{"notes.txt": "user\n", "new.txt": "", "src/a.txt": "user a\n", "srcnew/a.txt": ""},
		},
		{
			name: "a link is where the file was",
			run: func(t *testing.T, w *agenttest.World, path func(string) string) {
				rename(t, path("notes.txt"), path("new.txt"))
				symlink(t, "new.txt", path("notes.txt"))
				put(w, t, "new.txt", "user\nmore\n")
			},
			answer: "=notes.txt =new.txt",
			want:   map[string]string{"new.txt": "user\nmore\n"},
		},
		{
			name: "a link is where the folder was",
			run: func(t *testing.T, _ *agenttest.World, path func(string) string) {
				rename(t, path("src"), path("srcnew"))
				symlink(t, "srcnew", path("src"))
			},
			answer: "=src =src/a.txt =srcnew/a.txt",
			want:   map[string]string{"srcnew/a.txt": "user a\n"},
		},
		{
			name: "a folder is where the file was",
			run: func(t *testing.T, _ *agenttest.World, path func(string) string) {
				rename(t, path("notes.txt"), path("new.txt"))
				rename(t, path("new.txt"), path("notes.txt/new.txt"))
			},
			answer: "=notes.txt =notes.txt/new.txt",
			want:   map[string]string{"notes.txt/new.txt": "user\n"},
		},
		{
			name: "it was moved over another file, and a link is where it was",
			run: func(t *testing.T, _ *agenttest.World, path func(string) string) {
				rename(t, path("notes.txt"), path("other.txt"))
				symlink(t, "other.txt", path("notes.txt"))
			},
			answer: "=notes.txt =other.txt",
			want:   map[string]string{"other.txt": "user\n"},
		},
		{
			name: "the user made the file again",
			run: func(t *testing.T, _ *agenttest.World, path func(string) string) {
				rename(t, path("notes.txt"), path("new.txt"))
			},
			after:  func(t *testing.T, w *agenttest.World) { put(w, t, "notes.txt", "mine\n") },
			answer: "=new.txt !notes.txt",
			want:   map[string]string{"notes.txt": "mine\n", "new.txt": "user\n"},
		},
		{
			name: "another text took its place, which the user changed",
			run: func(t *testing.T, w *agenttest.World, path func(string) string) {
				rename(t, path("notes.txt"), path("new.txt"))
				put(w, t, "notes.txt", "theirs\n")
			},
			after:  func(t *testing.T, w *agenttest.World) { put(w, t, "notes.txt", "mine\n") },
			answer: "=new.txt !notes.txt",
			want:   map[string]string{"notes.txt": "mine\n", "new.txt": "user\n"},
		},
		{
			name: "it is open, and unchanged",
			open: map[string]string{"notes.txt": "user\n"},
			run: func(t *testing.T, _ *agenttest.World, path func(string) string) {
				rename(t, path("notes.txt"), path("new.txt"))
			},
			answer: "+notes.txt -new.txt",
			want:   map[string]string{"notes.txt": "user\n", "new.txt": ""},
		},
		{
			name: "it is open, with text that is not saved",
			open: map[string]string{"notes.txt": "user\nunsaved\n"},
			run: func(t *testing.T, _ *agenttest.World, path func(string) string) {
				rename(t, path("notes.txt"), path("new.txt"))
			},
			answer: "+notes.txt -new.txt",
			want:   map[string]string{"notes.txt": "user\n", "new.txt": ""},
		},
		{
			name:  "it is open, and an edit of it is not saved",
			edits: []modeltest.Step{edit("notes.txt", "user", "model")},
			open:  map[string]string{"notes.txt": "user\n"},
			run: func(t *testing.T, _ *agenttest.World, path func(string) string) {
				rename(t, path("notes.txt"), path("new.txt"))
			},
			answer: "+notes.txt -new.txt",
			want:   map[string]string{"notes.txt": "user\n", "new.txt": ""},
		},
		{
			name: "it is open, and another text is on disk",
			open: map[string]string{"notes.txt": "user\n"},
			run: func(t *testing.T, w *agenttest.World, path func(string) string) {
				rename(t, path("notes.txt"), path("new.txt"))
				put(w, t, "notes.txt", "theirs\n")
			},
			answer: "=new.txt",
			want:   map[string]string{"notes.txt": "theirs\n", "new.txt": "user\n"},
		},
		{
			name: "an ignored file and an ignored folder come back",
			run: func(t *testing.T, w *agenttest.World, path func(string) string) {
				rename(t, path("x.local"), path("new.txt"))
				put(w, t, "new.txt", "local 2\n")
				rename(t, path("tmp"), path("docs"))
			},
			answer: "+tmp/x +x.local -docs/x -new.txt",
			want:   map[string]string{"new.txt": "", "docs/x": "", "x.local": "local\n", "tmp/x": "ignored\n"},
		},
		{
			name: "a file with secrets was moved and changed",
			run: func(t *testing.T, w *agenttest.World, path func(string) string) {
				rename(t, path(".env"), path("new.txt"))
				put(w, t, "new.txt", "secret 2\n")
			},
			answer: "=.env =new.txt",
			want:   map[string]string{"new.txt": "secret 2\n"},
		},
		{
			name: "a file with secrets was moved over another",
			run: func(t *testing.T, _ *agenttest.World, path func(string) string) {
				rename(t, path(".env"), path("other.txt"))
			},
			answer: "=.env =other.txt",
			want:   map[string]string{"other.txt": "secret\n"},
		},
		{
			name: "a file with secrets was moved, and a link is where it was",
			run: func(t *testing.T, _ *agenttest.World, path func(string) string) {
				rename(t, path(".env"), path("new.txt"))
				symlink(t, "new.txt", path(".env"))
			},
			answer: "=.env =new.txt",
			want:   map[string]string{"new.txt": "secret\n"},
		},
		{
			name: "a folder of secrets was moved and changed",
			run: func(t *testing.T, w *agenttest.World, path func(string) string) {
				rename(t, path("ignd"), path("docs"))
				put(w, t, "docs/.env", "ignored\nmore\n")
			},
			answer: "=docs/.env =ignd/.env",
			want:   map[string]string{"docs/.env": "ignored\nmore\n"},
		},
		{
			name: "a file takes the place of a folder that held secrets",
			run: func(t *testing.T, w *agenttest.World, path func(string) string) {
				put(w, t, "src/.env", "made by the command\n")
				rename(t, path(".env"), path("src/.env"))
				if err := os.RemoveAll(path("src")); err != nil {
					t.Error(err)
				}
				put(w, t, "src", "file\n")
			},
			answer: "=.env =src !src/a.txt",
			want:   map[string]string{"src": "file\n"},
		},
		{
			name:  "edits are still reverted",
			edits: []modeltest.Step{edit("other.txt", "other", "model"), create("made.txt", "made\n")},
			run: func(t *testing.T, w *agenttest.World, path func(string) string) {
				if err := os.RemoveAll(path("ignd")); err != nil {
					t.Error(err)
				}
				if err := os.Remove(path("notes.txt")); err != nil {
					t.Error(err)
				}
				put(w, t, "new.txt", "new\n")
			},
			answer: "+notes.txt +other.txt -made.txt =ignd/.env =new.txt",
			want:   map[string]string{"notes.txt": "user\n", "other.txt": "other\n", "made.txt": "", "new.txt": "new\n"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := []modeltest.Reply{{modeltest.Call("odd", `{}`)}, {modeltest.Say("done")}}
			if c.edits != nil {
				replies = append([]modeltest.Reply{c.edits}, replies...)
			}
			agenttest.InWorld(t, start, replies, func(t *testing.T, w *agenttest.World) {
				w.Stop()
				path := func(name string) string { return filepath.Join(w.Dir, name) }
				command := func(context.Context, func(tools.Progress)) tools.Result {
					c.run(t, w, path)
					return tools.Result{}
				}
				w.Options = func(o *state.Options) {
					o.Tools = append(o.Tools, agenttest.OddTool{Kind: tools.Execute, Act: func() tools.Action {
						return tools.Action{Effect: tools.Runs{Analysis: shellcmd.Analysis{Command: "move it", Dir: w.Dir}}, Run: command}
					}})
				}
				w.Start()
				for name, text := range c.open {
					w.Editor.Open(w.URI(name), text)
				}
				s := w.Session(policy.Yolo)
				w.Prompt(s, "move it")
				if c.after != nil {
					c.after(t, w)
				}
				for _, dry := range []bool{true, false} {
					r, err := s.Rewind(t.Context(), lastTurn(w), rewind.Files, dry)
					if got := answer(w, r); err != nil || got != c.answer {
						t.Errorf("dry run %v: got %s, %v, want %s", dry, got, err, c.answer)
					}
				}
				for name, want := range c.want {
					if got, _ := os.ReadFile(path(name)); string(got) != want { // a missing file reads as empty
						t.Errorf("%s holds %q, want %q", name, got, want)
					}
				}
				for name, want := range c.open {
					if got := w.Editor.Text(w.URI(name)); got != want {
						t.Errorf("the buffer of %s holds %q, want %q", name, got, want)
					}
				}
			})
		})
	}
}

func TestAResultNamesWhatACommandRemovedForGood(t *testing.T) {
	start := map[string]string{".emendoignore": "*.local\n", "x.local": "local\n", "notes.txt": "user\n", ".env": "KEY=1\n", "build/out": "built\n"}
	replies := []modeltest.Reply{{modeltest.Call("odd", `{}`)}, {modeltest.Say("done")}}
	agenttest.InWorld(t, start, replies, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Options = func(o *state.Options) {
			o.Tools = append(o.Tools, agenttest.OddTool{Kind: tools.Execute, Act: func() tools.Action {
				return tools.Action{Effect: tools.Runs{Analysis: shellcmd.Analysis{Command: "clean up", Dir: w.Dir}}, Run: func(context.Context, func(tools.Progress)) tools.Result {
					for name := range start {
						if err := os.RemoveAll(filepath.Join(w.Dir, name)); err != nil {
							t.Error(err)
						}
					}
					return tools.Result{Output: "cleaned up"}
				}}
			}})
		}
		w.Start()
		w.Prompt(w.Session(policy.Yolo), "clean up")
		if got, want := w.LastEnded().Output, "cleaned up\nNote: the command removed files of which there is no copy, so they cannot be brought back: .env."; got != want {
			t.Errorf("the model reads %q, want %q", got, want)
		}
	})
}

// What was copied before a command is of no use once the turn is reverted, and what it changed
// once that cannot be redone.
func TestCopiesGoWithTheRewind(t *testing.T) {
	start := map[string]string{".emendoignore": "*.local\n", "x.local": "local\n", "notes.txt": "user\n"}
	replies := []modeltest.Reply{{edit("notes.txt", "user", "model")}, {modeltest.Say("done")}, {modeltest.Call("odd", `{}`)}, {modeltest.Say("done")}, {modeltest.Say("hello")}}
	agenttest.InWorld(t, start, replies, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		var store *rewind.Store
		w.Options = func(o *state.Options) {
			store = o.Checkpoints
			o.Tools = append(o.Tools, agenttest.OddTool{Kind: tools.Execute, Act: func() tools.Action {
				return tools.Action{Effect: tools.Runs{Analysis: shellcmd.Analysis{Command: "write", Dir: w.Dir}}, Run: func(context.Context, func(tools.Progress)) tools.Result {
					put(w, t, "notes.txt", "command\n")
					return tools.Result{}
				}}
			}})
		}
		w.Start()
		s := w.Session(policy.Yolo)
		w.Prompt(s, "edit")
		first := lastTurn(w)
		w.Prompt(s, "run")
		if n, size := store.Size(s.ID()); n < 5 || size < 20 { // two texts of the edit, the copies of three files, and what the command wrote
			t.Errorf("%d copies of %d bytes", n, size)
		}
		rewound := func(turn string) {
			if _, err := s.Rewind(t.Context(), turn, rewind.Files, false); err != nil {
				t.Fatal(err)
			}
		}
		rewound(lastTurn(w))
		if n, size := store.Size(s.ID()); n != 3 || size != int64(len("user\nmodel\ncommand\n")) {
			t.Errorf("%d copies of %d bytes are left, want those of the edit, and of the redo", n, size)
		}
		rewound(first)
		w.Prompt(s, "go on")
		if n, _ := store.Size(s.ID()); n != 0 || w.ReadFile("notes.txt") != "user\n" {
			t.Errorf("%d copies are left; notes.txt holds %q", n, w.ReadFile("notes.txt"))
		}
	})
}

func symlink(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Error(err)
	}
}

// answer returns the result of a rewind without the folder itself.
func answer(w *agenttest.World, r rewind.Result) string {
	var l []string
	add := func(sign, name string) {
		if rel, _ := filepath.Rel(w.Dir, name); rel != "." {
			l = append(l, sign+filepath.ToSlash(rel))
		}
	}
	for _, name := range r.Restored {
		add("+", name)
	}
	for _, name := range r.Deleted {
		add("-", name)
	}
	for _, left := range r.Kept {
		add("=", left.Path)
	}
	for _, left := range r.Conflicts {
		add("!", left.Path)
	}
	return strings.Join(l, " ")
}

func TestUndoingARewindOfAnOpenFile(t *testing.T) {
	for _, text := range []string{"user\n", "user\nunsaved\n"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			replies := []modeltest.Reply{{edit("open.txt", "one", "two"), modeltest.Call("odd", `{}`)}, {modeltest.Say("done")}}
			agenttest.InWorld(t, map[string]string{"notes.txt": "user\n", "open.txt": "one\n"}, replies, func(t *testing.T, w *agenttest.World) {
				w.Stop()
				w.Options = func(o *state.Options) {
					o.Tools = append(o.Tools, agenttest.OddTool{Kind: tools.Execute, Act: func() tools.Action {
						return tools.Action{Effect: tools.Runs{Analysis: shellcmd.Analysis{Command: "move it", Dir: w.Dir}}, Run: func(context.Context, func(tools.Progress)) tools.Result {
							rename(t, filepath.Join(w.Dir, "notes.txt"), filepath.Join(w.Dir, "new.txt"))
							return tools.Result{}
						}}
					}})
				}
				w.Start()
				w.Editor.Open(w.URI("open.txt"), "one\n")
				w.Editor.Open(w.URI("notes.txt"), text)
				s := w.Session(policy.Yolo)
				w.Prompt(s, "move it")
				var half []byte
				w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer {
					half, _ = os.ReadFile(attempt(w, s))
					return idetest.Answer{Refuse: ide.ErrRefused}
				}
				if _, err := s.Rewind(t.Context(), lastTurn(w), rewind.Files, false); !errors.Is(err, ide.ErrRefused) {
					t.Errorf("the rewind: %v", err)
				}
				if got := w.ReadFile("new.txt"); got != "user\n" {
					t.Errorf("new.txt holds %q", got)
				}
				w.Stop()
				if err := os.WriteFile(attempt(w, s), half, 0o600); err != nil {
					t.Fatal(err)
				}
				rename(t, filepath.Join(w.Dir, "new.txt"), filepath.Join(w.Dir, "notes.txt")) // the part of the rewind that was done
				w.Start()
				w.Editor.OnEdit = nil
				w.Editor.Open(w.URI("notes.txt"), text)
				if _, err := w.Agent.Session(t.Context(), s.ID()); err != nil {
					t.Fatal(err)
				}
				if got := w.ReadFile("new.txt"); got != "user\n" {
					t.Errorf("new.txt holds %q", got)
				}
				if got := w.Editor.Text(w.URI("notes.txt")); got != text {
					t.Errorf("the buffer holds %q", got)
				}
				noAttempt(w, s)
			})
		})
	}
}
