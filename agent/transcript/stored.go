package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/emendo-dev/emendo/agent/model"
)

// The keys of what a log has are in tags, also of types of other packages, so that renaming
// a Go field does not change what is stored. Before format 2 the keys were Go field names;
// encoding/json ignores the case of keys, so the tags read those too. Keys may be added,
// but not renamed or given another meaning.

// Format is the version of the format in which logs are written. The first record
// of a log carries it; a log that does not name one has format 1. Increase it when
// an older program would misread the log.
const Format = 2

// ErrNewerFormat means that a later version of emendo wrote the log.
var ErrNewerFormat = errors.New("update emendo to open this session")

type plainStarted Started

// MarshalJSON adds the format.
func (s Started) MarshalJSON() ([]byte, error) {
	return unescaped(struct {
		Format int `json:"format"`
		plainStarted
	}{Format, plainStarted(s)})
}

// UnmarshalJSON first checks the format and fails with [ErrNewerFormat] if this
// program does not know it.
func (s *Started) UnmarshalJSON(b []byte) error {
	var head struct {
		Format json.RawMessage `json:"format"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return err
	}
	if head.Format != nil {
		if n, err := strconv.Atoi(string(head.Format)); err != nil || n < 1 || n > Format {
			return fmt.Errorf("the log has format %.20s, and this version of emendo reads formats up to %d: %w", head.Format, Format, ErrNewerFormat)
		}
	}
	return json.Unmarshal(b, (*plainStarted)(s))
}

// storedUsage is a [Usage] with the cost, which the wire has elsewhere.
type storedUsage struct {
	model.Usage
	ContextLimit int64   `json:"contextLimit"`
	Cost         float64 `json:"cost,omitempty"`
	Priced       int64   `json:"priced,omitempty"`
}

// MarshalJSON returns the stored form.
func (u Usage) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedUsage{u.Usage, u.ContextLimit, u.Cost, u.Priced})
}

// UnmarshalJSON reads the stored form.
func (u *Usage) UnmarshalJSON(b []byte) error {
	var s storedUsage
	err := json.Unmarshal(b, &s)
	*u = Usage{s.Usage, s.ContextLimit}
	u.Cost, u.Priced = s.Cost, s.Priced
	return err
}
