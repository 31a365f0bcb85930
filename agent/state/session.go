package state

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/aside"
)

// Session is the state of one session that its turns work on.
type Session struct {
	Agent     *Process
	SessionID string
	Work      *Workplace
	Briefing  *briefing.Briefing
	Log       *transcript.Log
	Outbox    *Outbox
	Started   transcript.Started
	Files     *rewind.Rewinder
	Gate      *gate.Gate
	HookState hookState
	told      told
	Jobs      tools.Jobs   // its background commands
	Asides    aside.Files  // what its commands made and were moved aside
	Doubts    tools.Doubts // what its model was asked back about
	Verdicts  Verdicts
	Private   *privateFolders
	Owner     Owner
	Supplies  []Supply // of tools that are not built in
	Readable  readableFolders

	Record *Record
	begins sync.Mutex // held while the log begins

	// Accessed only by the holder of the session.
	ReportedJobs     map[tools.Job]bool   // background commands whose end was reported
	Ratio            model.TokenRatio     // of its language and content
	Announced        []transcript.Command // last sent to the client; nil: the built-in ones
	AnnouncedServed  []transcript.Command // of these, the prompts of MCP servers
	LastModelShown   string               // the model that was last shown as answering
	Unsent           map[string]bool      // what the user was told of pictures that were not sent
	FailedCompaction FailedCompaction     // the last attempt at a summary
}

// An Owner orders the prompts of a session. Package agent implements it.
type Owner interface {
	// Change changes the session and records it, as an update of the running turn
	// or between turns.
	Change(set func(*transcript.SessionInfo), event func(quiet bool) transcript.Event) error
	// TakeSteers returns the prompts that arrived since the last step. It calls
	// closes with whether there are none; closes reports whether the turn takes no
	// more.
	TakeSteers(closes func(none bool) bool) []Prompt
	// TakeOrphaned takes the queued prompts that no turn of this process sends.
	TakeOrphaned() []transcript.Queued
	// TurnEnding reports that the end of the turn is about to be shown. If pauses
	// is true, the queue is paused.
	TurnEnding(pauses bool)
	// Reread rebuilds the session's state from its log.
	Reread()
}

// NewSession returns the state of a session without its Files and Owner.
func NewSession(a *Process, st transcript.Started, work *Workplace, log *transcript.Log) *Session {
	s := &Session{
		Agent: a, SessionID: st.SessionID, Work: work, Log: log, Started: st, ReportedJobs: map[tools.Job]bool{}, Unsent: map[string]bool{},
		told: told{of: map[string]frontend.Event{}}, HookState: hookState{reported: map[string]bool{}}, Verdicts: Verdicts{told: map[string]int{}, expected: map[string][]hooks.ToolInput{}},
		Record: NewRecord(transcript.SessionInfo{ID: st.SessionID, Cwd: st.Cwd, Roots: st.Roots, CreatedAt: st.CreatedAt, UpdatedAt: st.CreatedAt, Model: st.Model, Mode: st.Mode}),
	}
	s.Private = &privateFolders{process: a, id: st.SessionID}
	s.Gate = s.newGate()
	s.Outbox = newOutbox(s)
	s.Briefing = briefing.New(briefing.Options{
		SessionID: s.SessionID, Cwd: st.Cwd, Place: s.Work, Workspace: a.Options.Workspace, Editor: a.Options.Editor, Problems: s.openProblems, Over: s.Over,
		UserDir: a.Options.UserDir, GeminiDir: a.Options.GeminiDir, MemoryDir: a.Options.MemoryDir, Shell: a.Options.Shell, Extensions: s.Extensions,
		Trusted: s.Trusted, TrustsFolder: a.Options.Trusted, Left: s.Record.Exclusions, Settings: a.Settings, Ignoring: func() ignore.Options { return a.Choices().Ignoring() }, Now: a.Now, Log: a.Log,
	})
	if a.Options.Supplies != nil {
		s.Supplies = a.Options.Supplies(s)
	}
	return s
}

// FailedCompaction is an attempt that produced no summary.
type FailedCompaction struct {
	Model string
	Size  int64 // of the request, in tokens; 0: there was no request
}

// TooSoon reports whether it is too early to retry: the model is the same, and the
// conversation has grown by less than a tenth of its limit.
func (f FailedCompaction) TooSoon(name string, in compact.Input) bool {
	return f.Size > 0 && f.Model == name && in.Size(in.Messages) < f.Size+in.Limit/10
}

// newGate returns the gate of a session.
func (s *Session) newGate() *gate.Gate {
	a := s.Agent
	return gate.New(gate.Options{
		SessionID: s.SessionID, Dir: s.Started.Cwd, Own: a.Options.Own, Client: a.Client, Log: a.Log,
		Facts: func() gate.Facts {
			return gate.Facts{Mode: s.Info().Mode, Trusted: s.Trusted(), Elicits: a.Elicitor() != nil, Folders: s.Work.Tree(), Roots: s.Work.Roots(), Private: s.Private}
		},
		Settings: a.Settings, Policy: a.Options.Policy, Answers: a.Options.Answers, Approvals: a.Options.Approvals, TrustsFolder: a.Options.Trusted, Commands: a.Options.Commands, Held: a.Options.Checkpoints.Held,
	})
}

// Exclude excludes something from the context, or includes it again, from the next
// step to the end of the session.
func (s *Session) Exclude(e transcript.Exclusion, on bool) error {
	if err := e.Check(); err != nil {
		return err
	}
	x := transcript.Excluded{Exclusion: e, On: on}
	if s.Record.Exclusions().Has(e) == on {
		return nil
	}
	return s.Owner.Change(func(*transcript.SessionInfo) { s.Record.excluded = s.Record.excluded.With(x) }, func(bool) transcript.Event { return x })
}

// Begin writes the first records of the log by put: the session, and what it was given so far. It
// returns the first error of put; if that was for the session itself, the log is still empty. Begin
// does nothing if the log has records.
func (s *Session) Begin(put func(transcript.Event) error) error {
	s.begins.Lock()
	defer s.begins.Unlock()
	if s.Record.IsStored() {
		return nil
	}
	i, st := s.Info(), s.Started
	st.Model, st.Mode = i.Model, i.Mode
	if err := put(st); err != nil {
		return err
	}
	s.Record.SetStored()
	if i.Title != "" {
		if err := put(transcript.InfoChanged{Title: i.Title, At: s.Agent.Now()}); err != nil {
			return err
		}
	}
	for _, e := range s.Record.Exclusions() {
		if err := put(transcript.Excluded{Exclusion: e, On: true}); err != nil {
			return err
		}
	}
	return nil
}

// Read returns all records. It uses a reader of its own, because the session's
// reader follows the turn.
func (s *Session) Read() ([]transcript.Record, error) {
	return transcript.NewLog(s.Log.Path(), nil).CatchUp()
}

// Info describes the session.
func (s *Session) Info() transcript.SessionInfo { return s.Record.Info() }

// Trusted reports whether the user trusts all of the session's folders.
func (s *Session) Trusted() bool { return s.Agent.Trusted(s.Work.Roots()) }

// SetMode changes the session's mode. It applies from the next call of a running
// turn.
func (s *Session) SetMode(m policy.Mode) error {
	if m.Acts() && !s.Trusted() {
		return fmt.Errorf("mode %s in %s: %w", m, s.Started.Cwd, transcript.ErrUntrusted)
	}
	return s.Owner.Change(func(i *transcript.SessionInfo) { i.Mode = m }, func(quiet bool) transcript.Event { return transcript.ModeChanged{Mode: m, Quiet: quiet} })
}

// SetModel changes the model. It applies from the next turn.
func (s *Session) SetModel(name string) error {
	return s.Owner.Change(func(i *transcript.SessionInfo) { i.Model = name }, func(quiet bool) transcript.Event { return transcript.ModelChanged{Model: name, Quiet: quiet} })
}

// Rename changes the session's title.
func (s *Session) Rename(title string) error {
	at := s.Agent.Now()
	title = transcript.CleanTitle(title, transcript.GivenTitle)
	return s.Owner.Change(func(i *transcript.SessionInfo) { i.Title = title }, func(bool) transcript.Event { return transcript.InfoChanged{Title: title, At: at} })
}

// Masking returns which old tool results are masked.
func (s *Session) Masking() compact.MaskOptions {
	m := s.Agent.Settings().ContextManagement.Tools.OutputMasking
	return compact.MaskOptions{Protected: int64(m.Protected), Prunable: int64(m.Prunable), Latest: !m.ProtectLatest, Save: s.Private.SaveOutput()}
}

// LiveText returns the current text of a changed file; empty if it cannot be read.
func (s *Session) LiveText(f ledger.FileChange) string {
	// The decision was just applied to this text, so there is nothing to wait for.
	file, err := s.Agent.Options.Workspace.Snapshot().Within(s.Work.Tree()).Read(context.Background(), cmp.Or(f.Path, string(f.URI)))
	if err != nil {
		return ""
	}
	return file.Text.String()
}

// ChangedFiles returns the files with accepted hunks of the session, apart from those that
// only commands changed.
func (s *Session) ChangedFiles() []string {
	var l []string
	for _, cs := range s.Agent.Options.Ledger.List(s.SessionID, "", "") {
		for _, f := range cs.Files {
			if f.Path != "" && !slices.Contains(l, f.Path) && slices.ContainsFunc(f.Hunks, func(h ledger.Hunk) bool { return h.State.Applied() && !cs.Done(h) }) {
				l = append(l, f.Path)
			}
		}
	}
	return l
}

// HasForgotten reports whether the log says that a turn was rewound.
func (s *Session) HasForgotten(turnID string) (bool, error) {
	rs, err := s.Read()
	return slices.Contains(transcript.RewoundTo(rs), turnID), err
}
