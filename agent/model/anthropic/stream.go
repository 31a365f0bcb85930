package anthropic

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	anthropic "github.com/anthropics/anthropic-sdk-go"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

const (
	// maxOpen is how many blocks of an answer may be open at once. The API sends one
	// after the other.
	maxOpen = 64

	// maxPauses is how often a response that pauses is gone on with.
	maxPauses = 8
)

// stream is one request whose response is being read.
type stream struct {
	g   *Generator
	out *transport.Answer

	x     transport.Exchange
	names map[string]string // tools by their names in the API

	open     map[int64]*block
	counts   counts
	usage    model.Usage // the latest
	finish   model.Finish
	word     string
	search   *search
	mayPause bool              // a paused response is gone on with
	paused   bool              // it was paused
	whole    anthropic.Message // the response, if it may pause
	resumed  model.Usage       // of the responses before, which were paused
}

// block is a block of the answer that is not complete.
type block struct {
	kind      string
	id, name  string          // of a call
	text      strings.Builder // arguments of a call, or thinking
	signature strings.Builder // of thinking; the data of redacted thinking
	input     string          // arguments that came when the block began
}

// run yields the response. The caller yields the error that it returns.
func (s *stream) run(ctx context.Context, req model.Request) error {
	tr := s.g.traits(ctx, req.Model)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r, err := newRequest(req, tr, &s.g.refused)
	if err != nil {
		return err
	}
	if r.unsent != nil {
		s.out.Send(model.Chunk{Unsent: r.unsent})
	}
	s.names = r.names
	if req.Search {
		s.search = &search{places: map[model.Citation]int{}}
	}
	err = s.ask(ctx, r.params)
	if errors.Is(err, errUnread) && s.x.Status >= 400 && len(r.signed) > 0 && ctx.Err() == nil {
		// Without its thinking it is another request, which the model can answer.
		s.g.refused.Add(r.signed...)
		if r, err = newRequest(req, tr, &s.g.refused); err == nil {
			err = s.ask(ctx, r.params)
		}
	}
	return err
}

// ask yields the response to a request. The API pauses a response in which it searches
// for long, and goes on with it when it gets it back.
func (s *stream) ask(ctx context.Context, params anthropic.MessageNewParams) error {
	for paused := 0; ; paused++ {
		s.mayPause = s.search != nil && paused < maxPauses
		s.resumed = s.usage
		if err := s.attempt(ctx, params); err != nil || s.out.Abandoned() || !s.paused {
			return err
		}
		before, more := slices.Clone(params.Messages), s.whole.ToParam()
		if last := &before[len(before)-1]; last.Role == more.Role {
			last.Content = slices.Concat(last.Content, more.Content)
			params.Messages = before
		} else {
			params.Messages = append(before, more)
		}
	}
}

// attempt sends a request and yields the response.
func (s *stream) attempt(ctx context.Context, params anthropic.MessageNewParams) error {
	s.x, s.open, s.counts, s.paused, s.finish = transport.Exchange{}, map[int64]*block{}, counts{}, false, ""
	if s.out.Abandoned() {
		return nil
	}
	events := s.g.messages.NewStreaming(transport.With(ctx, &s.x), params)
	defer events.Close() //nolint:errcheck // the request ends in any case
	for events.Next() {
		e := events.Current()
		if s.mayPause && s.whole.Accumulate(e) != nil {
			s.mayPause = false // the response is not as expected, and cannot be sent back
		}
		if err := s.event(&e); err != nil {
			return err
		}
		if s.out.Abandoned() || s.x.Finished {
			return nil
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := events.Err(); err != nil {
		return s.g.way.Explain(err, &s.x)
	}
	if s.finish != "" && len(s.open) == 0 { // complete but for the event that ends it
		return s.end()
	}
	return transport.Incomplete(&s.x)
}

// garbage returns the error of an event that the API does not send.
func (s *stream) garbage(what string) error {
	return transport.Unreadable(&s.x, "the stream contains "+what, nil)
}

// event yields what an event brings. Events of unknown types are ignored, as the API
// demands, which adds new ones.
func (s *stream) event(e *anthropic.MessageStreamEventUnion) error {
	switch e.Type {
	case "":
		return s.garbage("an event without a type")
	case "message_start":
		s.count(e.Message.Usage.RawJSON())
		s.out.Send(model.Chunk{ResponseID: e.Message.ID, Usage: new(s.usage)})
	case "content_block_start":
		return s.start(e.Index, &e.ContentBlock)
	case "content_block_delta":
		return s.delta(s.open[e.Index], &e.Delta)
	case "content_block_stop":
		return s.stop(e.Index)
	case "message_delta":
		s.count(e.Usage.RawJSON())
		if e.Delta.StopReason != "" {
			s.finish, s.word = finish(e.Delta.StopReason), string(e.Delta.StopReason)
			if why := e.Delta.StopDetails.Category; why != "" {
				s.word += ": " + string(why) // of a refusal
			}
		}
	case "message_stop":
		return s.end()
	}
	return nil
}

// start begins a block.
func (s *stream) start(index int64, b *anthropic.ContentBlockStartEventContentBlockUnion) error {
	if s.open[index] != nil || len(s.open) >= maxOpen {
		return s.garbage("a block that begins twice")
	}
	o := &block{kind: b.Type}
	s.open[index] = o
	switch b.Type {
	case "":
		return s.garbage("a block without a type")
	case "text":
		s.text(b.Text)
	case "thinking":
		o.signature.WriteString(b.Signature)
		s.thought(o, b.Thinking)
	case "redacted_thinking":
		o.signature.WriteString(b.Data)
	case "tool_use":
		o.id, o.name, o.input = b.ID, b.Name, b.JSON.Input.Raw()
	case "web_search_tool_result":
		if s.search != nil {
			s.search.found(b)
		}
	}
	return nil
}

// delta continues a block.
func (s *stream) delta(o *block, d *anthropic.MessageStreamEventUnionDelta) error {
	if o == nil {
		return s.garbage("a piece of no block")
	}
	fits := map[string]string{"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking"}
	if kind, ok := fits[d.Type]; ok && kind != o.kind {
		return s.garbage("a piece that does not fit its block")
	}
	switch d.Type {
	case "":
		return s.garbage("a piece without a type")
	case "text_delta":
		s.text(d.Text)
	case "thinking_delta":
		s.thought(o, d.Thinking)
	case "signature_delta":
		o.signature.WriteString(d.Signature)
	case "input_json_delta":
		if o.kind == "tool_use" {
			o.text.WriteString(d.PartialJSON)
		}
	case "citations_delta":
		s.cite(&d.Citation)
	}
	return nil
}

func (s *stream) text(text string) {
	if text == "" {
		return
	}
	s.out.Send(model.Chunk{Parts: []model.Part{model.Text{Text: text}}})
	if s.search != nil {
		s.search.wrote(text)
	}
}

func (s *stream) thought(o *block, text string) {
	if text != "" {
		o.text.WriteString(text)
		s.out.Send(model.Chunk{Parts: []model.Part{model.Thought{Text: text}}})
	}
}

// stop ends a block.
func (s *stream) stop(index int64) error {
	o := s.open[index]
	if o == nil {
		return s.garbage("the end of no block")
	}
	delete(s.open, index)
	switch o.kind {
	case "text":
		if s.search != nil {
			s.search.paragraph()
		}
	case "thinking":
		if o.signature.Len() > 0 { // without one, as some gateways send it, it cannot be sent back
			s.sign(thinking{Type: o.kind, Thinking: o.text.String(), Signature: o.signature.String()})
		}
	case "redacted_thinking":
		s.sign(thinking{Type: o.kind, Data: o.signature.String()})
	case "tool_use":
		s.call(o)
	}
	return nil
}

// sign yields a whole thinking block.
func (s *stream) sign(b thinking) {
	s.out.Send(model.Chunk{Parts: []model.Part{model.Text{Signature: b.sign()}}})
}

// call yields a whole call.
func (s *stream) call(o *block) {
	args := o.text.String()
	if strings.TrimSpace(args) == "" {
		args = o.input
	}
	name := o.name
	if own, ok := s.names[name]; ok {
		name = own
	}
	c := model.NewCall(o.id, name, []byte(args))
	c.Broken = s.g.way.Redact(c.Broken)
	s.out.Send(model.Chunk{Parts: []model.Part{c}})
}

// end yields the finish. The answer is complete, whatever the server still sends.
func (s *stream) end() error {
	for _, index := range slices.Sorted(maps.Keys(s.open)) { // the answer ran out of tokens in it
		if err := s.stop(index); err != nil {
			return err
		}
	}
	s.finish = cmp.Or(s.finish, model.Stop) // gateways leave the reason out
	if s.word == string(anthropic.StopReasonPauseTurn) && s.mayPause {
		s.paused, s.x.Finished = true, true
		return nil
	}
	c := model.Chunk{Finish: s.finish, FinishWord: s.word, Usage: new(s.usage)}
	if s.search != nil {
		c.Grounding = s.search.grounding()
	}
	s.x.Finished = true
	s.out.Send(c)
	return nil
}

// finish translates a reason to stop.
func finish(r anthropic.StopReason) model.Finish {
	switch r {
	case anthropic.StopReasonEndTurn, anthropic.StopReasonStopSequence, anthropic.StopReasonToolUse:
		return model.Stop
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		return model.MaxTokens
	case anthropic.StopReasonRefusal:
		return model.Safety
	case anthropic.StopReasonPauseTurn:
		return model.Other
	}
	return model.Other
}
