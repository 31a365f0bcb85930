package openaitest

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// responsesAnswer is the state of an answer of the Responses API.
type responsesAnswer struct {
	output    int // the index of the next item
	items     []any
	reasoning string // the ID of the last item of reasoning
	open      *openItem
}

// openItem is an item that is being sent.
type openItem struct {
	id, kind string // kind is "reasoning" or "message"
	texts    []string
	part     string // of a message: "output_text" or "refusal"
	cited    []any
}

func (a *answer) begin() {
	a.add("response.created", map[string]any{"response": a.whole("in_progress", nil, nil)})
	a.add("response.in_progress", map[string]any{"response": a.whole("in_progress", nil, nil)})
}

// response makes the events of the Responses API.
func (a *answer) response(e Event) {
	switch {
	case e.Error != nil:
		a.add("error", map[string]any{"code": orNull(e.Error.Code), "message": e.Error.Message, "param": orNull(e.Error.Param)})
		return
	case e.Failed != nil:
		resp := a.whole("failed", nil, nil)
		resp["error"] = map[string]any{"code": e.Failed.Code, "message": e.Failed.Message}
		a.add("response.failed", map[string]any{"response": resp})
		return
	}
	var calls []FunctionCall
	for _, p := range e.Parts {
		a.parts++
		switch {
		case p.Call != nil && e.Mixed:
			calls = append(calls, *p.Call)
		case p.Call != nil:
			a.calls(*p.Call)
		case p.Thought != "":
			a.thoughts++
			a.think(p.Thought)
		case p.Refusal != "":
			a.say("refusal", p.Refusal)
		default:
			a.say("output_text", p.Text)
		}
	}
	if len(calls) > 0 {
		a.calls(calls...)
	}
	a.cite(e.Citations)
	if e.Finish == "" {
		return
	}
	a.close()
	u := a.usage(e)
	counts := map[string]any{
		"input_tokens": u.Prompt, "output_tokens": u.Answer, "total_tokens": u.Prompt + u.Answer,
		"input_tokens_details": map[string]any{"cached_tokens": u.Cached}, "output_tokens_details": map[string]any{"reasoning_tokens": u.Thoughts},
	}
	a.finished = true
	switch e.Finish {
	case Stopped, CalledOut:
		a.add("response.completed", map[string]any{"response": a.whole("completed", nil, counts)})
	case Length:
		a.add("response.incomplete", map[string]any{"response": a.whole("incomplete", "max_output_tokens", counts)})
	default:
		a.add("response.incomplete", map[string]any{"response": a.whole("incomplete", e.Finish, counts)})
	}
}

// whole returns a response object.
func (a *answer) whole(status string, reason, usage any) map[string]any {
	items := a.responses.items
	if items == nil {
		items = []any{}
	}
	out := map[string]any{
		"id": fmt.Sprintf("resp_%d", a.n), "object": "response", "created_at": 1_790_000_000, "status": status, "model": a.model,
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": map[string]any{}, "output": items,
		"parallel_tool_calls": true, "temperature": nil, "tool_choice": "auto", "tools": []any{}, "top_p": nil, "store": false, "usage": usage,
	}
	if reason != nil {
		out["incomplete_details"] = map[string]any{"reason": reason}
	}
	return out
}

// start opens an item unless one of its kind is open.
func (a *answer) start(kind string) *openItem {
	r := &a.responses
	if r.open != nil && r.open.kind == kind {
		return r.open
	}
	a.close()
	r.open = &openItem{kind: kind}
	item := map[string]any{"type": kind}
	if kind == "reasoning" {
		r.open.id = fmt.Sprintf("rs_%d_%d", a.n, r.output)
		item["summary"] = []any{}
	} else {
		r.open.id = fmt.Sprintf("msg_%d_%d", a.n, r.output)
		item["role"], item["status"], item["content"] = "assistant", "in_progress", []any{}
	}
	item["id"] = r.open.id
	a.add("response.output_item.added", map[string]any{"output_index": r.output, "item": item})
	return r.open
}

func (a *answer) think(text string) {
	o := a.start("reasoning")
	if !a.summary {
		return
	}
	at := map[string]any{"item_id": o.id, "output_index": a.responses.output}
	if len(o.texts) == 0 || strings.HasPrefix(text, "**") {
		a.endSummary(o)
		o.texts = append(o.texts, "")
		a.add("response.reasoning_summary_part.added", with(at, "summary_index", len(o.texts)-1, "part", map[string]any{"type": "summary_text", "text": ""}))
	}
	o.texts[len(o.texts)-1] += text
	a.add("response.reasoning_summary_text.delta", with(at, "summary_index", len(o.texts)-1, "delta", text))
}

// endSummary ends the last part of a summary.
func (a *answer) endSummary(o *openItem) {
	if len(o.texts) == 0 {
		return
	}
	i, text := len(o.texts)-1, o.texts[len(o.texts)-1]
	at := map[string]any{"item_id": o.id, "output_index": a.responses.output, "summary_index": i}
	a.add("response.reasoning_summary_text.done", with(at, "text", text))
	a.add("response.reasoning_summary_part.done", with(at, "part", map[string]any{"type": "summary_text", "text": text}))
}

func (a *answer) say(part, text string) {
	o := a.start("message")
	at := map[string]any{"item_id": o.id, "output_index": a.responses.output, "content_index": 0}
	if o.part == "" {
		o.part, o.texts = part, []string{""}
		a.add("response.content_part.added", with(at, "part", map[string]any{"type": part, textField(part): "", "annotations": []any{}}))
	}
	o.texts[0] += text
	a.add("response."+part+".delta", with(at, "delta", text, "logprobs", []any{}))
}

func textField(part string) string {
	if part == "refusal" {
		return "refusal"
	}
	return "text"
}

// cite adds annotations to the message that is being sent.
func (a *answer) cite(list []Citation) {
	for _, c := range list {
		o := a.start("message")
		note := map[string]any{"type": "url_citation", "title": c.Title, "url": c.URI, "start_index": c.Start, "end_index": c.End}
		if o.part != "" && c.End > utf8.RuneCountInString(o.texts[0]) {
			panic("openaitest: a citation ends after the text")
		}
		o.cited = append(o.cited, note)
		a.add("response.output_text.annotation.added", map[string]any{
			"item_id": o.id, "output_index": a.responses.output, "content_index": 0, "annotation_index": len(o.cited) - 1, "annotation": note,
		})
	}
}

// close ends the open item.
func (a *answer) close() {
	r := &a.responses
	o := r.open
	if o == nil {
		return
	}
	r.open = nil
	item := map[string]any{"id": o.id, "type": o.kind}
	if o.kind == "reasoning" {
		a.endSummary(o)
		summary := []any{}
		for _, text := range o.texts {
			summary = append(summary, map[string]any{"type": "summary_text", "text": text})
		}
		item["summary"] = summary
		if a.encrypts {
			item["encrypted_content"] = a.s.encrypt(o.id)
		}
		r.reasoning = o.id
	} else {
		cited := o.cited
		if cited == nil {
			cited = []any{}
		}
		text := strings.Join(o.texts, "")
		content := map[string]any{"type": o.part, textField(o.part): text}
		if o.part == "output_text" {
			content["annotations"], content["logprobs"] = cited, []any{}
		}
		at := map[string]any{"item_id": o.id, "output_index": r.output, "content_index": 0}
		a.add("response."+o.part+".done", with(at, textField(o.part), text, "logprobs", []any{}))
		a.add("response.content_part.done", with(at, "part", content))
		item["role"], item["status"], item["content"] = "assistant", "completed", []any{content}
		if reasons(a.model) {
			item["phase"] = "final_answer"
		}
	}
	a.item(item)
}

func (a *answer) item(item map[string]any) {
	r := &a.responses
	r.items = append(r.items, item)
	a.add("response.output_item.done", map[string]any{"output_index": r.output, "item": item})
	r.output++
}

// calls sends calls: the pieces of several in turn, of which the last one ends first.
// Models that reason do so before their first call.
func (a *answer) calls(calls ...FunctionCall) {
	r := &a.responses
	a.close()
	if reasons(a.model) && r.reasoning == "" {
		a.start("reasoning")
		a.close()
	}
	first := r.output
	items := make([]map[string]any, len(calls))
	at := func(i int) map[string]any {
		return map[string]any{"item_id": items[i]["id"], "output_index": first + i}
	}
	for i, c := range calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", a.n, first+i)
		}
		if r.reasoning != "" && a.encrypts {
			a.s.mu.Lock()
			a.s.reasoned[c.ID] = r.reasoning
			a.s.mu.Unlock()
		}
		items[i] = map[string]any{"id": fmt.Sprintf("fc_%d_%d", a.n, first+i), "type": "function_call", "call_id": c.ID, "name": c.Name, "status": "in_progress", "arguments": ""}
		a.add("response.output_item.added", map[string]any{"output_index": first + i, "item": items[i]})
	}
	for half := range 2 {
		for i, c := range calls {
			begin, rest := halves(c.Args)
			a.add("response.function_call_arguments.delta", with(at(i), "delta", []string{begin, rest}[half]))
		}
	}
	for i, c := range slices.Backward(calls) {
		a.add("response.function_call_arguments.done", with(at(i), "arguments", c.Args, "name", c.Name))
		items[i] = with(items[i], "status", "completed", "arguments", c.Args)
		a.add("response.output_item.done", map[string]any{"output_index": first + i, "item": items[i]})
	}
	for _, item := range items {
		r.items = append(r.items, item)
	}
	r.output += len(calls)
}

// encrypt issues encrypted reasoning for an item.
func (s *Server) encrypt(id string) string {
	text := "gAAAAA" + base64.StdEncoding.EncodeToString([]byte("reasoning of "+id+" \x00\xff"))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.encrypted[id] = text
	return text
}

// with returns a copy of m with more fields: names and values in turn.
func with(m map[string]any, more ...any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}
