package builtin_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
)

func TestOtherNamesAreOfOneTool(t *testing.T) {
	for what, field := range map[string]func(tools.Spec) []string{
		"name":           func(s tools.Spec) []string { return []string{s.Name} },
		"alias":          func(s tools.Spec) []string { return s.Aliases },
		"similar":        func(s tools.Spec) []string { return s.Similar },
		"former name":    func(s tools.Spec) []string { return s.FormerNames },
		"Claude's name":  func(s tools.Spec) []string { return s.ClaudeNames },
		"editor command": func(s tools.Spec) []string { return s.EditorCommands },
	} {
		of := map[string]string{}
		for _, s := range builtin.Specs() {
			for _, name := range field(s) {
				if other := of[name]; other != "" {
					t.Errorf("%s %q is one of %s and of %s", what, name, other, s.Name)
				}
				of[name] = s.Name
			}
		}
	}
}

// What is true of tools beside what they do: a change here is a decision.
func TestSpecs(t *testing.T) {
	withField := func(has func(tools.Spec) bool) []string {
		var l []string
		for _, s := range builtin.Specs() {
			if has(s) {
				l = append(l, s.Name)
			}
		}
		slices.Sort(l)
		return l
	}
	for _, tt := range []struct {
		name string
		has  func(tools.Spec) bool
		want []string
	}{
		{
			"needs trust", func(s tools.Spec) bool { return s.Needs.Trust },
			[]string{"google_web_search", "kill_background_process", "list_background_processes", "read_background_output", "run_shell_command", "save_memory", "web_fetch"},
		},
		{"needs a user who answers", func(s tools.Spec) bool { return s.Needs.Questions }, []string{"ask_user"}},
		{"needs a user for plans", func(s tools.Spec) bool { return s.Needs.Plans }, []string{"enter_plan_mode", "exit_plan_mode"}},
		{"needs a provider that searches", func(s tools.Spec) bool { return s.Needs.Search }, []string{"google_web_search"}},
		{"needs a model for patches", func(s tools.Spec) bool { return s.Needs.Patches }, []string{"apply_patch"}},
		{"needs a review", func(s tools.Spec) bool { return s.Needs.Review }, []string{"report_finding"}},
		{"not in plan mode", func(s tools.Spec) bool { return s.Needs.NoPlanMode }, []string{"apply_patch", "enter_plan_mode"}},
		{"not in yolo mode", func(s tools.Spec) bool { return s.Needs.NoYoloMode }, []string{"enter_plan_mode", "exit_plan_mode"}},
		{
			"not for agents", func(s tools.Spec) bool { return s.NotForAgents },
			[]string{
				"ask_user", "enter_plan_mode", "exit_plan_mode", "invoke_agent", "report_finding", "save_memory", "tracker_add_dependency", "tracker_create_task", "tracker_get_task",
				"tracker_list_tasks", "tracker_update_task", "tracker_visualize", "write_todos",
			},
		},
		{
			"for the agent that explores", func(s tools.Spec) bool { return s.Investigates },
			[]string{"document_symbols", "find_references", "glob", "go_to_definition", "grep_search", "list_directory", "read_file", "workspace_symbols"},
		},
		{"never masked", func(s tools.Spec) bool { return s.Lasting }, []string{"activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(withField(tt.has), tt.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSimilar(t *testing.T) {
	for name, want := range map[string]string{"str_replace_editor": "replace", "Multi-Edit": "replace", "Run Command": "run_shell_command", "frobnicate": ""} {
		if got := builtin.Similar(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
