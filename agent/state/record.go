package state

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// A Record is what the log of a session says: the conversation as the model reads it, the
// details of the session, and the number of the next update. It is safe for concurrent use.
type Record struct {
	mu       sync.Mutex
	history  *transcript.History
	info     transcript.SessionInfo
	stored   atomic.Bool // the log has the session's first record, or is about to get it
	next     int64       // number of the next update
	excluded transcript.Exclusions
	comments transcript.Comments
	rewound  map[string]bool          // turns that were rewound
	sent     []transcript.ContextItem // with the last request
}

// NewRecord returns the record of a session of which nothing is stored.
func NewRecord(info transcript.SessionInfo) *Record {
	return &Record{history: transcript.NewHistory(), info: info, next: 1, rewound: map[string]bool{}}
}

// Info describes the session.
func (r *Record) Info() transcript.SessionInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.info
}

// SetInfo calls set with the description of the session, to change it.
func (r *Record) SetInfo(set func(*transcript.SessionInfo)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set(&r.info)
}

// Read calls f with the history. Nothing else reads or changes the record meanwhile.
func (r *Record) Read(f func(*transcript.History)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(r.history)
}

// FromHistory returns what f finds in the history of a record.
func FromHistory[T any](r *Record, f func(*transcript.History) T) T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return f(r.history)
}

// Add adds an event to the history.
func (r *Record) Add(e transcript.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.info.CountRound(e)
	r.comments.Fold(e, r.info.Round())
	r.history.Add(e)
}

// Comments returns the comments that wait, and those that were sent.
func (r *Record) Comments() (waiting, sent []transcript.Comment) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.comments.Waiting(), r.comments.AllSent()
}

// Messages returns the conversation as the model reads it, and its context items.
func (r *Record) Messages() ([]model.Message, []transcript.ContextItem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history.Left = r.excluded
	return r.history.Request(), r.history.Items()
}

// NextSeq returns the next number of the session and counts it as used.
func (r *Record) NextSeq() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	return r.next - 1
}

// IsStored reports whether the log has the session's first record, or is about to get it.
func (r *Record) IsStored() bool { return r.stored.Load() }

// SetStored notes that the log is about to get the session's first record.
func (r *Record) SetStored() { r.stored.Store(true) }

// Exclusions returns what is not sent to the model.
func (r *Record) Exclusions() transcript.Exclusions {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.excluded
}

// IsRewound reports whether the turn was rewound.
func (r *Record) IsRewound(turnID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rewound[turnID]
}

// Sent returns what was sent with the last request; nil before the first one.
func (r *Record) Sent() []transcript.ContextItem {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

// SetSent notes what is sent with a request.
func (r *Record) SetSent(items []transcript.ContextItem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = items
}

// Apply adds records of the log. gone tells which of them were rewound: their turns are no
// longer shown, but their usage still counts.
func (r *Record) Apply(rs []transcript.Record, gone []bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, rec := range rs {
		if rec.Seq >= r.next {
			r.next = rec.Seq + 1
		}
		if rec.Event == nil {
			continue
		}
		if gone[i] {
			if _, ok := rec.Event.(transcript.UsageUpdated); ok {
				r.info.Fold(rec)
			}
			r.rewound[rec.Turn] = true
			continue
		}
		r.info.Fold(rec)
		r.comments.Fold(rec.Event, r.info.Round())
		r.history.Add(rec.Event)
		switch e := rec.Event.(type) { //nolint:gochecksumtype // the others change nothing else
		case transcript.Started:
			r.stored.Store(true)
		case transcript.Excluded:
			r.excluded = r.excluded.With(e)
		}
	}
}

// Reset forgets everything that records have said but what the session was opened with.
func (r *Record) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.info
	r.info = transcript.SessionInfo{ID: i.ID, Title: i.Title, Cwd: i.Cwd, Roots: i.Roots, CreatedAt: i.CreatedAt, UpdatedAt: i.CreatedAt, Model: i.Model, Mode: i.Mode}
	r.history, r.next, r.excluded, r.comments, r.rewound = transcript.NewHistory(), 1, nil, transcript.Comments{}, map[string]bool{}
	r.stored.Store(false)
}
