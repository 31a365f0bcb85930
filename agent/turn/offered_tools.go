package turn

import (
	"bytes"
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/inbound"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// asker is the turn as the session's supplies see it.
type asker struct{ turn *Turn }

func (a asker) MayStart(ctx context.Context, folder string, e trust.Entry) bool {
	return a.turn.Gate.MayStart(ctx, folder, e)
}

func (a asker) Tell(server, text string, from tools.Origin) {
	a.turn.Emit(transcript.Given{MessageID: a.turn.LastMessage(), Kind: transcript.KindServer, Text: text, Origin: from, Server: server})
}

func (a asker) Notice(n transcript.Notice) { a.turn.Emit(n) }

// Elicit and Sample implement [state.Asker].
func (a asker) Elicit(ctx context.Context, server string, q []tools.Question) (frontend.Elicited, error) {
	return a.inbound().Elicit(ctx, server, q)
}

func (a asker) Sample(ctx context.Context, c state.Completion) (state.Answer, error) {
	return a.inbound().Sample(ctx, c)
}

func (a asker) inbound() inbound.Host {
	return inbound.Host{Conversation: a.turn.Conversation, TurnID: a.turn.ID, Utility: a.turn.models.utility}
}

// supply asks the session's supplies for their tools.
func (t *instructor) supply(ctx context.Context) {
	var all []tools.Tool
	for _, s := range t.Session.Supplies {
		all = append(all, s.Tools(ctx, asker{t.Turn})...)
	}
	t.Instructor.supplied = all
}

// tool finds a tool by the name that the model calls it. It returns nil for an
// unknown name.
func (t *instructor) tool(name string) tools.Tool {
	if tool := t.Session.Agent.Tool(name); tool != nil {
		return tool
	}
	return lookup.Find(t.Instructor.supplied, name)
}

// offeredNames returns the names of the tools that the model may call.
func (t *instructor) offeredNames() []string {
	var l []string
	for _, tool := range t.Instructor.toolSpecs() {
		l = append(l, tool.Name)
	}
	return l
}

// toolSpecs is what the model may call.
func (t *instructor) toolSpecs() []model.Tool {
	return slices.Concat(t.Instructor.specsOf(t.Session.Agent.Choices().Tools), t.Instructor.specsOf(t.Instructor.supplied))
}

// specsOf describes to the model those tools that it may call.
func (t *instructor) specsOf(all []tools.Tool) []model.Tool {
	var l []model.Tool
	excluded := t.Gate.Excluded()
	for _, tool := range all {
		s := tool.Spec()
		if !excluded(s) && t.Instructor.offered(s.Name) {
			l = append(l, model.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema})
		}
	}
	return l
}

func sameTool(x, y model.Tool) bool {
	return x.Name == y.Name && x.Description == y.Description && bytes.Equal(x.Schema, y.Schema)
}
