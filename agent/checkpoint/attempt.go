package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Attempt is a rewind that was begun. The journal holds it until the rewind is
// over, so that one which a killed process left half done can be taken back.
type Attempt struct {
	Turn         string          `json:"turn"`                   // the first that is taken back
	Conversation bool            `json:"conversation,omitempty"` // the session is to forget it, and the rewind is done once it has
	Files        []AttemptedFile `json:"files"`
}

// AttemptedFile is a file that a rewind is to make another.
type AttemptedFile struct {
	Name      string `json:"name"`           // as in [Entry]
	Open      bool   `json:"open,omitempty"` // it was changed in the editor
	Disk      bool   `json:"disk,omitempty"` // it is open, and yet is changed on disk
	Was, Want State
}

// Begin keeps what a rewind is about to do.
func (j *Journal) Begin(a Attempt) error {
	b, err := json.Marshal(a)
	if err == nil {
		err = put(j.attempt(), b)
	}
	if err != nil {
		return fmt.Errorf("keeping what a rewind is about to do: %w", err)
	}
	return nil
}

// End notes that the rewind is over.
func (j *Journal) End() error {
	if err := os.Remove(j.attempt()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("noting that a rewind is over: %w", err)
	}
	return nil
}

// Begun gives the rewind that was begun and is not over; nil when there is none.
func (j *Journal) Begun() (*Attempt, error) {
	b, err := os.ReadFile(j.attempt())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var a Attempt
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil {
		return nil, fmt.Errorf("reading what a rewind was about to do: %w", err)
	}
	return &a, nil
}

func (j *Journal) attempt() string { return filepath.Join(j.dir, "rewind.json") }
