// Package discovery has the tools that a command of the user's or of a project lists,
// and another one calls. It knows neither MCP nor who decides about a call.
package discovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/inventory"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// How long the discovery command may run, and how long a step waits for it.
const (
	maxTime   = time.Minute
	firstWait = time.Second
)

// A Supply has the discovered tools of one session. It implements [state.Supply].
type Supply struct {
	session *state.Session
	temp    func() (string, error)
	patient bool // requests wait for the command

	now     settings.Discovery // the commands that it was started with
	cleared struct {           // the approved commands of a project
		list, call trust.Cleared
	}
	running *listing        // nil: not started
	shown   map[string]bool // notices already shown
}

// listing is one run of the discovery command.
type listing struct {
	stop context.CancelFunc
	done chan struct{} // closed when the rest is set

	tools   []declared
	leftOut []string
	err     error

	read    bool // offered is set
	offered []tools.Tool
}

// NewSupply returns the supply of a session. temp makes a private folder for copies of
// files, which the supply deletes. A patient supply has requests wait until the discovery command has ended, not for a second.
func NewSupply(s *state.Session, temp func() (string, error), patient bool) *Supply {
	return &Supply{session: s, temp: temp, patient: patient, shown: map[string]bool{}}
}

// Close implements [state.Supply].
func (s *Supply) Close() {
	if s.running == nil {
		return
	}
	s.running.stop()
	<-s.running.done
	s.running = nil
}

// folder returns the folder in which the commands run.
func (s *Supply) folder() string { return cmp.Or(s.now.Folder, s.session.Started.Cwd) }

// Tools implements [state.Supply].
func (s *Supply) Tools(ctx context.Context, asker state.Asker) []tools.Tool {
	c := s.session.Agent.Settings().Tools.Discovered()
	if c != s.now || !s.session.Trusted() || s.running != nil && !s.unchanged() {
		s.Close()
		s.now = c
	}
	runner := s.session.Agent.Options.HookRunner
	if c.List == "" || runner == nil || !s.session.Trusted() {
		return nil
	}
	if c.Call == "" {
		s.notice(asker, "tools.discoveryCommand is set, and tools.callCommand, which calls the tools, is not.")
		return nil
	}
	if s.running == nil {
		if !s.approved(ctx, asker) {
			return nil
		}
		s.running = s.start(runner)
	}
	limit := firstWait
	if s.patient {
		limit = maxTime
	}
	wait := time.NewTimer(limit)
	defer wait.Stop()
	select {
	case <-s.running.done:
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return nil
	}
	return s.offer(asker)
}

// Await implements [state.Awaiter].
func (s *Supply) Await(ctx context.Context, tool string) (waited bool) {
	if s.running == nil || !strings.HasPrefix(tool, Prefix) {
		return false
	}
	select {
	case <-s.running.done:
		return false
	default:
	}
	select {
	case <-s.running.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// approved reports whether the commands may start. Those of a project need approval.
func (s *Supply) approved(ctx context.Context, asker state.Asker) bool {
	s.cleared.list, s.cleared.call = trust.Cleared{}, trust.Cleared{}
	if s.now.Folder == "" {
		return true
	}
	entries := inventory.OfDiscovery(s.now, s.now.Folder)
	var list, call bool
	if s.cleared.list, list = asker.MayStart(ctx, s.now.Folder, entries[0]); !list {
		return false
	}
	s.cleared.call, call = asker.MayStart(ctx, s.now.Folder, entries[1])
	return call
}

// unchanged reports whether a project's call command is the one that was approved.
func (s *Supply) unchanged() bool {
	if s.now.Folder == "" {
		return true
	}
	if s.session.Agent.Options.Approvals == nil {
		return false
	}
	look, err := s.session.Agent.Options.Approvals.Approved(s.now.Folder, inventory.OfDiscovery(s.now, s.now.Folder)[1])
	return err == nil && look.Sum == s.cleared.call.Sum
}

// start runs the discovery command, in the sandbox as commands are.
func (s *Supply) start(runner hooks.Runner) *listing {
	ctx, stop := context.WithCancel(context.Background()) // it outlives the step that starts it
	l := &listing{stop: stop, done: make(chan struct{})}
	c := hooks.Command{Line: s.now.List, Dir: s.folder(), Folders: s.session.Work.Roots(), Timeout: maxTime, Sandbox: true, Cleared: s.cleared.list}
	go func() { // Close waits for it
		defer close(l.done)
		defer stop()
		ran, err := runner.Run(ctx, c)
		if err == nil {
			err = failure(ran)
		}
		if err == nil {
			l.tools, l.leftOut, err = read(ran.Stdout)
		}
		l.err = err
	}()
	return l
}

// failure returns why a command that ran did not succeed.
func failure(r hooks.Ran) error {
	said := strings.TrimSpace(string(r.Stderr))
	if said != "" {
		said = ": " + visible.ShortLine(said, 500)
	}
	switch {
	case r.TimedOut:
		return fmt.Errorf("it took longer than %v%s", maxTime, said)
	case r.Cut:
		return errors.New("it printed too much")
	case r.Exit.Signal != "":
		return fmt.Errorf("it was ended by signal %s%s", r.Exit.Signal, said)
	case r.Exit.Code != 0:
		return fmt.Errorf("it exited with code %d%s", r.Exit.Code, said)
	}
	return nil
}

// offer returns the tools of a run that has ended.
func (s *Supply) offer(asker state.Asker) []tools.Tool {
	l := s.running
	if l.read {
		return l.offered
	}
	l.read = true
	if l.err != nil {
		s.notice(asker, fmt.Sprintf("tools.discoveryCommand (%s) failed: %v.", visible.Short(visible.Line(s.now.List), 200), l.err))
		return nil
	}
	if len(l.leftOut) > 0 {
		s.notice(asker, "Tools of tools.discoveryCommand are left out: "+strings.Join(l.leftOut, "; ")+".")
	}
	taken := map[string]bool{}
	for _, d := range l.tools {
		name := nameOf(d.Name, taken)
		if want := nameOf(d.Name, map[string]bool{}); name != want {
			s.notice(asker, fmt.Sprintf("The discovered tool %s is called %s, because another one has the name that it would have.", visible.Line(d.Name), name))
		}
		l.offered = append(l.offered, &tool{
			spec: tools.Spec{Name: name, Display: tools.ShownLine(d.Name, 60), Kind: tools.Execute, Description: d.Description, Schema: d.Schema},
			name: d.Name, call: s.now.Call, supply: s,
		})
	}
	return l.offered
}

// notice shows a notice once in a session.
func (s *Supply) notice(asker state.Asker, text string) {
	if s.shown[text] {
		return
	}
	s.shown[text] = true
	asker.Notice(transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeMCP, Title: "Discovered tools", Description: text})
}
