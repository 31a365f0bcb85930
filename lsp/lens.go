package lsp

import (
	"context"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

type codeLens struct {
	Range   ide.Range `json:"range"`
	Command command   `json:"command"`
}

// codeLens puts Accept and Reject above every pending hunk of a document.
func (s *server) codeLens(_ context.Context, p documentParams) (rpc.Work, error) {
	if err := need(p.Document.URI, "textDocument.uri"); err != nil {
		return nil, err
	}
	lenses := []codeLens{}
	if s.can.marksHunks() {
		for _, h := range s.pendingHunks(ide.ParseURI(p.Document.URI)) {
			at := ide.Range{Start: h.Range.Start, End: h.Range.Start}
			args := []any{hunkArgs{ChangeSetID: h.set.ID, HunkID: h.ID}}
			lenses = append(lenses,
				codeLens{at, command{"Accept: " + h.summary(), "emendo.accept", args}},
				codeLens{at, command{"Reject", "emendo.reject", args}})
		}
	}
	return answered(lenses), nil
}
