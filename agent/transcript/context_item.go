package transcript

import (
	"cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/tools"
)

// ContextItem describes a piece of the model's context to the user.
type ContextItem struct {
	Kind   string
	Source string // absolute path of a file, or name of a module or tool; may be empty
	Size   int    // bytes of text
	Reason string // why it is in the context, in a few words
	Origin tools.Origin
}

// Reasons maps kinds to the reason why they are in the context.
var Reasons = map[string]string{
	KindSystem:       "emendo's instructions",
	KindTools:        "tools that the model can call",
	KindMemory:       "saved with your approval",
	KindEnvironment:  "the session's environment",
	KindFolders:      "files in the workspace",
	KindEditor:       "state of the editor",
	KindMode:         "you switched the mode",
	GivenLinked:      "linked in a prompt",
	kindConversation: "messages so far",
	kindToolResult:   "result of a tool call",
	kindSummary:      "summary of the earlier conversation",
	KindJobs:         "a background command ended",
	"decisions":      "your decisions on edits",
	GivenAdvice:      "the model was in a loop",
	GivenContinue:    "the answer was incomplete",
	KindServer:       "instructions of an MCP server",
	KindHook:         "added by a hook",
	KindCommand:      "prompt of a custom command",
	KindStart:        "added by a hook at session start",
}

// origins maps kinds to their origin, if it is always the same.
var origins = map[string]tools.Origin{
	KindJobs: tools.OfTool, KindHook: tools.OfUser, KindStart: tools.OfUser, KindCommand: tools.OfUser, KindMemory: tools.OfUser, kindConversation: tools.OfUser,
	KindContextFile: tools.OfWorkspace, KindFolders: tools.OfWorkspace, KindEditor: tools.OfWorkspace, GivenLinked: tools.OfWorkspace,
}

// OriginOf returns the origin of a kind. Kinds not in origins are emendo's own.
func OriginOf(kind string) tools.Origin { return cmp.Or(origins[kind], tools.OfEmendo) }

// Items describes the history in the model's context: one item for the conversation,
// and one for each thing added to it.
func (h *History) Items() []ContextItem {
	left := h.Left
	said := ContextItem{Kind: kindConversation, Reason: Reasons[kindConversation], Origin: OriginOf(kindConversation)}
	var items []ContextItem
	give := func(g given, size int, from tools.Origin) {
		if g.kind == "" {
			said.Size += size
			return
		}
		if left.Excludes(g.kind, g.source) {
			return
		}
		reason := Reasons[g.kind]
		switch {
		case g.kind == KindContextFile:
			reason = "a tool accessed its folder"
		case reason == "":
			reason = "added between steps"
		}
		items = append(items, ContextItem{g.kind, g.source, size, reason, from})
	}
	for _, m := range h.messages {
		for _, p := range m.parts {
			give(p.given, p.size(), h.originOf(p.given))
		}
		for _, p := range m.parts {
			if c, ok := p.part.(model.Call); ok {
				r, from := m.results[c.ID], tools.OfTool
				if r.file != "" {
					from = tools.OfWorkspace
				}
				give(given{kind: kindToolResult, source: cmp.Or(r.file, c.Name)}, len(r.Output), cmp.Or(r.origin, from))
			}
		}
		for _, a := range m.after {
			give(a, len(a.text), h.originOf(a))
		}
	}
	return append(items, said)
}

// originOf returns the origin of added text. A summary has the least trusted origin
// of the content that it may summarize.
func (h *History) originOf(g given) tools.Origin {
	if g.kind == kindSummary {
		return cmp.Or(h.outside.origin(), tools.OfUser)
	}
	return cmp.Or(g.origin, OriginOf(g.kind))
}

// size returns the size of a piece in bytes.
func (p piece) size() int {
	if p.text != nil {
		return p.text.Len()
	}
	switch part := p.part.(type) {
	case model.Text:
		return len(part.Text)
	case model.Call:
		return len(part.Name) + len(part.Args)
	case model.Blob:
		return len(part.Data)
	case model.Thought:
		return len(part.Text) + len(part.Signature)
	case model.Result:
	}
	return 0
}

const kindSummary = "summary" // replaces the older part of the conversation

// GivenLinked is the kind of a file that a prompt links to. It is withdrawn with
// the prompt.
const GivenLinked = "linked"

// The kinds of content in the model's context.
const (
	KindSystem       = "system"       // a module of the system prompt
	KindTools        = "tools"        // tool declarations
	KindContextFile  = "context_file" // AGENTS.md and the like
	KindMemory       = "memory"       // facts saved with the user's approval
	KindEnvironment  = "environment"
	KindFolders      = "folders" // the tree of the workspace
	KindEditor       = "editor"
	KindMode         = "mode"   // a change of mode during a turn
	KindPrompt       = "prompt" // what the user is writing
	kindConversation = "conversation"
	kindToolResult   = "tool_result"
)

// GivenAdvice is the kind of the advice for a model that repeats itself.
const GivenAdvice = "advice"

// The kinds of text from hooks.
const (
	KindHook = "hook" // added to a prompt and withdrawn with it
	// KindCommand is the expanded prompt of a custom command.
	KindCommand = "command"
	KindStart   = "session_start" // added once at the start of the session
)

// KindServer is the kind of the instructions of an MCP server.
const KindServer = "mcp_server"

// KindJobs is the kind of a text about background commands.
const KindJobs = "background"

// GivenContinue is the kind of the text for a model that stopped in the middle of
// its work.
const GivenContinue = "continue"
