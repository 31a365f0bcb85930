package textcall

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// Reading returns a generator for servers that may leave the calls of their models in the
// text, because they do not know how a model writes them. Tools are declared to g as they
// are. An answer that ends in calls of declared tools, or is nothing but one, has these
// calls in place of the text; any other text stays as it is. It never guesses at what is
// not whole.
func Reading(g model.Generator) model.Generator { return model.With(g, reading{}) }

type reading struct{}

// Begin implements [model.Layer].
func (reading) Begin(_ context.Context, req *model.Request) (model.Watch, error) {
	if len(req.Tools) == 0 {
		return nil, nil
	}
	return &reader{splitter{markers: []string{callBegin, listBegin}, spaces: " \t\r\n", objects: true}, req.Tools, false}, nil
}

// listBegin is before a list of calls.
const listBegin = "[TOOL_CALLS]"

// reader reads the calls in an answer, if it ends in them.
type reader struct {
	splitter
	tools  []model.Tool
	called bool // the server found calls itself
}

// Chunk implements [model.Watch]: it returns c without the text that is held back, and with
// the calls at the end.
func (r *reader) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	r.called = r.called || model.Has[model.Call](model.Message{Parts: c.Parts})
	if err == nil {
		err = r.split(&c)
	}
	if c.Finish == "" {
		return c, err
	}
	text, holds := r.remainder()
	var calls []model.Part
	if holds && !r.called && c.Finish == model.Stop {
		calls = r.calls(strings.TrimSpace(text))
	}
	if calls == nil && text != "" {
		calls = []model.Part{model.Text{Text: text}}
	}
	c.Parts = append(c.Parts, calls...)
	return c, err
}

// calls returns the calls in a text that has nothing else; nil if it has.
func (r *reader) calls(text string) []model.Part {
	var bodies []json.RawMessage
	list, ok := strings.CutPrefix(text, listBegin)
	switch {
	case ok:
		if json.Unmarshal([]byte(list), &bodies) != nil {
			return nil
		}
	case strings.HasPrefix(text, callBegin):
		calls, _, wrong := readBlocks(text)
		if wrong != "" {
			return nil
		}
		var parts []model.Part
		for _, c := range calls {
			if !r.declared(c.Name) {
				return nil
			}
			parts = append(parts, c)
		}
		return parts
	default:
		bodies = []json.RawMessage{json.RawMessage(text)}
	}
	var parts []model.Part
	for _, b := range bodies {
		var in struct {
			Name       string          `json:"name"`
			Arguments  json.RawMessage `json:"arguments"`
			Parameters json.RawMessage `json:"parameters"`
		}
		if json.Unmarshal(b, &in) != nil || !r.declared(in.Name) {
			return nil
		}
		if in.Arguments == nil {
			in.Arguments = in.Parameters
		}
		c := model.NewCall("", in.Name, in.Arguments)
		if in.Arguments == nil || c.Broken != "" {
			return nil
		}
		parts = append(parts, c)
	}
	return parts
}

// declared reports whether a tool of that name may be called.
func (r *reader) declared(name string) bool {
	return slices.ContainsFunc(r.tools, func(t model.Tool) bool { return t.Name == name })
}
