package agent

import "context"

// Release lets go of a session: its descriptors, its history. One that is stored
// is opened again when somebody asks for it. A session whose turn runs is busy,
// and one whose change sets the ledger still has stays, for what is decided
// about them has to be recorded.
func (a *Agent) Release(ctx context.Context, id string) error {
	a.opening.Lock() // nobody opens it a second time meanwhile
	defer a.opening.Unlock()
	a.mu.Lock()
	s := a.sessions[id]
	a.mu.Unlock()
	if s == nil || len(a.o.Ledger.List(id, "", "")) > 0 {
		return nil
	}
	return a.letGo(ctx, s)
}
