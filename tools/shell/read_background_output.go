package shell

import (
	"context"
	_ "embed" // for readText
	"encoding/json"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

const readName = "read_background_output"

//go:embed read_background_output.md
var readText string // the tool's description for the model

// Default and maximum number of lines.
const (
	defaultLines = 100
	maxLines     = 10_000 // also in the tag max of readArguments.Lines
)

type readTool struct{}

type readArguments struct {
	PID   int  `json:"pid" jsonschema:"The PID from run_shell_command or list_background_processes."`
	Lines *int `json:"lines,omitempty" min:"1" max:"10000" jsonschema:"Number of lines from the end. Default: 100."`
	Delay int  `json:"delay_ms,omitempty" min:"0" max:"60000" jsonschema:"Milliseconds to wait before reading, or until the command ends. At most 60000."`
}

var readParams = tools.NewParams[readArguments]()

// NewRead returns the tool that reads the output of a background command.
func NewRead() tools.Tool { return readTool{} }

func (readTool) Spec() tools.Spec {
	return tools.Spec{
		Name: readName, Display: "ReadBackground", Kind: tools.Read, Description: readText,
		Schema: readParams.Schema(),
		Needs:  tools.Needs{Trust: true},
	}
}

func (readTool) Prepare(_ context.Context, env tools.Env, raw json.RawMessage) (tools.Action, error) {
	a, err := readParams.Decode(raw)
	if err != nil {
		return tools.Action{}, err
	}
	lines := defaultLines
	if a.Lines != nil {
		lines = *a.Lines
	}
	delay := time.Duration(a.Delay) * time.Millisecond
	j, err := find(env, a.PID)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Title: fmt.Sprintf("output of process %d: %s", a.PID, oneLine(j.Command(), 120)), Effect: tools.Reads{}, Job: true,
		Run: func(ctx context.Context, _ func(tools.Progress)) tools.Result { return readJob(ctx, j, lines, delay) },
	}, nil
}

// readJob waits for a while, then returns the end of a job's output.
func readJob(ctx context.Context, j tools.Job, lines int, delay time.Duration) tools.Result {
	wait := time.NewTimer(delay)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-j.Over():
	case <-ctx.Done():
	}
	output := j.Output(lines)
	text := fmt.Sprintf("%s\nOutput, at most the last %s:%s", stateOf(j), tools.Count(lines, "line", "lines"), forModel(output))
	if name := j.Log(); name != "" {
		text += "\nOlder output is kept in " + name + "."
	}
	r := tools.Result{Output: text, Display: visible.Block("", output), Summary: j.State(), Origin: j.Origin(), Met: j.Met()}
	if r.Met != nil {
		r.Output += failedAt(r.Met.Wall)
	}
	return r
}
