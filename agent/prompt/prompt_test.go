package prompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/google/go-cmp/cmp"
)

var allTools = []string{"read_file", "replace", "run_shell_command", "save_memory"}

func names(ms []prompt.Module) []string {
	var l []string
	for _, m := range ms {
		l = append(l, m.Name)
	}
	return l
}

func TestModules(t *testing.T) {
	for _, tt := range []struct {
		name  string
		facts prompt.Facts
		off   []string
		want  []string
	}{
		{
			name: "a trusted folder with git", facts: prompt.Facts{Mode: "default", Trusted: true, Watched: true, Git: true},
			want: []string{"preamble", "coreMandates", "primaryWorkflows", "operationalGuidelines", "git"},
		},
		{
			name: "plan mode has another way of working", facts: prompt.Facts{Mode: "plan", Trusted: true, Watched: true},
			want: []string{"preamble", "coreMandates", "planningWorkflow", "operationalGuidelines"},
		},
		{
			name: "yolo with nobody there", facts: prompt.Facts{Mode: "yolo", Trusted: true},
			want: []string{"preamble", "coreMandates", "primaryWorkflows", "operationalGuidelines", "interactiveYoloMode", "unattended"},
		},
		{
			name: "a restricted folder runs no git", facts: prompt.Facts{Mode: "default", Watched: true, Git: true},
			want: []string{"preamble", "coreMandates", "primaryWorkflows", "operationalGuidelines", "restricted"},
		},
		{
			name:  "modules are left out",
			facts: prompt.Facts{Mode: "default", Trusted: true, Watched: true, Git: true, Files: []prompt.File{{Scope: "project", Name: "AGENTS.md", Text: "x"}}},
			off:   []string{"git", "coreMandates", "memory"},
			want:  []string{"preamble", "primaryWorkflows", "operationalGuidelines"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := prompt.Options{Off: func(name string) bool { return slices.Contains(tt.off, name) }}
			if diff := cmp.Diff(names(prompt.Build(tt.facts, o)), tt.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVariants(t *testing.T) {
	for _, tt := range []struct {
		name       string
		facts      prompt.Facts
		has, lacks []string
	}{
		{
			name: "asking", facts: prompt.Facts{Mode: "default", Trusted: true, Watched: true, Tools: allTools},
			has: []string{"When the task is unclear", "Edits are proposals", "Commands ask the user first", "`save_memory`"},
		},
		{
			name: "edits apply at once", facts: prompt.Facts{Mode: "auto_edit", Trusted: true, Watched: true, Tools: allTools},
			has: []string{"Edits apply at once", "Commands ask the user first"}, lacks: []string{"Edits are proposals"},
		},
		{
			name: "commands run unasked", facts: prompt.Facts{Mode: "yolo", Trusted: true, Tools: allTools},
			has: []string{"Do not run commands that wait"}, lacks: []string{"Commands ask the user first"},
		},
		{
			name: "tools that are not offered are not spoken of", facts: prompt.Facts{Mode: "default", Trusted: true},
			lacks: []string{"`replace`", "Commands", "`save_memory`"},
		},
		{
			name: "nobody decides and nobody answers", facts: prompt.Facts{Mode: "default", Trusted: true, Tools: append(allTools, "ask_user", "write_todos")},
			has: []string{"Take what the user most likely wants", "`write_todos`"}, lacks: []string{"Edits are proposals", "ask the user first", "ask one short question"},
		},
		{
			name: "what a restricted folder has not", facts: prompt.Facts{Mode: "default", Watched: true, Tools: allTools},
			has: []string{"Edits are proposals"}, lacks: []string{"Commands ask", "`save_memory`"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := prompt.Text(prompt.Build(tt.facts, prompt.Options{}))
			for _, s := range tt.has {
				if !strings.Contains(text, s) {
					t.Errorf("%q is missing in\n%s", s, text)
				}
			}
			for _, s := range append(tt.lacks, "{{", "\n\n\n") {
				if strings.Contains(text, s) {
					t.Errorf("%q is in\n%s", s, text)
				}
			}
		})
	}
}

func TestReplacement(t *testing.T) {
	f := prompt.Facts{Tools: []string{"read_file", "glob"}, Files: []prompt.File{{Scope: "project", Name: "AGENTS.md", Text: "Tabs.\n"}}}
	o := prompt.Options{Replacement: "Be brief. Tools: ${AvailableTools}; read with ${read_file_ToolName}, not ${cat_ToolName}. ${AgentSkills}$HOME"}
	ms := prompt.Build(f, o)
	want := "Be brief. Tools: read_file, glob; read with read_file, not ${cat_ToolName}. $HOME\n"
	if got := prompt.Text(prompt.Own(ms)); got != want {
		t.Errorf("the replacement is %q, want %q", got, want)
	}
	if text := prompt.Text(ms); !strings.Contains(text, "--- from AGENTS.md (the project's) ---\nTabs.\n--- end of AGENTS.md ---\n") {
		t.Errorf("what was written down is missing in %q", text)
	}
}
