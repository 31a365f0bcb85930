package agent_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// rewind rewinds to a random prompt, perhaps forth again, or does a dry run.
func (c *chaos) rewind(s *agent.Session) {
	prompts, err := s.Prompts()
	if err != nil {
		c.T.Errorf("prompts: %v", err)
	}
	if len(prompts) == 0 {
		return
	}
	turn, dry := pick(c, prompts...).TurnID, c.n(3) == 0
	scope := pick(c, rewind.Files, rewind.Conversation, rewind.Both)
	_, err = s.Rewind(c.T.Context(), turn, scope, dry)
	switch {
	case errors.Is(err, transcript.ErrBusy), errors.Is(err, transcript.ErrUnknownTurn), errors.Is(err, ide.ErrRefused), errors.Is(err, ide.ErrUnseen):
		return
	case err != nil:
		c.T.Errorf("rewind %s: %v", scope, err)
		return
	case dry || scope == rewind.Files:
		return
	}
	if c.n(3) == 0 {
		var changed *rewind.ChangedError
		switch _, err := s.Redo(c.T.Context(), false); {
		case err == nil:
			return
		case errors.Is(err, transcript.ErrBusy), errors.Is(err, rewind.ErrNoRedo), errors.As(err, &changed), errors.Is(err, ide.ErrRefused), errors.Is(err, ide.ErrUnseen):
		default:
			c.T.Errorf("redo %s: %v", scope, err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost[s.ID()] == nil {
		c.lost[s.ID()] = map[int64]bool{}
	}
	begun := false
	for _, u := range c.Updates {
		if u.SessionID != s.ID() || u.Replay {
			continue
		}
		if begun = begun || u.TurnID == turn; !begun {
			continue
		}
		switch u.Event.(type) {
		case transcript.ModeChanged, transcript.ModelChanged, transcript.InfoChanged, transcript.CommandsChanged:
		default:
			c.lost[s.ID()][u.Seq] = true
		}
	}
}

func edit(path, old, text string) modeltest.Step {
	return modeltest.Call("replace", `{"file_path":"`+path+`","old_string":"`+old+`","new_string":"`+text+`"}`)
}

// lastTurn is the turn that was shown last.
func lastTurn(w *agenttest.World) string {
	for _, u := range slices.Backward(w.Updates) {
		if u.TurnID != "" {
			return u.TurnID
		}
	}
	return ""
}

func TestARewindThatCannotBeRecordedChangesNothing(t *testing.T) {
	files := map[string]string{"open.txt": "one\n", "closed.txt": "one\n"}
	replies := []modeltest.Reply{{edit("open.txt", "one", "two"), edit("closed.txt", "one", "two"), create("new.txt", "two\n")}, {modeltest.Say("done")}, {modeltest.Say("still here")}}
	agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
		w.Editor.Open(w.URI("open.txt"), "one\n")
		s := w.Session(policy.AutoEdit)
		w.Prompt(s, "change them")
		w.Editor.Open(w.URI("new.txt"), "two\n") // the editor would have to delete it
		var fix func()
		w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer {
			if fix == nil {
				fix = agent.BreakLog(s)
			}
			return idetest.Answer{}
		}
		if _, err := s.Rewind(t.Context(), lastTurn(w), rewind.Both, false); err == nil {
			t.Error("the result reports success")
		}
		fix()
		if got := w.Editor.Text(w.URI("open.txt")) + w.ReadFile("closed.txt") + w.ReadFile("new.txt"); got != "two\ntwo\ntwo\n" {
			t.Errorf("the files hold %q", got)
		}
		w.Prompt(s, "well?")
		if !strings.Contains(agenttest.TextOf(w.LastRequest()), "change them") {
			t.Error("the conversation was rewound")
		}
	})
}

func TestARewindSeesWhatTheUserTypesMeanwhile(t *testing.T) {
	replies := []modeltest.Reply{{edit("a.txt", "one", "two")}, {modeltest.Say("done")}}
	agenttest.InWorld(t, map[string]string{"a.txt": "one\n\n\nlast\n"}, replies, func(t *testing.T, w *agenttest.World) {
		uri := w.URI("a.txt")
		w.Editor.Open(uri, "one\n\n\nlast\n")
		s := w.Session(policy.AutoEdit)
		w.Prompt(s, "change it")
		typed := false
		w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer {
			return idetest.Answer{Before: func() {
				if !typed {
					typed = true
					n := len(w.Editor.Text(uri))
					w.Editor.Type(uri, n, n, "typed\n")
				}
			}}
		}
		r, err := s.Rewind(t.Context(), lastTurn(w), rewind.Files, false)
		if err != nil || len(r.Restored) != 1 {
			t.Errorf("got %+v, %v", r, err)
		}
		if got := w.Editor.Text(uri); got != "one\n\n\nlast\ntyped\n" {
			t.Errorf("the buffer holds %q", got)
		}
	})
}

func TestASessionThatWasRewoundElsewhere(t *testing.T) {
	replies := []modeltest.Reply{{modeltest.Say("one")}, {modeltest.Say("two")}, {modeltest.Say("three")}}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.Default)
		w.Prompt(s, "first")
		w.Prompt(s, "second")
		turn := lastTurn(w)
		here := w.Agent
		w.Start() // another process
		other, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.Rewind(t.Context(), turn, rewind.Conversation, false); err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "third")
		if got := agenttest.TextOf(w.LastRequest()); !strings.Contains(got, "first") || strings.Contains(got, "second") {
			t.Errorf("the model got %q", got)
		}
		if l, _, err := here.List(transcript.Listing{}); err != nil || len(l) != 1 || l[0].Turns != 2 {
			t.Errorf("listed: %+v, %v", l, err)
		}
		here.Close()
	})
}

func TestARewindSkipsWhatCannotBeRestored(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(path string) error // to a.txt, after the turn
		reason string                  // why it stays
		want   string                  // its text afterwards
	}{
		{name: "it is read-only", do: func(p string) error { return os.Chmod(p, 0o444) }, reason: "the file is read-only", want: "two\n"},
		{name: "it is a link now", do: func(p string) error {
			return errors.Join(os.Rename(p, p+".old"), os.Symlink(p+".old", p))
		}, reason: "leads elsewhere", want: "two\n"},
		{name: "it is a folder now", do: func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o755)) }, reason: "folder"},
		{name: "it is binary now", do: func(p string) error { return os.WriteFile(p, []byte("a\x00"), 0o644) }, reason: "the file is binary", want: "a\x00"},
		{name: "it is renamed", do: func(p string) error { return os.Rename(p, p+".old") }, reason: "the file is gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := []modeltest.Reply{{edit("a.txt", "one", "two"), edit("b.txt", "one", "two")}, {modeltest.Say("done")}}
			agenttest.InWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"}, replies, func(t *testing.T, w *agenttest.World) {
				s := w.Session(policy.AutoEdit)
				w.Prompt(s, "change them")
				path := filepath.Join(w.Dir, "a.txt")
				if err := c.do(path); err != nil {
					t.Fatal(err)
				}
				for _, dry := range []bool{true, false} {
					r, err := s.Rewind(t.Context(), lastTurn(w), rewind.Files, dry)
					if err != nil || len(r.Restored) != 1 || len(r.Conflicts) != 1 || r.Conflicts[0].Path != path || !strings.Contains(r.Conflicts[0].Reason, c.reason) {
						t.Errorf("dry run %v: %+v, %v", dry, r, err)
					}
				}
				if b, _ := os.ReadFile(path); string(b) != c.want { // a folder reads as empty
					t.Errorf("a.txt holds %q", b)
				}
				if got := w.ReadFile("b.txt"); got != "one\n" {
					t.Errorf("b.txt holds %q", got)
				}
			})
		})
	}
}

func TestARewindRestoresThePermissionsOfADeletedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no such permissions
	}
	for _, open := range []bool{false, true} {
		agenttest.InWorld(t, map[string]string{"run.sh": "echo\n"}, []modeltest.Reply{agenttest.Calls("delete_file", `{"file_path":"run.sh"}`), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
			path := filepath.Join(w.Dir, "run.sh")
			if err := os.Chmod(path, 0o775); err != nil {
				t.Fatal(err)
			}
			w.Options = func(o *state.Options) { o.Choices.Tools = append(o.Choices.Tools, tools.DeleteFile) }
			w.Stop()
			w.Start()
			if open {
				w.Editor.Open(w.URI("run.sh"), "echo\n")
			}
			s := w.Session(policy.Yolo)
			w.Prompt(s, "delete it")
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("open %v: it is still there: %v", open, err)
			}
			if r, err := s.Rewind(t.Context(), lastTurn(w), rewind.Files, false); err != nil || len(r.Restored) != 1 {
				t.Errorf("open %v: %+v, %v", open, r, err)
			}
			if fi, err := os.Stat(path); err != nil || fi.Mode() != 0o775 {
				t.Errorf("open %v: it came back with %v, %v", open, fi, err)
			}
		})
	}
}

func TestARewindTwice(t *testing.T) {
	replies := []modeltest.Reply{
		{edit("a.txt", "one", "two"), create("new.txt", "new\n")},
		{modeltest.Say("done")},
		{edit("a.txt", "two", "three")},
		{modeltest.Say("done")},
	}
	agenttest.InWorld(t, map[string]string{"a.txt": "one\n"}, replies, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.AutoEdit)
		w.Prompt(s, "first")
		first := lastTurn(w)
		w.Prompt(s, "second")
		second := lastTurn(w)
		for _, c := range []struct {
			turn           string
			scope          rewind.Scope
			changed        int
			a              string
			there, unknown bool // new.txt; the turn
		}{
			{turn: second, scope: rewind.Files, changed: 1, a: "two\n", there: true},
			{turn: second, scope: rewind.Files, a: "two\n", there: true},
			{turn: second, scope: rewind.Both, a: "two\n", there: true},
			{turn: second, scope: rewind.Both, a: "two\n", there: true, unknown: true},
			{turn: first, scope: rewind.Files, changed: 2, a: "one\n"},
			{turn: first, scope: rewind.Conversation, a: "one\n"},
			{turn: first, scope: rewind.Files, a: "one\n", unknown: true},
		} {
			r, err := s.Rewind(t.Context(), c.turn, c.scope, false)
			if errors.Is(err, transcript.ErrUnknownTurn) != c.unknown || err != nil && !c.unknown || len(r.Restored)+len(r.Deleted) != c.changed {
				t.Errorf("%s of %s: %+v, %v", c.scope, c.turn, r, err)
			}
			_, err = os.Stat(filepath.Join(w.Dir, "new.txt"))
			if got := w.ReadFile("a.txt"); got != c.a || (err == nil) != c.there {
				t.Errorf("%s of %s: a.txt holds %q; new.txt: %v", c.scope, c.turn, got, err)
			}
		}
	})
}

func TestDeletingASessionDeletesItsCheckpoints(t *testing.T) {
	replies := []modeltest.Reply{{edit("a.txt", "one", "two")}, {modeltest.Say("done")}}
	agenttest.InWorld(t, map[string]string{"a.txt": "one\n"}, replies, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.AutoEdit)
		w.Prompt(s, "change it")
		dir := filepath.Join(w.State, "checkpoints")
		if l, err := os.ReadDir(dir); err != nil || len(l) != 1 {
			t.Errorf("before: %v, %v", l, err)
		}
		if err := w.Agent.Delete(t.Context(), s.ID()); err != nil {
			t.Fatal(err)
		}
		if l, err := os.ReadDir(dir); err != nil || len(l) != 0 {
			t.Errorf("after: %v, %v", l, err)
		}
		if l := w.Ledger.List("", "", ""); len(l) > 0 {
			t.Errorf("its change sets: %+v", l)
		}
	})
}

func TestARewindRestoresAFolderReplacedByAFile(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"a/x": "one\n", "a/y": "two\n"}, []modeltest.Reply{{modeltest.Call("odd", `{}`)}, {modeltest.Say("done")}}, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		dir := filepath.Join(w.Dir, "a")
		command := func(context.Context, func(tools.Progress)) tools.Result {
			if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, []byte("file\n"), 0o644)); err != nil {
				t.Error(err)
			}
			return tools.Result{}
		}
		w.Options = func(o *state.Options) {
			o.Tools = append(o.Tools, agenttest.OddTool{Kind: tools.Execute, Act: func() tools.Action {
				return tools.Action{Effect: tools.Runs{Analysis: shellcmd.Analysis{Command: "replace it", Dir: w.Dir}}, Run: command}
			}})
		}
		w.Start()
		s := w.Session(policy.Yolo)
		w.Prompt(s, "replace it")
		r, err := s.Rewind(t.Context(), lastTurn(w), rewind.Files, false)
		if err != nil || len(r.Conflicts) > 0 || len(r.Restored) != 2 || len(r.Deleted) != 1 {
			t.Errorf("got %+v, %v", r, err)
		}
		if got := w.ReadFile("a/x") + w.ReadFile("a/y"); got != "one\ntwo\n" {
			t.Errorf("the files hold %q", got)
		}
	})
}
