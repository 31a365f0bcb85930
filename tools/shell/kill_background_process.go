package shell

import (
	"context"
	_ "embed" // for killText
	"encoding/json"
	"fmt"

	"github.com/emendo-dev/emendo/tools"
)

const killName = "kill_background_process"

//go:embed kill_background_process.md
var killText string // the tool's description for the model

type killTool struct{}

type killArguments struct {
	PID int `json:"pid" jsonschema:"The PID from run_shell_command or list_background_processes."`
}

var killParams = tools.NewParams[killArguments]()

// NewKill returns the tool that ends a background command.
func NewKill() tools.Tool { return killTool{} }

func (killTool) Spec() tools.Spec {
	return tools.Spec{
		Name: killName, Display: "EndBackground", Kind: tools.Execute, Description: killText,
		Schema: killParams.Schema(),
		Needs:  tools.Needs{Trust: true},
	}
}

func (killTool) Prepare(_ context.Context, env tools.Env, raw json.RawMessage) (tools.Action, error) {
	a, err := killParams.Decode(raw)
	if err != nil {
		return tools.Action{}, err
	}
	j, err := find(env, a.PID)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Title:  fmt.Sprintf("end process %d: %s", a.PID, oneLine(j.Command(), 120)),
		Effect: tools.Ends{PID: a.PID, Command: j.Command()}, Job: true,
		Run: func(context.Context, func(tools.Progress)) tools.Result {
			before := ""
			select {
			case <-j.Over():
				before = "It had already ended.\n"
			default:
			}
			j.End()
			return tools.Result{Output: before + stateOf(j) + "\nIts last output:" + forModel(j.Output(20)), Summary: j.State(), Origin: j.Origin()}
		},
	}, nil
}
