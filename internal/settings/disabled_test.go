package settings

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
)

func TestLayersThatDisableAName(t *testing.T) {
	h := newHome(t)
	h.write("user", `{"skills.disabled": ["PDF"], "hooks": {"disabled": ["guard"]}}`)
	h.write("project", `{"skills": {"disabled": ["pdf", "other"]}, "mcp": {"excluded": ["db"]}}`)
	user, project := filepath.Join(h.opts.Paths.Config, "settings.json"), filepath.Join(h.opts.ProjectDir, ".emendo", "settings.json")
	editor := json.RawMessage(`{"agents.disabled": ["tester"], "skills.disabled": ["pdf"]}`)
	for name, tt := range map[string]struct {
		list    Disabling
		of      string
		trusted bool
		want    []string
	}{
		"several, whatever the case":       {DisabledSkills, "pdf", true, []string{user, project, "the settings of your editor"}},
		"the project is not trusted":       {DisabledSkills, "pdf", false, []string{user, "the settings of your editor"}},
		"the project alone":                {DisabledSkills, "other", true, []string{project}},
		"the editor alone":                 {DisabledAgents, "tester", true, []string{"the settings of your editor"}},
		"another case is another agent":    {DisabledAgents, "Tester", true, nil},
		"by an old name of the setting":    {DisabledHooks, "guard", true, []string{user}},
		"a project excludes no server":     {DisabledServers, "db", true, nil},
		"another list has the same name":   {DisabledHooks, "pdf", true, nil},
		"a server that nothing is said of": {DisabledServers, "none", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			source := NewSource(h.opts)
			if got := source.DisabledBy(tt.list, tt.of, tt.trusted, editor, nil); !slices.Equal(got, tt.want) {
				t.Errorf("disabled by %q, want %q", got, tt.want)
			}
			set, _ := source.Read(tt.trusted, editor, nil)
			if tt.list.Has(&set, tt.of) != (len(tt.want) > 0) {
				t.Errorf("the settings say %t", tt.list.Has(&set, tt.of))
			}
		})
	}
}
