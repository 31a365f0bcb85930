package present

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/view/listing"
)

// listDoers are the actions of the entries of lists of what sessions use, and of rules.
var listDoers = map[string]doer{
	kindListed + "/" + listing.Enable:  actOnListed,
	kindListed + "/" + listing.Disable: actOnListed,
	kindListed + "/" + listing.Restart: actOnListed,
	kindListed + "/" + listing.SignIn:  actOnListed,
	kindListed + "/" + listing.SignOut: actOnListed,
	kindRule + "/" + listing.Revoke:    revokeRule,
}

func actOnListed(ctx context.Context, v *Views, c chosen) (acted, error) {
	done, err := v.lists.Act(ctx, c.ID, c.ActionID)
	if err != nil {
		return acted{}, err
	}
	return acted{Notice: new(listing.Notice(newID("done"), done))}, nil
}

func revokeRule(ctx context.Context, v *Views, c chosen) (acted, error) {
	h, err := v.c.Host.Get(ctx)
	if err != nil {
		return acted{}, err
	}
	switch err := h.Agent.RemoveRule(c.ID); {
	case errors.Is(err, agent.ErrUnknownRule):
		return acted{}, errGone
	case err != nil:
		return acted{}, err
	}
	return acted{Notice: new(listing.Notice(newID("done"), listing.Done("list.revoked", "")))}, nil
}
