package preview

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/emendo-dev/emendo/acp"
)

// Version is the version of the protocol.
const Version = 2

// InitializeParams are the params of initialize.
type InitializeParams struct {
	ProtocolVersion *int                `json:"protocolVersion"`
	Capabilities    json.RawMessage     `json:"capabilities"`
	Info            *acp.Implementation `json:"info"`
}

// ReadAbilities reads the client's capabilities. Every client takes notices and
// compactions.
func ReadAbilities(raw json.RawMessage) acp.Abilities {
	var c struct {
		Auth struct {
			Terminal *acp.Supported `json:"terminal"`
		} `json:"auth"`
		Elicitation struct {
			Form *acp.Supported `json:"form"`
		} `json:"elicitation"`
	}
	if len(raw) > 0 && json.Unmarshal(raw, &c) != nil {
		return acp.Abilities{Notices: true, Compactions: true}
	}
	return acp.Abilities{Notices: true, Compactions: true, SignsIn: c.Auth.Terminal != nil, Forms: c.Elicitation.Form != nil}
}

type object = map[string]any

// Initialized returns the answer to initialize.
func Initialized(info acp.Implementation, methods []acp.AuthMethod) any {
	yes := acp.Supported{}
	return object{
		"protocolVersion": Version, "info": info, "authMethods": AuthMethods(methods),
		"capabilities": object{"session": object{
			"prompt": object{"image": yes, "audio": yes, "embeddedContext": yes},
			"mcp":    object{"stdio": yes, "http": yes},
			"delete": yes, "additionalDirectories": yes,
		}},
	}
}

// AuthMethods returns ways to sign in.
func AuthMethods(methods []acp.AuthMethod) []any {
	l := []any{}
	for _, m := range methods {
		o := object{"type": "agent", "methodId": m.ID, "name": m.Name, "description": m.Description}
		if m.Type == acp.TerminalAuth {
			env := []acp.Named{}
			for _, name := range slices.Sorted(maps.Keys(m.Env)) {
				env = append(env, acp.Named{Name: name, Value: m.Env[name]})
			}
			o["type"], o["args"], o["env"] = m.Type, append([]string{}, m.Args...), env
		}
		l = append(l, o)
	}
	return l
}
