package langserver

import (
	"context"
	"errors"
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// maxMentioning limits the files that are opened for one request.
const maxMentioning = 100

// Mentioning returns the files below the folders that the program serves and that
// contain a word. It returns false if there are more than the limit, or if ctx
// ended before all were read.
func (p Program) Mentioning(ctx context.Context, snapshot *ide.Snapshot, folders []string, word string) (paths []string, all bool) {
	for path := range files(ctx, p, snapshot.Tree(), folders) {
		if !p.Serves(path.Abs) {
			continue
		}
		f, err := snapshot.Read(ctx, path.Abs)
		if err != nil || !strings.Contains(f.Text.String(), word) {
			continue // the server cannot read it either
		}
		if len(paths) == maxMentioning {
			return nil, false
		}
		paths = append(paths, path.Abs)
	}
	return paths, ctx.Err() == nil
}

// Settle waits until the server has read the files' documents, if it reports
// problems on its own and thereby shows that it has. Other servers read a document
// on request.
func (c *Conversation) Settle(ctx context.Context, paths []string) error {
	if c.requestsDiagnostics() {
		return nil
	}
	for _, path := range paths {
		if _, open := c.s.documents[path]; !open {
			continue
		}
		if _, err := c.await(ctx, path); err != nil && !errors.Is(err, ErrNoDiagnostics) {
			return err
		}
	}
	return nil
}
