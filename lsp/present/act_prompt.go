package present

import (
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/lsp/client"
)

// promptDoers are the actions that send the prompt of a turn once more, or put it into the input.
var promptDoers = map[string]doer{
	"turn/" + view.Edit:     editAgain,
	"turn/" + view.EditCopy: editCopy,
	"turn/" + view.Again:    sendAgain,
	"turn/" + view.Fresh:    startFresh,
	"turn/" + view.Fork:     forkAfter,
}

// fact returns what the fold of the target's view says of it.
func fact[T any](c chosen, f func(*view.Conversation) T) T {
	c.view.mu.Lock()
	defer c.view.mu.Unlock()
	return f(c.view.fold)
}

// of returns what is known of the target, a turn.
func (c chosen) of() view.Of {
	return fact(c, func(f *view.Conversation) view.Of { return f.Of(c.ID) })
}

// contents returns blocks as a prompt has them on the wire; nil without any.
func contents(l []transcript.Block) json.RawMessage {
	if len(l) == 0 {
		return nil
	}
	raw, err := json.Marshal(acp.Contents(l))
	if err != nil {
		panic(err) // raw messages encode
	}
	return raw
}

// composing puts a prompt into the input.
func composing(p view.Prompt) view.Step {
	return view.Step{Compose: &p.Text, Blocks: contents(p.Others)}
}

// edited returns the prompt that the user made of the target's: its text is theirs, and what
// was with it stays unless they sent other blocks. Without a text they have not edited it yet.
func edited(c chosen) (p view.Prompt, asks bool, err error) {
	p = c.of().Prompt
	if c.Text == nil {
		return p, true, nil
	}
	p.Text = *c.Text
	if c.Blocks != nil {
		p.Others = nil
		if len(c.Blocks) > 0 {
			if p.Others, err = acp.Blocks(c.Blocks); err != nil {
				return p, false, client.Invalid("%v", err)
			}
		}
	}
	if len(p.Blocks()) == 0 {
		return p, false, client.Invalid("the prompt is empty")
	}
	return p, false, nil
}

// editAgain opens the prompt of a turn, or sends what became of it in place of that turn and
// all after it. Files stay as they are.
func editAgain(ctx context.Context, v *Views, c chosen) (acted, error) {
	p, asks, err := edited(c)
	switch {
	case err != nil:
		return acted{}, err
	case asks:
		return steps(view.Step{Edit: &p.Text, Blocks: contents(p.Others)})
	}
	return sendInstead(ctx, v, c, p)
}

// sendInstead sends a prompt in place of the target, a turn, and all after it. Where it cannot
// be sent nothing is forgotten; if that turns out only then, the prompt goes into the input.
func sendInstead(ctx context.Context, v *Views, c chosen, p view.Prompt) (acted, error) {
	if err := v.chat.Turns.Check(ctx, c.Session, p.Blocks()); err != nil {
		return acted{}, err
	}
	ctx = context.WithoutCancel(ctx)
	if err := forget(ctx, v, c); err != nil {
		return acted{}, err
	}
	if err := v.chat.Turns.Begin(ctx, c.Session, p.Blocks()); err != nil {
		v.c.Error(ctx, phrase.Say("error.not_sent", "why", err.Error()).Text)
		return steps(composing(p))
	}
	return acted{}, nil
}

// forget takes a session back to before a turn, and leaves the files.
func forget(ctx context.Context, v *Views, c chosen) error {
	ses, err := v.c.Host.Session(ctx, c.Session)
	if err != nil {
		return err
	}
	_, err = v.chat.Sessions.GoBack(ctx, ses, c.ID, rewind.Conversation, false)
	return err
}

// editCopy opens the prompt of a turn, or sends what became of it in a copy of what came
// before.
func editCopy(ctx context.Context, v *Views, c chosen) (acted, error) {
	p, asks, err := edited(c)
	switch {
	case err != nil:
		return acted{}, err
	case asks:
		return steps(view.Step{Edit: &p.Text, Blocks: contents(p.Others)})
	}
	ses, err := copyBefore(ctx, v, c)
	if err != nil {
		return acted{}, err
	}
	if err := v.chat.Turns.Begin(ctx, ses.ID(), p.Blocks()); err != nil {
		return acted{}, err
	}
	return steps(view.Step{Show: ses.ID()})
}

// copyBefore copies a session up to before a turn; before the first there is nothing to copy.
func copyBefore(ctx context.Context, v *Views, c chosen) (*agent.Session, error) {
	if err := c.view.readAll(); err != nil { // the one before may not be there yet
		return nil, err
	}
	if before := c.of().Before; before != "" {
		return v.chat.Sessions.Copy(ctx, c.Session, before)
	}
	return v.chat.Sessions.Another(ctx, c.Session)
}

// sendAgain sends the prompt of a failed turn once more, in place of the turn if nothing came of
// it.
func sendAgain(ctx context.Context, v *Views, c chosen) (acted, error) {
	of := c.of()
	if of.Nothing {
		return sendInstead(ctx, v, c, of.Prompt)
	}
	return acted{}, v.chat.Turns.Begin(ctx, c.Session, of.Prompt.Blocks())
}

// startFresh puts a prompt that did not fit into the input of a session without turns.
func startFresh(ctx context.Context, v *Views, c chosen) (acted, error) {
	ses, err := v.chat.Sessions.Another(ctx, c.Session)
	if err != nil {
		return acted{}, err
	}
	return steps(view.Step{Show: ses.ID()}, composing(c.of().Prompt))
}

// forkAfter copies a session up to the end of a turn.
func forkAfter(ctx context.Context, v *Views, c chosen) (acted, error) {
	ses, err := v.chat.Sessions.Copy(ctx, c.Session, c.ID)
	if err != nil {
		return acted{}, err
	}
	return steps(view.Step{Show: ses.ID()})
}
