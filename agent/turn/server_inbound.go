package turn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// An asker is the turn as the session's supplies see it. It answers what MCP servers ask
// while the turn calls them, questions to the user and answers of the model, and reads what
// the user's prompt names. It decides nothing: the gate does, and the user. It implements [state.Asker].
type asker struct {
	conv   *state.Conversation
	turnID string
	models *models
	// lent: the servers are a subagent's. What they say of themselves is not read, since the
	// conversation is not the subagent's, and their states are not told: they end with it.
	lent bool
}

// Elicit puts questions of a server to the user. The error is
// [frontend.ErrCannotElicit] where no user can be asked.
func (h asker) Elicit(ctx context.Context, server string, questions []tools.Question) (frontend.Elicited, error) {
	e := h.conv.Session.Agent.Elicitor()
	if e == nil {
		return frontend.Elicited{}, frontend.ErrCannotElicit
	}
	if err := h.conv.Outbox.Flush(nil); err != nil { // what came before is shown first
		return frontend.Elicited{}, err
	}
	return e.Elicit(ctx, frontend.Elicitation{SessionID: h.conv.Session.SessionID, TurnID: h.turnID, Server: server, Questions: questions})
}

// shownRequest is a request as the user sees it: a call that the session's model does not
// read.
type shownRequest struct {
	host  asker
	made  transcript.ToolCall
	begun time.Time
}

func (h asker) show(made transcript.ToolCall) shownRequest {
	made.MessageID, made.Aside = h.conv.LastMessage(), true
	h.conv.Emit(made)
	return shownRequest{h, made, h.conv.Session.Agent.Now()}
}

func (s shownRequest) runs() {
	s.host.conv.Emit(transcript.ToolUpdate{CallID: s.made.CallID, Title: s.made.Title, State: transcript.Executing})
}

// over ends it.
func (s shownRequest) over(u transcript.ToolUpdate) {
	u.CallID, u.Title, u.DurationMS = s.made.CallID, s.made.Title, s.host.conv.Session.Agent.Now().Sub(s.begun).Milliseconds()
	s.host.conv.Emit(u)
}

var _ state.Asker = asker{}

// maxSampling limits an answer of the model for a server.
const maxSampling = 5 * time.Minute

// Sample has the model answer a server's messages, once the gate allows it. The user
// sees the request and the answer as a call. The error is for the server.
func (h asker) Sample(ctx context.Context, c state.Completion) (state.Answer, error) {
	s := h.show(transcript.ToolCall{
		CallID: "sampling-" + h.conv.Session.Agent.Options.NewID(), Name: tools.Sampling, Args: c.Shown, Kind: tools.Other,
		Title: "The MCP server " + tools.ShownLine(c.Server, 64) + " asks the model",
	})
	made, over := s.made, s.over
	p := h.conv.Gate.Permit(ctx, gate.Call{
		Info:   frontend.CallInfo{CallID: made.CallID, Name: made.Name, Title: made.Title, Kind: made.Kind, Args: made.Args},
		Spec:   tools.Spec{Name: made.Name, Display: "Sampling", Kind: tools.Other, Server: &tools.ServerTool{Server: c.Server, Tool: tools.Sampling, Trusted: c.Trusted}},
		Effect: tools.Samples{Server: c.Server},
	})
	switch {
	case ctx.Err() != nil:
		over(transcript.ToolUpdate{State: transcript.Cancelled})
		return state.Answer{}, context.Cause(ctx)
	case p.Refusal != nil:
		over(transcript.ToolUpdate{State: transcript.Failure, ErrorType: p.Refusal.Err.Type, Rule: p.Rule, Display: p.Refusal.Err.Message})
		return state.Answer{}, errors.New("the user or a rule declined the request")
	}
	s.runs()
	answer, err := h.ask(ctx, c)
	switch {
	case ctx.Err() != nil:
		over(transcript.ToolUpdate{State: transcript.Cancelled})
		return state.Answer{}, context.Cause(ctx)
	case err != nil:
		over(transcript.ToolUpdate{State: transcript.Failure, ErrorType: tools.Unhandled, Display: err.Error()})
		return state.Answer{}, errors.New("the model could not be asked")
	}
	over(transcript.ToolUpdate{State: transcript.Success, Display: answer.Text, Summary: fmt.Sprintf("%d characters", len(answer.Text))})
	return answer, nil
}

// ask asks the model, which reads nothing of the session.
func (h asker) ask(ctx context.Context, c state.Completion) (state.Answer, error) {
	g, name, err := h.models.Utility(model.Sampling)
	if err != nil {
		return state.Answer{}, err
	}
	r := model.Request{Model: name, System: c.System, Config: model.Config{MaxTokens: c.MaxTokens, Temperature: c.Temperature}}
	for _, m := range c.Messages {
		role := model.User
		if m.Model {
			role = model.Model
		}
		if n := len(r.Messages); n == 0 || r.Messages[n-1].Role != role { // roles alternate
			r.Messages = append(r.Messages, model.Message{ID: h.conv.Session.Agent.Options.NewID(), Role: role})
		}
		last := &r.Messages[len(r.Messages)-1]
		if m.Image != nil {
			last.Parts = append(last.Parts, model.Blob(*m.Image))
		} else {
			last.Parts = append(last.Parts, model.Text{Text: m.Text})
		}
	}
	ctx, cancel := context.WithTimeout(ctx, maxSampling)
	defer cancel()
	w, err := model.Ask(ctx, g, r)
	return state.Answer{Text: w.Text, Model: name, Cut: w.Finish == model.MaxTokens}, err
}
