package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestStoredSessionIsReadWithoutItsFolder(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("An answer.")}}, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		w.Prompt(s, "A question")
		id := s.ID()
		w.Stop()
		if err := os.RemoveAll(w.Dir); err != nil {
			t.Fatal(err)
		}
		store := transcript.NewStore(filepath.Join(w.State, "sessions"))
		info, updates, err := store.Read(id)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, u := range updates {
			if e, ok := u.Event.(transcript.Text); ok {
				said += e.Text
			}
		}
		if info.Title != "A question" || info.Turns != 1 || said != "An answer." {
			t.Errorf("read %+v saying %q", info, said)
		}
		if err := store.Delete(id); err != nil {
			t.Fatal(err)
		}
		if _, _, err := store.Read(id); !errors.Is(err, transcript.ErrUnknownSession) {
			t.Errorf("after its deletion: %v", err)
		}
		if err := os.MkdirAll(w.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		w.Start()
	})
}

func TestTheModeSettingDoesNotApplyToRestrictedFolders(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Trusted = false
		w.Options = func(o *state.Options) { o.Settings.General.DefaultApprovalMode = string(policy.AutoEdit) }
		w.Start()
		s, err := w.Agent.Create(t.Context(), agent.NewSession{Cwd: w.Dir})
		if err != nil || s.Info().Mode != policy.Default {
			t.Errorf("made %v, %v", s, err)
		}
		if _, err := w.Agent.Create(t.Context(), agent.NewSession{Cwd: w.Dir, Mode: policy.AutoEdit}); !errors.Is(err, transcript.ErrUntrusted) {
			t.Errorf("asked for by name: %v", err)
		}
	})
}
