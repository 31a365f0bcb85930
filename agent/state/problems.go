package state

import (
	"context"
	"maps"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/langserver"
)

// A Diagnoser is a supply that may know the problems of open files. It starts nothing
// to find out, and returns at once or nearly so.
type Diagnoser interface {
	// Problems returns the problems of those of the documents of which they are known,
	// in their text of the snapshot.
	Problems(ctx context.Context, snap *ide.Snapshot, open []*ide.Document) map[ide.URI][]langserver.Diagnostic
}

// openProblems returns a function that returns what the session's supplies know of the
// problems of open files.
func openProblems(s *Session) func(context.Context, *ide.Snapshot, []*ide.Document) map[ide.URI][]langserver.Diagnostic {
	return func(ctx context.Context, snap *ide.Snapshot, open []*ide.Document) map[ide.URI][]langserver.Diagnostic {
		all := map[ide.URI][]langserver.Diagnostic{}
		for _, supply := range s.Supplies {
			if d, ok := supply.(Diagnoser); ok {
				maps.Copy(all, d.Problems(ctx, snap, open))
			}
		}
		return all
	}
}
