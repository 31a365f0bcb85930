package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

func TestSlashCommandsNeedNoKey(t *testing.T) {
	w := newWorld(t)
	w.write("AGENTS.md", "Whole cents.\n")
	w.env = w.env[:4]
	r := w.run("/context")
	r.wantCode(t, 0)
	if !strings.Contains(r.stdout, "AGENTS.md` | 13 | ") || r.stderr != "" {
		t.Errorf("it says %q, and %q", r.stdout, r.stderr)
	}
	a := w.run("--output-format", "json", "/context exclude AGENTS.md").answer(t)
	if !strings.Contains(a.Response, "Left out:") || strings.Contains(a.Response, "| 13 |") || a.Error != nil {
		t.Errorf("as JSON it is %+v", a)
	}
	if r := w.exec("sessions", "list"); r.stdout != "" {
		t.Errorf("listed\n%s", r.stdout)
	}
	w.run("/compact").wantCode(t, exitAuth)
}

func TestASummaryIsListedAndExported(t *testing.T) {
	w := newWorld(t, geminitest.Say("It is 4."), geminitest.Say(`"Add two and two."`))
	w.run("-p", "two and two?", "--session-id", "mine").wantCode(t, 0)
	if r := w.run("--resume", "mine", "/summarize"); r.stdout != "Add two and two.\n" {
		t.Errorf("it says %q, and %q", r.stdout, r.stderr)
	}
	if r := w.exec("sessions", "list"); !strings.HasSuffix(r.stdout, "two and two?: Add two and two.\n") || !strings.Contains(r.stdout, "1 turn ") {
		t.Errorf("listed\n%s", r.stdout)
	}
	if r := w.exec("sessions", "export", "mine"); !strings.Contains(r.stdout, "\n\nAdd two and two.\n\n## You\n") {
		t.Errorf("exported\n%s", r.stdout)
	}
	var whole struct{ Session acp.SessionInfo }
	if err := json.Unmarshal([]byte(w.exec("sessions", "export", "--format", "json", "mine").stdout), &whole); err != nil || whole.Session.Summary != "Add two and two." {
		t.Errorf("as JSON it is %+v, %v", whole.Session, err)
	}
}
