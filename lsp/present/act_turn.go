package present

import (
	"context"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/chat"
)

// turnDoers are the actions of turns and of what is in them.
var turnDoers = map[string]doer{
	"turn/" + view.Stop: (*Views).stopTurn,
	"call/" + view.Stop: (*Views).stopCall,
	view.Copy:           (*Views).copy,
}

func (v *Views) stopTurn(_ context.Context, c chosen) (acted, error) {
	return acted{}, v.chat.Turns.Cancel(chat.CancelParams{SessionID: c.Session})
}

func (v *Views) stopCall(_ context.Context, c chosen) (acted, error) {
	return acted{}, v.chat.Turns.Cancel(chat.CancelParams{SessionID: c.Session, CallID: c.ID})
}

// copy answers with an item and what is below it as Markdown.
func (v *Views) copy(_ context.Context, c chosen) (acted, error) {
	c.view.mu.Lock()
	defer c.view.mu.Unlock()
	return steps(view.Step{Copy: c.view.fold.Markdown(c.ID)})
}
