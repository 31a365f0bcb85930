package present

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
)

// queueDoers are the actions of prompts that wait.
var queueDoers = map[string]doer{
	"queued/" + view.Edit:      editQueued,
	"queued/" + view.Up:        moveQueued,
	"queued/" + view.Down:      moveQueued,
	"queued/" + view.Front:     moveQueued,
	"queued/" + view.Steer:     sendQueued,
	"queued/" + view.Interrupt: sendQueued,
	"queued/" + view.Remove:    removeQueued,
	view.Resume:                resume,
}

// statusDoers are the actions of the status of a session.
var statusDoers = map[string]doer{
	"status/" + view.Stop:    stopTurn,
	"status/" + view.Compact: compact,
}

// queued returns the session of the target, its prompt that waits, and where that stands among
// those that become turns.
func queued(ctx context.Context, v *Views, c chosen) (ses *agent.Session, prompt agent.Waiting, at int, err error) {
	if ses, err = v.c.Host.Session(ctx, c.Session); err != nil {
		return nil, agent.Waiting{}, 0, err
	}
	l, _ := ses.Queue()
	for _, w := range l {
		if w.MessageID == c.ID {
			return ses, w, at, nil
		}
		if w.How != agent.Steer {
			at++
		}
	}
	return nil, agent.Waiting{}, 0, client.Invalid("%v", agent.ErrNotQueued)
}

// changeQueued changes a prompt that waits.
func changeQueued(v *Views, ses *agent.Session, w agent.Waiting, e agent.QueueEdit) (acted, error) {
	e.TurnID, e.MessageID = w.TurnID, w.MessageID
	return acted{}, v.chat.Queue.Change(ses, e)
}

// editQueued opens the text of a prompt, or puts what became of it in its place: what is with
// it stays unless the user sent other blocks. A prompt without anything is removed.
func editQueued(ctx context.Context, v *Views, c chosen) (acted, error) {
	ses, w, _, err := queued(ctx, v, c)
	if err != nil {
		return acted{}, err
	}
	text, others := promptText(w.Blocks)
	if c.Text == nil {
		return steps(view.Step{Edit: &text, Blocks: contents(others)})
	}
	if c.Blocks != nil {
		if others, err = blocksOf(c.Blocks); err != nil {
			return acted{}, err
		}
	}
	if strings.TrimSpace(*c.Text) != "" {
		others = append([]transcript.Block{{Type: transcript.TextBlock, Text: *c.Text}}, others...)
	}
	if len(others) == 0 {
		return changeQueued(v, ses, w, agent.QueueEdit{Remove: true})
	}
	return changeQueued(v, ses, w, agent.QueueEdit{Blocks: others})
}

// promptText returns the text of a prompt and what is with it.
func promptText(l []transcript.Block) (text string, others []transcript.Block) {
	var texts []string
	for _, b := range l {
		if b.Type == transcript.TextBlock && b.Mention == nil && b.Comment == nil {
			texts = append(texts, b.Text)
		} else {
			others = append(others, b)
		}
	}
	return strings.Join(texts, "\n"), others
}

// blocksOf reads the blocks that are with a text; there may be none.
func blocksOf(l []json.RawMessage) ([]transcript.Block, error) {
	if len(l) == 0 {
		return nil, nil
	}
	blocks, err := acp.Blocks(l)
	if err != nil {
		return nil, client.Invalid("%v", err)
	}
	return blocks, nil
}

// moveQueued moves a prompt among those that become turns.
func moveQueued(ctx context.Context, v *Views, c chosen) (acted, error) {
	ses, w, at, err := queued(ctx, v, c)
	if err != nil {
		return acted{}, err
	}
	to := map[string]int{view.Up: max(at-1, 0), view.Down: at + 1, view.Front: 0}[c.ActionID]
	return changeQueued(v, ses, w, agent.QueueEdit{Position: &to})
}

func removeQueued(ctx context.Context, v *Views, c chosen) (acted, error) {
	ses, w, _, err := queued(ctx, v, c)
	if err != nil {
		return acted{}, err
	}
	return changeQueued(v, ses, w, agent.QueueEdit{Remove: true})
}

// sendQueued takes a prompt out of the queue and sends it in another way. Where that fails it
// waits again, as the last.
func sendQueued(ctx context.Context, v *Views, c chosen) (acted, error) {
	ses, w, _, err := queued(ctx, v, c)
	if err != nil {
		return acted{}, err
	}
	if _, err := changeQueued(v, ses, w, agent.QueueEdit{Remove: true}); err != nil {
		return acted{}, err
	}
	how := map[string]agent.How{view.Steer: agent.Steer, view.Interrupt: agent.Interrupt}[c.ActionID]
	if err = v.chat.Turns.Add(ctx, c.Session, w.Blocks, how); err == nil {
		return acted{}, nil
	}
	if again := v.chat.Turns.Add(context.WithoutCancel(ctx), c.Session, w.Blocks, agent.Queue); again != nil {
		v.c.Error(ctx, phrase.Say("error.not_sent", "why", err.Error()).Text)
		text, others := promptText(w.Blocks)
		return steps(view.Step{Compose: &text, Blocks: contents(others)})
	}
	return acted{}, err
}

// resume has the queue of a session run again.
func resume(ctx context.Context, v *Views, c chosen) (acted, error) {
	ses, err := v.c.Host.Session(ctx, c.Session)
	if err != nil {
		return acted{}, err
	}
	v.chat.Queue.Resume(ses)
	return acted{}, nil
}

// compact shortens the history of a session for the model.
func compact(ctx context.Context, v *Views, c chosen) (acted, error) {
	_, err := v.chat.Sessions.Compact(ctx, chat.CompactParams{SessionID: c.Session})
	return acted{}, err
}
