package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/private"
)

// writeTranscript writes a session as Markdown beside its long outputs, which go
// when the session is deleted, and returns the file and the line of the last
// prompt, counted from 0. Each state of a conversation has a file of its own: an
// editor may have the one before open.
func writeTranscript(store *agent.Store, output, id string) (file string, line int, err error) {
	info, updates, err := store.Read(id)
	if err != nil {
		return "", 0, err
	}
	folder := filepath.Join(output, id)
	if err := private.Folder(folder); err != nil {
		return "", 0, err
	}
	file = filepath.Join(folder, fmt.Sprintf("chat-%d.md", len(updates)))
	text := transcript(info, updates)
	if i := strings.LastIndex(text, "\n## You\n"); i >= 0 {
		line = strings.Count(text[:i+1], "\n")
	}
	return file, line, os.WriteFile(file, []byte(text), 0o600)
}
