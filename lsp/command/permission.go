package command

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/question"
)

// questions has the command that answers questions.
type questions struct {
	c     *client.Client
	asker *question.Asker
}

// permission answers a question. Without arguments it shows the open ones.
func (s *questions) permission(ctx context.Context, p client.PermissionArgs) (any, error) {
	open := s.asker.Open()
	if p == (client.PermissionArgs{}) {
		if len(open) == 0 {
			s.c.Info(ctx, "There are no open questions.")
		}
		for _, q := range open {
			s.show(ctx, q)
		}
		return nil, nil
	}
	for _, q := range open {
		if q.SessionID != p.SessionID || q.CallID != p.CallID {
			continue
		}
		if !slices.ContainsFunc(q.Choices, func(c question.Choice) bool { return c.ID == p.OptionID }) {
			return nil, client.Invalid("unknown option %q. %s", p.OptionID, q.HowToAnswer())
		}
		s.asker.Answer(q, p.OptionID)
		return nil, nil
	}
	return nil, client.Invalid("no open question about call %q in session %q", p.CallID, p.SessionID)
}

// show shows a question and the answers. If a diagnostic asks it, it opens the
// document there.
func (s *questions) show(ctx context.Context, q *question.Question) {
	uri, line := s.asker.Locate(q)
	if uri == "" {
		s.c.Info(ctx, q.Text+"\n\n"+q.HowToAnswer())
		return
	}
	s.c.Info(ctx, "emendo "+s.asker.Where(q)+"\n\n"+q.Text+"\n\nThe answers are: "+q.Titles())
	s.c.Show(uri, &line)
}
