package present

import (
	"context"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// groupDoers are the actions on what was decided at once.
var groupDoers = map[string]doer{kindGroup + "/" + view.Reopen: reopenGroup}

// mostGroups is how many groups of decisions can be undone: the newest.
const mostGroups = 20

// groups are the hunks that were decided at once and can be made pending again.
type groups struct {
	mu     sync.Mutex
	newest []group
}

type group struct {
	id    string
	hunks []ledger.Decision // to make them pending again
}

// note notes decisions that were carried out, and returns what the user is told of them, with
// what undoes them where that can be done as a whole; nil where they were asked before.
func (g *groups) note(did ledger.Action, ds []ledger.Decision) *view.Item {
	n := group{id: newID("decided"), hunks: slices.Clone(ds)}
	told := view.Decided(n.id, did, len(ds))
	switch did {
	case ledger.Accept, ledger.Reject:
		told.Actions = []view.Action{view.Reopening()}
	case ledger.Keep:
		return &told
	default:
		return nil
	}
	for i := range n.hunks {
		n.hunks[i].Action = ledger.Reopen
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.newest = append(g.newest, n); len(g.newest) > mostGroups {
		g.newest = slices.Delete(g.newest, 0, 1)
	}
	return &told
}

// find returns a group; false if it is not known any more.
func (g *groups) find(id string) (group, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.IndexFunc(g.newest, func(o group) bool { return o.id == id }); i >= 0 {
		return g.newest[i], true
	}
	return group{}, false
}

// reopenGroup makes what was decided at once pending again; what was applied is undone before.
func reopenGroup(ctx context.Context, v *Views, c chosen) (acted, error) {
	g, known := v.groups.find(c.ID)
	if !known {
		return acted{}, errGone
	}
	return acted{}, v.resolve(ctx, g.hunks, "")
}
