package agent

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Fork copies a session up to and including a turn; if turnID is empty, everything
// but a running turn. Proposed changes stay with the original session.
func (a *Agent) Fork(ctx context.Context, id, turnID string) (*Session, error) {
	s := a.known(id)
	if s != nil {
		err := s.acquire(ctx) // keeps our own prompts from finding the log locked
		switch {
		case err == nil:
			defer s.release()
		case !errors.Is(err, transcript.ErrBusy):
			return nil, err
		}
		if err := s.flushLog(); err != nil {
			return nil, err
		}
	}
	f := transcript.ForkOptions{TurnID: turnID, NewID: a.Process.Options.NewID(), Now: a.Process.Now()}
	outputs, copied := a.Process.OutputDir(id), a.Process.OutputDir(f.NewID)
	if outputs != "" {
		f.Moved = strings.NewReplacer(outputs+string(filepath.Separator), copied+string(filepath.Separator))
	}
	_, err := a.Process.Options.Store.Fork(id, f)
	switch {
	case err == nil:
		if err := copyOutputs(copied, outputs); err != nil {
			a.Process.Log.Warn("copy the long outputs of a session to its fork", "session", id, "copy", f.NewID, "err", err)
		}
		return a.Session(ctx, f.NewID)
	case turnID == "" && s != nil && (errors.Is(err, transcript.ErrUnknownSession) || errors.Is(err, transcript.ErrNothingSaid)):
		i := s.Info()
		if i.Mode.Acts() && !s.Trusted() { // the folder is no longer trusted
			i.Mode = policy.Default
		}
		return a.Create(ctx, NewSession{Cwd: i.Cwd, Roots: i.Roots, Model: i.Model, Mode: i.Mode})
	}
	return nil, err
}
