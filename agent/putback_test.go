package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools/aside"
)

// What was moved aside is told at once, between turns too, and one answer puts it back: of
// several by one name the newest, and everything if none is named.
func TestPutBack(t *testing.T) {
	agenttest.InWorld(t, nil, agenttest.Answers("yes"), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		w.Prompt(s, "hi")
		made := func(name, text string) aside.File {
			from, to := filepath.Join(w.Dir, name), filepath.Join(w.Dir, name+text+".aside")
			if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return aside.File{Command: "npm run dev", From: from, To: to, PutBack: func() error { return os.Rename(to, from) }}
		}
		s.State.MovedAside([]aside.File{made("a", "old")})
		s.State.MovedAside([]aside.File{made("a", "new"), made("b", "b")})
		var told []transcript.Notice
		for _, u := range w.Updates {
			if n, ok := u.Event.(transcript.Notice); ok {
				told = append(told, n)
			}
		}
		if len(told) != 2 || told[0].Code != transcript.NoticeMovedAside || !strings.Contains(told[1].Description, filepath.Join(w.Dir, "b")) || !strings.Contains(told[1].Description, "/putback") {
			t.Errorf("told %+v", told)
		}
		if end := w.Prompt(s, "/putback b"); !strings.Contains(end.Text, "is back") || strings.Contains(end.Text, "a`") {
			t.Errorf("answered %s", end.Text)
		}
		if end := w.Prompt(s, "/putback"); strings.Count(end.Text, "is back") != 1 {
			t.Errorf("answered %s", end.Text)
		}
		for name, want := range map[string]string{"a": "new", "b": "b", "aold.aside": "old"} {
			if got, err := os.ReadFile(filepath.Join(w.Dir, name)); err != nil || string(got) != want {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		w.CheckNumbers()
	})
}
