package present

import (
	"reflect"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/view"
)

// standing has the description and the status of a view's session.
type standing struct {
	ses    *agent.Session
	info   acp.SessionInfo
	status view.Item
	looked time.Time // when they were found out
	news   bool      // the client does not have them

	elsewhere bool  // another process works in the session
	queue     int64 // the change of its queue that the fold has
}

// lookElsewhere is how often it is seen whether another process still works in a session.
const lookElsewhere = 2 * time.Second

// look finds out how a session stands, unless that was done a moment ago, and returns when it
// has to be done again; 0: once something has changed.
func (v *Views) look(now time.Time, o *opened) (next time.Duration) {
	o.mu.Lock()
	ses, queued, since := o.standing.ses, o.standing.queue, now.Sub(o.standing.looked)
	o.mu.Unlock()
	if moved := v.chat.Queue.Moves(ses.ID()); moved != queued {
		o.takeQueue(ses, moved)
	}
	if since < statusEvery {
		return statusEvery - since
	}
	v.stand(now, o, v.sessionOf(ses))
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.standing.elsewhere {
		return lookElsewhere
	}
	return 0
}

// sessionOf returns a session as it is open now: it may have been closed and opened again.
func (v *Views) sessionOf(ses *agent.Session) *agent.Session {
	if h := v.c.Host.Current(); h != nil {
		open := h.Agent.Open()
		if i := slices.IndexFunc(open, func(o *agent.Session) bool { return o.ID() == ses.ID() }); i >= 0 {
			return open[i]
		}
	}
	return ses
}

// takeQueue folds the prompts that wait.
func (o *opened) takeQueue(ses *agent.Session, moved int64) {
	l, paused := ses.Queue()
	queued := make([]view.Queued, len(l))
	for i, w := range l {
		queued[i] = view.Queued{TurnID: w.TurnID, MessageID: w.MessageID, Steer: w.How == agent.Steer, Blocks: w.Blocks}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.standing.queue = moved
	for _, q := range queued {
		o.offers.note(q.MessageID, q.Blocks)
	}
	o.fold.Queue(queued, paused)
}

// stand finds out how a session stands now.
func (v *Views) stand(now time.Time, o *opened, ses *agent.Session) {
	id := ses.ID()
	info := v.chat.Infos.Describe(ses.Info())
	works := v.chat.Turns.RunningIn(id)
	s := view.Standing{
		Mode: info.Mode, Model: info.Model, Usage: ses.Info().Usage,
		Works: works, Asks: info.Status == acp.SessionWaiting, Elsewhere: !works && ses.Elsewhere(),
		Quota: v.quotaOf(id), Redo: ses.State.Files.CanRedo(),
	}
	if info.PendingHunks != nil {
		s.Pending = *info.PendingHunks
	}
	if info.UnreviewedHunks != nil {
		s.Unreviewed = *info.UnreviewedHunks
	}
	if h := v.c.Host.Current(); h != nil {
		s.Level = h.Agent.Process.SandboxLevel()
		if shell, known := h.Agent.Process.Shell(info.Roots); known {
			s.Why = shell.Why()
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	at := &o.standing
	if at.elsewhere && !s.Elsewhere && !works {
		o.fold.Run("")
	}
	status := o.fold.Status(s)
	at.news = at.news || !reflect.DeepEqual(at.status, status) || !reflect.DeepEqual(at.info, info)
	at.ses, at.status, at.info, at.looked, at.elsewhere = ses, status, info, now, s.Elsewhere
}

// changes returns what the client lacks of how the session stands. The lock of its view is held.
func (s *standing) changes() (l []view.Change) {
	if !s.news {
		return nil
	}
	s.news = false
	return []view.Change{{Session: s.info}, {Status: new(s.status)}}
}

// Happened takes what happens beside the conversation of a session.
func (v *Views) Happened(sessionID string, e frontend.Event) {
	q, ok := e.(frontend.QuotaChanged)
	if !ok || !v.c.Can.View {
		return
	}
	v.mu.Lock()
	v.quota[sessionID] = q.Left
	v.mu.Unlock()
	v.c.Touch()
}

// quotaOf returns what the provider of a session's model still accepts, as it said last.
func (v *Views) quotaOf(sessionID string) []frontend.Quota {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.quota[sessionID]
}

// follow begins to follow how a session stands.
func (v *Views) follow(o *opened, ses *agent.Session) {
	o.takeQueue(ses, v.chat.Queue.Moves(ses.ID()))
	v.stand(time.Now(), o, ses)
}
