package present

import (
	"context"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/chat"
)

// turnDoers are the actions of turns and of what is in them.
var turnDoers = map[string]doer{
	"turn/" + view.Stop: stopTurn,
	"call/" + view.Stop: stopCall,
	view.Copy:           copyMarkdown,
}

func stopTurn(_ context.Context, v *Views, c chosen) (acted, error) {
	return acted{}, v.chat.Turns.Cancel(chat.CancelParams{SessionID: c.Session})
}

func stopCall(_ context.Context, v *Views, c chosen) (acted, error) {
	return acted{}, v.chat.Turns.Cancel(chat.CancelParams{SessionID: c.Session, CallID: c.ID})
}

// copyMarkdown answers with an item and what is below it as Markdown.
func copyMarkdown(_ context.Context, v *Views, c chosen) (acted, error) {
	if c.ID == view.StatusID { // all of the conversation
		if err := c.view.readAll(); err != nil {
			return acted{}, err
		}
	}
	c.view.mu.Lock()
	items := c.view.fold.Below(c.ID)
	c.view.mu.Unlock()
	view.FillAll(c.view.ses.State.Log.Reread, true, v.c.Can.Encoding, items)
	return steps(view.Step{Copy: view.MarkdownOf(items)})
}
