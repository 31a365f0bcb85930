package shell

import (
	"context"
	_ "embed" // for listText
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emendo-dev/emendo/tools"
)

const listName = "list_background_processes"

//go:embed list_background_processes.md
var listText string // the tool's description for the model

type listTool struct{}

var listParams = tools.NewParams[struct{}](func(s *jsonschema.Schema) {
	s.Properties = map[string]*jsonschema.Schema{} // some providers require them
})

// NewList returns the tool that lists the session's background commands.
func NewList() tools.Tool { return listTool{} }

func (listTool) Spec() tools.Spec {
	return tools.Spec{
		Name: listName, Display: "ListBackground", Kind: tools.Read, Description: listText,
		Schema: listParams.Schema(),
		Needs:  tools.Needs{Trust: true},
	}
}

func (listTool) Prepare(_ context.Context, env tools.Env, raw json.RawMessage) (tools.Action, error) {
	if _, err := listParams.Decode(raw); err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Title: "commands in the background", Effect: tools.Reads{},
		Run: func(context.Context, func(tools.Progress)) tools.Result {
			var all []tools.Job
			if env.Jobs != nil {
				all = env.Jobs.List()
			}
			if len(all) == 0 {
				return tools.Result{Output: "This session has started no background command since emendo was started.", Summary: "none"}
			}
			var b strings.Builder
			for _, j := range all {
				fmt.Fprintf(&b, "- %s\n", stateOf(j))
			}
			return tools.Result{Output: strings.TrimSuffix(b.String(), "\n"), Summary: tools.Count(len(all), "command", "commands")}
		},
	}, nil
}
