package acp

import "encoding/json"

// Version is the version of the protocol.
const Version = 1

// InitializeParams are the params of initialize. The client's capabilities are read by
// [ReadAbilities].
type InitializeParams struct {
	ProtocolVersion    *int            `json:"protocolVersion"`
	ClientCapabilities json.RawMessage `json:"clientCapabilities"`
	ClientInfo         *Implementation `json:"clientInfo"`
}

// Implementation names a client or an agent.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitzero"`
	Version string `json:"version"`
}

// Supported declares something without options.
type Supported struct{}

// InitializeResult is the answer to initialize.
type InitializeResult struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentInfo         Implementation    `json:"agentInfo"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities"`
	AuthMethods       []AuthMethod      `json:"authMethods"`
	Meta              any               `json:"_meta,omitzero"`
}

// AgentCapabilities are what emendo can do.
type AgentCapabilities struct {
	LoadSession bool `json:"loadSession"`
	Prompt      struct {
		Image           bool `json:"image"`
		Audio           bool `json:"audio"`
		EmbeddedContext bool `json:"embeddedContext"`
	} `json:"promptCapabilities"`
	MCP struct {
		HTTP bool `json:"http"`
		SSE  bool `json:"sse"`
	} `json:"mcpCapabilities"`
	Session struct {
		List                  Supported `json:"list"`
		Delete                Supported `json:"delete"`
		AdditionalDirectories Supported `json:"additionalDirectories"`
		Resume                Supported `json:"resume"`
		Close                 Supported `json:"close"`
	} `json:"sessionCapabilities"`
}

// AuthMethod is a way for the user to sign in to the model's provider.
type AuthMethod struct {
	Type        string            `json:"type,omitzero"` // "terminal", or empty
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitzero"`
	Args        []string          `json:"args,omitzero"` // of a terminal method: for emendo's own program
	Env         map[string]string `json:"env,omitzero"`  // likewise
}

// TerminalAuth is the type of a method that runs emendo in a terminal of the client.
const TerminalAuth = "terminal"

// Abilities are what a client declared.
type Abilities struct {
	ReadFiles   bool // fs/read_text_file
	WriteFiles  bool // fs/write_text_file
	Terminals   bool // terminal/create and the others
	Forms       bool // elicitation/create with a form
	Notices     bool // updates of kind notice
	Compactions bool // updates of kind compaction_update
	SignsIn     bool // runs emendo in a terminal for the user to sign in
}

// ReadAbilities reads the client's capabilities. What is not of the expected shape
// counts as not declared.
func ReadAbilities(raw json.RawMessage) Abilities {
	var all any
	if len(raw) > 0 && json.Unmarshal(raw, &all) != nil {
		return Abilities{}
	}
	at := func(path ...string) any {
		v := all
		for _, key := range path {
			m, _ := v.(map[string]any)
			v = m[key]
		}
		return v
	}
	object := func(path ...string) bool { _, ok := at(path...).(map[string]any); return ok }
	return Abilities{
		ReadFiles: at("fs", "readTextFile") == true, WriteFiles: at("fs", "writeTextFile") == true, Terminals: at("terminal") == true,
		Forms: object("elicitation", "form"), Notices: object("session", "notices"), Compactions: object("session", "compaction"),
		SignsIn: at("auth", "terminal") == true,
	}
}
