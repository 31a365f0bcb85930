package briefing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Items lists the contents of a request.
func Items(modules []Module, files []File, specs []model.Tool, said []transcript.ContextItem) []transcript.ContextItem {
	var items []transcript.ContextItem
	for _, m := range modules {
		if m.Name != MemoryModule {
			items = append(items, transcript.ContextItem{Kind: transcript.KindSystem, Source: m.Name, Size: len(m.Text), Reason: transcript.Reasons[transcript.KindSystem], Origin: tools.OfEmendo})
			continue
		}
		around := len(m.Text) // the module's own text around the files
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

// FilesWithout returns the context files of [Briefing.Files] that are not excluded.
func (br *Briefing) FilesWithout(ctx context.Context, exclude transcript.Exclusions) []File {
	return slices.DeleteFunc(br.Files(ctx), func(f File) bool { return exclude.Excludes(itemOf(f).Kind, f.Path) })
}

// maxNamed is how many imports of a context file are named.
const maxNamed = 10

// itemOf returns the entry of the list for a context file.
func itemOf(f File) transcript.ContextItem {
	i := transcript.ContextItem{Kind: transcript.KindContextFile, Source: f.Path, Size: len(f.Text), Reason: "in a workspace folder", Origin: tools.OfWorkspace}
	switch f.Scope {
	case "user":
		i.Reason, i.Origin = "yours, for every project", tools.OfUser
	case OfExtension:
		i.Reason = "from an extension"
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
