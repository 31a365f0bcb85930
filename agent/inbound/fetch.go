package inbound

import (
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools"
)

// MayStart implements [state.Asker].
func (h Host) MayStart(ctx context.Context, folder string, e trust.Entry) (trust.Cleared, bool) {
	return h.Gate.MayStart(ctx, folder, e)
}

// Tell implements [state.Asker].
func (h Host) Tell(server, text string, from tools.Origin) {
	h.Emit(transcript.Given{MessageID: h.LastMessage(), Kind: transcript.KindServer, Text: text, Origin: from, Server: server})
}

// Notice implements [state.Asker].
func (h Host) Notice(n transcript.Notice) { h.Emit(n) }

// Publish implements [state.Asker].
func (h Host) Publish(e frontend.Event) { h.Session.Publish(e) }

// Fetch implements [state.Asker].
func (h Host) Fetch(ctx context.Context, server, tool, title string, args json.RawMessage, read func(context.Context) tools.Result) tools.Result {
	s := h.show(transcript.ToolCall{CallID: "fetch-" + h.Session.Agent.Options.NewID(), Name: tool, Args: args, Kind: tools.Read, Title: title})
	p := h.Gate.Permit(ctx, gate.Call{
		Info: frontend.CallInfo{CallID: s.made.CallID, Name: tool, Title: title, Kind: tools.Read, Args: args},
		Spec: tools.Spec{Name: tool, Display: title, Kind: tools.Read, Origin: tools.OfMCP}, Effect: tools.Reads{Servers: []string{server}},
	})
	if p.Refusal != nil {
		s.over(transcript.ToolUpdate{State: transcript.Failure, ErrorType: p.Refusal.Err.Type, Rule: p.Rule, Display: p.Refusal.Err.Message})
		return *p.Refusal
	}
	s.runs()
	r := read(ctx)
	u := transcript.ToolUpdate{State: transcript.Success, Display: r.Display, Summary: r.Summary, Origin: tools.OfMCP, From: []tools.Author{{Origin: tools.OfMCP, Name: server}}}
	if r.Err != nil {
		u.State, u.ErrorType, u.Display = transcript.Failure, r.Err.Type, r.Err.Message
	}
	s.over(u)
	return r
}
