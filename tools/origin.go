package tools

// Origin says where a text that the model reads comes from.
type Origin string

// The origins. Nobody has vouched for what comes from the web or from an MCP
// server: whoever wrote it may want the model to act for them.
const (
	OfUser      Origin = "user"      // said, chosen or approved by the user
	OfEmendo    Origin = "emendo"    // emendo's own words
	OfWorkspace Origin = "workspace" // the user's files
	OfTool      Origin = "tool"      // what a program on this machine said
	OfMCP       Origin = "mcp"
	OfWeb       Origin = "web"
)

// Untrusted says that nobody has vouched for what comes from there.
func (o Origin) Untrusted() bool { return o == OfMCP || o == OfWeb }
