package rules

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/headless"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools/shell"
)

// Given is what the command line says about a call to decide about.
type Given struct {
	Command, Tool, Args string
	// HasCommand and HasArgs report whether these were given, which may be empty.
	HasCommand, HasArgs bool
}

// CallOf returns the tool and the arguments of a call. A command of - is read from stdin.
func CallOf(g Given, stdin io.Reader) (tool string, call json.RawMessage, err error) {
	switch {
	case g.HasCommand == (g.Tool != ""):
		return "", nil, cli.BadInput("policy check needs either --command or --tool")
	case g.HasCommand && g.HasArgs:
		return "", nil, cli.BadInput("--args needs --tool")
	case !g.HasCommand && !isObject(g.Args):
		return "", nil, cli.BadInput("--args: want a JSON object with the arguments of %s", g.Tool)
	case !g.HasCommand:
		return g.Tool, json.RawMessage(g.Args), nil
	}
	text := g.Command
	if text == "-" {
		b, err := io.ReadAll(io.LimitReader(stdin, headless.MaxStdin))
		if err != nil {
			return "", nil, fmt.Errorf("read the command: %w", err)
		}
		text = string(b)
	}
	if strings.TrimSpace(text) == "" {
		return "", nil, cli.BadInput("the command is empty")
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) { // models cannot send these; treat them like invisible characters
		text = strings.ReplaceAll(strings.ToValidUTF8(text, "\x01"), "\x00", "\x01")
	}
	call, err = json.Marshal(map[string]string{"command": text})
	return shell.Name, call, err
}

func isObject(text string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &object) == nil && object != nil
}

// PrintDecision prints a decision as JSON.
func PrintDecision(w io.Writer, d policy.Decision) error {
	type part struct {
		Text     string `json:"text"`
		Decision string `json:"decision"`
		Rule     string `json:"rule,omitempty"`
		Reason   string `json:"reason,omitempty"`
	}
	out := struct {
		Decision string `json:"decision"`
		Rule     string `json:"rule"`
		Reason   string `json:"reason"`
		Sandbox  bool   `json:"sandbox,omitempty"` // nothing else allows it
		Commands []part `json:"commands"`
	}{d.Kind.String(), d.Rule, d.Reason, d.Unasked, []part{}}
	for _, c := range d.Parts {
		out.Commands = append(out.Commands, part{c.Text, c.Kind.String(), c.Rule, c.Reason})
	}
	e := json.NewEncoder(visible.JSON(w))
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("print the decision: %w", err)
	}
	return nil
}
