package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/commits"
	"github.com/emendo-dev/emendo/agent/finding"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// Agent holds the sessions of one process. All of them belong to one client.
type Agent struct {
	Process *state.Process // what the sessions share

	mu       sync.Mutex
	sessions map[string]*Session

	meanwhile *rewind.Meanwhile
	commits   *commits.Commits

	opening sync.Mutex // held while a stored session is opened
}

// New returns an agent without sessions.
func New(o state.Options) *Agent {
	given := o.Supplies
	o.Supplies = func(s *state.Session) []state.Supply {
		l := []state.Supply{state.SkillSupply{Session: s}, subagent.NewSupply(s)}
		if given != nil {
			l = append(l, given(s)...)
		}
		return l
	}
	a := &Agent{Process: state.NewProcess(o), sessions: map[string]*Session{}, meanwhile: rewind.NewMeanwhile(o.Workspace)}
	a.commits = commits.New(a.Process)
	a.Process.Hunks, a.Process.Findings = a, finding.NewList(o.Workspace)
	o.Ledger.Watch(a.noteChangeSet)
	o.Ledger.PutBackFrom(storedFiles{a})
	o.Workspace.Watch(func(e ide.Event) {
		if e.Kind == ide.Saved {
			a.commits.CheckSoon()
		}
	})
	return a
}

// NewSession describes a session to create.
type NewSession struct {
	ID    string      // empty: a new one
	Cwd   string      // absolute, links resolved
	Roots []string    // workspace folders, absolute, links resolved; Cwd is added if missing
	Model string      // empty: the agent's
	Mode  policy.Mode // empty: the agent's
	// Ephemeral: the session is not listed, and it is deleted on release.
	Ephemeral bool
}

// Create creates a session. Nothing is stored before its first prompt.
func (a *Agent) Create(ctx context.Context, n NewSession) (*Session, error) {
	a.Process.Renew()
	if n.ID == "" {
		n.ID = a.Process.Options.NewID()
	} else if !transcript.ValidID(n.ID) {
		return nil, fmt.Errorf("invalid session ID %q: want 1-64 letters, digits, '-' or '_'", n.ID)
	} else if _, err := a.Process.Options.Store.Find(n.ID); err == nil {
		return nil, fmt.Errorf("%s: %w", n.ID, transcript.ErrExists)
	}
	if n.Model == "" {
		n.Model = a.Process.Choices().Model
	}
	if !slices.Contains(n.Roots, n.Cwd) {
		n.Roots = append([]string{n.Cwd}, n.Roots...)
	}
	if n.Mode == "" {
		n.Mode = policy.Mode(a.Process.Settings().General.DefaultApprovalMode)
		if n.Mode.Acts() && !a.Process.Trusted(n.Roots) { // the setting applies to trusted folders only
			n.Mode = policy.Default
		}
	}
	if n.Mode.Acts() && !a.Process.Trusted(n.Roots) {
		return nil, fmt.Errorf("mode %s in %s: %w", n.Mode, n.Cwd, transcript.ErrUntrusted)
	}
	path := ""
	if n.Ephemeral {
		path = a.Process.Options.Store.EphemeralPath(n.ID)
	}
	s, err := a.session(transcript.Started{SessionID: n.ID, Cwd: n.Cwd, Roots: n.Roots, CreatedAt: a.Process.Now(), Model: n.Model, Mode: n.Mode}, n.Roots, path)
	if err != nil {
		return nil, err
	}
	s.ephemeral = n.Ephemeral
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions[s.State.SessionID] != nil {
		s.stop()
		return nil, errors.Join(fmt.Errorf("%s: %w", s.State.SessionID, transcript.ErrExists), s.State.Work.Close())
	}
	a.sessions[s.State.SessionID] = s
	return s, nil
}

// session returns a Session that works in roots, the folders of st.Roots that
// exist.
func (a *Agent) session(st transcript.Started, roots []string, path string) (*Session, error) {
	tree, err := disk.NewTree(roots)
	if err != nil {
		return nil, fmt.Errorf("opening the folders of session %s: %w", st.SessionID, err)
	}
	if path == "" {
		path = a.Process.Options.Store.Path(st)
	}
	s := &Session{
		State: state.NewSession(a.Process, st, state.NewWorkplace(st.Cwd, st.Roots, tree), transcript.NewLog(path, a.Process.Options.Secrets)), agent: a,
		recorded: map[string]uint64{}, taken: map[string]bool{}, messages: make(chan sessionMessage), ended: make(chan struct{}),
	}
	s.cwdMissing = !slices.Contains(roots, st.Cwd)
	s.State.Files = a.rewinder(s)
	s.State.Owner = owner{s}
	if err := a.Process.Widen(roots); err != nil {
		return nil, errors.Join(err, tree.Close())
	}
	s.State.Private.PlanFolder(false)   // its change sets are restored next
	go (&sessionLoop{session: s}).run() // stop ends it, and waits
	return s, nil
}

// Session returns an open session, or opens a stored one without showing its
// history.
func (a *Agent) Session(ctx context.Context, id string) (*Session, error) {
	if s := a.known(id); s != nil && s.cwdRestored() {
		if err := a.release(ctx, s); err != nil && !errors.Is(err, transcript.ErrUnknownSession) { // otherwise it was already closed
			return nil, err
		}
	}
	a.opening.Lock()
	defer a.opening.Unlock()
	if s := a.known(id); s != nil {
		return s, nil
	}
	s, err := a.open(ctx, id)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions[id] = s
	return s, nil
}

// known returns the session if it is open in this process, else nil.
func (a *Agent) known(id string) *Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

// Info describes a session without opening it.
func (a *Agent) Info(id string) (transcript.SessionInfo, error) {
	if s := a.known(id); s != nil {
		return s.Info(), nil
	}
	info, _, err := a.Process.Options.Store.Read(id)
	return info, err
}

// Open returns the open sessions of this process in no order, without ephemeral
// ones.
func (a *Agent) Open() []*Session {
	return slices.DeleteFunc(a.all(), func(s *Session) bool { return s.ephemeral })
}

// all returns the open sessions in no order.
func (a *Agent) all() []*Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Values(a.sessions))
}

// List returns the stored sessions, most recently used first, and a cursor if
// there are more.
func (a *Agent) List(q transcript.Listing) ([]transcript.SessionInfo, string, error) {
	return a.Process.Options.Store.List(q)
}

// Delete deletes a session. It returns [transcript.ErrBusy] while a turn runs.
func (a *Agent) Delete(ctx context.Context, id string) error {
	s := a.known(id)
	if s == nil {
		if err := a.Process.Options.Store.Delete(id); err != nil {
			return err
		}
		a.Process.Findings.Forget(id)
		return errors.Join(a.Process.Options.Ledger.Forget(ctx, id), a.Process.Options.DeleteStored(id)) // Store has checked that id is not a path
	}
	if err := s.acquire(ctx); err != nil {
		return err
	}
	if err := a.deleteHeld(s); err != nil {
		s.release()
		return err
	}
	s.stop()
	a.Process.Findings.Forget(id)
	return errors.Join(a.Process.Options.Ledger.Forget(ctx, id), s.State.Private.Close(true), a.Process.Options.DeleteRecord(id), s.State.Work.Close())
}

// deleteHeld deletes the log of a session that the caller holds.
func (a *Agent) deleteHeld(s *Session) error {
	s.State.Files.Close()
	s.State.Jobs.Close()
	s.working.Wait()
	s.State.CloseSupplies()
	CommentsOf(s).unfollow()
	s.awaitWrites()
	if err := s.State.Log.Close(); err != nil { // some systems cannot delete an open file
		return err
	}
	if s.ephemeral {
		if err := os.Remove(s.State.Log.Path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	} else if _, err := a.Process.Options.Store.Find(s.State.SessionID); err == nil { // without a prompt there is no log
		if err := a.Process.Options.Store.Delete(s.State.SessionID); err != nil {
			return err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, s.State.SessionID)
	return nil
}

// Close cancels all turns, waits for them, and closes every session.
func (a *Agent) Close() {
	all := a.all()
	for _, s := range all {
		s.send((*sessionLoop).shutDown)
		s.Cancel("")
	}
	a.Process.Options.Ledger.Close()
	var closing sync.WaitGroup
	for _, s := range all {
		closing.Go(func() {
			if s.ephemeral {
				if err := a.Delete(context.Background(), s.State.SessionID); err != nil {
					a.Process.Log.Error("delete an ephemeral session", "session", s.State.SessionID, "err", err)
				}
			}
			s.close()
		})
	}
	closing.Wait()
	a.commits.Close()
}

// LookAtCommits finds out which changes that are to be reviewed are in commits.
func (a *Agent) LookAtCommits(ctx context.Context) { a.commits.Check(ctx) }

// EndSessions runs the SessionEnd hooks of all sessions. Hooks that are left for
// [Agent.Close] get half a second there.
func (a *Agent) EndSessions(ctx context.Context) {
	var ending sync.WaitGroup
	for _, s := range a.all() {
		ending.Go(func() { s.State.EndSession(ctx, "exit", state.OrderlyEnd) })
	}
	ending.Wait()
}
