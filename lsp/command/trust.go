package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
)

// trustAnswer answers the command.
type trustAnswer struct {
	Trusted bool `json:"trusted"`
}

// trust trusts a folder of the workspace, after a question that lists what the
// folder would start, where the client can show one; where it cannot, the user is
// asked at each start. Without arguments the command shows which folders are
// trusted.
func (t *Table) trust(ctx context.Context, p client.TrustArgs) (any, error) {
	h, err := t.Client.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	if p.URI == "" {
		t.Client.Info(ctx, t.trustList(h))
		return nil, nil
	}
	folder := disk.RealPath(ide.ParseURI(p.URI).Path())
	if ide.ParseURI(p.URI).Path() == "" || !slices.Contains(t.Client.Folders.Roots(), folder) {
		return nil, client.Invalid("%q is not a workspace folder", p.URI)
	}
	offer, err := h.Program.OfferTrust(folder)
	if err != nil {
		return nil, err
	}
	choice, asked := trustOnly, (offer.Starts || p.Ask) && t.Client.Can.Chooses()
	if asked {
		choice, err = t.askTrust(ctx, folder, offer)
		if err != nil {
			return nil, err
		}
		if choice == trustNot {
			return trustAnswer{false}, nil
		}
	}
	if choice == trustAll {
		if err := offer.Store.Approve(); err != nil {
			return nil, err
		}
	}
	if err := offer.Store.Add(); err != nil {
		return nil, err
	}
	if !asked && offer.Text != "" {
		t.Client.Info(ctx, fmt.Sprintf("%s is trusted now.\n%s", visible.Line(folder), offer.Text))
	}
	t.Client.Touch()
	return trustAnswer{true}, nil
}

// The buttons of the question.
const (
	trustAll  = "Trust and allow these to start"
	trustOnly = "Trust and ask before each start"
	trustIt   = "Trust" // where there is nothing to start
	trustNot  = "Cancel"
)

// askTrust shows what a folder would start and configure, and asks whether to trust it.
// Closing the question means no.
func (t *Table) askTrust(ctx context.Context, folder string, offer client.TrustOffer) (choice string, err error) {
	if t.Client.Can.View {
		return t.askTrustInView(ctx, folder, offer)
	}
	text := strings.TrimSpace(fmt.Sprintf("Trust %s?\n\n%s", visible.Line(folder), offer.Text))
	choices := []string{trustNot, trustOnly, trustAll}
	if !offer.Starts {
		choices = []string{trustNot, trustIt}
	}
	choice, err = t.Client.Choose(ctx, text, choices...)
	switch {
	case err != nil && ctx.Err() != nil:
		return trustNot, context.Cause(ctx)
	case err != nil:
		return trustNot, client.Unable("the editor did not show what %s would start, so it is not trusted: %v", visible.Line(folder), err)
	case !slices.Contains(choices, choice):
		return trustNot, nil
	}
	return choice, nil
}

// askTrustInView is askTrust for a client that draws questions.
func (t *Table) askTrustInView(ctx context.Context, folder string, offer client.TrustOffer) (choice string, err error) {
	answer, err := t.Views.Trust(ctx, folder, offer.Text, offer.Starts)
	switch {
	case err != nil:
		return trustNot, err
	case answer == view.TrustAll:
		return trustAll, nil
	case answer == view.TrustAsking:
		return trustOnly, nil
	}
	return trustNot, nil
}

// trustList lists the workspace's folders.
func (t *Table) trustList(h *client.Host) string {
	var b strings.Builder
	for _, f := range t.Client.Folders.Roots() {
		level := client.Restricted
		if h.Program.Trusted(f) {
			level = client.Trusted
		}
		fmt.Fprintf(&b, "%s is %s.\n", visible.Line(f), level)
	}
	b.WriteString("In a restricted folder emendo can read files and propose edits, but runs nothing. Trust a folder with emendo.trust {\"uri\": …}, or with `emendo trust add` in a terminal.")
	return b.String()
}
