package main

import (
	"encoding/json"
	"path/filepath"
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
	if !strings.Contains(a.Response, "Excluded:") || strings.Contains(a.Response, "| 13 |") || a.Error != nil {
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

// Custom commands work in scripts: their expansion is sent. Nothing is sent if one of
// their command lines is not allowed.
func TestCustomCommandsInScripts(t *testing.T) {
	w := newWorld(t, geminitest.Say("One."), geminitest.Say("Two."), geminitest.Say("Three."))
	w.write(".gemini/commands/git/log.toml", `prompt = "Sum up !{echo one-line} for {{args}}."`)
	w.put(filepath.Join(w.home, "config", "commands", "mine.toml"), `prompt = "Be brief: {{args}}"`)
	w.put(filepath.Join(w.home, "config", "commands", "date.toml"), `prompt = "On !{date}."`)
	sent := func() string {
		rs := w.model.Requests()
		return string(rs[len(rs)-1].Body)
	}
	if r := w.run("--allowed-tools", "run_shell_command(echo)", "-p", "/git:log the team"); r.stdout != "One.\n" || !strings.Contains(sent(), `Sum up \u003cuntrusted_context\u003eone-line\u003c/untrusted_context\u003e for the team.`) || strings.Contains(sent(), "/git:log") {
		t.Errorf("%+v, sent %s", r, sent())
	}
	if r := w.exec("run", "-p", "/mine why?"); r.stdout != "Two.\n" || !strings.Contains(sent(), "Be brief: why?") {
		t.Errorf("%+v, sent %s", r, sent())
	}
	asked := len(w.model.Requests())
	r := w.exec("run", "-p", "/date")
	r.wantCode(t, exitUntrusted)
	r.wantLine(t, "/date was not sent", "not trusted")
	r = w.exec("run", "-p", "/git:log")
	r.wantCode(t, exitInput)
	r.wantLine(t, "unknown command /git:log")
	w.write(".gemini/commands/touch.toml", `prompt = "!{docker cp x:/made .}"`)
	r = w.run("-p", "/touch")
	r.wantCode(t, exitFailure)
	if !strings.Contains(r.stderr, "emendo: /touch was not sent: docker cp x:/made .: ") {
		t.Errorf("it says %q", r.stderr)
	}
	if n := len(w.model.Requests()); n != asked {
		t.Errorf("the model got %d requests more", n-asked)
	}
	if r := w.run("-p", "/commands"); !strings.Contains(r.stdout, "| `/git:log` | Custom command from log.toml | project | ") || !strings.Contains(r.stdout, "| `/mine` |") {
		t.Errorf("listed %+v", r)
	}
}
