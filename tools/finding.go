package tools

import "slices"

// Finding is a problem that the model has found in lines of a file.
type Finding struct {
	Path           string // absolute, links resolved
	Severity       Severity
	Title, Message string // Title is one line; Message may be empty
}

// Severity is how bad a finding is.
type Severity string

// The severities, the worst first.
const (
	SeverityError       Severity = "error"
	SeverityWarning     Severity = "warning"
	SeverityInformation Severity = "information"
)

var severities = []Severity{SeverityError, SeverityWarning, SeverityInformation}

// AtLeast reports whether a severity is as bad as another one, or worse.
func (s Severity) AtLeast(o Severity) bool {
	return slices.Index(severities, s) <= slices.Index(severities, o)
}
