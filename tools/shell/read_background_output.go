package shell

import (
	"context"
	_ "embed" // for the words to the model
	"encoding/json"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/tools"
)

const readName = "read_background_output"

//go:embed read_background_output.md
var readText string // what the model reads about this tool

// How many lines are read: usually, and at most.
const (
	usualLines = 100
	maxLines   = 10_000 // the tag max of readArguments.Lines, too
)

type readTool struct{}

type readArguments struct {
	PID   int  `json:"pid" jsonschema:"The PID from run_shell_command or list_background_processes."`
	Lines *int `json:"lines,omitempty" min:"1" max:"10000" jsonschema:"How many of the last lines. Default: 100."`
	Delay int  `json:"delay_ms,omitempty" min:"0" max:"60000" jsonschema:"Milliseconds to wait first, or until the command ends; at most 60000."`
}

var readParams = tools.NewParams[readArguments]()

// NewRead makes the tool that reads what a command in the background prints.
func NewRead() tools.Tool { return readTool{} }

func (readTool) Spec() tools.Spec {
	return tools.Spec{
		Name: readName, Display: "ReadBackground", Kind: tools.Read, Description: readText,
		Schema: readParams.Schema(),
	}
}

func (readTool) Prepare(_ context.Context, env tools.Env, raw json.RawMessage) (tools.Action, error) {
	a, err := readParams.Decode(raw)
	if err != nil {
		return tools.Action{}, err
	}
	lines := usualLines
	if a.Lines != nil {
		lines = *a.Lines
	}
	delay := time.Duration(a.Delay) * time.Millisecond
	j, err := find(env, a.PID)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Title: fmt.Sprintf("output of process %d: %s", a.PID, oneLine(j.Command(), 120)), Effect: tools.Reads{},
		Run: func(ctx context.Context, _ func(tools.Progress)) tools.Result { return readJob(ctx, j, lines, delay) },
	}, nil
}

// readJob waits a while and tells the end of a job's output.
func readJob(ctx context.Context, j tools.Job, lines int, delay time.Duration) tools.Result {
	wait := time.NewTimer(delay)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-j.Over():
	case <-ctx.Done():
	}
	output := j.Output(lines)
	text := fmt.Sprintf("%s\nOutput, the last %s at most:%s", stateOf(j), count(lines, "line"), told(output))
	if name := j.Log(); name != "" {
		text += "\nWhat was printed before that can be read in " + name + "."
	}
	return tools.Result{Output: text, Display: fenced(output), Summary: j.State(), Origin: j.Origin()}
}
