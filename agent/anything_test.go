package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
)

var (
	firstSeed = flag.Uint64("seed", 1, "the first seed of TestAnythingMayHappen")
	seeds     = flag.Uint64("seeds", 5, "how many seeds TestAnythingMayHappen tries")
)

// Random models, users and kills. Providers accept every request, updates are numbered
// without gaps, every call ends once, and the stored session matches the shown one.
func TestAnythingMayHappen(t *testing.T) {
	if testing.Short() {
		t.Skip("random test")
	}
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { inChaos(t, seed, (*chaos).run) })
	}
}

// The same with the real Gemini generator and a server as strict as Google's.
func TestAnythingMayHappenBehindGemini(t *testing.T) {
	if testing.Short() {
		t.Skip("random test")
	}
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { inChaos(t, seed, (*chaos).runBehindGemini) })
	}
}

func inChaos(t *testing.T, seed uint64, run func(*chaos)) {
	files := map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n", "b.txt": "x\n", ".env": "KEY=1\n"}
	agenttest.InWorld(t, files, nil, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		run(&chaos{
			World: w, rand: rand.New(rand.NewPCG(seed, 0)), names: map[string]int{}, lost: map[string]map[int64]bool{}, summed: map[string]int64{},
			trust: true, plans: t.TempDir(), generator: func() model.Generator { return w.Model }, models: []string{"test-model"},
		})
	})
}

// chaos is a world with random events.
type chaos struct {
	*agenttest.World

	mu      sync.Mutex // guards what a client is shown, and trust
	drawing sync.Mutex
	rand    *rand.Rand
	trust   bool
	plans   string // the folder of plans, which is not copied by a kill

	generator func() model.Generator // of a process
	models    []string
	limit     int64 // context limit of the models, in tokens

	turns    sync.WaitGroup
	life     *life // of the current process
	sessions []*agent.Session
	forks    []*agent.Session          // their first updates were not shown
	replaced []*agent.Session          // forks of the current process that the user no longer uses
	names    map[string]int            // prompts so far, by session
	lost     map[string]map[int64]bool // updates that were rewound, by session
	summed   map[string]int64          // the last update that may have been summarized, by session
}

// life is the client of one process.
type life struct {
	*chaos
	over bool // the process was killed: ignore its output
}

func (c *chaos) n(n int) int {
	c.drawing.Lock()
	defer c.drawing.Unlock()
	return c.rand.IntN(n)
}

func pick[T any](c *chaos, of ...T) T { return of[c.n(len(of))] }

func (c *chaos) ms(n int) time.Duration { return time.Duration(c.n(n)) * time.Millisecond }

func (l *life) Show(ctx context.Context, u transcript.Update) error {
	l.mu.Lock()
	over := l.over
	if !over {
		l.Updates = append(l.Updates, u)
	}
	l.mu.Unlock()
	if !over && l.n(8) == 0 {
		<-time.After(l.ms(20)) // a slow client
	}
	return ctx.Err()
}

func (l *life) Ask(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	select {
	case <-time.After(l.ms(60)):
	case <-ctx.Done():
		return frontend.Answer{}, context.Cause(ctx)
	}
	switch l.n(8) {
	case 0:
		return frontend.Answer{}, agenttest.ErrNobody
	case 1:
		return frontend.Answer{Cancelled: true}, nil
	case 2:
		return frontend.Answer{OptionID: "nonsense"}, nil
	}
	return frontend.Answer{OptionID: pick(l.chaos, q.Options...).ID, Feedback: pick(l.chaos, "", "because")}, nil
}

func (l *life) Abilities() frontend.Abilities { return l.Can }

func (c *chaos) trusted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trust
}

// begin starts a process.
func (c *chaos) begin() {
	c.life = &life{chaos: c}
	g := c.generator()
	c.Options = func(o *state.Options) {
		o.Generator = func(name string) (model.Generator, string, error) { return g, name, nil }
		o.Model, o.ContextLimit = c.models[0], func(string) int64 { return c.limit }
		o.Client, o.Settings.Model.MaxSessionTurns = c.life, 1+c.n(5)
		o.Trusted = func(string) bool { return c.trusted() }
		o.Tools, o.PlansDir = append(o.Tools, agenttest.PlanningTools()...), c.plans
	}
	c.Start()
	c.Spawn.Scripts = map[string]sandboxtest.Script{
		"make": sandboxtest.Print("made\n", 0), "fail": sandboxtest.Print("", 2), "rm -r x": sandboxtest.Print("", 0),
		"slow": {Output: []sandboxtest.Piece{{After: 30 * time.Millisecond, Text: "a\n"}, {After: 150 * time.Millisecond, Text: "b\n"}}, After: time.Second},
		"hang": {Hangs: true, Stubborn: true},
	}
	if c.n(2) == 0 {
		c.Editor.Open(c.URI("a.txt"), c.ReadFile("a.txt"))
	}
}

func (c *chaos) run() {
	c.Can = pick(c, frontend.Abilities{Reviews: true, Asks: true}, frontend.Abilities{Asks: true}, frontend.Abilities{})
	c.Model.Answer = func(r model.Request) modeltest.Reply {
		return append(modeltest.Reply{modeltest.Usage(model.Usage{Input: model.RequestTokens(r), Output: 5})}, c.reply()...)
	}
	c.limit = pick(c, int64(1<<20), smallLimit, smallLimit, tinyLimit)
	c.begin()
	for range 2 {
		s, err := c.Agent.Create(c.T.Context(), agent.NewSession{Cwd: c.Dir})
		if err != nil {
			c.T.Fatal(err)
		}
		c.sessions = append(c.sessions, s)
	}
	for range 60 {
		c.act()
		<-time.After(c.ms(40))
		if c.T.Failed() {
			break
		}
	}
	c.endTurns()
	c.check()
	c.checkReplay()
}

// endTurns cancels the running turns and the queued ones that start then.
func (c *chaos) endTurns() {
	over := make(chan struct{})
	go func() {
		defer close(over)
		c.turns.Wait()
	}()
	for range 600 {
		for _, s := range slices.Concat(c.all(), c.replaced) {
			s.Cancel("")
		}
		select {
		case <-over:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	c.T.Fatal("a turn does not end, although its session was cancelled for a minute")
}

// act performs a random action of the user.
func (c *chaos) act() {
	s := pick(c, c.all()...)
	switch k := c.n(25); k {
	case 0, 1, 2, 3, 4, 5:
		c.promptAt(s)
	case 6:
		s.Cancel("")
	case 7, 8:
		if id := c.someCall(); id != "" {
			s.Cancel(id)
		}
	case 9:
		c.mu.Lock()
		c.trust = c.n(4) > 0
		c.mu.Unlock()
	case 10, 11:
		m := pick(c, policy.Default, policy.AutoEdit, policy.Plan, policy.Yolo)
		if err := s.SetMode(m); err != nil && !errors.Is(err, transcript.ErrUntrusted) {
			c.T.Errorf("set mode %s: %v", m, err)
		}
	case 12, 13, 14:
		c.decide()
	case 15:
		if uri := c.URI("a.txt"); c.Editor.IsOpen(uri) {
			n := c.n(len(c.Editor.Text(uri)) + 1)
			c.Editor.Type(uri, n, n, pick(c, "typed", "\n", "x\ny\n"))
		}
	case 16:
		if err := s.Rename(fmt.Sprint("title ", c.n(9))); err != nil {
			c.T.Errorf("rename: %v", err)
		}
	case 17:
		c.checkReplay()
	case 18:
		c.kill()
	case 19:
		c.check()
	case 20, 21:
		c.rewind(s)
	case 22:
		c.compact(s)
	case 23:
		c.fork(s)
	case 24:
		if err := s.SetModel(pick(c, c.models...)); err != nil {
			c.T.Errorf("set model: %v", err)
		}
	}
}

// Context limits in tokens. The system prompt and the tools take some 5,000.
const (
	smallLimit = 10_400 // a few turns are compacted
	tinyLimit  = 5_600  // a few turns do not fit
)

// all returns the sessions and forks.
func (c *chaos) all() []*agent.Session { return slices.Concat(c.sessions, c.forks) }

// promptAt prompts a session, which may be busy.
func (c *chaos) promptAt(s *agent.Session) {
	c.names[s.ID()]++
	p := state.Prompt{Blocks: agenttest.Say(fmt.Sprintf("<%s prompt %d>", s.ID(), c.names[s.ID()]))}
	switch c.n(4) {
	case 0:
		p.Focus = &frontend.Focus{Active: ide.ParseURI(c.URI("a.txt"))}
	case 1:
		p.Blocks = append(p.Blocks, transcript.Block{Type: transcript.LinkBlock, URI: c.URI("a.txt"), Name: "a", Lines: &transcript.Lines{First: c.n(5) - 1, Last: c.n(20) - 2}}, transcript.Block{Type: transcript.TextBlock})
	}
	ctx, cancel := context.WithCancel(context.Background())
	if c.n(4) == 0 {
		time.AfterFunc(c.ms(200), cancel)
	}
	how := agent.Alone
	if c.n(3) == 0 {
		how = pick(c, agent.Steer, agent.Queue, agent.Interrupt)
	}
	c.turns.Go(func() {
		defer cancel()
		c.submit(ctx, s, p, how)
	})
}

// submit submits a prompt and waits for its end. c.turns waits for it.
func (c *chaos) submit(ctx context.Context, s *agent.Session, p state.Prompt, how agent.How) {
	turn, err := s.Submit(ctx, p, how)
	if err == nil {
		_, err = turn.Result()
	}
	var me *model.Error
	switch {
	case err == nil, errors.Is(err, transcript.ErrBusy), errors.As(err, &me) && me.Status != 400, errors.Is(err, context.Canceled), errors.Is(err, transcript.ErrCancelled): // the last: it was queued when Cancel came
	case c.isOver(c.life):
	default:
		c.T.Errorf("prompt: %v", err)
	}
}

func (c *chaos) isOver(l *life) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return l.over
}

// someCall returns a recent call.
func (c *chaos) someCall() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range slices.Backward(c.Updates) {
		if e, ok := u.Event.(transcript.ToolCall); ok && c.n(2) == 0 {
			return e.CallID
		}
	}
	return ""
}

// decide decides on a random hunk.
func (c *chaos) decide() {
	sets := c.Ledger.List("", "", pick(c, ledger.Pending, ledger.Pending, ledger.State("")))
	if len(sets) == 0 {
		return
	}
	cs := pick(c, sets...)
	d := ledger.Decision{ChangeSetID: cs.ID, Action: pick(c, ledger.Accept, ledger.Accept, ledger.Reject, ledger.Reopen)}
	if hs := cs.Files[0].Hunks; c.n(2) == 0 {
		d.HunkID = pick(c, hs...).ID
	}
	if _, err := c.Agent.Resolve(c.T.Context(), []ledger.Decision{d}, pick(c, "", "a comment")); err != nil {
		c.T.Errorf("resolve: %v", err)
	}
}

// reply returns a random reply of the model.
func (c *chaos) reply() modeltest.Reply {
	var r modeltest.Reply
	for range c.n(6) {
		r = append(r, c.step())
	}
	switch c.n(12) {
	case 0:
		r = append(r, modeltest.Fail(pick(c, model.Auth, model.RateLimited, model.Quota, model.Overflow, model.NotFound, model.Unavailable, model.TLS, model.Cut, model.Cut, model.Empty, model.Blocked)))
	case 1:
		r = append(r, modeltest.Finish(pick(c, model.MaxTokens, model.Safety, model.MalformedCall, model.Other)))
	}
	return r
}

func (c *chaos) step() modeltest.Step {
	switch c.n(10) {
	case 0, 1:
		return modeltest.Say(pick(c, "Hello. ", "And so on. ", "\n"))
	case 2:
		return modeltest.Part(model.Text{Text: "Signed. ", Signature: []byte("s")})
	case 3:
		return modeltest.Think(pick(c, "**Subject** thought", "more "))
	case 4:
		return modeltest.Pause(c.ms(50))
	}
	name, a := c.call()
	return modeltest.Part(model.Call{Name: name, Args: json.RawMessage(a), ProviderID: pick(c, "", "p"), Signature: pick(c, nil, []byte("t"))})
}

// call returns a random call and its arguments.
func (c *chaos) call() (name, a string) {
	line := pick(c, "one", "two", "three", "four", "five", "six", "seven", "eight", "typed")
	args := func(m map[string]any) string {
		b, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	name = pick(c, "replace", "replace", "write_file", "read_file", "list_directory", "glob", "grep_search", "run_shell_command", "run_shell_command", "teleport",
		"write_todos", "ask_user", "enter_plan_mode", "exit_plan_mode")
	switch name {
	case "write_todos", "ask_user", "exit_plan_mode":
		a = args(c.planningArgs(name))
	case "replace":
		a = args(map[string]any{"file_path": "a.txt", "instruction": "x", "old_string": line, "new_string": pick(c, line+"!", strings.ToUpper(line))})
	case "write_file":
		a = args(map[string]any{"file_path": pick(c, "b.txt", "new.txt", "plan.md", ".git/config", ".vscode/x"), "content": fmt.Sprint(c.n(9), "\n")})
	case "read_file":
		a = args(map[string]any{"file_path": pick(c, "a.txt", ".env", ".env", "none")})
	case "run_shell_command":
		a = args(map[string]any{"command": pick(c, "make", "fail", "slow", "hang", "rm -r x", "unknown")})
	case "list_directory":
		a = args(map[string]any{"dir_path": "."})
	default:
		a = args(map[string]any{"pattern": "*"})
	}
	if c.n(10) == 0 {
		a = pick(c, `{}`, `{"file_path":7}`, `{"x":1}`)
	}
	return name, a
}

// Elicit answers at random.
func (l *life) Elicit(ctx context.Context, _ frontend.Elicitation) (frontend.Elicited, error) {
	select {
	case <-time.After(l.ms(60)):
	case <-ctx.Done():
		return frontend.Elicited{}, context.Cause(ctx)
	}
	switch l.n(4) {
	case 0:
		return frontend.Elicited{}, pick(l.chaos, agenttest.ErrNobody, frontend.ErrCannotElicit)
	case 1:
		return frontend.Elicited{Cancelled: true}, nil
	}
	return frontend.Elicited{Values: [][]string{{pick(l.chaos, "yes", "")}, nil}}, nil
}

// planningArgs returns random arguments for a planning tool, valid or not.
func (c *chaos) planningArgs(tool string) map[string]any {
	switch tool {
	case "write_todos":
		return map[string]any{"todos": []any{map[string]any{"description": "x", "status": pick(c, "pending", "in_progress", "begun")}}}
	case "ask_user":
		return map[string]any{"questions": []any{map[string]any{"header": "h", "question": "q?", "type": pick(c, "text", "yesno", "choice")}}}
	}
	return map[string]any{"plan_filename": pick(c, "plan.md", "plan.md", "none.md", "../x.md")}
}
