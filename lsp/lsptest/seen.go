package lsptest

import (
	"encoding/json"
	"slices"

	"github.com/emendo-dev/emendo/ide"
)

// Update is an emendo/session/update.
type Update struct {
	SessionID string
	Seq       int64
	TurnID    string
	Replay    bool
	Update    json.RawMessage
}

// Kind returns the update's kind.
func (u Update) Kind() string {
	var k struct{ SessionUpdate string }
	if json.Unmarshal(u.Update, &k) != nil {
		return ""
	}
	return k.SessionUpdate
}

// Text returns the text of a chunk.
func (u Update) Text() string {
	var k struct{ Content struct{ Text string } }
	if json.Unmarshal(u.Update, &k) != nil {
		return "" // the content of a tool call is a list
	}
	return k.Content.Text
}

// ExitCodes returns those of the commands that have ended, in order.
func (s Seen) ExitCodes() []int {
	var codes []int
	for _, u := range s.Updates {
		var k struct {
			Meta struct{ Emendo struct{ ExitCode *int } } `json:"_meta"`
		}
		if json.Unmarshal(u.Update, &k) == nil && k.Meta.Emendo.ExitCode != nil {
			codes = append(codes, *k.Meta.Emendo.ExitCode)
		}
	}
	return codes
}

// Session is an entry of a list of sessions.
type Session struct {
	SessionID, Title, Status string

	Turns        int
	PendingHunks int
}

// Comment is one of the user's on lines.
type Comment struct {
	ID, URI, Text, Quoted, HunkID string

	Range ide.Range
	Round int
	Stale bool
}

// ChangeSet is a set of proposed edits.
type ChangeSet struct {
	ChangeSetID, SessionID, TurnID, ToolCallID, Title, State string

	Version      int
	Files        []FileChange
	Verification *Verification
}

// Verification is the result of checking a proposed text.
type Verification struct {
	State, Reason        string
	Introduced, Resolved int
	Problems             []Problem
}

// Problem is an error that a proposed text introduces.
type Problem struct {
	URI     string
	Range   ide.Range
	Message string
}

// Delta has the changes of a change set.
type Delta struct {
	ChangeSetID, State string

	Version int
	Hunks   []Hunk
	Removed []string
}

// with returns the change set with the delta applied.
func (c ChangeSet) with(d Delta) ChangeSet {
	c.Version = d.Version
	if d.State != "" {
		c.State = d.State
	}
	files := make([]FileChange, len(c.Files))
	for i, f := range c.Files {
		hunks := make([]Hunk, 0, len(f.Hunks))
		for _, h := range f.Hunks {
			if slices.Contains(d.Removed, h.HunkID) {
				continue
			}
			if k := slices.IndexFunc(d.Hunks, func(n Hunk) bool { return n.HunkID == h.HunkID }); k >= 0 {
				h = d.Hunks[k]
			}
			hunks = append(hunks, h)
		}
		f.Hunks = hunks
		files[i] = f
	}
	c.Files = files
	return c
}

// FileChange is one file of a change set.
type FileChange struct {
	URI, Op, NewURI, Diff string

	OpenInEditor bool
	BaseVersion  *int
	Hunks        []Hunk
	Verification *Verification
}

// Hunk is one hunk of a file.
type Hunk struct {
	HunkID, State, OldText, NewText, Reason, Because string

	Range ide.Range

	Edited, Formatted, Committed, Reviewed bool
}

// Question is an emendo/session/requestPermission.
type Question struct {
	SessionID string
	ToolCall  struct {
		ToolCallID string
		Meta       struct{ Emendo struct{ Reason string } } `json:"_meta"`
	}
	Options []struct{ OptionID, Name, Kind string }
	Preview struct {
		ChangeSetID, Command, Cwd string

		Parsed, Saves, Unsaved, Waits []string

		Commands []struct{ Text, Decision, Rule, Reason string }
	}
	Raw json.RawMessage `json:"-"`
}

// Status is an emendo/status.
type Status struct {
	Kind, Message, SessionID, Model, Mode string

	PendingHunks int
	Command      *struct{ Command string }
}

// Progress is a $/progress.
type Progress struct {
	Token json.RawMessage
	Value struct {
		Kind, Title, Message string

		Cancellable bool
	}
}

// Diagnostic is one that the server published.
type Diagnostic struct {
	Range    ide.Range       `json:"range"`
	Severity int             `json:"severity"`
	Source   string          `json:"source"`
	Message  string          `json:"message"`
	Code     string          `json:"code"`
	Data     json.RawMessage `json:"data,omitempty"`
}
