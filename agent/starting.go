package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Approvals are what the user has decided about the hooks and servers that a
// folder's own settings would start. [trust.Store] implements it.
type Approvals interface {
	// Approved looks at an entry as it is now. With an error it is not approved.
	Approved(folder string, e trust.Entry) (trust.Look, error)
	// Approve stores that the user lets start what was looked at.
	Approve(folder string, seen ...trust.Look) error
}

// starts are the answers about entries that no store keeps.
type starts struct {
	mu      sync.Mutex
	refused map[startKey]string        // the turn that it holds for; empty: all of the session's
	given   map[startKey]bool          // approvals for the session
	told    map[startKey]bool          // that it was not started
	asking  map[startKey]chan struct{} // closed when the question is answered
}

// startKey is an entry of a folder with all that decides what it does.
type startKey struct{ folder, kind, name, sum string }

// mayStart says whether an entry of a folder's own settings may be started now.
// In a trusted folder one that the user has approved may; about another, or one
// that has changed since, the user is asked. Where nobody can be asked it is not
// started, and a notice says so once. It is called right before each start.
func (t *turn) mayStart(ctx context.Context, folder string, e trust.Entry) bool {
	s := t.session
	for ctx.Err() == nil {
		look, ok := s.entry(folder, e)
		if !ok {
			return false
		}
		key := startKey{folder, string(e.Kind), e.Name, look.Sum}
		if look.State == trust.Approved || s.starts.isGiven(key) {
			return true
		}
		if s.starts.isRefused(key, t.id) {
			return false
		}
		if !s.agent.client.Abilities().Asks {
			t.tellNotStarted(key, look)
			return false
		}
		answered, mine := s.starts.join(key)
		if mine {
			may := t.askToStart(ctx, key, look)
			s.starts.leave(key)
			if !may {
				return false
			}
			if now, ok := s.entry(folder, e); !ok || now.Sum == look.Sum {
				return ok
			}
			continue // what was shown is not there any more
		}
		select { // leave given once is for one start, so this one is asked about then
		case <-answered:
		case <-ctx.Done():
		}
	}
	return false
}

// approved says whether an entry may be started where nobody is asked: outside
// of a turn.
func (s *Session) approved(folder string, e trust.Entry) bool {
	look, ok := s.entry(folder, e)
	return ok && (look.State == trust.Approved || s.starts.isGiven(startKey{folder, string(e.Kind), e.Name, look.Sum}))
}

// entry looks at an entry of a trusted folder; false when it cannot be started
// whatever the user says.
func (s *Session) entry(folder string, e trust.Entry) (trust.Look, bool) {
	a := s.agent
	if a.o.Approvals == nil || !s.Trusted() || !a.o.Trusted(folder) {
		return trust.Look{}, false
	}
	look, err := a.o.Approvals.Approved(folder, e)
	if err != nil {
		a.log.Warn("it is not started", "session", s.id, "folder", folder, "err", err)
		return look, false
	}
	return look, true
}

func (t *turn) askToStart(ctx context.Context, key startKey, look trust.Look) bool {
	s := t.session
	if err := t.box.settle(nil); err != nil { // what came before is shown first
		return false
	}
	always := "Start it in this project from now on, until it changes"
	if look.Unseen != "" {
		always = "Start it in this session, until its command or a file that it names changes"
	}
	q := frontend.Question{
		SessionID: s.id, TurnID: t.id, Reason: whyStart(key.folder, look) + s.agent.whereRun(look),
		Call: frontend.CallInfo{CallID: "start-" + look.Sum[:16], Name: "start_" + key.kind, Title: startTitle(look), Kind: tools.Execute},
		Options: []frontend.Option{
			{ID: "allow_once", Name: "Start it this once", Kind: frontend.AllowOnce},
			{ID: "allow_always", Name: always, Kind: frontend.AllowAlways},
			{ID: "reject_once", Name: "Do not start it in this turn", Kind: frontend.RejectOnce},
			{ID: "reject_always", Name: "Do not start it in this session", Kind: frontend.RejectAlways},
		},
		Preview: frontend.Preview{Executable: &frontend.Executable{
			Kind: key.kind, Name: look.Name, Command: look.CommandLine(), Env: look.Variables(), Scripts: look.Scripts, Changed: look.State == trust.Changed,
		}},
	}
	a, err := s.agent.client.Ask(ctx, q)
	if ctx.Err() != nil {
		return false
	}
	switch optionKind(q, a, err) {
	case frontend.AllowOnce:
		return true
	case frontend.AllowAlways:
		if look.Unseen != "" {
			s.starts.give(key)
			return true
		}
		if err := s.agent.o.Approvals.Approve(key.folder, look); err != nil {
			t.emit(transcript.Notice{Severity: transcript.Warning, Code: startCode(look), Title: "The approval was not stored", Description: err.Error()})
		}
		return true
	case frontend.RejectOnce:
		s.starts.refuse(key, t.id)
	case frontend.RejectAlways:
		s.starts.refuse(key, "")
	}
	return false
}

// tellNotStarted says once in a session that an entry was not started.
func (t *turn) tellNotStarted(key startKey, look trust.Look) {
	if !t.session.starts.tell(key) {
		return
	}
	why, fix := "it was not approved, and this session cannot ask for permission", "`emendo trust add` shows what would start and approves it; --trust does so for one run"
	switch {
	case look.Unseen != "":
		why = "it needs approval in each session, because it may run files that an approval does not cover (" + visible.Line(look.Unseen) + "), and this session cannot ask for permission"
		fix = "--trust starts it for one run"
	case look.State == trust.Changed:
		why = "it has changed since it was approved, and this session cannot ask for permission"
	}
	t.emit(transcript.Notice{
		Severity: transcript.Warning, Code: startCode(look), Title: "Not started: " + startName(look),
		Description: fmt.Sprintf("%s would start %s, but %s. %s.", visible.Line(key.folder), visible.Text(look.CommandLine()), why, fix),
	})
}

func startName(look trust.Look) string {
	switch look.Kind {
	case trust.Hook:
		return "hook " + visible.Line(look.Name)
	case trust.Server:
		return "MCP server " + visible.Line(look.Name)
	case trust.Discovery:
		return "discovery command " + visible.Line(look.Name)
	}
	panic("agent: unknown kind of entry " + string(look.Kind))
}

func startTitle(look trust.Look) string { return "Start the " + startName(look) }

func startCode(look trust.Look) transcript.NoticeCode {
	if look.Kind == trust.Hook {
		return transcript.NoticeHook
	}
	return transcript.NoticeMCP
}

// whyStart is the reason for the question. Names that it speaks of cannot pass for
// lines of their own.
func whyStart(folder string, look trust.Look) string {
	folder = visible.Line(folder)
	why := "The settings of " + folder + " would start it, and you have not approved it yet."
	if look.State == trust.Changed {
		why = "The settings of " + folder + " would start it, and it has changed since you approved it: its command, arguments, environment or script."
	}
	if look.Unseen != "" {
		why = "The settings of " + folder + " would start it. It needs your approval in each session, because it may run files that an approval does not cover: " + visible.Line(look.Unseen) + "."
	}
	if len(look.Scripts) > 0 {
		why += " Approving it covers these files as they are now: " + visible.Line(strings.Join(look.Scripts, ", ")) + "."
	}
	return why
}

// whereRun tells the user where a hook runs. Servers and discovery commands are not
// in the sandbox.
func (a *Agent) whereRun(look trust.Look) string {
	switch {
	case look.Kind != trust.Hook:
		return ""
	case look.Outside:
		return " It runs outside the sandbox with your permissions, as your settings say."
	case !a.sandboxed():
		return " No sandbox is available, so it runs with your permissions."
	}
	return " It runs in the sandbox, as commands do."
}

// join gives the question that is open about the same entry; mine when there is
// none, and it has to be asked and left.
func (s *starts) join(key startKey) (answered <-chan struct{}, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.asking[key]; c != nil {
		return c, false
	}
	if s.asking == nil {
		s.asking = map[startKey]chan struct{}{}
	}
	s.asking[key] = make(chan struct{})
	return nil, true
}

func (s *starts) leave(key startKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.asking[key])
	delete(s.asking, key)
}

func (s *starts) give(key startKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given == nil {
		s.given = map[startKey]bool{}
	}
	s.given[key] = true
}

func (s *starts) isGiven(key startKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.given[key]
}

func (s *starts) refuse(key startKey, turn string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil {
		s.refused = map[startKey]string{}
	}
	s.refused[key] = turn
}

func (s *starts) isRefused(key startKey, turn string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, ok := s.refused[key]
	return ok && (in == "" || in == turn)
}

// tell says whether this is the first time.
func (s *starts) tell(key startKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told[key] {
		return false
	}
	if s.told == nil {
		s.told = map[startKey]bool{}
	}
	s.told[key] = true
	return true
}
