package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/private"
)

// writeTranscript writes a session as Markdown beside its long outputs, which go
// when the session is deleted, and returns the file. Each state of a conversation
// has a file of its own: an editor may have the one before open.
func writeTranscript(store *agent.Store, output, id string) (string, error) {
	info, updates, err := store.Read(id)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(output, id)
	if err := private.Folder(folder); err != nil {
		return "", err
	}
	file := filepath.Join(folder, fmt.Sprintf("chat-%d.md", len(updates)))
	return file, os.WriteFile(file, []byte(transcript(info, updates)), 0o600)
}
