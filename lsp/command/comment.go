package command

import (
	"cmp"
	"context"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/chatdoc"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/comment"
)

// comment quotes lines in the chat document of a session, below which the user writes what they say
// about them.
func (t *Table) comment(_ context.Context, a client.CommentArgs) (rpc.Work, error) {
	if t.Client.Can.Session {
		return nil, client.Unable("comments go into chat documents in editors without emendo's panel")
	}
	n := agent.NewComment{HunkID: a.HunkID, Text: a.Text, Snapshot: t.Client.Workspace.Snapshot()}
	if a.HunkID == "" {
		at, _, err := t.target(client.TargetArgs{URI: a.URI, Range: a.Range})
		if err != nil {
			return nil, err
		}
		if at.r == nil {
			return nil, client.Unable("select the lines to comment on, or pass uri and range")
		}
		n.URI, n.Range = at.uri, *at.r
	}
	return func(ctx context.Context) (any, error) {
		ses, err := t.Chats.Session(ctx, a.SessionID)
		if err != nil {
			return nil, err
		}
		c, err := agent.CommentsOf(ses).Quote(ctx, n)
		if err != nil {
			return nil, err
		}
		return t.inBackground(ctx, func(ctx context.Context) (any, string, error) {
			shown, err := t.Documents.Quote(ctx, ses.ID(), strings.TrimRight(c.Markdown(), "\n")+"\n\n")
			if err != nil {
				return nil, "", err
			}
			return t.show(ctx, shown), "", nil
		})
	}, nil
}

// sendComments sends the comments that wait in a session, or in the current one. In a client without
// emendo's panel they are in the input of a chat document, which is sent.
func (t *Table) sendComments(ctx context.Context, a comment.SendParams) (rpc.Work, error) {
	if !t.Client.Can.Session {
		return t.Chats.Send(ctx, chatdoc.SendArgs{})
	}
	a.SessionID = cmp.Or(a.SessionID, t.Chat.Current.ID())
	if a.SessionID == "" {
		return nil, client.Unable("no session has comments that wait")
	}
	return t.Comments.Send(ctx, a)
}
