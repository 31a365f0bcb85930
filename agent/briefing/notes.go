package briefing

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

// maxNotes bounds all facts of a workspace, in bytes.
const maxNotes = 32 << 10

// notes are the facts saved with the user's approval: one private file per
// workspace, a Markdown list that the user may edit.
type notes struct {
	Dir string // need not exist
}

// path returns the file of a workspace, which is given by its real path.
func (n notes) path(workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(n.Dir, hex.EncodeToString(sum[:8])+".md")
}

// read returns a workspace's facts, or "" if there are none.
func (n notes) read(workspace string) (string, error) {
	b, err := os.ReadFile(n.path(workspace))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read saved facts of %s: %w", workspace, err)
	}
	return strings.ToValidUTF8(string(b[:min(len(b), maxNotes)]), "�"), nil
}

// Errors of [notes.add].
var (
	errKnown = errors.New("the fact is already saved")
	errFull  = fmt.Errorf("saved facts are limited to %d KiB per workspace", maxNotes>>10)
)

// add saves a fact as one line with its origin. It is on disk when add returns.
func (n notes) add(workspace, fact, origin string) error {
	fact = Clean(fact)
	now, err := n.read(workspace)
	if err != nil {
		return err
	}
	line := "- " + fact + " " + remark(origin) + "\n"
	switch {
	case strings.Contains(now, "- "+fact+" <!--"), strings.Contains(now, "- "+fact+"\n"):
		return errKnown
	case len(now)+len(line) > maxNotes:
		return errFull
	case now != "" && !strings.HasSuffix(now, "\n"):
		line = "\n" + line
	}
	if err := n.append(n.path(workspace), line); err != nil {
		return fmt.Errorf("save fact: %w", err)
	}
	return nil
}

// append writes the line in one write, so that those of two processes do not mix.
func (n notes) append(path, line string) error {
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
