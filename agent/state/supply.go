package state

import (
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/tools"
)

// A Supply provides tools beyond the built-in ones, such as those of MCP servers.
// It belongs to one session.
type Supply interface {
	// Tools returns the tools that can be called now. It is called before each
	// request of a turn, never concurrently. It starts the servers that it needs
	// and waits for them, where a user watches at most a second; tools of slower
	// ones are returned by a later call. Servers outlive ctx.
	Tools(ctx context.Context, t Asker) []tools.Tool
	// Close stops everything that was started and waits for it. It is called
	// between turns.
	Close()
}

// An Awaiter is a supply whose servers may still be starting.
type Awaiter interface {
	// Await waits for the servers that may have a tool of that name and are still
	// starting, and reports whether there was one. It is not called during Tools.
	Await(ctx context.Context, tool string) (waited bool)
}

// Servers is a supply of MCP servers.
type Servers interface {
	// Lend returns a supply of only these servers, for one agent. It starts nothing yet, and
	// waits for servers as long as they may take to start. The caller closes it.
	Lend(servers []config.Server) Supply
	// Describe describes the named server to the user in Markdown, or all if the name is
	// empty. It is not called during Tools.
	Describe(name string) string
	// States returns the servers of the session that run or may, as they are now. It starts
	// nothing.
	States() []ServerState
	// Restart ends the named server, and waits for its end. With again it starts at once and is
	// waited for as in Tools, if it needs no approval, else with the next request. It reports
	// whether there is one.
	Restart(ctx context.Context, name string, again bool) bool
}

// ServerState is the state of an MCP server in a session.
type ServerState struct {
	Name    string
	State   string // "idle", "starting", "ready" or "failed"
	Err     error  // why it failed
	Login   bool   // it failed because the user has to sign in
	GivenUp bool   // it failed too often and is not started again
	Tools   []string
}

// supplyOf returns the first supply of a session that is a T; the zero T if it has none.
func supplyOf[T any](s *Session) (found T) {
	for _, supply := range s.Supplies {
		if t, ok := supply.(T); ok {
			return t
		}
	}
	return found
}

// Servers returns the session's MCP servers; nil if it has none.
func (s *Session) Servers() Servers { return supplyOf[Servers](s) }

// An Asker is the turn that uses a supply.
type Asker interface {
	// MayStart reports whether an entry of a folder's settings may start now, and in
	// which version. It may ask the user. It is called right before each start.
	MayStart(ctx context.Context, folder string, e trust.Entry) (trust.Cleared, bool)
	// Tell sends the instructions of an MCP server to the model before its next
	// response.
	Tell(server, text string, from tools.Origin)
	// Notice shows a notice to the user.
	Notice(n transcript.Notice)
	// Publish tells the front end about an event, unless it knows it.
	Publish(e frontend.Event)
	// Fetch reads something from a server for the user's prompt if the gate allows
	// it, under the rules for a call of the tool. It is shown as a call.
	Fetch(ctx context.Context, server, tool, title string, args json.RawMessage, read func(context.Context) tools.Result) tools.Result
	// Elicit asks the user questions of an MCP server and waits. The error is
	// [frontend.ErrCannotElicit] if no user can be asked. Like Sample it is called
	// during a call to the server, and ends with ctx.
	Elicit(ctx context.Context, server string, questions []tools.Question) (frontend.Elicited, error)
	// Sample makes the model answer a server's messages if the gate allows it. The
	// error is for the server.
	Sample(ctx context.Context, c Completion) (Answer, error)
}

// A Completion is a request of an MCP server for an answer of the model.
type Completion struct {
	Server      string
	Trusted     bool            // the user marks the server as trusted
	Shown       json.RawMessage // the request as shown to the user, an object
	System      string
	Messages    []Message // the first and the last are from the user
	MaxTokens   int32
	Temperature *float32 // nil: the model's own
}

// A Message is one of a [Completion].
type Message struct {
	Model bool // from the model, else from the user
	Text  string
	Image *tools.Blob // in place of the text
}

// An Answer is the model's answer to a [Completion].
type Answer struct {
	Text  string
	Model string // its name
	Cut   bool   // it reached the token limit
}

// CloseSupplies closes the session's supplies.
func (s *Session) CloseSupplies() {
	for _, supply := range s.Supplies {
		supply.Close()
	}
	s.Readable.close()
}
