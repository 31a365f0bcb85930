package transcript

import (
	"cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/tools"
)

// ContextItem is one thing that was put before the model.
type ContextItem struct {
	Kind   string
	Source string // a file's absolute path, a module's or a tool's name; empty where the kind says it all
	Size   int    // bytes of text
	Reason string // why it is there, one phrase
	Origin tools.Origin
}

// Reasons are why things of a kind are put before the model.
var Reasons = map[string]string{
	KindSystem:       "how emendo works",
	KindTools:        "what the model may call",
	KindMemory:       "saved on your word",
	KindEnvironment:  "where the session works",
	KindFolders:      "what there is in the workspace",
	KindEditor:       "what the editor shows",
	KindMode:         "you switched the mode",
	kindLinked:       "linked in a prompt",
	kindConversation: "what was said",
	kindToolResult:   "what a call came to",
	kindSummary:      "what was said before, summed up",
	KindJobs:         "a command in the background has ended",
	"decisions":      "what became of edits",
	GivenAdvice:      "it went in circles",
	GivenContinue:    "it broke off",
	KindHook:         "a hook has it read",
	KindStart:        "a hook has it read from the beginning",
}

// origins are where things of a kind come from, for those of which that is
// always the same.
var origins = map[string]tools.Origin{
	KindJobs: tools.OfTool, KindHook: tools.OfUser, KindStart: tools.OfUser, KindMemory: tools.OfUser, kindConversation: tools.OfUser,
	KindContextFile: tools.OfWorkspace, KindFolders: tools.OfWorkspace, KindEditor: tools.OfWorkspace, kindLinked: tools.OfWorkspace,
}

// originOf is where things of a kind come from: what is not in the list is
// emendo's own.
func originOf(kind string) tools.Origin { return cmp.Or(origins[kind], tools.OfEmendo) }

// Items are what the history puts before the model: one for the conversation
// itself, one for each thing that is given with it.
func (h *History) Items() []ContextItem {
	left := h.Left
	said := ContextItem{Kind: kindConversation, Reason: Reasons[kindConversation], Origin: originOf(kindConversation)}
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
			reason = "a tool went to its folder"
		case reason == "":
			reason = "told between steps"
		}
		items = append(items, ContextItem{g.kind, g.source, size, reason, from})
	}
	for _, m := range h.messages {
		for _, p := range m.parts {
			give(p.given, p.size(), h.originOf(p.given))
		}
		for _, p := range m.parts {
			if c, ok := p.part.(model.Call); ok {
				from := tools.OfTool
				if m.places[c.ID] != "" {
					from = tools.OfWorkspace
				}
				give(given{kind: kindToolResult, source: cmp.Or(m.places[c.ID], c.Name)}, len(m.results[c.ID].Output), cmp.Or(m.origins[c.ID], from))
			}
		}
		for _, a := range m.after {
			give(a, len(a.text), h.originOf(a))
		}
	}
	return append(items, said)
}

// originOf is where something given comes from. What sums up the conversation
// comes from the worst of what it may sum up.
func (h *History) originOf(g given) tools.Origin {
	if g.kind == kindSummary {
		return cmp.Or(h.Mixed, tools.OfUser)
	}
	return cmp.Or(g.origin, originOf(g.kind))
}

// size is how much text a piece is, in bytes.
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
	case model.Thought, model.Result:
	}
	return 0
}

const kindSummary = "summary" // what stands for the older part of the conversation

// GivenLinked is the Kind of the text that a prompt links to; it goes where its
// prompt goes.
const GivenLinked = "linked"

// The kinds of what is put before the model.
const (
	KindSystem       = "system"       // a module of the system prompt
	KindTools        = "tools"        // what it may call
	KindContextFile  = "context_file" // AGENTS.md and its like
	KindMemory       = "memory"       // what was saved on the user's word
	KindEnvironment  = "environment"
	KindFolders      = "folders" // the drawn tree of the workspace
	KindEditor       = "editor"
	KindMode         = "mode" // another one, while the turn runs
	kindLinked       = GivenLinked
	kindConversation = "conversation"
	kindToolResult   = "tool_result"
)

const GivenAdvice = "advice" // what a model that goes round in circles is told

// What hooks have the model told.
const (
	KindHook  = "hook"          // with a prompt, with which it goes
	KindStart = "session_start" // when the session began, which is not repeated
)

// KindJobs is the Kind of a text for the model about commands in the background.
const KindJobs = "background"

const GivenContinue = "continue" // what a model is told that stopped in the middle of its work
