package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/settings"
)

// keepsAll reports whether no session is ever deleted.
func keepsAll(r settings.SessionRetention) bool {
	return r.MaxAge <= 0 && r.MaxCount <= 0 || r.MaxAge > 0 && r.MaxAge < r.MinRetention
}

// CleanUp deletes expired sessions and all their files. Sessions that are open in
// this process or in use by another one stay.
func (a *Agent) CleanUp(ctx context.Context, r settings.SessionRetention) error {
	now := a.Process.Now()
	if err := a.dropEphemeral(now.Add(-24 * time.Hour)); err != nil {
		return err
	}
	if keepsAll(r) {
		return nil
	}
	if err := a.Process.Options.Store.DropParts(now.Add(-max(time.Duration(r.MinRetention), 24*time.Hour))); err != nil {
		return err
	}
	all, err := a.Process.Options.Store.Every(transcript.Listing{})
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(x, y transcript.SessionInfo) int { return y.LastUse().Compare(x.LastUse()) })
	var failures []error
	listed := 0
	for _, s := range all {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		age := now.Sub(s.LastUse())
		if !s.Unasked {
			listed++
		}
		old := r.MaxAge > 0 && age > time.Duration(r.MaxAge) || r.MaxCount > 0 && listed > r.MaxCount
		if !old || age < time.Duration(r.MinRetention) || a.known(s.ID) != nil {
			continue
		}
		if err := a.Delete(ctx, s.ID); err != nil && !errors.Is(err, transcript.ErrBusy) && !errors.Is(err, transcript.ErrUnknownSession) {
			failures = append(failures, err)
			continue
		}
		a.Process.Log.Info("an old session was deleted", "session", s.ID, "age", age)
	}
	return errors.Join(failures...)
}

// dropEphemeral deletes the ephemeral sessions that killed processes left behind.
func (a *Agent) dropEphemeral(before time.Time) error {
	ids, err := a.Process.Options.Store.DropEphemeral(before)
	errs := []error{err}
	for _, id := range ids {
		errs = append(errs, a.Process.Options.DeleteStored(id))
	}
	return errors.Join(errs...)
}
