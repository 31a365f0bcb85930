package gemini

import (
	"context"
	"encoding/json"
	"fmt"

	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// stream is one request whose response is being read.
type stream struct {
	g    *Generator
	name string // the model's
	out  *transport.Answer

	x      transport.Exchange
	args   []json.RawMessage // raw arguments of calls, in order, not yet taken
	finish model.Finish
	word   string
	why    string // what the API says about the finish
}

// run yields the response. The caller yields the error that it returns.
func (s *stream) run(ctx context.Context, req model.Request) error {
	client, err := s.g.connect(ctx)
	var r *request
	if err == nil {
		r, err = newRequest(req, s.g.traits(ctx, client, req.Model))
	}
	if err == nil {
		s.x.Keep = true
		err = s.read(client.Models.GenerateContentStream(transport.With(ctx, &s.x), req.Model, r.contents, r.config))
	}
	switch {
	case s.out.Abandoned():
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.finish != "" && !transport.Withdrawn(err):
		// The response is complete, whatever happened after its end.
		s.out.Send(model.Chunk{Finish: s.finish, FinishWord: s.word, FinishWhy: s.g.way.Redact(s.why)})
		return nil
	case err != nil:
		return s.g.way.Explain(err, &s.x)
	}
	return transport.Incomplete(&s.x)
}

// read ranges over the client library's stream. The library panics on JSON of an
// unexpected shape. That is reported as a garbled stream; panics of the consumer
// are passed on.
func (s *stream) read(answer func(func(*genai.GenerateContentResponse, error) bool)) (err error) {
	sending := false
	defer func() {
		if sending {
			return
		}
		if p := recover(); p != nil {
			err = transport.Unreadable(&s.x, "the stream contains an event of unknown form", fmt.Errorf("client library: %v", p))
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
		if !s.out.Send(chunk) {
			return nil
		}
		sending = false
	}
	return nil
}

// chunk translates an event. The finish reason is held back until the stream ends,
// because some servers send one before the last event.
func (s *stream) chunk(resp *genai.GenerateContentResponse) (model.Chunk, error) {
	s.keepDropped()
	s.g.answered(s.name, resp.ModelVersion)
	c := model.Chunk{ResponseID: resp.ResponseID}
	if f := resp.PromptFeedback; f != nil && f.BlockReason != "" {
		why := string(f.BlockReason)
		if f.BlockReasonMessage != "" {
			why += ": " + f.BlockReasonMessage
		}
		return c, &model.Error{Kind: model.Blocked, Status: s.x.Status, Message: s.g.way.Line(transport.Message(model.Blocked, why, ""))}
	}
	if u := resp.UsageMetadata; u != nil {
		c.Usage = new(usage(u))
	}
	if len(resp.Candidates) == 0 || resp.Candidates[0] == nil {
		return c, nil
	}
	cand := resp.Candidates[0]
	if cand.FinishReason != "" && cand.FinishReason != genai.FinishReasonUnspecified {
		s.finish, s.word, s.x.Finished = finish(cand.FinishReason), string(cand.FinishReason), true
	}
	c.Citations, c.Grounding = s.citations(cand), grounding(cand.GroundingMetadata)
	if cand.Content == nil {
		return c, nil
	}
	for _, p := range cand.Content.Parts {
		if p == nil {
			continue
		}
		if part := s.translate(p); part != nil {
			c.Parts = append(c.Parts, part)
		}
	}
	return c, nil
}

// translate translates a part. It returns nil for empty and unknown ones.
func (s *stream) translate(p *genai.Part) model.Part {
	switch {
	case p.FunctionCall != nil:
		c := model.NewCall(p.FunctionCall.ID, p.FunctionCall.Name, s.nextArguments())
		c.Signature = p.ThoughtSignature
		return c
	case p.InlineData != nil:
		return model.Blob{MIME: p.InlineData.MIMEType, Data: p.InlineData.Data}
	case p.Text == "" && len(p.ThoughtSignature) == 0:
		return nil
	case p.Thought:
		return model.Thought{Text: p.Text, Signature: p.ThoughtSignature}
	}
	return model.Text{Text: p.Text, Signature: p.ThoughtSignature}
}

// citations returns the sources that no earlier event named.
func (s *stream) citations(c *genai.Candidate) []model.Citation {
	var out []model.Citation
	add := func(title, uri string) { out = append(out, s.out.Cite(title, uri)...) }
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

// grounding translates metadata; nil if it names no sources. The API counts
// offsets in bytes of UTF-8.
func grounding(m *genai.GroundingMetadata) *model.Grounding {
	if m == nil || len(m.GroundingChunks) == 0 {
		return nil
	}
	var g model.Grounding
	for _, c := range m.GroundingChunks {
		var cite model.Citation
		if c != nil && c.Web != nil {
			cite = model.Citation{Title: c.Web.Title, URI: c.Web.URI}
		}
		g.Sources = append(g.Sources, cite) // an empty one too: others are named by their places
	}
	for _, s := range m.GroundingSupports {
		if s == nil || s.Segment == nil {
			continue
		}
		p := model.Passage{End: int(s.Segment.EndIndex), Text: s.Segment.Text}
		for _, i := range s.GroundingChunkIndices {
			if i >= 0 && int(i) < len(g.Sources) {
				p.Sources = append(p.Sources, int(i))
			}
		}
		g.Passages = append(g.Passages, p)
	}
	return &g
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

// usage translates counts. The API does not count tool-use prompts as part of the
// prompt.
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
