package state

import (
	"context"
	"maps"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/langserver"
)

// A Diagnoser is a supply that may know the problems of open files. It starts
// nothing to find out, and returns almost at once.
type Diagnoser interface {
	// Problems returns the problems of the documents for which they are known, in
	// the snapshot's text.
	Problems(ctx context.Context, snap *ide.Snapshot, open []*ide.Document) map[ide.URI][]langserver.Diagnostic
}

// openProblems returns a function that returns the known problems of open files
// from the session's supplies.
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
