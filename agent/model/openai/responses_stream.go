package openai

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openai/openai-go/v3/responses"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// responsesReader translates the events of the Responses API.
type responsesReader struct {
	s      *stream
	search bool

	text      int    // bytes of text that were yielded
	began     int    // bytes of text before the current message
	item      string // the message that the text belongs to
	thought   bool   // the summary of the current reasoning has begun
	refused   bool
	grounding model.Grounding

	called  map[string]bool        // IDs of the calls that were yielded
	open    map[int64]bool         // items that have begun and not ended, by their places
	waiting map[int64][]model.Part // calls that ended before an item in front of them
}

// maxItems bounds the items of an answer that are open at once.
const maxItems = 1024

// event implements [reader].
func (r *responsesReader) event(data []byte) (model.Chunk, bool, error) {
	var e responses.ResponseStreamEventUnion
	if err := r.s.decode(data, &e); err != nil {
		return model.Chunk{}, false, err
	}
	switch e.Type {
	case "response.created", "response.in_progress":
		return model.Chunk{ResponseID: r.s.respond(e.Response.ID)}, false, nil
	case "response.output_text.delta":
		return r.textOf(e.ItemID, e.Delta), false, nil
	case "response.refusal.delta":
		r.refused = true
		return r.textOf(e.ItemID, e.Delta), false, nil
	case "response.reasoning_summary_part.added":
		return r.thoughtOf(paragraph(r.thought)), false, nil
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return r.thoughtOf(e.Delta), false, nil
	case "response.output_text.annotation.added":
		return model.Chunk{Citations: r.s.out.Cite(e.Annotation.Title, e.Annotation.URL)}, false, nil
	case "response.output_item.added":
		if r.open == nil {
			r.open, r.waiting = map[int64]bool{}, map[int64][]model.Part{}
		}
		if r.open[e.OutputIndex] = true; len(r.open) > maxItems {
			return model.Chunk{}, false, transport.Unreadable(r.s.x, "too many items are open", nil)
		}
	case "response.output_item.done":
		c := r.wholeItem(e.Item)
		c.Parts = r.inOrder(e.OutputIndex, c.Parts)
		return c, false, nil
	case "response.completed", "response.incomplete":
		clear(r.open)
		c := r.whole(e.Response)
		c.Parts = append(r.inOrder(-1, nil), r.missed(e.Response.Output)...)
		return c, true, nil
	case "response.failed":
		return model.Chunk{}, false, r.s.g.inStream(failure{Code: string(e.Response.Error.Code), Message: e.Response.Error.Message}, r.s.x)
	case "error":
		return model.Chunk{}, false, r.s.g.inStream(failure{Code: e.Code, Message: e.Message, Param: e.Param}, r.s.x)
	}
	return model.Chunk{}, false, nil // others repeat these, or are about what was not asked for
}

// inOrder returns the parts of items that have ended, up to the first one that has not:
// calls are kept in the order in which the model made them.
func (r *responsesReader) inOrder(index int64, parts []model.Part) []model.Part {
	delete(r.open, index)
	first := int64(math.MaxInt64)
	for i := range r.open {
		first = min(first, i)
	}
	if len(r.waiting) == 0 && index < first {
		return parts
	}
	r.waiting[index] = append(r.waiting[index], parts...)
	var out []model.Part
	for _, i := range slices.Sorted(maps.Keys(r.waiting)) {
		if i < first {
			out = append(out, r.waiting[i]...)
			delete(r.waiting, i)
		}
	}
	return out
}

// end implements [reader].
func (r *responsesReader) end() model.Chunk {
	clear(r.open)
	return model.Chunk{Parts: r.inOrder(-1, nil)}
}

// missed returns the calls in a whole response whose ends were not sent, as when the
// answer ran out of tokens in one.
func (r *responsesReader) missed(items []responses.ResponseOutputItemUnion) []model.Part {
	var out []model.Part
	for _, item := range items {
		if item.Type == "function_call" && !r.called[item.CallID] {
			out = append(out, r.wholeItem(item).Parts...)
		}
	}
	return out
}

// paragraph returns what separates a part of a summary from the one before it.
func paragraph(another bool) string {
	if another {
		return "\n\n"
	}
	return ""
}

func (r *responsesReader) textOf(item, text string) model.Chunk {
	if text == "" {
		return model.Chunk{}
	}
	if item != r.item {
		r.item, r.began = item, r.text
	}
	r.text += len(text)
	return model.Chunk{Parts: []model.Part{model.Text{Text: text}}}
}

func (r *responsesReader) thoughtOf(text string) model.Chunk {
	if text == "" {
		return model.Chunk{}
	}
	r.thought = true
	return model.Chunk{Parts: []model.Part{model.Thought{Text: text}}}
}

// wholeItem translates a whole item of the answer.
func (r *responsesReader) wholeItem(item responses.ResponseOutputItemUnion) model.Chunk {
	var c model.Chunk
	switch item.Type {
	case "function_call":
		if r.called == nil {
			r.called = map[string]bool{}
		}
		r.called[item.CallID] = true
		c.Parts = append(c.Parts, r.s.call(item.CallID, item.Name, item.Arguments.OfString))
	case "reasoning":
		if item.EncryptedContent != "" && item.ID != "" && !r.search {
			c.Parts = append(c.Parts, model.Thought{Signature: r.s.g.sign(signature{ID: item.ID, Encrypted: item.EncryptedContent})})
		}
		r.thought = false
	case "message":
		r.ground(item)
		if r.search && len(r.grounding.Sources) > 0 {
			c.Grounding = &r.grounding
		}
		if item.Phase != "" && item.ID == r.item {
			c.Parts = append(c.Parts, model.Text{Signature: r.s.g.sign(signature{Phase: string(item.Phase)})})
		}
	}
	return c
}

// ground collects the sources that a message cites. The API counts offsets in
// characters of one part of the message.
func (r *responsesReader) ground(item responses.ResponseOutputItemUnion) {
	at := r.began
	if item.ID != r.item {
		return // it had no text
	}
	g := model.Grounding{
		Sources: r.grounding.Sources[:len(r.grounding.Sources):len(r.grounding.Sources)], Passages: r.grounding.Passages[:len(r.grounding.Passages):len(r.grounding.Passages)],
	}
	places := map[model.Citation]int{}
	for i, s := range g.Sources {
		places[s] = i
	}
	for _, part := range item.Content {
		text := part.Text + part.Refusal
		for _, a := range part.Annotations {
			if a.Type != "url_citation" || a.URL == "" {
				continue
			}
			source := model.Citation{Title: a.Title, URI: a.URL}
			i, known := places[source]
			if !known {
				i = len(g.Sources)
				places[source] = i
				g.Sources = append(g.Sources, source)
			}
			from, to := offset(text, a.StartIndex), offset(text, a.EndIndex)
			g.Passages = append(g.Passages, model.Passage{End: at + to, Text: text[min(from, to):to], Sources: []int{i}})
		}
		at += len(text)
	}
	r.grounding = g
}

// offset returns the place in bytes of the nth character of a text.
func offset(text string, n int64) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// whole translates the end of a response.
func (r *responsesReader) whole(resp responses.Response) model.Chunk {
	r.s.finish, r.s.word = model.Stop, string(resp.Status)
	if resp.Status == responses.ResponseStatusIncomplete {
		r.s.word = strings.TrimSpace(resp.IncompleteDetails.Reason)
		switch r.s.word {
		case "max_output_tokens", "max_tokens":
			r.s.finish = model.MaxTokens
		case "content_filter":
			r.s.finish = model.Safety
		default:
			r.s.finish = model.Other
		}
	}
	if r.refused && r.s.finish == model.Stop {
		r.s.finish, r.s.word = model.Safety, "refusal"
	}
	c := model.Chunk{ResponseID: r.s.respond(resp.ID)}
	if u := resp.Usage; resp.JSON.Usage.Valid() {
		c.Usage = usage(u.InputTokens, u.InputTokensDetails.CachedTokens, u.OutputTokens, u.OutputTokensDetails.ReasoningTokens, u.TotalTokens)
	}
	return c
}
