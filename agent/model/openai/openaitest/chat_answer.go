package openaitest

import (
	"fmt"
	"unicode/utf8"
)

// completion makes the events of Chat Completions.
func (a *answer) completion(e Event) {
	if r := e.Error; r != nil || e.Failed != nil {
		if r == nil {
			r = e.Failed
		}
		a.add("", map[string]any{"error": r.object()})
		return
	}
	var calls []FunctionCall
	for _, p := range e.Parts {
		a.parts++
		switch {
		case p.Call != nil && e.Mixed:
			calls = append(calls, *p.Call)
		case p.Call != nil:
			a.chatCalls(*p.Call)
		case p.Thought != "":
			a.thoughts++
			if a.s.o.Compatible { // OpenAI keeps it to itself
				a.delta(map[string]any{"reasoning_content": p.Thought}, nil)
			}
		case p.Refusal != "":
			a.delta(map[string]any{"refusal": p.Refusal}, nil)
		default:
			a.delta(map[string]any{"content": p.Text}, nil)
		}
	}
	a.chatCalls(calls...)
	if len(e.Citations) > 0 {
		var list []any
		for _, c := range e.Citations {
			list = append(list, map[string]any{"type": "url_citation", "url_citation": map[string]any{"title": c.Title, "url": c.URI, "start_index": c.Start, "end_index": c.End}})
		}
		a.delta(map[string]any{"annotations": list}, nil)
	}
	if e.Finish == "" {
		return
	}
	a.finished = true
	a.delta(map[string]any{}, e.Finish)
	if a.counts {
		u := a.usage(e)
		chunk := a.chunk()
		chunk["choices"] = []any{}
		chunk["usage"] = map[string]any{
			"prompt_tokens": u.Prompt, "completion_tokens": u.Answer, "total_tokens": u.Prompt + u.Answer,
			"prompt_tokens_details": map[string]any{"cached_tokens": u.Cached}, "completion_tokens_details": map[string]any{"reasoning_tokens": u.Thoughts},
		}
		a.add("", chunk)
	}
}

// chatCalls sends calls in pieces, as the API does: those of several in turn.
func (a *answer) chatCalls(calls ...FunctionCall) {
	first := a.responses.output
	a.responses.output += len(calls)
	for n := range 3 {
		for i, c := range calls {
			begin, rest := halves(c.Args)
			piece := map[string]any{"index": first + i}
			switch n {
			case 0:
				if c.ID == "" {
					c.ID = fmt.Sprintf("call_%d_%d", a.n, first+i)
				}
				piece["id"], piece["type"], piece["function"] = c.ID, "function", map[string]any{"name": c.Name, "arguments": ""}
			case 1:
				piece["function"] = map[string]any{"arguments": begin}
			case 2:
				piece["function"] = map[string]any{"arguments": rest}
			}
			a.delta(map[string]any{"tool_calls": []any{piece}}, nil)
		}
	}
}

// halves cuts a text between two characters.
func halves(text string) (string, string) {
	n := len(text) / 2
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return text[:n], text[n:]
}

func (a *answer) delta(delta map[string]any, finish any) {
	if a.sequence == 0 {
		delta["role"] = "assistant"
	}
	chunk := a.chunk()
	chunk["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil}}
	a.add("", chunk)
}

func (a *answer) chunk() map[string]any {
	return map[string]any{"id": fmt.Sprintf("chatcmpl-%d", a.n), "object": "chat.completion.chunk", "created": 1_790_000_000, "model": a.model, "usage": nil}
}
