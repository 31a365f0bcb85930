package gemini

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
)

// stream is one request while its answer is read.
type stream struct {
	g     *Generator
	name  string // of the model
	yield func(model.Chunk, error) bool

	x      exchange
	finish model.Finish
	word   string
	cited  map[model.Citation]bool
	usage  model.Usage // the newest, for the log
	left   bool        // the consumer has left the loop
}

// run yields the answer; its error is the last thing to yield.
func (s *stream) run(ctx context.Context, req model.Request) error {
	client, err := s.g.connect(ctx)
	var r *request
	if err == nil {
		r, err = newRequest(req, s.g.aliases.traits(ctx, client, req.Model))
	}
	if err == nil {
		s.name = req.Model
		ctx := context.WithValue(ctx, exchangeKey{}, &s.x)
		err = s.read(client.Models.GenerateContentStream(ctx, req.Model, r.contents, r.config))
	}
	switch {
	case s.left:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.finish != "" && !refused(err):
		// Whatever happened after the last word, the answer is whole.
		s.send(model.Chunk{Finish: s.finish, FinishWord: s.word})
		return nil
	case err != nil:
		return s.g.explain(err, &s.x)
	}
	return &model.Error{Kind: model.Cut, Status: s.x.status, Message: "the answer ended before it was complete"}
}

// refused says whether the provider itself takes back what it has said.
func refused(err error) bool {
	var e *model.Error
	return errors.As(err, &e) && e.Kind == model.Blocked
}

// read ranges over the client library's stream. The library asserts the types
// of what it is sent, so a stream that is JSON of another shape makes it panic:
// that is a garbled stream, unless it is the consumer who panics.
func (s *stream) read(answer func(func(*genai.GenerateContentResponse, error) bool)) (err error) {
	sending := false
	defer func() {
		if sending {
			return
		}
		if p := recover(); p != nil {
			err = &model.Error{Kind: model.Cut, Status: s.x.status, Message: "the answer broke off: an event of the stream is not of the API's form", Err: fmt.Errorf("client library: %v", p)}
		}
	}()
	for resp, err := range answer {
		if err != nil {
			return err
		}
		chunk, err := s.chunk(resp)
		if err != nil {
			return err
		}
		sending = true
		if !s.send(chunk) {
			return nil
		}
		sending = false
	}
	return nil
}

// send yields a chunk unless it is empty.
func (s *stream) send(c model.Chunk) bool {
	if len(c.Parts) == 0 && c.Usage == nil && len(c.Citations) == 0 && c.ResponseID == "" && c.Finish == "" {
		return true
	}
	s.left = !s.yield(c, nil)
	return !s.left
}

// chunk translates an event. The finish reason is kept back until the stream
// ends, since some servers send one before the last event.
func (s *stream) chunk(resp *genai.GenerateContentResponse) (model.Chunk, error) {
	s.g.aliases.answered(s.name, resp.ModelVersion)
	c := model.Chunk{ResponseID: resp.ResponseID}
	if f := resp.PromptFeedback; f != nil && f.BlockReason != "" {
		why := string(f.BlockReason)
		if f.BlockReasonMessage != "" {
			why += ": " + f.BlockReasonMessage
		}
		return c, &model.Error{Kind: model.Blocked, Status: s.x.status, Message: s.g.redact(oneLine("the provider refuses the prompt: " + why))}
	}
	if u := resp.UsageMetadata; u != nil {
		s.usage = usage(u)
		c.Usage = new(s.usage)
	}
	if len(resp.Candidates) == 0 || resp.Candidates[0] == nil {
		return c, nil
	}
	cand := resp.Candidates[0]
	if cand.FinishReason != "" && cand.FinishReason != genai.FinishReasonUnspecified {
		s.finish, s.word, s.x.finished = finish(cand.FinishReason), string(cand.FinishReason), true
	}
	c.Citations = s.citations(cand)
	if cand.Content == nil {
		return c, nil
	}
	for _, p := range cand.Content.Parts {
		if p == nil {
			continue
		}
		if p.FunctionCall != nil && p.FunctionCall.Name == "" {
			return c, &model.Error{Kind: model.Cut, Status: s.x.status, Message: "the answer is garbled: it calls a function without a name"}
		}
		if part := s.part(p); part != nil {
			c.Parts = append(c.Parts, part)
		}
	}
	return c, nil
}

// part translates a part, nil when it holds nothing that is ours.
func (s *stream) part(p *genai.Part) model.Part {
	switch {
	case p.FunctionCall != nil:
		return model.Call{
			ID: model.NewCallID(), ProviderID: p.FunctionCall.ID, Name: p.FunctionCall.Name,
			Args: s.x.take(), Signature: p.ThoughtSignature,
		}
	case p.InlineData != nil:
		return model.Blob{MIME: p.InlineData.MIMEType, Data: p.InlineData.Data}
	case p.Text == "" && len(p.ThoughtSignature) == 0:
		return nil
	case p.Thought:
		return model.Thought{Text: p.Text, Signature: p.ThoughtSignature}
	}
	return model.Text{Text: p.Text, Signature: p.ThoughtSignature}
}

// citations are the sources that the event names and none before did.
func (s *stream) citations(c *genai.Candidate) []model.Citation {
	var out []model.Citation
	add := func(title, uri string) {
		cite := model.Citation{Title: title, URI: uri}
		if uri == "" || s.cited[cite] {
			return
		}
		if s.cited == nil {
			s.cited = map[model.Citation]bool{}
		}
		s.cited[cite] = true
		out = append(out, cite)
	}
	if c.CitationMetadata != nil {
		for _, cite := range c.CitationMetadata.Citations {
			if cite != nil {
				add(cite.Title, cite.URI)
			}
		}
	}
	if c.GroundingMetadata != nil {
		for _, g := range c.GroundingMetadata.GroundingChunks {
			switch {
			case g == nil:
			case g.Web != nil:
				add(g.Web.Title, g.Web.URI)
			case g.RetrievedContext != nil:
				add(g.RetrievedContext.Title, g.RetrievedContext.URI)
			}
		}
	}
	return out
}

// finish translates a finish reason.
func finish(r genai.FinishReason) model.Finish {
	switch r {
	case genai.FinishReasonStop:
		return model.Stop
	case genai.FinishReasonMaxTokens:
		return model.MaxTokens
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonImageSafety,
		genai.FinishReasonImageProhibitedContent, genai.FinishReasonImageRecitation:
		return model.Safety
	case genai.FinishReasonMalformedFunctionCall, genai.FinishReasonUnexpectedToolCall:
		return model.MalformedCall
	}
	return model.Other
}

// usage translates counts. The API counts tool-use prompts beside the prompt.
func usage(u *genai.GenerateContentResponseUsageMetadata) model.Usage {
	out := model.Usage{
		Input:   int64(u.PromptTokenCount) + int64(u.ToolUsePromptTokenCount),
		Output:  int64(u.CandidatesTokenCount),
		Cached:  int64(u.CachedContentTokenCount),
		Thought: int64(u.ThoughtsTokenCount),
		Tool:    int64(u.ToolUsePromptTokenCount),
		Total:   int64(u.TotalTokenCount),
	}
	if out.Total == 0 {
		out.Total = out.Input + out.Output + out.Thought
	}
	return out
}
