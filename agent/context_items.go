package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/prompt"
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

// reasons are why things of a kind are put before the model.
var reasons = map[string]string{
	kindSystem:       "how emendo works",
	kindTools:        "what the model may call",
	kindMemory:       "saved on your word",
	kindEnvironment:  "where the session works",
	kindFolders:      "what there is in the workspace",
	kindEditor:       "what the editor shows",
	kindMode:         "you switched the mode",
	kindLinked:       "linked in a prompt",
	kindConversation: "what was said",
	kindToolResult:   "what a call came to",
	kindSummary:      "what was said before, summed up",
	kindJobs:         "a command in the background has ended",
	"decisions":      "what became of edits",
	givenAdvice:      "it went in circles",
	givenContinue:    "it broke off",
	kindHook:         "a hook has it read",
	kindStart:        "a hook has it read from the beginning",
}

// origins are where things of a kind come from, for those of which that is
// always the same.
var origins = map[string]tools.Origin{
	kindJobs: tools.OfTool, kindHook: tools.OfUser, kindStart: tools.OfUser, kindMemory: tools.OfUser, kindConversation: tools.OfUser,
	kindContextFile: tools.OfWorkspace, kindFolders: tools.OfWorkspace, kindEditor: tools.OfWorkspace, kindLinked: tools.OfWorkspace,
}

// originOf is where things of a kind come from: what is not in the list is
// emendo's own.
func originOf(kind string) tools.Origin { return cmp.Or(origins[kind], tools.OfEmendo) }

// Context lists what was put before the model for the last step; before the
// first one, nothing.
func (s *Session) Context() []ContextItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.context)
}

// noteContext keeps what a request holds, item by item.
func (t *turn) noteContext(modules []prompt.Module, files []prompt.File, specs []model.Tool, said []ContextItem) {
	items := itemize(modules, files, specs, said)
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.context = items
}

// itemize lists what a request holds.
func itemize(modules []prompt.Module, files []prompt.File, specs []model.Tool, said []ContextItem) []ContextItem {
	var items []ContextItem
	for _, m := range modules {
		if m.Name != prompt.Memory {
			items = append(items, ContextItem{kindSystem, m.Name, len(m.Text), reasons[kindSystem], tools.OfEmendo})
			continue
		}
		around := len(m.Text) // what is said of the files, and between them
		for _, f := range files {
			items = append(items, itemOf(f))
			around -= len(f.Text)
		}
		items = append(items, ContextItem{kindSystem, m.Name, max(around, 0), reasons[kindSystem], tools.OfEmendo})
	}
	size := 0
	for _, spec := range specs {
		size += len(spec.Name) + len(spec.Description) + len(spec.Schema)
	}
	items = append(items, ContextItem{kindTools, "", size, reasons[kindTools], tools.OfEmendo})
	return append(items, said...)
}

// maxNamed is how many imports of a context file are named.
const maxNamed = 10

// itemOf is something written down as the list names it.
func itemOf(f prompt.File) ContextItem {
	i := ContextItem{kindContextFile, f.Path, len(f.Text), "of the workspace's folder", tools.OfWorkspace}
	switch f.Scope {
	case "user":
		i.Reason, i.Origin = "yours, for every project", tools.OfUser
	case "saved":
		i.Kind, i.Reason, i.Origin = kindMemory, reasons[kindMemory], tools.OfUser
	}
	if n := len(f.Imports); n > maxNamed {
		i.Reason += fmt.Sprintf(", with %s and %d more", strings.Join(f.Imports[:maxNamed], ", "), n-maxNamed)
	} else if n > 0 {
		i.Reason += ", with " + strings.Join(f.Imports, ", ")
	}
	return i
}

// files are the context files that the history holds.
func (h *history) files() []string {
	var l []string
	for _, m := range h.messages {
		for _, a := range m.after {
			if a.kind == kindContextFile {
				l = append(l, a.source)
			}
		}
	}
	return l
}

// items are what the history puts before the model: one for the conversation
// itself, one for each thing that is given with it.
func (h *history) items() []ContextItem {
	left := h.left
	said := ContextItem{Kind: kindConversation, Reason: reasons[kindConversation], Origin: originOf(kindConversation)}
	var items []ContextItem
	give := func(g given, size int, from tools.Origin) {
		if g.kind == "" {
			said.Size += size
			return
		}
		if left.is(g.kind, g.source) {
			return
		}
		reason := reasons[g.kind]
		switch {
		case g.kind == kindContextFile:
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
func (h *history) originOf(g given) tools.Origin {
	if g.kind == kindSummary {
		return cmp.Or(h.mixed, tools.OfUser)
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
