package turn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// asker returns the turn as the session's supplies see it.
func (t *instructor) asker() asker {
	return asker{conv: t.conv, turnID: t.turnID, models: t.models}
}

// supply asks the session's supplies for their tools.
func (t *instructor) supply(ctx context.Context) {
	var all []tools.Tool
	for _, s := range t.conv.Session.Supplies {
		all = append(all, s.Tools(ctx, t.asker())...)
	}
	slash.AnnounceServed(ctx, t.conv.Session, t.conv.Emit)
	t.supplied = all
}

// await waits for the servers that are still starting and of which the model calls a tool:
// it knows the tool from earlier in the conversation.
func (t *instructor) await(ctx context.Context, calls []transcript.ToolCall) {
	waited := false
	for _, c := range calls {
		if t.called(c) != nil {
			continue
		}
		for _, s := range t.conv.Session.Supplies {
			if a, ok := s.(state.Awaiter); ok && a.Await(ctx, lookup.Name(c.Name, c.Args)) {
				waited = true
			}
		}
	}
	if waited {
		t.supply(ctx)
	}
}

// tool finds a tool by the name that the model calls it. It returns nil for an
// unknown name.
func (t *instructor) tool(name string) tools.Tool {
	if tool := t.conv.Session.Agent.Tool(name); tool != nil {
		return tool
	}
	return lookup.Find(t.supplied, name)
}

// called finds the tool that a call of the model means.
func (t *instructor) called(c transcript.ToolCall) tools.Tool {
	return t.tool(lookup.Name(c.Name, c.Args))
}

// offeredNames returns the names of the tools that the model may call.
func (t *instructor) offeredNames() []string {
	var l []string
	for _, tool := range t.toolSpecs() {
		l = append(l, tool.Name)
	}
	return l
}

// toolSpecs returns the declarations of the tools that the model may call, as many as its
// provider takes: those that are built in, then those that were called in the session, then
// the others.
func (t *instructor) toolSpecs() []model.Tool {
	own, supplied := t.specsOf(t.conv.Session.Agent.Choices().Tools), t.specsOf(t.supplied)
	if room := t.maxTools() - len(own); room < len(supplied) {
		t.conv.Session.Record.Read(func(h *transcript.History) {
			slices.SortStableFunc(supplied, func(x, y model.Tool) int {
				switch a, b := h.Called(x.Name), h.Called(y.Name); {
				case a == b:
					return 0
				case a:
					return -1
				}
				return 1
			})
		})
		supplied = supplied[:max(room, 0)]
	}
	return slices.Concat(own, supplied)
}

// maxTools returns how many tools the model's provider takes.
func (t *instructor) maxTools() int {
	if l, ok := model.As[model.ToolLimiter](t.models.gen); ok && l.MaxTools() > 0 {
		return l.MaxTools()
	}
	return math.MaxInt
}

// noteLeftOut tells the user, once in a session for each number, how many tools the
// provider does not take.
func (t *instructor) noteLeftOut(all, declared int) {
	s := t.conv.Session
	left := all - declared
	note := fmt.Sprintf("%d tools", left)
	if left <= 0 || s.Unsent[note] {
		return
	}
	s.Unsent[note] = true
	t.conv.Warn(transcript.NoticeNotSent, "Tools were left out", fmt.Sprintf("The provider takes %d tools, so %d tools of MCP servers are not offered to %s. Choose those that you need with includeTools or excludeTools of the servers in mcpServers.", t.maxTools(), left, t.models.Name()))
}

// specsOf describes to the model those tools that it may call.
func (t *instructor) specsOf(all []tools.Tool) []model.Tool {
	var l []model.Tool
	excluded := t.conv.Gate.Excluded()
	for _, tool := range all {
		if s := tool.Spec(); !excluded(s) && t.offered(s.Needs) {
			l = append(l, modelTool(s))
		}
	}
	return l
}

// modelTool describes a tool to the model.
func modelTool(s tools.Spec) model.Tool {
	return model.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema}
}
