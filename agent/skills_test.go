package agent_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		w.ofUser(map[string]string{"skills/pdf/SKILL.md": pdfSkill, "skills/pdf/scripts/fill.py": "print('filled')\n"})
		dir := filepath.Join(w.state, "config", "skills", "pdf")
		script := filepath.Join(dir, "scripts", "fill.py")
		read := modeltest.Call("read_file", `{"file_path":"`+script+`"}`)
		w.model.Replies = []modeltest.Reply{{read}, {modeltest.Call("activate_skill", `{"name":"pdf"}`)}, {read}, {modeltest.Say("done")}}
		w.prompt(w.session(""), "fill in the form")
		rs := w.model.Requests()
		if !offers(rs[0], "activate_skill") || !strings.Contains(rs[0].System, "- pdf: Fill in PDF forms. ("+filepath.Join(dir, "SKILL.md")+")") || strings.Contains(rs[0].System, "Run scripts") {
			t.Errorf("the model got %s", rs[0].System)
		}
		if got := all(rs[1]); strings.Contains(got, "filled") {
			t.Errorf("the file was read before: %s", got)
		}
		if got := all(rs[2]); !strings.Contains(got, "Run scripts/fill.py.") || !strings.Contains(got, "Folder: "+dir+"\nSKILL.md\nscripts/fill.py\n") {
			t.Errorf("the skill is %s", got)
		}
		if got := all(rs[3]); !strings.Contains(got, "print('filled')") {
			t.Errorf("the file was not read: %s", got)
		}
		if len(w.questions) != 1 || w.questions[0].Call.Title != "Activate the skill pdf" || !slices.Equal(w.questions[0].Preview.Paths, []string{filepath.Join(dir, "SKILL.md")}) {
			t.Errorf("asked %+v", w.questions)
		}
	})
}

// A project's skills are only offered in a trusted folder. Without skills there is no
// tool, and the system prompt does not mention them.
func TestSkillsNeedTrust(t *testing.T) {
	inWorld(t, map[string]string{".claude/skills/pdf/SKILL.md": pdfSkill}, answers("one", "two", "three", "four"), func(t *testing.T, w *world) {
		s := w.session("")
		for i, c := range []struct {
			trusted, off bool
			want         bool
		}{{true, false, true}, {false, false, false}, {true, true, false}} {
			w.trusted = c.trusted
			if c.off {
				w.options = func(o *state.Options) { o.Settings.Skills.Disabled = []string{"PDF"} }
				w.stop()
				w.start()
				s = w.session("")
			}
			w.prompt(s, "hello")
			if r := w.last(); offers(r, "activate_skill") != c.want || strings.Contains(r.System, "pdf") != c.want {
				t.Errorf("%d: the model got %s", i, r.System)
			}
			if got := w.prompt(s, "/skills").Text; strings.Contains(got, "| pdf | Fill in PDF forms. | project |") != c.want {
				t.Errorf("%d: listed %s", i, got)
			}
		}
	})
}

// If no user can be asked, no skill is activated.
func TestSkillIsNotActivatedUnasked(t *testing.T) {
	inWorld(t, map[string]string{".gemini/skills/pdf/SKILL.md": pdfSkill}, nil, func(t *testing.T, w *world) {
		w.abilities = frontend.Abilities{}
		w.stop()
		w.start()
		w.model.Replies = []modeltest.Reply{{modeltest.Call("activate_skill", `{"name":"pdf"}`)}, {modeltest.Say("done")}}
		w.prompt(w.session(""), "fill in the form")
		if got := all(w.last()); strings.Contains(got, "Run scripts") || !strings.Contains(got, "needs the user's approval") {
			t.Errorf("the model got %s", got)
		}
	})
}
