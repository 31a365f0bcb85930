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
// when the session is deleted, and returns the file and the line to open it at,
// counted from 0. Each state of a conversation has a file of its own: an editor
// may have the one before open.
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
	return file, lastAnswer(text), os.WriteFile(file, []byte(text), 0o600)
}

// below is how many lines below the heading of an answer a transcript is opened:
// an editor that puts the line at the bottom of its window shows the heading too.
const below = 5

// lastAnswer returns a line at the beginning of the last answer of a transcript,
// or of the prompt that has none yet.
func lastAnswer(text string) int {
	at := max(strings.LastIndex(text, "\n## You\n"), strings.LastIndex(text, "\n## emendo\n"))
	return min(strings.Count(text[:at+1], "\n")+below, strings.Count(strings.TrimRight(text, "\n"), "\n"))
}
