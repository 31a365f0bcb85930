package chat

import (
	"context"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/lsp/request"
)

// RewindParams are the params of emendo/session/rewind.
type RewindParams struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
	Scope     string `json:"scope"`
	DryRun    bool   `json:"dryRun"`
}

// Rewound tells what a rewind did with files, or would do.
type Rewound struct {
	Restored  []string   `json:"restored"`
	Deleted   []string   `json:"deleted"`
	Kept      []LeftFile `json:"kept"`
	Conflicts []LeftFile `json:"conflicts"`
}

// LeftFile is a file that a rewind left alone.
type LeftFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func leftFiles(l []rewind.Skipped) []LeftFile {
	out := make([]LeftFile, len(l))
	for i, f := range l {
		out[i] = LeftFile(f)
	}
	return out
}

// Rewind answers emendo/session/rewind.
func (s *Sessions) Rewind(ctx context.Context, p RewindParams) (any, error) {
	r, err := s.RewindTo(ctx, p)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// RewindTo goes back to before a turn's prompt.
func (s *Sessions) RewindTo(ctx context.Context, p RewindParams) (Rewound, error) {
	if err := request.Need(p.TurnID, "turnId"); err != nil {
		return Rewound{}, err
	}
	scope, err := rewind.ParseScope(p.Scope)
	if err != nil {
		return Rewound{}, request.Invalid("%v", err)
	}
	ses, err := s.host.Session(ctx, p.SessionID)
	if err != nil {
		return Rewound{}, err
	}
	r, err := ses.Rewind(ctx, p.TurnID, scope, p.DryRun)
	if err != nil {
		return Rewound{}, err
	}
	if !p.DryRun {
		s.touch()
	}
	return Rewound{
		Restored: append([]string{}, r.Restored...), Deleted: append([]string{}, r.Deleted...),
		Kept: leftFiles(r.Kept), Conflicts: leftFiles(r.Conflicts),
	}, nil
}

// CompactParams are the params of emendo/session/compact.
type CompactParams struct {
	SessionID string `json:"sessionId"`
	Focus     string `json:"focus,omitempty"` // what to keep above all
}

// Compaction tells what a compaction did.
type Compaction struct {
	OriginalTokens int64  `json:"originalTokens"`
	NewTokens      int64  `json:"newTokens"`
	Status         string `json:"status"`
}

// Compact answers emendo/session/compact.
func (s *Sessions) Compact(ctx context.Context, p CompactParams) (any, error) {
	c, err := s.CompactNow(ctx, p)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// CompactNow summarizes the older part of a session's conversation.
func (s *Sessions) CompactNow(ctx context.Context, p CompactParams) (Compaction, error) {
	ses, err := s.host.Session(ctx, p.SessionID)
	if err != nil {
		return Compaction{}, err
	}
	c, err := ses.Compact(ctx, p.Focus)
	if err != nil {
		return Compaction{}, err
	}
	s.touch()
	return Compaction{c.Before, c.After, c.Status}, nil
}
