package turn

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
func (h asker) MayStart(ctx context.Context, folder string, e trust.Entry) (trust.Cleared, bool) {
	return h.conv.Gate.MayStart(ctx, folder, e)
}

// Tell implements [state.Asker].
func (h asker) Tell(server, text string, from tools.Origin) {
	if !h.lent {
		h.conv.Emit(transcript.Given{MessageID: h.conv.LastMessage(), Kind: transcript.KindServer, Text: text, Origin: from, Server: server})
	}
}

// Notice implements [state.Asker].
func (h asker) Notice(n transcript.Notice) { h.conv.Emit(n) }

// Publish implements [state.Asker].
func (h asker) Publish(e frontend.Event) {
	if !h.lent {
		h.conv.Session.Publish(e)
	}
}

// Fetch implements [state.Asker].
func (h asker) Fetch(ctx context.Context, server, tool, title string, args json.RawMessage, read func(context.Context) tools.Result) tools.Result {
	s := h.show(transcript.ToolCall{CallID: "fetch-" + h.conv.Session.Agent.Options.NewID(), Name: tool, Args: args, Kind: tools.Read, Title: title})
	p := h.conv.Gate.Permit(ctx, gate.Call{
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
