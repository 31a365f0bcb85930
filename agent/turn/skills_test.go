package turn_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
)

const pdfSkill = "---\nname: pdf\ndescription: Fill in PDF forms.\n---\nRun scripts/fill.py."

// offers reports whether a request offers a tool.
func offers(r model.Request, tool string) bool {
	return slices.ContainsFunc(r.Tools, func(t model.Tool) bool { return t.Name == tool })
}

// A user's skill is outside the workspace. Its files can be read after the user has
// allowed its activation.
func TestSkillIsActivated(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		ofUser(w, map[string]string{"skills/pdf/SKILL.md": pdfSkill, "skills/pdf/scripts/fill.py": "print('filled')\n"})
		dir := filepath.Join(w.State, "config", "skills", "pdf")
		script := filepath.Join(dir, "scripts", "fill.py")
		read := modeltest.Call("read_file", `{"file_path":"`+script+`"}`)
		w.Model.Replies = []modeltest.Reply{{read}, {modeltest.Call("activate_skill", `{"name":"pdf"}`)}, {read}, {modeltest.Say("done")}}
		w.Prompt(w.Session(""), "fill in the form")
		rs := w.Model.Requests()
		if !offers(rs[0], "activate_skill") || !strings.Contains(rs[0].System, "- pdf: Fill in PDF forms. ("+filepath.Join(dir, "SKILL.md")+")") || strings.Contains(rs[0].System, "Run scripts") {
			t.Errorf("the model got %s", rs[0].System)
		}
		if got := agenttest.TextOf(rs[1]); strings.Contains(got, "filled") {
			t.Errorf("the file was read before: %s", got)
		}
		if got := agenttest.TextOf(rs[2]); !strings.Contains(got, "Run scripts/fill.py.") || !strings.Contains(got, "Folder: "+dir+"\nSKILL.md\nscripts/fill.py\n") {
			t.Errorf("the skill is %s", got)
		}
		if got := agenttest.TextOf(rs[3]); !strings.Contains(got, "print('filled')") {
			t.Errorf("the file was not read: %s", got)
		}
		if len(w.Questions) != 1 || w.Questions[0].Call.Title != "Activate the skill pdf" || !slices.Equal(w.Questions[0].Preview.Paths, []string{filepath.Join(dir, "SKILL.md")}) {
			t.Errorf("asked %+v", w.Questions)
		}
	})
}

// A project's skills are only offered in a trusted folder. Without skills there is no
// tool, and the system prompt does not mention them.
func TestSkillsNeedTrust(t *testing.T) {
	agenttest.InWorld(t, map[string]string{".claude/skills/pdf/SKILL.md": pdfSkill}, agenttest.Answers("one", "two", "three", "four"), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		for i, c := range []struct {
			trusted, off bool
			want         bool
		}{{true, false, true}, {false, false, false}, {true, true, false}} {
			w.Trusted = c.trusted
			if c.off {
				w.Options = func(o *state.Options) { o.Settings.Skills.Disabled = []string{"PDF"} }
				w.Stop()
				w.Start()
				s = w.Session("")
			}
			w.Prompt(s, "hello")
			if r := w.LastRequest(); offers(r, "activate_skill") != c.want || strings.Contains(r.System, "pdf") != c.want {
				t.Errorf("%d: the model got %s", i, r.System)
			}
			if got := w.Prompt(s, "/skills").Text; strings.Contains(got, "| pdf | Fill in PDF forms. | project |") != c.want {
				t.Errorf("%d: listed %s", i, got)
			}
		}
	})
}

// If no user can be asked, no skill is activated.
func TestSkillIsNotActivatedUnasked(t *testing.T) {
	agenttest.InWorld(t, map[string]string{".gemini/skills/pdf/SKILL.md": pdfSkill}, nil, func(t *testing.T, w *agenttest.World) {
		w.Can = frontend.Abilities{}
		w.Stop()
		w.Start()
		w.Model.Replies = []modeltest.Reply{{modeltest.Call("activate_skill", `{"name":"pdf"}`)}, {modeltest.Say("done")}}
		w.Prompt(w.Session(""), "fill in the form")
		if got := agenttest.TextOf(w.LastRequest()); strings.Contains(got, "Run scripts") || !strings.Contains(got, "needs the user's approval") {
			t.Errorf("the model got %s", got)
		}
	})
}
