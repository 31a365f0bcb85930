package turn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// few is a provider that takes a limited number of tools.
type few struct {
	model.Generator
	most int
}

func (g few) MaxTools() int { return g.most }

// numbered is a tool of a server that has many.
type numbered struct {
	greet
	n int
}

func (n numbered) Spec() tools.Spec {
	s := n.greet.Spec()
	s.Name = fmt.Sprintf("tool_%d", n.n)
	return s
}

// many is a supply with tools from the beginning.
type many []tools.Tool

func (m many) Tools(context.Context, state.Asker) []tools.Tool { return m }
func (many) Close()                                            {}

// A request declares no more tools than the provider takes: those that are built in, then
// those that were called, and the user is told of the rest.
func TestNoMoreToolsAreDeclaredThanTheProviderTakes(t *testing.T) {
	replies := []modeltest.Reply{{modeltest.Call("tool_99", `{}`)}, {modeltest.Say("one")}, {modeltest.Say("two")}}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		var all many
		for n := range 100 {
			all = append(all, numbered{n: n})
		}
		own := 0
		w.Stop()
		w.Options = func(o *state.Options) {
			own = len(o.Tools)
			generator := o.Generator
			o.Generator = func(name string) (model.Generator, string, error) {
				g, short, err := generator(name)
				return few{g, own + 5}, short, err
			}
			o.Supplies = func(*state.Session) []state.Supply { return []state.Supply{all} }
		}
		w.Start()
		s := w.Session("")
		w.Prompt(s, "first")
		w.Prompt(s, "second")
		requests := w.Model.Requests()
		for i, r := range requests {
			if len(r.Tools) > own+5 {
				t.Errorf("request %d declares %d tools, of at most %d", i, len(r.Tools), own+5)
			}
		}
		names := ""
		for _, tool := range requests[len(requests)-1].Tools {
			names += tool.Name + " "
		}
		if !strings.Contains(names, "read_file ") || !strings.Contains(names, "tool_99 ") || !strings.Contains(names, "tool_0 ") || strings.Contains(names, "tool_50 ") {
			t.Errorf("the last request declares %s", names)
		}
		if n := w.Notice(transcript.NoticeNotSent); !strings.Contains(n.Description, "includeTools") {
			t.Errorf("the user is told %+v", n)
		}
	})
}
