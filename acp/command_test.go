package acp_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestCommands(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []transcript.Command
		want string
	}{
		{"none", nil, `[]`},
		{"one that takes nothing", []transcript.Command{{Name: "help", Description: "List."}}, `[{"name":"help","description":"List."}]`},
		{"one that takes something", []transcript.Command{{Name: "mode", Description: "Change.", Hint: "[MODE]"}}, `[{"name":"mode","description":"Change.","input":{"hint":"[MODE]"}}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(acp.Commands(tt.in))
			if err != nil || string(got) != tt.want {
				t.Errorf("%s, %v", got, err)
			}
			update := string(acp.Update(transcript.CommandsChanged{Commands: tt.in}))
			if want := `{"sessionUpdate":"available_commands_update","availableCommands":` + tt.want + `}`; update != want {
				t.Errorf("the update is %s", update)
			}
		})
	}
}

func TestEveryCommandIsInTheProtocol(t *testing.T) {
	page, err := os.ReadFile("../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range slash.BuiltIn() {
		if !strings.Contains(string(page), "\n| `/"+c.Name) {
			t.Errorf("docs/protocol.md does not tell of /%s", c.Name)
		}
	}
}
