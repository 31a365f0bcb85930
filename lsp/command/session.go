package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
)

// newSession makes a session, which becomes the current one, and shows its document to a
// client that has conversations in documents. There a session that nothing was asked in
// is as good as a new one.
func (t *Table) newSession(ctx context.Context, p chat.NewParams) (any, error) {
	var ses *agent.Session
	var err error
	if !t.Client.Can.Session && p == (chat.NewParams{}) {
		ses, err = t.Chats.Unused(ctx)
	} else {
		ses, err = t.Chat.Sessions.Create(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	t.Chat.Current.Set(ses)
	t.Client.Touch()
	if !t.Client.Can.Session && !p.Ephemeral {
		if _, err := t.showDocument(ctx, ses); err != nil {
			return nil, err
		}
	}
	return t.Chat.Sessions.Result(ses), nil
}

// cancel cancels a session's turn, or every turn if no session is named. It finds
// every prompt that arrived before, begun or not.
func (t *Table) cancel(_ context.Context, p chat.CancelParams) (rpc.Work, error) {
	if p.SessionID == "" {
		t.Chat.Turns.CancelAll()
		return client.Answered(nil), nil
	}
	return client.Answered(nil), t.Chat.Turns.Cancel(p)
}

// setMode sets the mode of a session or of the current one. Without a mode it
// lists them.
func (t *Table) setMode(ctx context.Context, p chat.ModeParams) (any, error) {
	if p.Mode != "" {
		if _, err := policy.ParseMode(p.Mode); err != nil {
			return nil, client.Invalid("%v", err)
		}
		ses, err := t.Chat.Sessions.OrCurrent(ctx, p.SessionID)
		if err != nil {
			return nil, err
		}
		return t.Chat.Sessions.SetMode(ctx, chat.ModeParams{SessionID: ses.ID(), Mode: p.Mode})
	}
	var b strings.Builder
	b.WriteString("Set the mode with emendo.setMode {\"mode\": …}:")
	for _, m := range policy.Modes() {
		fmt.Fprintf(&b, "\n%s: %s", m.ID, m.Description)
	}
	t.Client.Info(ctx, b.String()+t.currentLine(func(i transcript.SessionInfo) string { return string(i.Mode) }))
	return nil, nil
}

// setModel sets the model of a session or of the current one. Without a model it
// lists those that are known.
func (t *Table) setModel(ctx context.Context, p chat.ModelParams) (any, error) {
	if p.Model != "" {
		ses, err := t.Chat.Sessions.OrCurrent(ctx, p.SessionID)
		if err != nil {
			return nil, err
		}
		return t.Chat.Sessions.SetModel(ctx, chat.ModelParams{SessionID: ses.ID(), Model: p.Model})
	}
	var b strings.Builder
	b.WriteString("Set the model with emendo.setModel {\"model\": …}.")
	for _, m := range t.Models {
		fmt.Fprintf(&b, "\n%s: %s; %s", m.ID, m.Name, m.Description)
	}
	t.Client.Info(ctx, b.String()+t.currentLine(func(i transcript.SessionInfo) string { return i.Model }))
	return nil, nil
}

// currentLine returns a line with a property of the current session, if there is one.
func (t *Table) currentLine(of func(transcript.SessionInfo) string) string {
	ses := t.Chat.Current.Session()
	if ses == nil {
		return ""
	}
	return "\nCurrent: " + of(ses.Info())
}

// existing returns the session with the ID, without an ID the current one. Without that
// either it shows the user the text none and returns nil.
func (t *Table) existing(ctx context.Context, id, none string) (*agent.Session, error) {
	if id == "" && t.Chat.Current.ID() == "" {
		t.Client.Info(ctx, none)
		return nil, nil
	}
	return t.Chat.Sessions.OrCurrent(ctx, id)
}

// asideParams name what is put back.
type asideParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"` // absolute; empty: everything
}

// putBack puts back what was moved aside in a session or in the current one.
func (t *Table) putBack(ctx context.Context, p asideParams) (any, error) {
	ses, err := t.existing(ctx, p.SessionID, "emendo has no session with anything to put back yet.")
	if ses == nil {
		return nil, err
	}
	back, err := ses.State.Asides.PutBack(p.Path)
	var l []string
	for _, f := range back {
		l = append(l, visible.Escape(f.From)+" is back.")
	}
	if err != nil {
		l = append(l, err.Error())
	}
	if len(l) == 0 {
		l = []string{"Nothing is there to put back."}
	}
	t.Client.Info(ctx, strings.Join(l, "\n"))
	return nil, nil
}

// compact compacts a session or the current one, and shows the result.
func (t *Table) compact(ctx context.Context, p chat.CompactParams) (any, error) {
	ses, err := t.existing(ctx, p.SessionID, "emendo has no session to compact yet.")
	if ses == nil {
		return nil, err
	}
	return t.inBackground(ctx, func(ctx context.Context) (any, string, error) {
		result, err := t.Chat.Sessions.Compact(ctx, chat.CompactParams{SessionID: ses.ID(), Focus: p.Focus})
		if err != nil {
			return nil, "", err
		}
		return result, compactionText(result), nil
	})
}

func compactionText(c chat.Compaction) string {
	if c.NewTokens < c.OriginalTokens {
		return fmt.Sprintf("Conversation compacted from about %d to %d tokens.", c.OriginalTokens, c.NewTokens)
	}
	return fmt.Sprintf("Conversation unchanged at about %d tokens: it could not be compacted further.", c.OriginalTokens)
}

// shownPrompts is the number of prompts that the rewind command lists.
const shownPrompts = 10

// rewind rewinds a session or the current one, or undoes that. Without a turn it lists the
// prompts.
func (t *Table) rewind(ctx context.Context, p chat.RewindParams) (any, error) {
	if p.TurnID == "" && p.SessionID == "" && t.Chat.Current.ID() == "" {
		t.Client.Info(ctx, "emendo has no session to rewind yet.")
		return nil, nil
	}
	ses, err := t.Chat.Sessions.OrCurrent(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if p.TurnID == "" && !p.Redo {
		l, err := ses.Prompts()
		if err != nil {
			return nil, err
		}
		slices.Reverse(l)
		t.Client.Info(ctx, promptsText(l))
		return prompts{ses.ID(), l}, nil
	}
	p.SessionID = ses.ID()
	return t.inBackground(ctx, func(ctx context.Context) (any, string, error) {
		result, err := t.Chat.Sessions.Rewind(ctx, p)
		if err != nil {
			return nil, "", err
		}
		return result, rewindText(result, p), nil
	})
}

// prompts answers the command without a turn: those of the session, the newest first.
type prompts struct {
	SessionID string             `json:"sessionId"`
	Prompts   []agent.PromptInfo `json:"prompts"`
}

// promptsText lists prompts, of which the newest is the first.
func promptsText(l []agent.PromptInfo) string {
	if len(l) == 0 {
		return "The session has no prompt to go back to."
	}
	var b strings.Builder
	b.WriteString("Rewind to before a prompt with emendo.rewind {\"turnId\": …, \"scope\": \"files\", \"conversation\" or \"both\", \"dryRun\": true to look first}:")
	for _, x := range l[:min(len(l), shownPrompts)] {
		fmt.Fprintf(&b, "\n%s: %s", x.TurnID, visible.Text(x.Text))
	}
	if more := len(l) - shownPrompts; more > 0 {
		fmt.Fprintf(&b, "\nand %d earlier prompts", more)
	}
	return b.String()
}

// rewindText describes the result, for clients that do not look at a command's
// answer.
func rewindText(r chat.Rewound, p chat.RewindParams) string {
	var b strings.Builder
	switch {
	case p.DryRun:
		b.WriteString("Dry run; nothing was changed. A rewind would do this:")
	case p.Redo:
		b.WriteString("The rewind was undone.")
	default:
		b.WriteString("Rewound. emendo.rewind {\"redo\": true} undoes it until the next prompt.")
	}
	list := func(what string, l []string) {
		for _, p := range l {
			fmt.Fprintf(&b, "\n%s: %s", what, visible.Line(p))
		}
	}
	left := func(what string, l []rewind.Skipped) {
		for _, f := range l {
			fmt.Fprintf(&b, "\n%s: %s (%s)", what, visible.Line(f.Path), visible.Text(f.Reason))
		}
	}
	list("restored", r.Restored)
	list("deleted", r.Deleted)
	left("not kept", r.Kept)
	left("left alone, since it was changed again", r.Conflicts)
	return b.String()
}
