package lsp

import (
	"context"
	"fmt"
)

type compactParams struct {
	SessionID string `json:"sessionId"`
	Focus     string `json:"focus,omitempty"` // what is to be kept above all
}

// compaction is what became of a compaction.
type compaction struct {
	OriginalTokens int64  `json:"originalTokens"`
	NewTokens      int64  `json:"newTokens"`
	Status         string `json:"status"`
}

// compactSession has the older part of a session's conversation summed up.
func (s *server) compactSession(ctx context.Context, p compactParams) (any, error) {
	ses, err := s.session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	c, err := ses.Compact(ctx, p.Focus)
	if err != nil {
		return nil, err
	}
	s.announce.touch()
	return compaction{c.Before, c.After, c.Status}, nil
}

// compactCommand does so with a session or the current one, and shows what
// became of it.
func (s *server) compactCommand(ctx context.Context, p compactParams) (any, error) {
	if p.SessionID == "" && s.current.get() == "" {
		s.tell(ctx, infoMessage, "emendo has no session to compact yet.")
		return nil, nil
	}
	ses, err := s.commandSession(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	return s.inBackground(ctx, func(ctx context.Context) (any, string, error) {
		result, err := s.compactSession(ctx, compactParams{ses.ID(), p.Focus})
		if err != nil {
			return nil, "", err
		}
		return result, result.(compaction).text(), nil
	})
}

func (c compaction) text() string {
	if c.NewTokens < c.OriginalTokens {
		return fmt.Sprintf("The conversation was made shorter: from about %d to %d tokens.", c.OriginalTokens, c.NewTokens)
	}
	return fmt.Sprintf("The conversation stays as it is, at about %d tokens: it could not be made shorter.", c.OriginalTokens)
}
