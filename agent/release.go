package agent

import (
	"context"
	"errors"
)

// Release lets go of a session: its descriptors, its history. One that is stored
// is opened again when somebody asks for it. A session whose turn runs is busy,
// and one whose change sets the ledger still has stays, for what is decided
// about them has to be recorded.
func (a *Agent) Release(ctx context.Context, id string) error {
	s := a.known(id)
	if s == nil || len(a.o.Ledger.List(id, "", "")) > 0 {
		return nil
	}
	if err := a.letGo(ctx, s); !errors.Is(err, ErrUnknownSession) { // somebody else was quicker
		return err
	}
	return nil
}
