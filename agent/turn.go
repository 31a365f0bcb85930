package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/agent/loop"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/ide"
)

// Prompt is what the user asks.
type Prompt struct {
	Blocks []Block
	// Snapshot is the workspace as it was when the prompt came; nil: as it is.
	Snapshot *ide.Snapshot
	// Focus is where the user was then; nil leaves the editor's context out.
	Focus *Focus
	// MaxSteps bounds the model requests of this turn; 0: the agent's bound.
	MaxSteps int
	// Begun, when not nil, is called once the turn has its id, before anything
	// of it is shown.
	Begun func(turnID string)

	messageID string // of one that waited
}

// Ended is how a turn ended.
type Ended struct {
	TurnID     string
	StopReason StopReason
	Usage      Usage                  // of the turn
	Models     map[string]model.Usage // what each model's answers cost
	Text       string                 // of the last response that has any
	Halted     string                 // why a hook ended it; empty: none did
}

// turn is one prompt and everything until the session hands back.
type turn struct {
	session *Session
	id      string
	box     *outbox
	prompt  Prompt
	gen     model.Generator
	tuned   model.Generator // what gen asks first
	model   string          // the provider's name; set with the session's mu held
	open    bool            // which of family answers is emendo's choice
	family  model.Family
	stage   *stage // that the choice was made for; nil: none was
	cancel  context.CancelCauseFunc
	usage   model.Usage            // guarded by the session's mu
	byModel map[string]model.Usage // likewise
	text    string
	said    []string // the texts of its answers
	sentOn  int      // how often hooks had it go on after it was done
	why     string   // a hook ended it
	guard   *loop.Guard

	mu       sync.Mutex
	calls    map[string]context.CancelCauseFunc // of running calls
	halted   *halt                              // a hook ends it; nil: none does
	approved bool                               // the user has approved a plan in this turn
	touched  []string                           // where calls were since the last step
	doubted  doubt                              // that the user was told of
	refused  []string                           // what the user was asked about and refused, since the last word
	used     int64                              // tokens that the conversation takes in the model, as far as is known

	following sync.Mutex // held while calls follow that hooks wanted

	ruling sync.Once
	ruled  *policy.Engine // once somebody has asked for the rules

	watch *checkpoint.Watch // of what commands change, once one has run; commands run alone

	steers []Prompt // that wait for the next step; guarded by the session's mu, as deaf is
	deaf   bool     // nothing is taken up any more
}

// Prompt runs a turn to its end. Cancelling ctx, or [Session.Cancel], ends it
// with [StopCancelled], which is no error. The error is that of the provider,
// of the disk, or one of this package's.
func (s *Session) Prompt(ctx context.Context, p Prompt) (Ended, error) {
	if err := p.check(); err != nil {
		return Ended{}, err
	}
	if err := s.begin(ctx, aTurn); err != nil {
		return Ended{}, err
	}
	defer s.finish()
	return s.runTurn(ctx, "", p)
}

// check refuses a prompt that says nothing.
func (p Prompt) check() error {
	if !slices.ContainsFunc(p.Blocks, func(b Block) bool { return b.part() != nil }) {
		return ErrNoPrompt
	}
	for _, b := range p.Blocks {
		if !b.Type.known() {
			return fmt.Errorf("a prompt with a block of the unknown type %q", b.Type)
		}
	}
	return nil
}

// runTurn runs a turn, with a new id where none is given; the session is taken
// for it.
func (s *Session) runTurn(ctx context.Context, id string, p Prompt) (end Ended, err error) {
	if err := s.grounded(); err != nil {
		return Ended{}, err
	}
	s.agent.renew()
	c, commanded := commandOf(p)
	var who answers
	if !commanded { // else no model is needed
		who, err = s.agent.answering(s.Info().Model)
		switch {
		case err != nil && id == "":
			return Ended{}, err
		case err != nil: // nobody waits for the answer: the session tells of it
			who = answers{gen: unable{err}, name: s.Info().Model}
		}
	}
	if err := s.lock(ctx); err != nil {
		return Ended{}, err
	}
	defer s.unlock()
	s.takeBackHalf(ctx)

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if p.Snapshot == nil {
		p.Snapshot = s.agent.o.Workspace.Snapshot()
	}
	if p.MaxSteps == 0 {
		p.MaxSteps = s.agent.choices().MaxSteps
	}
	if id == "" {
		id = s.agent.o.NewID()
	}
	t := &turn{
		session: s, id: id, prompt: p, model: who.name, open: who.open, family: who.family,
		cancel: cancel, calls: map[string]context.CancelCauseFunc{}, guard: s.guarding(p),
		deaf: commanded, // what is said meanwhile is a turn of its own
	}
	t.gen, t.tuned = t.fallingBack(who.gen), who.gen
	if p.Begun != nil {
		p.Begun(t.id)
	}
	t.box = newOutbox(ctx, s, t.id)
	defer func() {
		if herr := t.handBack(); herr != nil && !errors.Is(err, herr) {
			err = errors.Join(err, herr)
		}
	}()
	s.mu.Lock()
	s.running = t
	s.stir()
	stopped := s.stopped
	s.mu.Unlock()
	if stopped {
		cancel(ErrCancelled)
	}
	if commanded {
		return t.obey(ctx, c)
	}
	return t.run(ctx)
}

// handBack ends the turn's output. What comes from then on is recorded between
// turns, behind everything of the turn.
func (t *turn) handBack() error {
	s := t.session
	for out := false; !out; {
		_ = t.box.settle(nil) // the first failure is asked for below
		s.mu.Lock()
		if out = t.box.empty(); out {
			s.running = nil
			s.stir()
		}
		s.mu.Unlock()
	}
	t.box.close()
	err := t.box.failure()
	if err != nil {
		s.reread()
		return err
	}
	return s.log.sync()
}

// stop cancels the turn, or one of its calls.
func (t *turn) stop(callID string) {
	if callID == "" {
		t.cancel(ErrCancelled)
		return
	}
	t.mu.Lock()
	cancel := t.calls[callID]
	t.mu.Unlock()
	if cancel != nil {
		cancel(ErrCancelled)
	}
}

// emit makes an event true: it is folded into the history and put on its way
// out.
func (t *turn) emit(e Event) {
	e = t.session.agent.discreet(e)
	t.fold(e)
	t.box.put(e)
}

// emitSynced is emit; the event is on the disk before it is shown. Nobody waits
// for that: what the model is sent meanwhile is not acted on before the log is
// known to be whole.
func (t *turn) emitSynced(e Event) {
	e = t.session.agent.discreet(e)
	t.fold(e)
	t.box.putSynced(e)
}

// emitDurably is emit; when it returns the event is on the disk.
func (t *turn) emitDurably(e Event) error {
	e = t.session.agent.discreet(e)
	t.fold(e)
	return t.box.settle(e)
}

func (t *turn) fold(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := e.(UserChunk); ok {
		t.refused = nil
	}
	t.session.history.add(e)
}

func (t *turn) run(ctx context.Context) (Ended, error) {
	messageID := t.ask(ctx)
	reason, err := t.led(ctx, messageID)
	t.unheard(ctx, (ctx.Err() != nil || err != nil) && !t.produced(messageID))
	switch {
	case ctx.Err() != nil:
		reason, err = StopCancelled, nil
		t.afterCancel(messageID)
	case err != nil:
		reason = t.afterError(messageID, err)
		if reason != StopError {
			err = nil
		}
	}
	return t.end(TurnEnded{StopReason: reason}, err)
}

// end tells that the turn is over, and for what reason.
func (t *turn) end(e TurnEnded, err error) (Ended, error) {
	s := t.session
	s.mu.Lock()
	if !e.Aside {
		s.info.Turns++
	}
	s.info.used(s.agent.now())
	e.Usage = Usage{t.usage, s.info.Usage.ContextLimit}
	byModel := maps.Clone(t.byModel)
	s.over = true // what changes from here on waits for the end
	s.stir()
	s.mu.Unlock()
	end := Ended{TurnID: t.id, StopReason: e.StopReason, Usage: e.Usage, Models: byModel, Text: t.text, Halted: t.why}
	if derr := t.box.settle(e); derr != nil {
		return end, err // handBack tells of the log
	}
	i := s.Info()
	t.box.slip(i.summary())
	return end, err
}

// begin records how the session stands, before its first prompt.
func (t *turn) begin() {
	s := t.session
	if !s.stored {
		st := s.started
		i := s.Info()
		st.Model, st.Mode = i.Model, i.Mode
		t.box.put(st)
		if i.Title != "" { // given before the first prompt
			t.box.put(InfoChanged{Title: i.Title, At: s.agent.now()})
		}
		for _, e := range s.leftOut() {
			t.box.put(Excluded{e, true})
		}
		s.mu.Lock()
		s.stored = true
		s.stir()
		s.info.Usage.ContextLimit = s.agent.o.ContextLimit(t.model)
		s.mu.Unlock()
	}
}

// ask records the prompt, with what the model is given beside it, and echoes it.
func (t *turn) ask(ctx context.Context) (messageID string) {
	s := t.session
	messageID = s.agent.o.NewID()
	t.begin()
	t.takeUp(ctx)
	t.surround(ctx, messageID)
	if g, ok := t.decisions(messageID); ok {
		t.emit(g)
	}
	t.say(ctx, messageID, t.prompt, false)
	if s.Info().Title == "" {
		if title := titleOf(t.prompt.Blocks); title != "" {
			s.mu.Lock()
			s.info.Title = title
			s.mu.Unlock()
			t.box.put(InfoChanged{Title: title, At: s.agent.now()})
		}
	}
	return messageID
}

// say records what the user says and what goes with it, and echoes it.
func (t *turn) say(ctx context.Context, messageID string, p Prompt, steer bool) {
	s := t.session
	if p.Focus != nil {
		if g, ok := s.editorContext(messageID, *p.Focus, p.Snapshot); ok {
			t.emit(g)
		}
	}
	for _, g := range s.linked(ctx, p) {
		g.MessageID = messageID
		t.emit(g)
	}
	_, aside := commandOf(p) // one that waited when a process ended is not done any more
	for i, b := range p.Blocks {
		e := UserChunk{MessageID: messageID, Block: b, Steer: steer, Aside: aside}
		if i < len(p.Blocks)-1 {
			t.emit(e)
		} else {
			t.emitSynced(e)
		}
	}
}

// steps asks the model until it calls nothing.
func (t *turn) steps(ctx context.Context) (StopReason, error) {
	for n := 0; ; n++ {
		if n == t.prompt.MaxSteps {
			t.emit(Notice{
				Severity: Warning, Code: NoticeMaxTurns, Title: "The turn is at its limit",
				Description: fmt.Sprintf("The model was asked %d times in this turn, which is the limit. Send another prompt to go on.", n),
			})
			return MaxTurnRequests, nil
		}
		if n > 0 {
			if g, ok := t.decisions(t.lastMessage()); ok {
				t.emit(g)
			}
			t.nested(ctx)
			t.steer(ctx, false)
		}
		t.tellOfJobs()
		if over, err := t.judged(ctx, n+1); over || err != nil {
			return StopLoop, err
		}
		answer, err := t.step(ctx)
		if err == nil {
			err = t.recorded(answer)
		}
		if err != nil {
			return "", err
		}
		if answer.loop.Strike != loop.GoOn {
			if t.turnBack(answer) {
				return StopLoop, nil
			}
			continue
		}
		if answer.halted != nil {
			return t.tellHalt(*answer.halted), nil
		}
		if len(answer.calls) == 0 {
			reason := t.stopReason(answer)
			if reason == EndTurn && (t.steer(ctx, false) || n+1 < t.prompt.MaxSteps && t.goesOn(ctx, answer)) {
				continue
			}
			goes, halted := t.closed(ctx, n+1 < t.prompt.MaxSteps)
			if halted != nil {
				return t.tellHalt(*halted), nil
			}
			if goes || reason == EndTurn && t.steer(ctx, true) {
				continue
			}
			return reason, nil
		}
		if err := t.schedule(ctx, answer); err != nil {
			return "", err
		}
		if err := ctx.Err(); err != nil {
			return "", context.Cause(ctx)
		}
		if h := t.halting(); h != nil {
			return t.tellHalt(*h), nil
		}
	}
}

// recorded says what could not be recorded so far: it is not acted on. Reading
// does not wait for what is still on its way to the disk.
func (t *turn) recorded(a answer) error {
	reading := func(c ToolCall) bool { return (&call{tool: t.session.agent.tool(c.Name)}).class() == reads }
	if i := slices.IndexFunc(a.calls, func(c ToolCall) bool { return !reading(c) }); i < 0 {
		return t.box.failure()
	}
	return t.box.wait(t.box.insert(func() error { return nil }))
}

func (t *turn) stopReason(a answer) StopReason {
	switch a.finish {
	case model.Safety:
		t.emit(Notice{
			Severity: Warning, Code: NoticeBlocked, Title: "The model stopped its answer",
			Description: fmt.Sprintf("The provider ended it for safety or recitation (%s).", a.word),
		})
		return Refusal
	case model.MaxTokens:
		return StopMaxTokens
	case model.Stop, model.MalformedCall, model.Other:
		return EndTurn
	}
	panic("agent: unknown finish " + string(a.finish))
}

// afterCancel leaves the history so that the model knows, or, when nothing
// came of the prompt, without it.
func (t *turn) afterCancel(promptID string) {
	if !t.produced(promptID) {
		t.emit(Withdrawn{promptID})
		return
	}
	t.emit(Given{MessageID: t.lastMessage(), Kind: "cancelled", Text: "(The user stopped you here.)"})
}

// afterError tells of a failure and says how the turn ends.
func (t *turn) afterError(promptID string, err error) StopReason {
	reason := StopError
	n := Notice{Severity: Error, Code: NoticeError, Title: "The turn failed", Description: err.Error()}
	var me *model.Error
	if errors.As(err, &me) {
		switch me.Kind {
		case model.Blocked:
			reason, n.Code, n.Title = StopBlocked, NoticeBlocked, "The provider refused the prompt"
		case model.Overflow:
			n.Code, n.Title = NoticeContextOverflow, "The conversation no longer fits the model"
		case model.Cut, model.Empty:
			n.Code, n.Title = NoticeInvalidStream, "The model's answer was broken"
		case model.Auth, model.RateLimited, model.Quota, model.Invalid, model.NotFound, model.Unavailable, model.TLS:
		}
	}
	if !t.produced(promptID) {
		t.emit(Withdrawn{promptID})
	}
	t.emit(n)
	return reason
}

// produced says whether anything of the model's follows the prompt.
func (t *turn) produced(promptID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.session.history
	for i := len(h.messages) - 1; i >= 0 && h.messages[i].id != promptID; i-- {
		if h.messages[i].role == model.Model && h.messages[i].says() {
			return true
		}
	}
	return false
}

func (t *turn) lastMessage() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.session.history
	return h.messages[len(h.messages)-1].id
}
