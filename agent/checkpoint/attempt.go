package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Attempt is a rewind that is being carried out. The journal holds it until the
// rewind ends, so that one that a killed process left unfinished can be undone.
type Attempt struct {
	Turn         string          `json:"turn"`                   // the first that is reverted
	Conversation bool            `json:"conversation,omitempty"` // the session forgets the turns too, and then the rewind is complete
	Files        []AttemptedFile `json:"files"`
}

// AttemptedFile is a file that a rewind changes.
type AttemptedFile struct {
	Name      string `json:"name"`           // as in [Entry]
	Open      bool   `json:"open,omitempty"` // it was changed in the editor
	Disk      bool   `json:"disk,omitempty"` // it is open, and yet it is changed on disk
	Was, Want State
}

// Begin stores a rewind that is about to be carried out.
func (j *Journal) Begin(a Attempt) error {
	b, err := json.Marshal(a)
	if err == nil {
		err = put(j.attempt(), b)
	}
	if err != nil {
		return fmt.Errorf("storing a rewind: %w", err)
	}
	return nil
}

// End removes the stored rewind.
func (j *Journal) End() error {
	if err := os.Remove(j.attempt()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing a stored rewind: %w", err)
	}
	return nil
}

// Interrupted returns the rewind that was begun and has not ended; nil when there
// is none.
func (j *Journal) Interrupted() (*Attempt, error) {
	b, err := os.ReadFile(j.attempt())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var a Attempt
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a stored rewind: %w", err)
	}
	return &a, nil
}

func (j *Journal) attempt() string { return filepath.Join(j.dir, "rewind.json") }
