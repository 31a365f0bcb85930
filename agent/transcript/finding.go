package transcript

import (
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/tools"
)

// Found is a problem that a review has found in lines of a file.
type Found struct {
	ID       string         `json:"id"`
	Path     string         `json:"path"` // absolute, links resolved
	Line     int            `json:"line"` // the first one, from 1
	Lines    string         `json:"lines"`
	Severity tools.Severity `json:"severity"`
	Title    string         `json:"title"`
	Message  string         `json:"message,omitempty"`
}

func (Found) isEvent() {}

func (e Found) redacted(s *redact.Redactor) Event {
	e.Lines, e.Title, e.Message = s.Known(e.Lines), s.Known(e.Title), s.Known(e.Message)
	return e
}

// Dismissed removes a finding.
type Dismissed struct {
	FindingID string `json:"findingId"`
}

func (Dismissed) isEvent() {}
