package policy

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// A call that stands for calls of other tools is decided about as those are: a rule that
// allows has to cover all of them, any other one of them.
func TestRulesAboutTheCallsThatAPatchStandsFor(t *testing.T) {
	part := func(tool, file string) tools.Part {
		return tools.Part{Tool: tool, Args: json.RawMessage(`{"file_path":"` + file + `","content":"x"}`)}
	}
	docs := regexp.MustCompile(`"file_path":"docs/`)
	for _, tt := range []struct {
		name  string
		rule  Rule
		parts []tools.Part
		want  Kind
	}{
		{"the tool of a part is denied", Rule{Tools: []string{"write_file"}, Decision: Deny}, []tools.Part{part("replace", "a"), part("write_file", "b")}, Deny},
		{"another tool is denied", Rule{Tools: []string{"move_file"}, Decision: Deny}, []tools.Part{part("replace", "a")}, Ask},
		{"a path is denied", Rule{Tools: []string{"replace"}, Args: docs, Decision: Deny}, []tools.Part{part("replace", "a"), part("replace", "docs/b")}, Deny},
		{"a path is denied in another spelling", Rule{Tools: []string{"replace"}, Args: docs, Decision: Deny}, []tools.Part{part("replace", "x/../docs/b")}, Deny},
		{"the path of another tool is denied", Rule{Tools: []string{"replace"}, Args: docs, Decision: Deny}, []tools.Part{part("write_file", "docs/b")}, Ask},
		{"all tools are allowed", Rule{Tools: []string{"replace", "write_file"}, Decision: Allow}, []tools.Part{part("replace", "a"), part("write_file", "b")}, Allow},
		{"one tool is allowed", Rule{Tools: []string{"replace"}, Decision: Allow}, []tools.Part{part("replace", "a"), part("write_file", "b")}, Ask},
		{"all paths are allowed", Rule{Tools: []string{"replace"}, Args: docs, Decision: Allow}, []tools.Part{part("replace", "docs/a"), part("replace", "docs/b")}, Allow},
		{"one path is allowed", Rule{Tools: []string{"replace"}, Args: docs, Decision: Allow}, []tools.Part{part("replace", "docs/a"), part("replace", "b")}, Ask},
		{"the tool itself is allowed for all its paths", Rule{Tools: []string{"apply_patch"}, Args: docs, Decision: Allow}, []tools.Part{part("replace", "docs/a")}, Allow},
		{"the text of a patch allows nothing", Rule{Tools: []string{"apply_patch"}, Args: docs, Decision: Allow}, []tools.Part{part("replace", "a")}, Ask},
		{"the tool itself is denied", Rule{Tools: []string{"apply_patch"}, Decision: Deny}, []tools.Part{part("replace", "a")}, Deny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.rule.Tier, tt.rule.Priority = OfUser, 500
			e := tools.Edits{Parts: tt.parts}
			for _, p := range tt.parts {
				var named struct {
					File string `json:"file_path"`
				}
				if err := json.Unmarshal(p.Args, &named); err != nil {
					t.Fatal(err)
				}
				e.Files = append(e.Files, ledger.Proposed{Path: "/work/" + named.File, Op: ledger.Modify})
			}
			args := `{"patch":"\"file_path\":\"docs/"}`
			c := Call{Tool: "apply_patch", Args: json.RawMessage(args), Effect: e, Mode: Default, Trusted: true, Asks: true, Dir: "/work", Roots: []string{"/work"}}
			if d := New([]*Rule{&tt.rule}, nil).Decide(c); d.Kind != tt.want {
				t.Errorf("got %v (%s, %s), want %v", d.Kind, d.Rule, d.Reason, tt.want)
			}
		})
	}
}
