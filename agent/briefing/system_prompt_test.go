package briefing_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/definition"
)

var allTools = []string{"read_file", "replace", "run_shell_command", "save_memory"}

func names(ms []briefing.Module) []string {
	var l []string
	for _, m := range ms {
		l = append(l, m.Name)
	}
	return l
}

func TestModules(t *testing.T) {
	for _, tt := range []struct {
		name  string
		facts briefing.Facts
		off   []string
		want  []string
	}{
		{
			name: "a trusted folder with git", facts: briefing.Facts{Mode: "default", Trusted: true, Watched: true, Git: true},
			want: []string{"preamble", "coreMandates", "givenContext", "primaryWorkflows", "operationalGuidelines", "git"},
		},
		{
			name: "plan mode has another way of working", facts: briefing.Facts{Mode: "plan", Trusted: true, Watched: true},
			want: []string{"preamble", "coreMandates", "givenContext", "planningWorkflow", "operationalGuidelines"},
		},
		{
			name: "yolo with nobody there", facts: briefing.Facts{Mode: "yolo", Trusted: true},
			want: []string{"preamble", "coreMandates", "givenContext", "primaryWorkflows", "operationalGuidelines", "interactiveYoloMode", "unattended"},
		},
		{
			name: "a restricted folder runs no git", facts: briefing.Facts{Mode: "default", Watched: true, Git: true},
			want: []string{"preamble", "coreMandates", "givenContext", "primaryWorkflows", "operationalGuidelines", "restricted"},
		},
		{
			name: "yolo that is trusted no more asks", facts: briefing.Facts{Mode: "yolo", Watched: true},
			want: []string{"preamble", "coreMandates", "givenContext", "primaryWorkflows", "operationalGuidelines", "restricted"},
		},
		{
			name: "commands and a list to keep", facts: briefing.Facts{Mode: "auto_edit", Trusted: true, Watched: true, Tools: append([]string{"write_todos"}, allTools...)},
			want: []string{"preamble", "coreMandates", "givenContext", "primaryWorkflows", "taskTracker", "operationalGuidelines", "sandbox"},
		},
		{
			name: "neither in plan mode", facts: briefing.Facts{Mode: "plan", Trusted: true, Watched: true, Tools: append([]string{"write_todos"}, allTools...)},
			want: []string{"preamble", "coreMandates", "givenContext", "planningWorkflow", "operationalGuidelines"},
		},
		{
			name:  "modules are left out",
			facts: briefing.Facts{Mode: "default", Trusted: true, Watched: true, Git: true, Files: []briefing.File{{Scope: "project", Name: "AGENTS.md", Text: "x"}}},
			off:   []string{"git", "coreMandates", "memory"},
			want:  []string{"preamble", "givenContext", "primaryWorkflows", "operationalGuidelines"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := briefing.PromptOptions{Off: func(name string) bool { return slices.Contains(tt.off, name) }}
			if diff := cmp.Diff(names(briefing.SystemPrompt(tt.facts, o)), tt.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

var update = flag.Bool("update", false, "rewrite the expected texts of the modules")

// TestWhatModulesSay holds every module, in every case that makes it another
// one, against a file.
func TestWhatModulesSay(t *testing.T) {
	every := append([]string{"ask_user", "write_todos", "exit_plan_mode", "write_file"}, allTools...)
	files := []briefing.File{{Scope: "user", Name: "~/AGENTS.md", Text: "Tabs."}, {Scope: "project", Name: "AGENTS.md", Text: "\nCents.\n"}, {Scope: "saved", Name: "memory", Text: "- Short."}}
	variants := []struct {
		name  string
		facts briefing.Facts
	}{
		{"asking", briefing.Facts{Mode: "default", Trusted: true, Watched: true, Git: true, Tools: every, Files: files, Skills: []definition.Skill{{Name: "pdf", Description: "Fill in forms.", File: "/skills/pdf/SKILL.md"}}}},
		{"auto edit", briefing.Facts{Mode: "auto_edit", Trusted: true, Watched: true, Tools: every}},
		{"yolo", briefing.Facts{Mode: "yolo", Trusted: true, Watched: true, Git: true, Tools: every}},
		{"planning", briefing.Facts{Mode: "plan", Trusted: true, Watched: true, Git: true, Tools: every, Plans: "/plans"}},
		{"planning without files", briefing.Facts{Mode: "plan", Trusted: true, Watched: true, Tools: allTools}},
		{"restricted", briefing.Facts{Mode: "default", Watched: true, Git: true, Tools: every}},
		{"restricted, planning", briefing.Facts{Mode: "plan", Watched: true, Tools: allTools}},
		{"restricted since", briefing.Facts{Mode: "yolo", Watched: true, Tools: every}},
		{"no tools", briefing.Facts{Mode: "default", Trusted: true, Watched: true}},
		{"alone", briefing.Facts{Mode: "default", Trusted: true, Tools: every}},
		{"alone, auto edit", briefing.Facts{Mode: "auto_edit", Trusted: true, Tools: every}},
		{"alone, yolo", briefing.Facts{Mode: "yolo", Trusted: true, Tools: every}},
		{"alone, planning", briefing.Facts{Mode: "plan", Trusted: true, Tools: allTools}},
		{"alone, restricted", briefing.Facts{Mode: "default", Tools: every}},
		{"isolated", briefing.Facts{Mode: "default", Trusted: true, Watched: true, Tools: every, Sandbox: "A"}},
		{"isolated, unasked", briefing.Facts{Mode: "default", Trusted: true, Watched: true, Tools: every, Sandbox: "A", Unasked: true}},
		{"isolated, alone", briefing.Facts{Mode: "default", Trusted: true, Tools: every, Sandbox: "A", Unasked: true}},
		{"isolated, alone, auto edit", briefing.Facts{Mode: "auto_edit", Trusted: true, Tools: every, Sandbox: "A", Unasked: true}},
		{"isolated, yolo", briefing.Facts{Mode: "yolo", Trusted: true, Watched: true, Tools: every, Sandbox: "A"}},
		{"held by Landlock", briefing.Facts{Mode: "default", Trusted: true, Watched: true, Tools: every, Sandbox: "B"}},
	}
	var b strings.Builder
	for _, name := range briefing.ModuleNames() {
		var texts []string
		of := map[string][]string{}
		for _, v := range variants {
			for _, m := range briefing.SystemPrompt(v.facts, briefing.PromptOptions{}) {
				if m.Name != name {
					continue
				}
				if of[m.Text] == nil {
					texts = append(texts, m.Text)
				}
				of[m.Text] = append(of[m.Text], v.name)
			}
		}
		if len(texts) == 0 {
			t.Errorf("no variant has the module %s", name)
		}
		for _, text := range texts {
			if strings.Contains(text, "{{") || strings.Contains(text, "\n\n\n") || strings.Contains(text, "<no value>") {
				t.Errorf("%s is not rendered well:\n%s", name, text)
			}
			fmt.Fprintf(&b, "==== %s: %s\n\n%s\n\n", name, strings.Join(of[text], "; "), strings.TrimSpace(text))
		}
	}
	const golden = "testdata/modules.md"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(want)); diff != "" {
		t.Errorf("the modules have changed; look at them and run the test with -update:\n%s", diff)
	}
}

// TestEveryModuleIsSwitchedOff by its name, and no other.
func TestEveryModuleIsSwitchedOff(t *testing.T) {
	cases := []briefing.Facts{
		{Mode: "yolo", Trusted: true, Git: true, Tools: append([]string{"write_todos"}, allTools...), Files: []briefing.File{{Name: "AGENTS.md", Text: "x"}}, Skills: []definition.Skill{{Name: "pdf"}}},
		{Mode: "plan", Watched: true, Tools: allTools},
	}
	for _, name := range briefing.ModuleNames() {
		found := false
		for _, f := range cases {
			whole := names(briefing.SystemPrompt(f, briefing.PromptOptions{}))
			less := names(briefing.SystemPrompt(f, briefing.PromptOptions{Off: func(n string) bool { return n == name }}))
			found = found || slices.Contains(whole, name)
			if diff := cmp.Diff(less, slices.DeleteFunc(whole, func(n string) bool { return n == name })); diff != "" {
				t.Errorf("without %s: %s", name, diff)
			}
		}
		if !found {
			t.Errorf("%s is in none of the cases", name)
		}
	}
}

// A long list of skills is cut.
func TestSkillListIsBounded(t *testing.T) {
	var f briefing.Facts
	for range 40 {
		f.Skills = append(f.Skills, definition.Skill{Name: "pdf", Description: strings.Repeat("x", 1000)})
	}
	if l := f.SkillList(); len(l) > 12<<10+100 || !strings.HasSuffix(l, "- and 28 more: activate_skill names them\n") {
		t.Errorf("it has %d bytes and ends %q", len(l), l[len(l)-60:])
	}
}

func TestReplacement(t *testing.T) {
	f := briefing.Facts{Skills: []definition.Skill{{Name: "pdf", Description: "Fill in forms.", File: "/s"}}, Tools: []string{"read_file", "glob"}, Files: []briefing.File{{Scope: "project", Name: "AGENTS.md", Text: "Tabs.\n"}}}
	o := briefing.PromptOptions{Replacement: "Be brief. Tools: ${AvailableTools}; read with ${read_file_ToolName}, not ${cat_ToolName}. ${AgentSkills}$HOME"}
	ms := briefing.SystemPrompt(f, o)
	want := "Be brief. Tools: read_file, glob; read with read_file, not ${cat_ToolName}. - pdf: Fill in forms. (/s)\n$HOME\n"
	if got := briefing.PromptText(briefing.WithoutMemory(ms)); got != want {
		t.Errorf("the replacement is %q, want %q", got, want)
	}
	if text := briefing.PromptText(ms); !strings.Contains(text, "--- from AGENTS.md (the project's) ---\nTabs.\n--- end of AGENTS.md ---\n") {
		t.Errorf("what was written down is missing in %q", text)
	}
}
