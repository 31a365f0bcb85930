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
	return &holder{tools: req.Tools}, nil
}

// begins are what calls in a text begin with, at the beginning of a line.
var begins = []string{callBegin, "[TOOL_CALLS]"}

// holder holds back the text of an answer from where it may be a call.
type holder struct {
	tools  []model.Tool
	line   string // the current line, while it may be the beginning of a call
	said   bool   // something else was said before
	mid    bool   // in a line that is none
	held   strings.Builder
	holds  bool
	called bool // the server found calls itself
}

// Chunk implements [model.Watch]: it returns c without the text that is held back, and with
// the calls at the end.
func (h *holder) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	var parts []model.Part
	for _, p := range c.Parts {
		t, ok := p.(model.Text)
		if _, is := p.(model.Call); is {
			h.called = true
		}
		if !ok || t.Signature != nil {
			parts = append(parts, p)
			continue
		}
		if t.Text = h.feed(t.Text); t.Text != "" {
			parts = append(parts, t)
		}
	}
	if c.Finish != "" {
		parts = append(parts, h.end(c.Finish)...)
	}
	c.Parts = parts
	return c, err
}

// feed takes the next piece of the text, and returns what is certain to be none of a call.
func (h *holder) feed(text string) string {
	if h.holds {
		h.held.WriteString(text)
		return ""
	}
	var out strings.Builder
	h.line += text
	for h.line != "" {
		if h.mid {
			i := strings.IndexByte(h.line, '\n')
			if i < 0 {
				i = len(h.line) - 1
			} else {
				h.mid = false
			}
			out.WriteString(h.line[:i+1])
			h.line = h.line[i+1:]
			continue
		}
		begin := strings.TrimLeft(h.line, " \t\r\n")
		switch {
		case begin == "", slices.ContainsFunc(begins, func(b string) bool { return len(begin) < len(b) && strings.HasPrefix(b, begin) }):
			return out.String()
		case slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(begin, b) }), begin[0] == '{' && !h.said:
			h.holds = true
			h.held.WriteString(h.line)
			h.line = ""
			return out.String()
		}
		h.mid, h.said = true, true
	}
	return out.String()
}

// end returns the calls in what was held back, or its text.
func (h *holder) end(finish model.Finish) []model.Part {
	text := h.line + h.held.String()
	h.line = ""
	h.held.Reset()
	if h.holds && !h.called && finish == model.Stop {
		if calls := h.calls(strings.TrimSpace(text)); len(calls) > 0 {
			return calls
		}
	}
	if text == "" {
		return nil
	}
	return []model.Part{model.Text{Text: text}}
}

// calls returns the calls in a text that has nothing else; nil if it has.
func (h *holder) calls(text string) []model.Part {
	var bodies []json.RawMessage
	list, ok := strings.CutPrefix(text, "[TOOL_CALLS]")
	switch {
	case ok:
		if json.Unmarshal([]byte(list), &bodies) != nil {
			return nil
		}
	case strings.HasPrefix(text, callBegin):
		var p parser
		p.feed(text)
		_, calls, ok := p.end()
		if !ok {
			return nil
		}
		var parts []model.Part
		for _, c := range calls {
			if !h.declared(c.Name) {
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
		if json.Unmarshal(b, &in) != nil || !h.declared(in.Name) {
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
func (h *holder) declared(name string) bool {
	return slices.ContainsFunc(h.tools, func(t model.Tool) bool { return t.Name == name })
}
