package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// endWait is the longest wait for a cancellation after the connection has ended.
const endWait = time.Second

// client is the server as the agent sees it.
type client server

// update is a session's update on the wire.
type update struct {
	SessionID string          `json:"sessionId"`
	Seq       int64           `json:"seq"`
	TurnID    string          `json:"turnId,omitzero"`
	Replay    bool            `json:"replay,omitzero"`
	Update    json.RawMessage `json:"update"`
}

func updateOf(u agent.Update) update {
	return update{u.SessionID, u.Seq, u.TurnID, u.Replay, acp.Update(u.Event)}
}

// Show implements [agent.Client]. It waits while the client reads slowly.
func (c *client) Show(ctx context.Context, u agent.Update) error {
	s := (*server)(c)
	if t := s.turns.find(u.TurnID); t != nil && t.progress != nil && !u.Replay {
		t.progress.follow(u.Event)
	}
	if _, ok := u.Event.(agent.UsageUpdated); ok {
		s.announce.touch()
	}
	if !s.can.session {
		return nil
	}
	if err := s.conn.Notify(ctx, "emendo/session/update", updateOf(u)); err != nil {
		return err
	}
	switch u.Event.(type) { //nolint:gochecksumtype // the other events leave the queue as it is
	case agent.UserChunk, agent.TurnEnded:
		s.tellQueue(s.turns.session(u.TurnID))
	}
	return nil
}

// Abilities implements [agent.Client]. There is always someone to ask: whom it
// is not possible to ask is told why a call was refused.
func (c *client) Abilities() agent.Abilities {
	return agent.Abilities{Reviews: c.can.reviews(), Asks: true, Queue: c.can.queue, Saves: c.can.save}
}

// Ask implements [agent.Client]: by emendo's own question, by what LSP has, or
// not at all, as the client can.
func (c *client) Ask(ctx context.Context, q agent.Question) (agent.Answer, error) {
	s := (*server)(c)
	o := s.permission(q)
	its, err := s.ask.open(ctx, o)
	if err != nil {
		return agent.Answer{}, err
	}
	defer s.closeQuestion(o)
	if s.can.permission {
		answer, err := s.requestPermission(its, q)
		if errors.Is(context.Cause(its), errAnswered) {
			return agent.Answer{OptionID: <-o.answer}, nil
		}
		return answer, err
	}
	switch id, err := s.askPlainly(its, o); {
	case errors.Is(err, errCannotAsk):
		when := ""
		if o.marked {
			when = " while no file is open"
		}
		s.tell(ctx, warningMessage, "This editor cannot ask for your permission"+when+", so emendo did not do this:\n"+o.text)
		return agent.Answer{OptionID: "reject_once", Feedback: "(The editor has no way to ask the user, so every call that needs permission is refused here.)"}, nil
	case err != nil:
		return agent.Answer{}, err
	default:
		return agent.Answer{OptionID: id, Cancelled: id == ""}, nil
	}
}

// call asks the client. When the connection ends, everything that was asked for
// over it is cancelled a moment later: that is waited for, so that no end is
// taken for an answer and acted on.
func (s *server) call(ctx context.Context, method string, params, result any) error {
	err := s.conn.Call(ctx, method, params, result)
	if !errors.Is(err, rpc.ErrClosed) {
		return err
	}
	timer := time.NewTimer(endWait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C: // what asked outlives its cancellation
		return err
	}
}

type permissionParams struct {
	SessionID string                 `json:"sessionId"`
	ToolCall  json.RawMessage        `json:"toolCall"`
	Options   []acp.PermissionOption `json:"options"`
	Preview   *preview               `json:"preview,omitzero"`
}

// preview has the fields of one kind of call.
type preview struct {
	ChangeSetID string      `json:"changeSetId,omitzero"`
	Command     string      `json:"command,omitzero"`
	Cwd         string      `json:"cwd,omitzero"`
	Parsed      []string    `json:"parsed,omitzero"`
	Saves       []ide.URI   `json:"saves,omitzero"`
	Unsaved     []ide.URI   `json:"unsaved,omitzero"`
	Paths       []string    `json:"paths,omitzero"`
	URLs        []string    `json:"urls,omitzero"`
	PlanURI     ide.URI     `json:"planUri,omitzero"`
	Executable  *executable `json:"executable,omitzero"`
}

// executable is what a folder's own settings would start.
type executable struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Command string   `json:"command"`
	Env     []string `json:"env"`
	Scripts []string `json:"scripts,omitempty"`
	Changed bool     `json:"changed"`
}

func previewOf(p agent.Preview) *preview {
	w := &preview{ChangeSetID: p.ChangeSetID, Command: p.Command, Cwd: p.Cwd, Paths: p.Paths, URLs: p.URLs}
	if p.Plan != "" {
		w.PlanURI = ide.FileURI(p.Plan)
	}
	if e := p.Executable; e != nil {
		w.Executable = &executable{e.Kind, e.Name, e.Command, append([]string{}, e.Env...), e.Scripts, e.Changed}
	}
	if p.Command != "" { // the lists of a command are there when they are empty
		w.Saves = p.Saves
		w.Parsed, w.Unsaved = append([]string{}, p.Parsed...), append([]ide.URI{}, p.Unsaved...)
	}
	return w
}

// requestPermission asks a client that has emendo's plugin. Its answer is flat.
func (s *server) requestPermission(ctx context.Context, q agent.Question) (agent.Answer, error) {
	call, err := json.Marshal(acp.QuestionCall(q))
	if err != nil {
		return agent.Answer{}, fmt.Errorf("asking about call %s: %w", q.Call.CallID, err)
	}
	p := permissionParams{q.SessionID, call, acp.PermissionOptions(q), previewOf(q.Preview)}
	var a struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
		Feedback string `json:"feedback"`
	}
	if err := s.call(ctx, "emendo/session/requestPermission", p, &a); err != nil {
		return agent.Answer{}, err
	}
	if a.Outcome != "selected" {
		return agent.Answer{Cancelled: true}, nil
	}
	return agent.Answer{OptionID: a.OptionID, Feedback: a.Feedback}, nil
}
