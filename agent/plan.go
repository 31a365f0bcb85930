package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/tools"
)

// planFolder returns the session's own folder of plans; with create it is created
// if it is missing. The workspace gets the folder of all sessions' plans, which
// stays when a session is deleted.
func (s *Session) planFolder(create bool) *disk.Tree {
	s.mu.Lock()
	have := s.plans
	s.mu.Unlock()
	all := s.agent.o.PlansDir
	if have != nil || all == "" {
		return have
	}
	dir := filepath.Join(all, s.id)
	if fi, err := os.Stat(dir); !create && (err != nil || !fi.IsDir()) {
		return nil
	}
	tree, err := s.agent.openPlans(all, dir)
	if err != nil {
		s.agent.log.Warn("the session has no folder for plans", "session", s.id, "err", err)
		return nil
	}
	s.mu.Lock()
	if s.plans == nil {
		s.plans, tree = tree, nil
	}
	have = s.plans
	s.mu.Unlock()
	if tree != nil { // another call was faster
		_ = tree.Close() // nothing was written
	}
	return have
}

func (a *Agent) openPlans(all, dir string) (*disk.Tree, error) {
	if err := private.Folder(dir); err != nil {
		return nil, err
	}
	if err := a.widen([]string{disk.RealPath(all)}); err != nil {
		return nil, err
	}
	return disk.NewTree([]string{dir})
}

// isPlan reports whether a path is one of the session's plans.
func (s *Session) isPlan(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plans != nil && s.plans.Contains(path) && tools.IsPlanName(path)
}

// ofPlans reports whether a change set only changes the session's plans.
func (s *Session) ofPlans(cs ledger.ChangeSet) bool {
	return !slices.ContainsFunc(cs.Files, func(f ledger.FileChange) bool { return !s.isPlan(f.Path) })
}

// presents reports whether a plan can be presented to the user.
func (a *Agent) presents() bool {
	return a.o.PlansDir != "" && a.client.Abilities().Asks && a.tool("exit_plan_mode") != nil && !a.switchedOff("exit_plan_mode")
}

// plansAt is where the model writes its plans; empty when the session does not
// plan, or nobody could approve a plan.
func (t *turn) plansAt() string {
	s := t.session
	if s.Info().Mode != policy.Plan || !s.agent.presents() {
		return ""
	}
	folder := s.planFolder(true)
	if folder == nil {
		return ""
	}
	return folder.Folders()[0]
}

// offered reports whether a tool makes sense in the session's present state.
func (t *turn) offered(name string) bool {
	a, mode := t.session.agent, t.session.Info().Mode
	switch name {
	case "ask_user":
		return a.elicitor() != nil
	case "enter_plan_mode":
		return a.presents() && mode != policy.Plan && mode != policy.Yolo
	case "exit_plan_mode": // what is offered stays for the turn, in which plan mode may begin
		return a.presents() && mode != policy.Yolo
	case "run_shell_command", "list_background_processes", "read_background_output", "kill_background_process", "save_memory":
		return t.session.Trusted() // else every call would be denied
	}
	return true
}

// own carries out what the session does itself, once the gate has let it
// through; false for what the tool does.
func (c *call) own() (tools.Result, bool) {
	switch e := c.action.Effect.(type) {
	case tools.Notes:
		c.turn.emit(planOf(e))
		return tools.TodoResult(e), true
	case tools.Plans:
		return c.beginPlan(), true
	case tools.Presents:
		return c.carryOut(e), true
	case tools.Reads, tools.Runs, tools.Ends, tools.Remembers, tools.Sends:
		return tools.Result{}, false
	case tools.Edits, tools.Asks: // waited for elsewhere
	}
	panic(fmt.Sprintf("agent: a call with the effect %T is carried out", c.action.Effect))
}

// beginPlan goes into plan mode.
func (c *call) beginPlan() tools.Result {
	s := c.turn.session
	if err := s.SetMode(policy.Plan); err != nil {
		return tools.Result{Err: tools.Errorf(tools.Unhandled, "The session did not go into plan mode: %v", err)}
	}
	c.turn.modeGiven = policy.Plan
	text := "The session is in plan mode now: read and plan, and change nothing."
	if folder := s.planFolder(true); folder != nil {
		text += fmt.Sprintf(" Write the plan as a .md file in %s and present it with exit_plan_mode.", folder.Folders()[0])
	}
	return tools.Result{Output: text}
}

// carryOut leaves plan mode with a plan that the user approved.
func (c *call) carryOut(e tools.Presents) tools.Result {
	mode, how := policy.Default, "Edits and commands are put before the user as you make them."
	if c.permission.Answer == frontend.AllowAlways {
		mode, how = policy.AutoEdit, "Edits apply at once; commands are put before the user."
	}
	if err := c.turn.session.SetMode(mode); err != nil {
		return tools.Result{Err: tools.Errorf(tools.Unhandled, "The plan was approved, and the session could not leave plan mode: %v", err)}
	}
	c.turn.modeGiven = mode
	c.turn.mu.Lock()
	c.turn.approved = true
	c.turn.mu.Unlock()
	c.plan = e.Path
	text := c.approved(e)
	if len(text) > maxPlan {
		text = prompt.Cut(text, maxPlan) + "\n(the rest is left out; read the file)"
	}
	return tools.Result{
		Output: fmt.Sprintf("The user approved the plan %s, as it stands below. The session is in mode %s now. %s Carry the plan out, step by step.\n%s",
			e.Path, mode, how, prompt.Enclose("plan", text)),
		Display: "Approved.",
	}
}

// approved is the plan as it stands now that the user has approved it: it may have
// been changed while the question was open.
func (c *call) approved(e tools.Presents) string {
	s := c.turn.session
	f, err := s.agent.o.Workspace.Snapshot().Within(s.planFolder(false)).Read(c.ctx, e.Path)
	if err != nil || strings.TrimSpace(f.Text.String()) == "" {
		return e.Text
	}
	return f.Text.String()
}

// maxPlan is how much of an approved plan the model reads, in bytes: the user may
// have changed what it wrote.
const maxPlan = 16 << 10

// planOf is the list of what is to do as the user is shown it. What was given up
// is no longer in it.
func planOf(n tools.Notes) transcript.Plan {
	p := transcript.Plan{Entries: []transcript.PlanEntry{}}
	for _, t := range n.Todos {
		e := transcript.PlanEntry{Content: t.Description, Priority: "medium"}
		switch t.Status {
		case tools.TodoPending:
			e.Status = "pending"
		case tools.TodoInProgress:
			e.Status = "in_progress"
		case tools.TodoCompleted:
			e.Status = "completed"
		case tools.TodoBlocked:
			e.Status = "pending"
			e.Content += " (blocked)"
		case tools.TodoCancelled:
			continue
		}
		p.Entries = append(p.Entries, e)
	}
	return p
}
