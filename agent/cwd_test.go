package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/settings"
)

func TestASessionWithoutItsFolder(t *testing.T) {
	files := map[string]string{"one/a.go": "package a\n", "two/b.go": "package b\n"}
	replies := []modeltest.Reply{{modeltest.Say("Before.")}, {agenttest.Replace("a.go", "package a", "package z")}, {modeltest.Say("After.")}, {modeltest.Say("Elsewhere.")}}
	agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
		one, two := filepath.Join(w.Dir, "one"), filepath.Join(w.Dir, "two")
		s, err := w.Agent.Create(t.Context(), agent.NewSession{Cwd: one, Roots: []string{one, two}})
		if err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "first")
		wait := w.Begin(s, "propose")
		s.Cancel("")
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		id := s.ID()
		away := filepath.Join(w.State, "away")
		w.Stop()
		if err := os.Rename(one, away); err != nil {
			t.Fatal(err)
		}
		w.Start()

		if s, err = w.Agent.Session(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		w.Updates = nil
		if err := s.Load(t.Context()); err != nil || len(w.Updates) == 0 {
			t.Errorf("its history is shown in %d updates, %v", len(w.Updates), err)
		}
		if sets := w.Ledger.List(id, "", ledger.Pending); len(sets) != 0 {
			t.Errorf("what was proposed for a file that is gone is %+v", sets)
		}
		_, err = s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("go on")})
		if !errors.Is(err, agent.ErrNoFolder) || !strings.Contains(err.Error(), one) {
			t.Errorf("a prompt: %v", err)
		}

		store := transcript.NewStore(filepath.Join(w.State, "sessions"))
		copied, err := store.Adopt(id, two)
		if err != nil || copied.Cwd != two || copied.Title != "first" {
			t.Fatalf("a copy for another folder is %+v, %v", copied, err)
		}

		if err := os.Rename(away, one); err != nil {
			t.Fatal(err)
		}
		if s, err = w.Agent.Session(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "and now?")
		other, err := w.Agent.Session(t.Context(), copied.ID)
		if err != nil {
			t.Fatal(err)
		}
		w.Prompt(other, "and there?")
		text := agenttest.TextOf(w.LastRequest())
		if !strings.Contains(text, "Before.") || !strings.Contains(text, "commands start: "+two) || strings.Contains(text, "commands start: "+one) {
			t.Errorf("the copy got\n%s", text)
		}
	})
}

func TestAnUnreadableLogDoesNotHideOthers(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("one")}}, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(""), "first")
		folder := filepath.Dir(logs(w)[0])
		if err := os.Mkdir(filepath.Join(folder, "20000101T000000Z-folder.jsonl"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"garbage": "\x00\xff\n{}\n", "torn": `{"at":"2000-01-0`, "empty": ""} {
			if err := os.WriteFile(filepath.Join(folder, "20000101T000000Z-"+name+".jsonl"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		store := transcript.NewStore(filepath.Join(w.State, "sessions"))
		var problems []string
		store.Unread = func(err error) { problems = append(problems, err.Error()) }
		for _, query := range []string{"", "first"} {
			problems = nil
			l, _, err := store.List(transcript.Listing{Cwd: w.Dir, Query: query})
			if err != nil || len(l) != 1 || l[0].Title != "first" {
				t.Errorf("listed %+v, %v", l, err)
			}
			if all := strings.Join(problems, "\n"); len(problems) != 2 || !strings.Contains(all, "-folder.jsonl") || !strings.Contains(all, "-garbage.jsonl is not a session log") {
				t.Errorf("errors %q", problems)
			}
		}
		if err := w.Agent.CleanUp(t.Context(), settings.SessionRetention{MaxCount: 1}); err != nil {
			t.Errorf("cleaning up: %v", err)
		}
	})
}
