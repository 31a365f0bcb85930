package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Context lists what was put before the model for the last step; before the
// first one, nothing.
func (s *Session) Context() []transcript.ContextItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.context)
}

// noteContext keeps what a request holds, item by item.
func (t *turn) noteContext(modules []prompt.Module, files []prompt.File, specs []model.Tool, said []transcript.ContextItem) {
	items := itemize(modules, files, specs, said)
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.context = items
}

// itemize lists what a request holds.
func itemize(modules []prompt.Module, files []prompt.File, specs []model.Tool, said []transcript.ContextItem) []transcript.ContextItem {
	var items []transcript.ContextItem
	for _, m := range modules {
		if m.Name != prompt.Memory {
			items = append(items, transcript.ContextItem{Kind: transcript.KindSystem, Source: m.Name, Size: len(m.Text), Reason: transcript.Reasons[transcript.KindSystem], Origin: tools.OfEmendo})
			continue
		}
		around := len(m.Text) // what is said of the files, and between them
		for _, f := range files {
			items = append(items, itemOf(f))
			around -= len(f.Text)
		}
		items = append(items, transcript.ContextItem{Kind: transcript.KindSystem, Source: m.Name, Size: max(around, 0), Reason: transcript.Reasons[transcript.KindSystem], Origin: tools.OfEmendo})
	}
	size := 0
	for _, spec := range specs {
		size += len(spec.Name) + len(spec.Description) + len(spec.Schema)
	}
	items = append(items, transcript.ContextItem{Kind: transcript.KindTools, Source: "", Size: size, Reason: transcript.Reasons[transcript.KindTools], Origin: tools.OfEmendo})
	return append(items, said...)
}

// maxNamed is how many imports of a context file are named.
const maxNamed = 10

// itemOf is something written down as the list names it.
func itemOf(f prompt.File) transcript.ContextItem {
	i := transcript.ContextItem{Kind: transcript.KindContextFile, Source: f.Path, Size: len(f.Text), Reason: "of the workspace's folder", Origin: tools.OfWorkspace}
	switch f.Scope {
	case "user":
		i.Reason, i.Origin = "yours, for every project", tools.OfUser
	case "saved":
		i.Kind, i.Reason, i.Origin = transcript.KindMemory, transcript.Reasons[transcript.KindMemory], tools.OfUser
	}
	if n := len(f.Imports); n > maxNamed {
		i.Reason += fmt.Sprintf(", with %s and %d more", strings.Join(f.Imports[:maxNamed], ", "), n-maxNamed)
	} else if n > 0 {
		i.Reason += ", with " + strings.Join(f.Imports, ", ")
	}
	return i
}
