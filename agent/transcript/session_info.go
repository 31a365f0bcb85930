package transcript

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/policy"
)

// SessionInfo describes a session without opening it.
type SessionInfo struct {
	ID        string
	Title     string
	Summary   string   // one line; empty if none was requested
	Cwd       string   // absolute
	Roots     []string // absolute
	CreatedAt time.Time
	UpdatedAt time.Time
	Model     string
	Mode      policy.Mode
	Turns     int
	Usage     Usage

	rounds               // of comments that were answered
	importedAt time.Time // zero if the session was not imported
	Unasked    bool      // it has no prompt for a model, or all were rewound
}

// infoOf describes a session with these records.
func infoOf(rs []Record) (info SessionInfo) {
	for _, r := range rs {
		info.Fold(r)
	}
	return info
}

// Fold applies one record.
func (s *SessionInfo) Fold(r Record) {
	s.CountRound(r.Event)
	switch e := r.Event.(type) { //nolint:gochecksumtype // the other events do not affect listings
	case Started:
		s.ID, s.Cwd, s.Roots, s.CreatedAt, s.Model, s.Mode = e.SessionID, e.Cwd, e.Roots, e.CreatedAt, e.Model, e.Mode
		s.UpdatedAt, s.importedAt = e.CreatedAt, e.ImportedAt
	case FoldersAdded:
		for _, f := range e.Folders {
			if !slices.Contains(s.Roots, f) {
				s.Roots = append(slices.Clip(s.Roots), f)
			}
		}
	case InfoChanged:
		s.Title = e.Title
	case Summarised:
		s.Summary = e.Summary
	case ModeChanged:
		s.Mode = e.Mode
	case ModelChanged:
		s.Model = e.Model
	case UsageUpdated:
		s.Usage = e.Usage
	case TurnEnded:
		if !e.Aside {
			s.Turns++
		}
	}
	if Shown(r.Event) {
		s.Used(r.At)
	}
}

// ToSummary returns the record that a log ends with, for listings.
func (s *SessionInfo) ToSummary() Summary {
	return Summary{Title: s.Title, Summary: s.Summary, UpdatedAt: s.UpdatedAt, Model: s.Model, Mode: s.Mode, Turns: s.Turns, Usage: s.Usage, Round: s.Round()}
}

// Used notes that the session was used. A time before the last use is ignored.
func (s *SessionInfo) Used(at time.Time) {
	if at.After(s.UpdatedAt) {
		s.UpdatedAt = at
	}
}

// summarise reads what a listing needs from a log. It returns false if the log has
// no record, neither prompt nor comment, or if neither title, summary nor any prompt contains
// query.
func summarise(path, query string) (SessionInfo, bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return SessionInfo{}, false, fmt.Errorf("session not listed: %w", err)
	}
	defer f.Close()
	if query == "" {
		if info, ok := quickSummary(f); ok {
			return info, true, nil
		}
	}
	rs, end, err := readRecords(f, 0, new(Record), func(Record, span) {})
	if err != nil {
		return SessionInfo{}, false, fmt.Errorf("session not listed: read %s: %w", path, err)
	}
	var info SessionInfo
	var comments Comments
	prompted, found := false, false
	for _, r := range Surviving(rs) {
		info.Fold(r)
		comments.Fold(r.Event, info.Round())
		if c, ok := r.Event.(UserChunk); ok && !c.Aside {
			prompted = true
			found = found || containsFold(c.Block.Text, query)
		}
	}
	for _, c := range comments.Waiting() {
		prompted = true // what the user wrote is found again
		found = found || containsFold(c.Text, query)
	}
	if info.ID == "" && end > 0 {
		return info, false, fmt.Errorf("session not listed: %s is not a session log", path)
	}
	info.Unasked = info.ID != "" && !prompted
	return info, info.ID != "" && prompted && (found || containsFold(info.Title, query) || containsFold(info.Summary, query)), nil
}

func containsFold(s, sub string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(sub))
}

// summaryTail is how many bytes at the end of a log are searched for its summary.
const summaryTail = 4 << 10

// quickSummary reads only the first and the last record, which must be a summary.
func quickSummary(f *os.File) (SessionInfo, bool) {
	fi, err := f.Stat()
	if err != nil {
		return SessionInfo{}, false
	}
	head := make([]byte, min(summaryTail, fi.Size()))
	if _, err := f.ReadAt(head, 0); err != nil {
		return SessionInfo{}, false
	}
	first, _, ok := strings.Cut(string(head), "\n")
	if !ok {
		return SessionInfo{}, false
	}
	tail := make([]byte, min(summaryTail, fi.Size()))
	if _, err := f.ReadAt(tail, fi.Size()-int64(len(tail))); err != nil || len(tail) == 0 || tail[len(tail)-1] != '\n' {
		return SessionInfo{}, false
	}
	last := strings.TrimSuffix(string(tail), "\n")
	last = last[strings.LastIndexByte(last, '\n')+1:]
	start, err1 := parseRecord([]byte(first))
	end, err2 := parseRecord([]byte(last))
	sum, ok := end.Event.(Summary)
	if _, begun := start.Event.(Started); err1 != nil || err2 != nil || !ok || !begun || sum.Turns == 0 { // without a turn there may be no prompt left
		return SessionInfo{}, false
	}
	var info SessionInfo
	info.Fold(start)
	info.answered = max(sum.Round-1, 0)
	info.Summary = sum.Summary
	info.Title, info.UpdatedAt, info.Model, info.Mode, info.Turns, info.Usage = sum.Title, sum.UpdatedAt, sum.Model, sum.Mode, sum.Turns, sum.Usage
	return info, true
}

// LastUse returns when the session was last used or imported.
func (s *SessionInfo) LastUse() time.Time {
	if s.importedAt.After(s.UpdatedAt) {
		return s.importedAt
	}
	return s.UpdatedAt
}

// RootsOf returns the folders that a session had when its log ended.
func RootsOf(st Started, rs []Record) []string {
	roots := slices.Clone(st.Roots)
	for _, r := range rs {
		if e, ok := r.Event.(FoldersAdded); ok {
			roots = append(roots, e.Folders...)
		}
	}
	slices.Sort(roots[len(st.Roots):])
	return append(roots[:len(st.Roots):len(st.Roots)], slices.Compact(roots[len(st.Roots):])...)
}
