package present

import (
	"context"
	"strings"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/client"
)

// The actions that no item lists: they take a text that stands in it.
const (
	openText  = "open"
	applyCode = "apply"
)

// openNamed has the client open the file that a text of an item names: what the model has
// written is not trusted to name others.
func openNamed(ctx context.Context, v *Views, c chosen) (acted, error) {
	if c.Text == nil || strings.TrimSpace(*c.Text) == "" {
		return acted{}, client.Invalid("invalid params: text is missing")
	}
	if !c.Item.HasText(strings.TrimSpace(*c.Text)) {
		return acted{}, client.Invalid("%s does not stand in %s", *c.Text, c.ID)
	}
	f, err := filesOf(ctx, v, c)
	if err != nil {
		return acted{}, err
	}
	place, err := f.resolve(strings.TrimSpace(*c.Text))
	if err != nil {
		return acted{}, err
	}
	return steps(view.Step{Open: &place})
}
