//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// What an editor switches is in the user's settings file, which keeps the rest, and in no file of
// the project. A server of the project still waits for its approval after it was enabled, and what
// another file disables stays disabled.
func TestListsChangeTheUsersSettingsAlone(t *testing.T) {
	w := newWorld(t, geminitest.Say("a"), geminitest.Say("b"), geminitest.Say("c"))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	user := filepath.Join(w.home, "config", "settings.json")
	w.put(user, `{
  // mine
  "skills.disabled": ["other"],
  "mcpServers": {"own": {"command": "`+self+`", "env": {"EMENDO_TEST_SERVER": "1"}}}
}
`)
	project := `{"skills": {"disabled": ["fixed"]}, "mcpServers": {"theirs": {"command": "` + self + `", "env": {"EMENDO_TEST_SERVER": "1"}}}}`
	w.write(".emendo/settings.json", project)
	for _, name := range []string{"fixed", "pdf", "other"} {
		w.write(".emendo/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: It is "+name+".\n---\nDo.\n")
	}
	s := w.serve(`{"experimental":{"emendo":{"version":1,"session":true,"permission":true}}}`, `{"trust":"trusted"}`, w.dir)
	list := func(kind string) string {
		t.Helper()
		var a struct {
			Result struct {
				Entries []struct {
					Name, State string
					Enabled     bool
				}
			}
		}
		raw := s.ask("emendo/"+kind+"/list", `{"sessionId":"`+s.session+`"}`)
		if err := json.Unmarshal([]byte(raw), &a); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		var l []string
		for _, e := range a.Result.Entries {
			text := e.Name
			if e.State != "" {
				text += " " + e.State
			}
			if !e.Enabled {
				text += " off"
			}
			l = append(l, text)
		}
		return strings.Join(l, ", ")
	}
	set := func(kind, name, enabled string) string {
		t.Helper()
		return s.ask("emendo/"+kind+"/setEnabled", `{"sessionId":"`+s.session+`","name":"`+name+`","enabled":`+enabled+`}`)
	}
	want := func(kind, want string) {
		t.Helper()
		if got := list(kind); got != want {
			t.Errorf("the %s are %s, want %s", kind, got, want)
		}
	}
	// prompts refuses the server that is asked about, if one is.
	prompts := func(asks bool) {
		t.Helper()
		s.id++
		s.begin(s.id)
		if asks {
			var asked struct{ ID json.RawMessage }
			if err := json.Unmarshal([]byte(s.until("emendo/session/requestPermission")), &asked); err != nil {
				t.Fatal(err)
			}
			s.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"outcome":"selected","optionId":"reject_once"}}`)
		}
		s.answer(fmt.Sprint(s.id))
	}

	want("mcp", "own idle, theirs needs_approval")
	want("skills", "fixed off, other off, pdf")
	prompts(true)
	want("mcp", "own ready, theirs needs_approval")
	set("mcp", "own", "false")
	set("mcp", "theirs", "false")
	set("skills", "pdf", "false")
	set("skills", "OTHER", "true")
	want("mcp", "own disabled off, theirs disabled off")
	want("skills", "fixed off, other, pdf off")
	if got := set("skills", "fixed", "true"); !strings.Contains(got, "error") || !strings.Contains(got, ".emendo/settings.json") {
		t.Errorf("to enable what the project disables is answered %s", got)
	}
	const now = `"skills.disabled": ["pdf"],`
	if got := w.readFrom(user); !strings.Contains(got, "// mine") || !strings.Contains(got, now) || !strings.Contains(got, `"mcp":{"excluded":["own","theirs"]}`) {
		t.Errorf("the user's file is %s", got)
	}
	prompts(false)
	want("mcp", "own disabled off, theirs disabled off")
	set("mcp", "own", "true")
	set("mcp", "theirs", "true")
	want("mcp", "own idle, theirs needs_approval")
	prompts(true)
	want("mcp", "own ready, theirs needs_approval")
	if got := s.ask("emendo/mcp/restart", `{"sessionId":"`+s.session+`","name":"own"}`); strings.Contains(got, "error") {
		t.Errorf("to restart a server is answered %s", got)
	}
	want("mcp", "own ready, theirs needs_approval")
	if got := w.read(".emendo/settings.json"); got != project {
		t.Errorf("the project's file is %s", got)
	}
}
