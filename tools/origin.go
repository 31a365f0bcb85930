package tools

import "slices"

// Origin is where a text that the model reads comes from.
type Origin string

// The origins. Text of the last four is untrusted: its author may want the model to act
// for them.
const (
	OfUser      Origin = "user"      // written, chosen or approved by the user
	OfEmendo    Origin = "emendo"    // emendo's own text
	OfWorkspace Origin = "workspace" // the user's files
	OfTool      Origin = "tool"      // output of a program on this machine
	OfMCP       Origin = "mcp"       // an MCP server
	OfWeb       Origin = "web"       // the network
	OfInput     Origin = "input"     // what was passed on beside a prompt
	OfImport    Origin = "import"    // a conversation of another program
)

// Untrusted reports whether text from there is untrusted.
func (o Origin) Untrusted() bool {
	return slices.Contains([]Origin{OfMCP, OfWeb, OfInput, OfImport}, o)
}

// An Author is whoever wrote untrusted text, as far as that is known.
type Author struct {
	Origin Origin `json:"origin"`
	// Name is that of an MCP server, a host of the network, or a remote agent, which Agent
	// says; empty: not known.
	Name  string `json:"name,omitempty"`
	Agent bool   `json:"agent,omitempty"`
}

// A Lead is an address to which a result leads. From is the address that was fetched and
// redirects there; empty: a search found it. Both are as package address writes them.
type Lead struct {
	From string `json:"from,omitempty"`
	To   string `json:"to"`
}
