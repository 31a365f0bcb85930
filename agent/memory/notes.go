package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/emendo-dev/emendo/internal/private"
)

// Limits, in bytes.
const (
	MaxFact  = 2 << 10
	maxNotes = 32 << 10 // all facts of a workspace
)

// Notes are the facts saved with the user's approval: one private file per
// workspace, a Markdown list that the user may edit.
type Notes struct {
	Dir string // need not exist
}

// Path returns the file of a workspace, which is given by its real path.
func (n Notes) Path(workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(n.Dir, hex.EncodeToString(sum[:8])+".md")
}

// Read returns a workspace's facts, or "" if there are none.
func (n Notes) Read(workspace string) (string, error) {
	b, err := os.ReadFile(n.Path(workspace))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read saved facts of %s: %w", workspace, err)
	}
	return strings.ToValidUTF8(string(b[:min(len(b), maxNotes)]), "�"), nil
}

// Errors of [Notes.Add].
var (
	ErrKnown = errors.New("the fact is already saved")
	ErrFull  = fmt.Errorf("saved facts are limited to %d KiB per workspace", maxNotes>>10)
)

// Add saves a fact as one line with its origin. It is on disk when Add returns.
func (n Notes) Add(workspace, fact, origin string) error {
	fact = Clean(fact)
	now, err := n.Read(workspace)
	if err != nil {
		return err
	}
	line := "- " + fact + " " + remark(origin) + "\n"
	switch {
	case strings.Contains(now, "- "+fact+" <!--"), strings.Contains(now, "- "+fact+"\n"):
		return ErrKnown
	case len(now)+len(line) > maxNotes:
		return ErrFull
	case now != "" && !strings.HasSuffix(now, "\n"):
		line = "\n" + line
	}
	if err := n.append(n.Path(workspace), line); err != nil {
		return fmt.Errorf("save fact: %w", err)
	}
	return nil
}

// append writes the line in one write, so that those of two processes do not mix.
func (n Notes) append(path, line string) error {
	if err := private.Folder(n.Dir); err != nil {
		return err
	}
	f, err := private.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Sync(), f.Close())
}

// Clean returns a fact on one line, without invisible characters.
func Clean(fact string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(fact, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r)
	}), " ")
}
