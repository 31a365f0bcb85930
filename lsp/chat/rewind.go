package chat

import (
	"context"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/client"
)

// RewindParams are the params of emendo/session/rewind.
type RewindParams struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
	Scope     string `json:"scope"`
	DryRun    bool   `json:"dryRun"`
	Redo      bool   `json:"redo"` // undo the last rewind, whatever turn and scope are
}

// Rewound lists what a rewind did with files, or would do.
type Rewound struct {
	Restored  []string         `json:"restored"`
	Deleted   []string         `json:"deleted"`
	Kept      []rewind.Skipped `json:"kept"`
	Conflicts []rewind.Skipped `json:"conflicts"`
	// Files are what a dry run would change: FileChanges without hunks.
	Files []RewoundFile `json:"files,omitzero"`
}

// RewoundFile is a file that a rewind would change.
type RewoundFile struct {
	URI   ide.URI    `json:"uri"`
	Op    ledger.Op  `json:"op"`
	Open  bool       `json:"openInEditor"`
	Diff  string     `json:"diff"` // unified; empty if a side is not text
	Hunks []struct{} `json:"hunks"`
}

func rewoundFiles(l []rewind.Change) []RewoundFile {
	var files []RewoundFile
	for _, c := range l {
		f := RewoundFile{URI: ide.ParseURI(c.Name), Op: ledger.Modify, Open: c.Open, Hunks: []struct{}{}}
		if filepath.IsAbs(c.Name) {
			f.URI = ide.FileURI(c.Name)
		}
		old, now := "a/"+filepath.Base(c.Name), "b/"+filepath.Base(c.Name)
		switch {
		case !c.Before.Exists:
			f.Op, old = ledger.Create, "/dev/null"
		case !c.After.Exists:
			f.Op, now = ledger.Delete, "/dev/null"
		}
		if !c.Before.Binary && !c.After.Binary {
			f.Diff = diff.Unified(old, now, c.Before.Text, c.After.Text)
		}
		files = append(files, f)
	}
	return files
}

// Rewind answers emendo/session/rewind: it goes back to before a turn's prompt, or forth again.
func (s *Sessions) Rewind(ctx context.Context, p RewindParams) (Rewound, error) {
	if p.Redo {
		ses, err := s.c.Host.Session(ctx, p.SessionID)
		if err != nil {
			return Rewound{}, err
		}
		return rewound(s.GoForth(ctx, ses, p.DryRun))
	}
	if err := client.Require(p.TurnID, "turnId"); err != nil {
		return Rewound{}, err
	}
	scope, err := rewind.ParseScope(p.Scope)
	if err != nil {
		return Rewound{}, client.Invalid("%v", err)
	}
	ses, err := s.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return Rewound{}, err
	}
	return rewound(s.GoBack(ctx, ses, p.TurnID, scope, p.DryRun))
}

func rewound(r rewind.Result, err error) (Rewound, error) {
	if err != nil {
		return Rewound{}, err
	}
	return Rewound{Files: rewoundFiles(r.Changes), Restored: r.Restored, Deleted: r.Deleted, Kept: r.Kept, Conflicts: r.Conflicts}, nil
}

// GoBack takes a session back to before a turn's prompt, or looks what that would do.
func (s *Sessions) GoBack(ctx context.Context, ses *agent.Session, turnID string, scope rewind.Scope, dryRun bool) (rewind.Result, error) {
	r, err := ses.Rewind(ctx, turnID, scope, dryRun)
	if err != nil || dryRun {
		return r, err
	}
	s.c.Touch()
	return r, nil
}

// GoForth undoes the last rewind of a session, or looks what that would do.
func (s *Sessions) GoForth(ctx context.Context, ses *agent.Session, dryRun bool) (rewind.Result, error) {
	r, err := ses.Redo(ctx, dryRun)
	if err == nil && !dryRun {
		s.c.Touch()
	}
	return r, err
}

// rewoundUpdate is an update that is not part of the session's history and has no
// number.
type rewoundUpdate struct {
	SessionID string `json:"sessionId"`
	Update    struct {
		Kind   string `json:"sessionUpdate"`
		TurnID string `json:"turnId"`
		Redo   bool   `json:"redo,omitzero"`
	} `json:"update"`
}

// tellRewound notifies a client with several views that a session has forgotten a
// turn and all after it, or has them again.
func (s *Sessions) tellRewound(sessionID string, b transcript.Back) {
	if !s.c.Can.Sessions || !s.c.Can.Updates() {
		return
	}
	u := rewoundUpdate{SessionID: sessionID}
	u.Update.Kind, u.Update.TurnID, u.Update.Redo = "_emendo/rewound", b.TurnID, b.Redone
	s.c.Notify(s.c.Life(), "emendo/session/update", u)
}

// CompactParams are the params of emendo/session/compact.
type CompactParams struct {
	SessionID string `json:"sessionId"`
	Focus     string `json:"focus,omitempty"` // what to keep above all
}

// Compaction is the result of a compaction.
type Compaction struct {
	OriginalTokens int64  `json:"originalTokens"`
	NewTokens      int64  `json:"newTokens"`
	Status         string `json:"status"`
}

// Compact answers emendo/session/compact: it summarizes the older part of a session's
// conversation.
func (s *Sessions) Compact(ctx context.Context, p CompactParams) (Compaction, error) {
	ses, err := s.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return Compaction{}, err
	}
	c, err := ses.Compact(ctx, p.Focus)
	if err != nil {
		return Compaction{}, err
	}
	s.c.Touch()
	return Compaction{c.Before, c.After, string(c.Status)}, nil
}
