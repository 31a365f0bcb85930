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

// A Supply holds the tools that a session has beyond the built-in ones, such as
// those of MCP servers. It belongs to one session.
type Supply interface {
	// Tools returns the tools that can be called now. It is called before each
	// request of a turn, never twice at a time. It starts what it needs, and waits
	// for that at most a second: the tools of what starts later are returned by a
	// later call. What it started outlives ctx.
	Tools(ctx context.Context, t Asker) []tools.Tool
	// Close ends everything that was started, and waits for it. No turn runs then.
	Close()
}

// A Lender is a supply that can start MCP servers for one agent.
type Lender interface {
	// Lend returns a supply of these servers alone, which starts nothing yet. It waits
	// for its servers as long as they may take to start. The caller closes it.
	Lend(servers []config.Server) Supply
}

// Lend returns a supply of MCP servers for one agent; nil if the session has none.
func Lend(s *Session, servers []config.Server) Supply {
	for _, supply := range s.Supplies {
		if l, ok := supply.(Lender); ok {
			return l.Lend(servers)
		}
	}
	return nil
}

// A Describer is a supply that describes its servers to the user, in Markdown: the one
// of a name, or all of them if the name is empty. It is not called while its tools are
// asked for.
type Describer interface {
	Describe(name string) string
}

// An Asker is the turn that needs a supply's tools.
type Asker interface {
	// MayStart reports whether an entry of a folder's own settings may start now.
	// The user may be asked. It is called right before each start.
	MayStart(ctx context.Context, folder string, e trust.Entry) bool
	// Tell has the model read what an MCP server says about itself before its next
	// answer.
	Tell(server, text string, from tools.Origin)
	// Notice tells the user something.
	Notice(n transcript.Notice)
	// Fetch reads something of a server for the user's prompt if the gate allows it.
	// Rules apply as to a call of the tool. The user sees it as a call.
	Fetch(ctx context.Context, server, tool, title string, args json.RawMessage, read func(context.Context) tools.Result) tools.Result
	// Elicit puts questions of an MCP server to the user and waits. The error is
	// [frontend.ErrCannotElicit] where no user can be asked. Like Sample it is called
	// while a call to the server runs, and ends with ctx.
	Elicit(ctx context.Context, server string, questions []tools.Question) (frontend.Elicited, error)
	// Sample has the model answer a server's messages if the gate allows it. The error
	// is for the server.
	Sample(ctx context.Context, c Completion) (Answer, error)
}

// A Completion is a request of an MCP server for an answer of the model.
type Completion struct {
	Server      string
	Trusted     bool            // the user marks the server as trusted
	Shown       json.RawMessage // the request as the user reads it, an object
	System      string
	Messages    []Message // the first and the last are the user's
	MaxTokens   int32
	Temperature *float32 // nil: the model's own
}

// A Message is one of a [Completion].
type Message struct {
	Model bool // the model has said it, else the user
	Text  string
	Image *tools.Blob // in place of the text
}

// An Answer is the model's answer to a [Completion].
type Answer struct {
	Text  string
	Model string // its name
	Cut   bool   // it reached the limit of tokens
}

// CloseSupplies ends what the session's supplies have started.
func (s *Session) CloseSupplies() {
	for _, supply := range s.Supplies {
		supply.Close()
	}
	s.Readable.close()
}
