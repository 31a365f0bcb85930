package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestStoredSessionIsReadWithoutItsFolder(t *testing.T) {
	inWorld(t, nil, []modeltest.Reply{{modeltest.Say("An answer.")}}, func(t *testing.T, w *world) {
		s := w.session("")
		w.prompt(s, "A question")
		id := s.ID()
		w.stop()
		if err := os.RemoveAll(w.dir); err != nil {
			t.Fatal(err)
		}
		store := transcript.NewStore(filepath.Join(w.state, "sessions"))
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
		if err := os.MkdirAll(w.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		w.start()
	})
}

func TestTheModeSettingDoesNotApplyToRestrictedFolders(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		w.stop()
		w.trusted = false
		w.options = func(o *state.Options) { o.Settings.General.DefaultApprovalMode = string(policy.AutoEdit) }
		w.start()
		s, err := w.agent.Create(t.Context(), agent.NewSession{Cwd: w.dir})
		if err != nil || s.Info().Mode != policy.Default {
			t.Errorf("made %v, %v", s, err)
		}
		if _, err := w.agent.Create(t.Context(), agent.NewSession{Cwd: w.dir, Mode: policy.AutoEdit}); !errors.Is(err, transcript.ErrUntrusted) {
			t.Errorf("asked for by name: %v", err)
		}
	})
}
