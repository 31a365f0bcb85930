package client

import "context"

// MCPServer is an MCP server that is configured for a folder, whether a session runs it or not.
type MCPServer struct {
	Name      string
	Transport string
	Target    string // its command line or address
	File      string // where it is configured, absolute, or in words
	Standing  Standing
	Why       string // the reason of the standing; may be empty
	SignsIn   bool   // the user can sign in to it
	Needs     bool   // the user has to
	SignedIn  bool
}

// Standing is whether a server would start in a folder.
type Standing string

// The standings.
const (
	Starts       Standing = "starts"
	Approved     Standing = "approved"   // it starts as well
	Hidden       Standing = "hidden"     // Why has the file with the one that is used
	Excluded     Standing = "excluded"   // by the settings; Why has the setting
	SwitchedOff  Standing = "disabled"   // by its own entry
	NotTrusted   Standing = "restricted" // the folder is not trusted
	Unapproved   Standing = "unapproved"
	Changed      Standing = "changed"      // since it was approved
	EachTime     Standing = "each_session" // it has to be approved in each session
	Unapprovable Standing = "unapprovable"
)

// Servers are the MCP servers of some folders.
type Servers interface {
	// List returns the configured servers, without starting any, and what cannot be read.
	List() (l []MCPServer, problems []string)
	// SignIn signs the user in to a server, and waits for that. open shows the user where.
	SignIn(ctx context.Context, name string, open func(address string) error) error
	SignOut(ctx context.Context, name string) error
}
