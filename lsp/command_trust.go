package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
)

type trustArgs struct {
	URI string `json:"uri,omitzero"`
	Ask bool   `json:"ask,omitzero"` // in any case, and not only about what would start
}

// trustAnswer says what became of it.
type trustAnswer struct {
	Trusted bool `json:"trusted"`
}

// trustCommand has the user trust a folder of the workspace. What the folder
// would start is put into a question first, where the client can ask one; without
// it, it is asked about when it would start. Without arguments the command shows
// which folders are trusted.
func (s *server) trustCommand(ctx context.Context, p trustArgs) (any, error) {
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	if p.URI == "" {
		s.tell(ctx, infoMessage, s.trustText(h))
		return nil, nil
	}
	folder := disk.RealPath(ide.ParseURI(p.URI).Path())
	if ide.ParseURI(p.URI).Path() == "" || !slices.Contains(s.roots(), folder) {
		return nil, rpc.Errorf(rpc.InvalidParams, "%q is no folder of the workspace", p.URI)
	}
	if h.OfferTrust == nil {
		return nil, unable("trust cannot be given here: use `emendo trust add`")
	}
	offer, err := h.OfferTrust(folder)
	if err != nil {
		return nil, err
	}
	choice, asked := trustOnly, (offer.Starts || p.Ask) && s.can.messageRequest
	if asked {
		choice, err = s.askTrust(ctx, folder, offer)
		if err != nil {
			return nil, err
		}
		if choice == trustNot {
			return trustAnswer{false}, nil
		}
	}
	if choice == trustAll {
		if err := offer.Approve(); err != nil {
			return nil, err
		}
	}
	if err := offer.Add(); err != nil {
		return nil, err
	}
	if !asked && offer.Text != "" {
		s.tell(ctx, infoMessage, fmt.Sprintf("%s is trusted now.\n%s", visible.Line(folder), offer.Text))
	}
	s.announce.touch()
	return trustAnswer{true}, nil
}

// The ways to answer the question for trust, as they stand on its buttons.
const (
	trustAll  = "Trust, and let these start"
	trustOnly = "Trust, and ask before each start"
	trustIt   = "Trust" // where there is nothing to start
	trustNot  = "Cancel"
)

// askTrust shows what a folder would start and configure. Closing the question
// is a no.
func (s *server) askTrust(ctx context.Context, folder string, offer TrustOffer) (choice string, err error) {
	text := strings.TrimSpace(fmt.Sprintf("Trust %s?\n\n%s", visible.Line(folder), offer.Text))
	choices := []string{trustNot, trustOnly, trustAll}
	if !offer.Starts {
		choices = []string{trustNot, trustIt}
	}
	choice, err = s.choose(ctx, warningMessage, text, choices...)
	switch {
	case err != nil && ctx.Err() != nil:
		return trustNot, context.Cause(ctx)
	case err != nil:
		return trustNot, unable("the editor did not show what %s would start, so it is not trusted: %v", visible.Line(folder), err)
	case !slices.Contains(choices, choice):
		return trustNot, nil
	}
	return choice, nil
}

// trustText lists the workspace's folders.
func (s *server) trustText(h *Host) string {
	var b strings.Builder
	for _, f := range s.roots() {
		level := Restricted
		if h.Trusted != nil && h.Trusted(f) {
			level = Trusted
		}
		fmt.Fprintf(&b, "%s is %s.\n", visible.Line(f), level)
	}
	b.WriteString("In a restricted folder emendo reads and proposes edits, and runs nothing. Trust one with emendo.trust {\"uri\": …}, or with `emendo trust add` in a terminal.")
	return b.String()
}
