package discovery

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/mcp/schema"
)

// Limits of what a discovery command prints.
const (
	maxOutput      = 10 << 20 // bytes
	maxTools       = 128
	maxDescription = 8 << 10  // bytes
	maxSchema      = 64 << 10 // bytes
	maxName        = 200      // bytes of a name as the command has it
)

// declared is a tool as the discovery command describes it.
type declared struct {
	Name        string
	Description string
	Schema      json.RawMessage // of its arguments, for a model
}

// declaration is one object that the command prints: a tool, or a list of them.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
	Snake       []declaration   `json:"function_declarations"`
	Camel       []declaration   `json:"functionDeclarations"`
}

// read returns the tools in the output of a discovery command, and what was left out,
// one clause each.
func read(output []byte) (tools []declared, leftOut []string, err error) {
	if len(output) > maxOutput {
		return nil, nil, fmt.Errorf("it printed more than %d MiB", maxOutput>>20)
	}
	if len(bytes.TrimSpace(output)) == 0 {
		return nil, nil, errors.New("it printed nothing; want a JSON array of tools")
	}
	var list []declaration
	if err := json.Unmarshal(output, &list); err != nil {
		return nil, nil, fmt.Errorf("its output is not a JSON array of tools: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	var all []declaration
	for _, d := range list {
		all = append(append(append(all, d), d.Snake...), d.Camel...)
	}
	for _, d := range all {
		shown := visible.ShortLine(d.Name, 80)
		switch {
		case d.Name == "":
			continue
		case len(d.Name) > maxName || strings.ContainsFunc(d.Name, func(r rune) bool { return r < ' ' || r == 0x7f }):
			leftOut = append(leftOut, shown+": its name is too long or has control characters")
			continue
		case len(tools) == maxTools:
			leftOut = append(leftOut, fmt.Sprintf("%s and those after it: there are more than %d", shown, maxTools))
			return tools, leftOut, nil
		}
		if d.Schema == nil {
			d.Schema = d.Parameters
		}
		s := schema.Clean(d.Schema)
		if len(s) > maxSchema {
			leftOut = append(leftOut, fmt.Sprintf("%s: the schema of its arguments has more than %d KiB", shown, maxSchema>>10))
			continue
		}
		description := visible.Bounded(cmp.Or(visible.Text(d.Description), shown), maxDescription, "…")
		tools = append(tools, declared{d.Name, description, s})
	}
	return tools, leftOut, nil
}
