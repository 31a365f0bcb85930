package langserver

import (
	"context"
	"errors"
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// maxMentioning is how many files are opened for one request.
const maxMentioning = 100

// Mentioning returns the files below the folders that the program serves and whose
// text contains a word. It reports false if there are more than it may return, or if
// ctx ended before all were read.
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

// Settle waits until the server has read the documents of files, where it reports
// their problems by itself and so tells when it has. Other servers read a document
// when they are asked.
func (c *Conversation) Settle(ctx context.Context, paths []string) error {
	if c.asks() {
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
