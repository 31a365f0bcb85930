package transcript

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/redact"
)

// Store is the folder of session logs: below it one folder for each workspace,
// named by the first 16 hex digits of the SHA-256 of its real path.
type Store struct {
	// Unread is told of each log that a listing has to pass over; nil: nobody is.
	Unread func(err error)
	// Secrets are in no session that is copied or imported; nil: nothing is left out.
	Secrets *redact.Redactor

	dir string
}

// NewStore makes the store of that folder, which need not exist.
func NewStore(dir string) *Store { return &Store{dir: dir} }

const startLayout = "20060102T150405Z"

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ValidID says whether s can be a session's id. An id is part of a file's
// name, so nothing else is ever looked for.
func ValidID(s string) bool { return validID.MatchString(s) }

// Path is where the log of a session that starts now belongs.
func (st *Store) Path(s Started) string {
	sum := sha256.Sum256([]byte(s.Cwd))
	return filepath.Join(st.dir, hex.EncodeToString(sum[:])[:16], s.CreatedAt.UTC().Format(startLayout)+"-"+s.SessionID+".jsonl")
}

// Find gives the log of a stored session, or ErrUnknownSession.
func (st *Store) Find(id string) (string, error) {
	if !ValidID(id) {
		return "", fmt.Errorf("%q: %w", id, ErrUnknownSession)
	}
	l, err := filepath.Glob(filepath.Join(escapeGlob(st.dir), "*", strings.Repeat("?", len(startLayout))+"-"+id+".jsonl"))
	if err != nil {
		return "", fmt.Errorf("looking for session %s: %w", id, err)
	}
	if len(l) == 0 {
		return "", fmt.Errorf("%s: %w", id, ErrUnknownSession)
	}
	return l[0], nil
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(s)
}

// delete removes a stored session.
func (st *Store) delete(id string) error {
	p, err := st.Find(id)
	if err != nil {
		return err
	}
	if err := os.Remove(p); err != nil {
		return fmt.Errorf("deleting session %s: %w", id, err)
	}
	return nil
}

// Listing asks for stored sessions.
type Listing struct {
	Cwd    string // only those of this workspace; empty: all
	Query  string // in titles, summaries and prompts, whatever the case
	Cursor string // what the listing before gave; empty: from the start
	Limit  int    // 0: all
}

// list gives the stored sessions, the most recently used first, and a cursor
// when there are more.
func (st *Store) list(q Listing) ([]SessionInfo, string, error) {
	all, err := st.Every(q)
	if err != nil {
		return nil, "", err
	}
	all = slices.DeleteFunc(all, func(s SessionInfo) bool { return s.Unasked })
	if q.Cursor != "" {
		i := slices.IndexFunc(all, func(s SessionInfo) bool { return cursorOf(s) == q.Cursor })
		if i < 0 { // it was used or deleted since: go on behind where it was
			i = slices.IndexFunc(all, func(s SessionInfo) bool { return cursorOf(s) < q.Cursor }) - 1
			if i < -1 {
				return nil, "", nil
			}
		}
		all = all[i+1:]
	}
	next := ""
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
		next = cursorOf(all[q.Limit-1])
	}
	return all, next, nil
}

// Every is list for all of them at once, those included in which no model was
// asked anything. One log that cannot be read hides no other.
func (st *Store) Every(q Listing) ([]SessionInfo, error) {
	dirs := []string{"*"}
	if q.Cwd != "" {
		sum := sha256.Sum256([]byte(q.Cwd))
		dirs = []string{hex.EncodeToString(sum[:])[:16]}
	}
	var all []SessionInfo
	for _, d := range dirs {
		files, err := filepath.Glob(filepath.Join(escapeGlob(st.dir), d, "*.jsonl"))
		if err != nil {
			return nil, fmt.Errorf("listing sessions: %w", err)
		}
		for _, f := range files {
			info, ok, err := summarise(f, q.Query)
			if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
				continue
			}
			if err != nil && st.Unread != nil {
				st.Unread(err)
			}
			if err == nil && (ok || info.Unasked) {
				all = append(all, info)
			}
		}
	}
	slices.SortFunc(all, func(a, b SessionInfo) int { return -compareUse(a, b) })
	return all, nil
}

func compareUse(a, b SessionInfo) int {
	return cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt), a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
}

// cursorOf sorts as compareUse does.
func cursorOf(s SessionInfo) string {
	return fmt.Sprintf("%016x-%016x-%s", s.UpdatedAt.UnixNano(), s.CreatedAt.UnixNano(), s.ID)
}

// SessionInfo is what is told of a session without opening it.
type SessionInfo struct {
	ID        string
	Title     string
	Summary   string   // what it was about, in a line; empty: nobody asked for one
	Cwd       string   // absolute
	Roots     []string // absolute
	CreatedAt time.Time
	UpdatedAt time.Time
	Model     string
	Mode      policy.Mode
	Turns     int
	Usage     Usage

	importedAt time.Time // zero of a session that began here
	Unasked    bool      // no model was ever asked anything, or all of that was rewound
}

// Fold adds one record.
func (s *SessionInfo) Fold(r Record) {
	switch e := r.Event.(type) { //nolint:gochecksumtype // the other events change nothing that a list shows
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

// ToSummary returns the record that a log ends with, for lists.
func (s *SessionInfo) ToSummary() Summary {
	return Summary{Title: s.Title, Summary: s.Summary, UpdatedAt: s.UpdatedAt, Model: s.Model, Mode: s.Mode, Turns: s.Turns, Usage: s.Usage}
}

// Used notes that the session was used; a clock that was set back changes
// nothing.
func (s *SessionInfo) Used(at time.Time) {
	if at.After(s.UpdatedAt) {
		s.UpdatedAt = at
	}
}

// summarise reads what a list shows of a log; false when it has no record, no
// prompt, or holds the query neither in its title nor in its summary nor in a
// prompt.
func summarise(path, query string) (SessionInfo, bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return SessionInfo{}, false, fmt.Errorf("a session is not listed: %w", err)
	}
	defer f.Close()
	if query == "" {
		if info, ok := quickSummary(f); ok {
			return info, true, nil
		}
	}
	rs, end, err := readRecords(f, 0, new(Record))
	if err != nil {
		return SessionInfo{}, false, fmt.Errorf("a session is not listed: reading %s: %w", path, err)
	}
	var info SessionInfo
	prompted, found := false, false
	for _, r := range Surviving(rs) {
		if r.Event == nil {
			continue
		}
		info.Fold(r)
		if c, ok := r.Event.(UserChunk); ok && !c.Aside {
			prompted = true
			found = found || containsFold(c.Block.Text, query)
		}
	}
	if info.ID == "" && end > 0 {
		return info, false, fmt.Errorf("a session is not listed: %s does not begin as a session's log", path)
	}
	info.Unasked = info.ID != "" && !prompted
	return info, info.ID != "" && prompted && (found || containsFold(info.Title, query) || containsFold(info.Summary, query)), nil
}

func containsFold(s, sub string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(sub))
}

// summaryTail is how much of a log's end is looked at for its last summary.
const summaryTail = 4 << 10

// quickSummary reads the first record and a summary that is the last one;
// false when the log does not end with a summary.
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
	info.Summary = sum.Summary
	info.Title, info.UpdatedAt, info.Model, info.Mode, info.Turns, info.Usage = sum.Title, sum.UpdatedAt, sum.Model, sum.Mode, sum.Turns, sum.Usage
	return info, true
}

// LastUse is when the session was last used, or came here.
func (s *SessionInfo) LastUse() time.Time {
	if s.importedAt.After(s.UpdatedAt) {
		return s.importedAt
	}
	return s.UpdatedAt
}

// DropParts deletes what processes left that were killed while they saved a
// session, before a time.
func (st *Store) DropParts(before time.Time) error {
	parts, err := filepath.Glob(filepath.Join(escapeGlob(st.dir), "*", "*.part"))
	if err != nil {
		return fmt.Errorf("looking for remains of sessions: %w", err)
	}
	for _, p := range parts {
		fi, err := os.Stat(p)
		if err == nil && fi.ModTime().Before(before) {
			err = os.Remove(p)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("deleting what is left of a session: %w", err)
		}
	}
	return nil
}
