package acp

import "encoding/json"

// OpenParams are the params of session/new, and of session/load and session/resume,
// which also name the session.
type OpenParams struct {
	SessionID             string      `json:"sessionId"`
	Cwd                   string      `json:"cwd"`
	AdditionalDirectories []string    `json:"additionalDirectories"`
	MCPServers            []MCPServer `json:"mcpServers"`
}

// MCPServer is an MCP server that the client hands over. One without a type is a
// program.
type MCPServer struct {
	Type    string   `json:"type"` // "http", "sse", or empty
	Name    string   `json:"name"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Env     []Named  `json:"env"`
	URL     string   `json:"url"`
	Headers []Named  `json:"headers"`
}

// Named is a variable or a header.
type Named struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SessionParams name a session.
type SessionParams struct {
	SessionID string `json:"sessionId"`
}

// PromptParams are the params of session/prompt.
type PromptParams struct {
	SessionID string            `json:"sessionId"`
	Prompt    []json.RawMessage `json:"prompt"`
}

// ListParams are the params of session/list.
type ListParams struct {
	Cwd    string `json:"cwd"`
	Cursor string `json:"cursor"`
}

// ModeParams are the params of session/set_mode.
type ModeParams struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

// OptionParams are the params of session/set_config_option.
type OptionParams struct {
	SessionID string          `json:"sessionId"`
	ConfigID  string          `json:"configId"`
	Value     json.RawMessage `json:"value"`
}

// AuthenticateParams are the params of authenticate.
type AuthenticateParams struct {
	MethodID string `json:"methodId"`
}
