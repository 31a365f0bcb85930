package state

import (
	"context"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/trust"
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
}

// CloseSupplies ends what the session's supplies have started.
func (s *Session) CloseSupplies() {
	for _, supply := range s.Supplies {
		supply.Close()
	}
	s.Readable.close()
}
