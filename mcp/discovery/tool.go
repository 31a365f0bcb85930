package discovery

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/shell"
)

// Prefix begins the names of discovered tools.
const Prefix = "discovered_tool_"

// longest is the length of a tool's name that all providers take.
const longest = 63

// tool is a discovered tool. A call is a command line, which is decided about and run
// as any other one.
type tool struct {
	spec   tools.Spec
	name   string // as the commands have it
	call   string // the command that calls it
	supply *Supply
}

// Spec implements [tools.Tool].
func (t *tool) Spec() tools.Spec { return t.spec }

// Prepare implements [tools.Tool]. The command checks the arguments.
func (t *tool) Prepare(ctx context.Context, env tools.Env, args json.RawMessage) (tools.Action, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	object := jsontext.Value(bytes.Clone(args))
	if object.Kind() != '{' || !object.IsValid() {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: want a JSON object with unique names")
	}
	if err := object.Compact(); err != nil {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: %v", err)
	}
	commands := t.supply.session.Agent.Tool(shell.Name)
	if commands == nil {
		return tools.Action{}, tools.Errorf(tools.NotRegistered, "%s runs a command, and this session has no tool that does", t.spec.Name)
	}
	line, err := t.line(string(object))
	if err != nil {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: %v", err)
	}
	call, err := json.Marshal(map[string]string{"command": line, "dir_path": t.supply.folder()})
	if err != nil {
		return tools.Action{}, err
	}
	env.Copies = map[string]string{} // of what was approved, while it runs
	a, err := commands.Prepare(ctx, env, call)
	if err != nil {
		return tools.Action{}, err
	}
	if r, ok := a.Effect.(tools.Runs); ok {
		r.Discovered = true
		a.Effect = r
	}
	a.Title = fmt.Sprintf("%s %s", tools.ShownLine(t.name, 60), tools.ShownLine(string(object), 120))
	a.Run = t.checked(env.Copies, a.Run)
	if with := a.WithAccess; with != nil {
		a.WithAccess = func(more tools.Access) func(context.Context, func(tools.Progress)) tools.Result {
			return t.checked(env.Copies, with(more))
		}
	}
	return a, nil
}

// line returns the command line of a call. The arguments are its standard input.
func (t *tool) line(args string) (string, error) {
	name, err := syntax.Quote(t.name, syntax.LangBash)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s <<'ARGUMENTS'\n%s\nARGUMENTS", t.call, name, args), nil
}

// checked returns a run that refuses a command that was changed since it was approved,
// shows it copies of the files that were, and makes one that fails an error.
func (t *tool) checked(copies map[string]string, run func(context.Context, func(tools.Progress)) tools.Result) func(context.Context, func(tools.Progress)) tools.Result {
	return func(ctx context.Context, live func(tools.Progress)) tools.Result {
		if cleared := t.supply.cleared.call; cleared.Sum != "" {
			temp, err := t.supply.temp()
			if err == nil {
				defer os.RemoveAll(temp)
				var made map[string]string
				made, err = cleared.Copy(temp)
				clear(copies)
				maps.Copy(copies, made)
			}
			if errors.Is(err, trust.ErrChanged) {
				return tools.Result{Err: tools.Errorf(tools.PolicyViolation, "It was not run: tools.callCommand or a file that it names has changed since the user approved it. The user is asked about it before the next step.")}
			}
			if err != nil {
				return tools.Result{Err: tools.Errorf(tools.DiscoveredFailure, "it was not run: %v", err)}
			}
		}
		r := run(ctx, live)
		if r.Err == nil && r.Exit != nil && (r.Exit.Code != 0 || r.Exit.Signal != "") && r.Met == nil {
			r.Err, r.Output = tools.Errorf(tools.DiscoveredFailure, "%s", r.Output), ""
		}
		return r
	}
}

// notInNames matches a character that not all providers accept.
var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// nameOf returns the name of a tool for the model, which no other one has.
func nameOf(name string, taken map[string]bool) string {
	plain := Prefix + notInNames.ReplaceAllString(name, "_")
	if len(plain) > longest {
		sum := sha256.Sum256([]byte(name))
		plain = plain[:longest-7] + "-" + hex.EncodeToString(sum[:3])
	}
	unique := plain
	for i := 2; taken[unique]; i++ {
		suffix := "_" + strconv.Itoa(i)
		unique = plain[:min(len(plain), longest-len(suffix))] + suffix
	}
	taken[unique] = true
	return unique
}
