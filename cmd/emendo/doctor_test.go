package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/cmd/emendo/doctor"
)

func TestDoctor(t *testing.T) {
	for _, c := range []struct {
		name  string
		world func(w *world)
		args  []string
		code  int
		says  []string
		not   []string
	}{
		{
			name: "all is well", world: func(*world) {},
			says: []string{"ok    credentials  from GEMINI_API_KEY", "ok    settings", "ok    storage      sessions are stored in ", "warn  trust", "→ emendo trust add", "  sandbox      commands run at level ", "starting one takes"},
		},
		{
			name: "a rule that cannot be read", world: func(w *world) {
				w.put(filepath.Join(w.home, "config", "policies", "mine.toml"), "[[rule]]\ndecision = 3\n")
			}, code: 1,
			says: []string{"FAIL  policies", "mine.toml"},
		},
		{
			name: "the model is asked with leave", world: func(*world) {}, args: []string{"--online"},
			says: []string{"ok    model", "answered after"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("ok"))
			c.world(w)
			r := w.exec(append([]string{"doctor"}, c.args...)...)
			r.wantCode(t, c.code)
			for _, words := range c.says {
				if !strings.Contains(r.stdout, words) {
					t.Errorf("the output lacks %q:\n%s", words, r.stdout)
				}
			}
			for _, words := range append(c.not, w.model.Key) {
				if strings.Contains(r.stdout, words) {
					t.Errorf("unexpected output %q:\n%s", words, r.stdout)
				}
			}
			if n := len(w.model.Requests()); n != len(c.args) {
				t.Errorf("the model got %d requests", n)
			}
		})
	}
}

func TestDoctorAsJSON(t *testing.T) {
	w := newWorld(t)
	r := w.exec("doctor", "--json")
	var got struct {
		Usable bool
		Checks []doctor.Finding
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || !got.Usable || len(got.Checks) < 5 {
		t.Errorf("%v: %s", err, r.stdout)
	}
	for _, dir := range []string{"cache/temp", "state"} {
		if left, _ := os.ReadDir(filepath.Join(w.home, dir)); len(left) != 0 {
			t.Errorf("files left behind: %v", left)
		}
	}
}

// A missing required sandbox ends a run before the first request.
func TestRunWithoutTheRequiredSandbox(t *testing.T) {
	w := newWorld(t, geminitest.Say("never asked for"))
	w.env = append(w.env, levelVariable+"=Z")
	r := w.run("-p", "hi")
	r.wantCode(t, exitSandbox)
	r.wantLine(t, "no sandbox is available", "level Z")
	w = newWorld(t, geminitest.Say("never asked for"))
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"tools.sandbox": "required"}`)
	w.env = append(w.env, levelVariable+"=C")
	w.run("-p", "hi").wantCode(t, exitSandbox)
	if n := len(w.model.Requests()); n != 0 {
		t.Errorf("the model got %d requests", n)
	}
}
