package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

func TestASessionWithoutItsFolder(t *testing.T) {
	files := map[string]string{"one/a.go": "package a\n", "two/b.go": "package b\n"}
	replies := []modeltest.Reply{{modeltest.Say("Before.")}, {replace("a.go", "package a", "package z")}, {modeltest.Say("After.")}, {modeltest.Say("Elsewhere.")}}
	inWorld(t, files, replies, func(t *testing.T, w *world) {
		one, two := filepath.Join(w.dir, "one"), filepath.Join(w.dir, "two")
		s, err := w.agent.Create(t.Context(), agent.NewSession{Cwd: one, Roots: []string{one, two}})
		if err != nil {
			t.Fatal(err)
		}
		w.prompt(s, "first")
		wait := w.begin(s, "propose")
		s.Cancel("")
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		id := s.ID()
		away := filepath.Join(w.state, "away")
		w.stop()
		if err := os.Rename(one, away); err != nil {
			t.Fatal(err)
		}
		w.start()

		if s, err = w.agent.Session(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		w.updates = nil
		if err := s.Load(t.Context()); err != nil || len(w.updates) == 0 {
			t.Errorf("its history is shown in %d updates, %v", len(w.updates), err)
		}
		if sets := w.ledger.List(id, "", ledger.Pending); len(sets) != 0 {
			t.Errorf("what was proposed for a file that is gone is %+v", sets)
		}
		_, err = s.Prompt(t.Context(), state.Prompt{Blocks: say("go on")})
		if !errors.Is(err, agent.ErrNoFolder) || !strings.Contains(err.Error(), one) {
			t.Errorf("a prompt: %v", err)
		}

		store := transcript.NewStore(filepath.Join(w.state, "sessions"))
		copied, err := store.Adopt(id, two)
		if err != nil || copied.Cwd != two || copied.Title != "first" {
			t.Fatalf("a copy for another folder is %+v, %v", copied, err)
		}

		if err := os.Rename(away, one); err != nil {
			t.Fatal(err)
		}
		if s, err = w.agent.Session(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		w.prompt(s, "and now?")
		other, err := w.agent.Session(t.Context(), copied.ID)
		if err != nil {
			t.Fatal(err)
		}
		w.prompt(other, "and there?")
		text := all(w.last())
		if !strings.Contains(text, "Before.") || !strings.Contains(text, "commands start: "+two) || strings.Contains(text, "commands start: "+one) {
			t.Errorf("the copy got\n%s", text)
		}
	})
}

func TestAnUnreadableLogDoesNotHideOthers(t *testing.T) {
	inWorld(t, nil, []modeltest.Reply{{modeltest.Say("one")}}, func(t *testing.T, w *world) {
		w.prompt(w.session(""), "first")
		folder := filepath.Dir(w.logs()[0])
		if err := os.Mkdir(filepath.Join(folder, "20000101T000000Z-folder.jsonl"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"garbage": "\x00\xff\n{}\n", "torn": `{"at":"2000-01-0`, "empty": ""} {
			if err := os.WriteFile(filepath.Join(folder, "20000101T000000Z-"+name+".jsonl"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		store := transcript.NewStore(filepath.Join(w.state, "sessions"))
		var problems []string
		store.Unread = func(err error) { problems = append(problems, err.Error()) }
		for _, query := range []string{"", "first"} {
			problems = nil
			l, _, err := store.List(transcript.Listing{Cwd: w.dir, Query: query})
			if err != nil || len(l) != 1 || l[0].Title != "first" {
				t.Errorf("listed %+v, %v", l, err)
			}
			if all := strings.Join(problems, "\n"); len(problems) != 2 || !strings.Contains(all, "-folder.jsonl") || !strings.Contains(all, "-garbage.jsonl is not a session log") {
				t.Errorf("errors %q", problems)
			}
		}
		if err := w.agent.CleanUp(t.Context(), agent.Retention{MaxCount: 1}); err != nil {
			t.Errorf("cleaning up: %v", err)
		}
	})
}
