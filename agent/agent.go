package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/workplace"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// Agent holds the sessions of one process, which all show themselves to one
// client.
type Agent struct {
	o      Options
	client frontend.Client
	log    *slog.Logger

	chosen   atomic.Pointer[Choices] // as the settings say now
	renewing sync.Mutex              // held while chosen is being replaced

	available *model.Availability // what is known of models
	offered   keysModels

	mu       sync.Mutex
	sessions map[string]*Session

	opening sync.Mutex // held while a stored session is opened

	promptWritten sync.Once
}

// New makes an agent without sessions.
func New(o Options) *Agent {
	o = o.complete()
	a := &Agent{o: o, client: o.Client, log: o.Log, sessions: map[string]*Session{}, available: model.NewAvailability(o.Now), offered: keysModels{turn: make(chan struct{}, 1)}}
	a.choose(o.Choices)
	o.Ledger.Watch(a.noteChangeSet)
	return a
}

// now is the time in the precision that is stored and shown.
func (a *Agent) now() time.Time { return a.o.Now().UTC().Truncate(time.Millisecond) }

// NewSession asks for a session.
type NewSession struct {
	ID    string      // empty: a new one
	Cwd   string      // absolute, links resolved
	Roots []string    // further folders, likewise; Cwd is added when none holds it
	Model string      // empty: the agent's
	Mode  policy.Mode // empty: the agent's
}

// Create makes a session. Nothing is stored before its first prompt.
func (a *Agent) Create(ctx context.Context, n NewSession) (*Session, error) {
	a.renew()
	if n.ID == "" {
		n.ID = a.o.NewID()
	} else if !transcript.ValidID(n.ID) {
		return nil, fmt.Errorf("a session id is 1 to 64 letters, digits, - and _: %q is none", n.ID)
	} else if _, err := a.o.Store.Find(n.ID); err == nil {
		return nil, fmt.Errorf("%s: %w", n.ID, transcript.ErrExists)
	}
	if n.Model == "" {
		n.Model = a.choices().Model
	}
	if !slices.Contains(n.Roots, n.Cwd) {
		n.Roots = append([]string{n.Cwd}, n.Roots...)
	}
	if n.Mode == "" {
		n.Mode = a.choices().Mode
		if n.Mode.Acts() && !a.trusted(n.Roots) { // chosen for trusted folders, not for this one
			n.Mode = policy.Default
		}
	}
	if n.Mode.Acts() && !a.trusted(n.Roots) {
		return nil, fmt.Errorf("mode %s in %s: %w", n.Mode, n.Cwd, transcript.ErrUntrusted)
	}
	s, err := a.session(transcript.Started{SessionID: n.ID, Cwd: n.Cwd, Roots: n.Roots, CreatedAt: a.now(), Model: n.Model, Mode: n.Mode}, n.Roots, "")
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions[s.id] != nil {
		s.stop(false)
		return nil, errors.Join(fmt.Errorf("%s: %w", s.id, transcript.ErrExists), s.work.Close())
	}
	a.sessions[s.id] = s
	return s, nil
}

// session makes the object of a session with its own view of the folders, those
// of its roots that it is given.
func (a *Agent) session(st transcript.Started, roots []string, path string) (*Session, error) {
	tree, err := disk.NewTree(roots)
	if err != nil {
		return nil, fmt.Errorf("opening the folders of session %s: %w", st.SessionID, err)
	}
	if path == "" {
		path = a.o.Store.Path(st)
	}
	s := &Session{
		agent: a, id: st.SessionID, work: workplace.New(st.Roots, tree), log: transcript.NewLog(path, a.o.Secrets),
		info:    transcript.SessionInfo{ID: st.SessionID, Cwd: st.Cwd, Roots: st.Roots, CreatedAt: st.CreatedAt, UpdatedAt: st.CreatedAt, Model: st.Model, Mode: st.Mode},
		started: st, history: transcript.NewHistory(), seq: 1, recorded: map[string]uint64{},
		reported: map[tools.Job]bool{}, messages: make(chan sessionMessage), ended: make(chan struct{}),
	}
	s.cwdMissing = !slices.Contains(roots, st.Cwd)
	s.files, s.gate = a.rewinder(s), a.newGate(s)
	s.briefing = briefing.New(briefing.Options{
		SessionID: s.id, Cwd: st.Cwd, Place: s.work, Workspace: a.o.Workspace, Editor: a.o.Editor,
		UserDir: a.o.UserDir, GeminiDir: a.o.GeminiDir, MemoryDir: a.o.MemoryDir, Shell: a.o.Shell,
		Trusted: s.Trusted, TrustsFolder: a.o.Trusted, Left: s.leftOut, Settings: func() briefing.Settings { return a.choices().Settings }, Now: a.now, Log: a.log,
	})
	if err := a.widen(roots); err != nil {
		return nil, errors.Join(err, tree.Close())
	}
	s.planFolder(false)                 // its change sets are restored soon
	go (&sessionLoop{session: s}).run() // stop ends it, and waits
	return s, nil
}

// widen makes the workspace hold these folders too, for the ledger to write in.
func (a *Agent) widen(roots []string) error {
	return a.o.Workspace.ChangeTree(func(now *disk.Tree) (*disk.Tree, error) {
		all := now.Folders()
		have := len(all)
		for _, r := range roots {
			if !slices.Contains(all, r) {
				all = append(slices.Clip(all), r)
			}
		}
		if len(all) == have {
			return now, nil
		}
		tree, err := disk.NewTree(all)
		if err != nil {
			return nil, fmt.Errorf("opening the workspace's folders: %w", err)
		}
		return tree, nil
	})
}

// Session gives a session that is open, or opens a stored one without showing
// its history.
func (a *Agent) Session(ctx context.Context, id string) (*Session, error) {
	if s := a.known(id); s != nil && s.cwdRestored() {
		if err := a.release(ctx, s); err != nil && !errors.Is(err, transcript.ErrUnknownSession) { // else somebody did so already
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

// known is a session that this process has, nil for another one.
func (a *Agent) known(id string) *Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

// List gives the stored sessions, the most recently used first, and a cursor
// when there are more.
func (a *Agent) List(q transcript.Listing) ([]transcript.SessionInfo, string, error) {
	return a.o.Store.List(q)
}

// Delete removes a session from the disk and from this process. One whose turn
// runs is busy.
func (a *Agent) Delete(ctx context.Context, id string) error {
	s := a.known(id)
	if s == nil {
		if err := a.o.Store.Delete(id); err != nil {
			return err
		}
		return errors.Join(a.o.Ledger.Forget(ctx, id), a.dropFolders(id)) // a stored id is no path: Store has checked it
	}
	if err := s.acquire(ctx); err != nil {
		return err
	}
	if err := a.deleteHeld(s); err != nil {
		s.release()
		return err
	}
	s.stop(true)
	return errors.Join(a.o.Ledger.Forget(ctx, id), s.dropOutputs(true), s.work.Close())
}

// deleteHeld deletes the log of a session that is held.
func (a *Agent) deleteHeld(s *Session) error {
	s.jobs.Close()
	s.awaitWrites()
	if err := s.log.Close(); err != nil { // an open file cannot be deleted everywhere
		return err
	}
	if _, err := a.o.Store.Find(s.id); err == nil { // else it was never prompted
		if err := a.o.Store.Delete(s.id); err != nil {
			return err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, s.id)
	return nil
}

// Close cancels what runs, waits for it, and closes every session.
func (a *Agent) Close() {
	a.mu.Lock()
	all := make([]*Session, 0, len(a.sessions))
	for _, s := range a.sessions {
		all = append(all, s)
	}
	a.mu.Unlock()
	for _, s := range all {
		s.send(&shutdown{})
		s.Cancel("")
	}
	a.o.Ledger.Close()
	var closing sync.WaitGroup
	for _, s := range all {
		closing.Go(s.close)
	}
	closing.Wait()
}

// trusted says whether every one of the folders may act.
func (a *Agent) trusted(roots []string) bool {
	for _, r := range roots {
		if !a.o.Trusted(r) {
			return false
		}
	}
	return true
}
