package openai

import (
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// maxStops is how many stop sequences the Chat Completions API accepts.
const maxStops = 4

// chatRequest translates a request for the Chat Completions API.
func (g *Generator) chatRequest(req model.Request) (openai.ChatCompletionNewParams, error) {
	var none openai.ChatCompletionNewParams
	if err := req.Check(); err != nil {
		return none, err
	}
	h := g.history(req)
	p := openai.ChatCompletionNewParams{Model: req.Model}
	switch {
	case req.System == "":
	case g.o.Compatible:
		p.Messages = append(p.Messages, openai.SystemMessage(req.System))
	default:
		p.Messages = append(p.Messages, openai.DeveloperMessage(req.System))
	}
	before := len(p.Messages)
	for _, m := range req.Messages {
		if m.Role == model.Model {
			p.Messages = append(p.Messages, h.answered(m.Parts)...)
		} else {
			p.Messages = append(p.Messages, h.prompted(m.Parts)...)
		}
	}
	if len(p.Messages) == before {
		return none, model.EmptyConversation()
	}
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	h.configure(&p, req)
	for _, t := range req.Tools {
		if req.Search {
			break
		}
		schema, err := parameters(t)
		if err != nil {
			return none, err
		}
		f := shared.FunctionDefinitionParam{Name: wireName(t.Name), Parameters: schema}
		if t.Description != "" {
			f.Description = openai.String(t.Description)
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(f))
	}
	if choice := choices[req.Choice]; choice != "" && len(p.Tools) > 0 {
		p.ToolChoice.OfAuto = openai.String(choice)
	}
	return p, nil
}

// configure sets what tunes the answer.
func (h *history) configure(p *openai.ChatCompletionNewParams, req model.Request) {
	c := req.Config
	if h.g.o.Compatible {
		if c.MaxTokens > 0 {
			p.MaxTokens = openai.Int(int64(c.MaxTokens))
		}
	} else {
		p.Store = openai.Bool(false)
		p.PromptCacheKey = openai.String(cacheKey(req))
		if c.MaxTokens > 0 {
			p.MaxCompletionTokens = openai.Int(int64(c.MaxTokens))
		}
	}
	if reasons(h.a) {
		p.ReasoningEffort = effort(h.a, c, false)
	}
	if catalogue.Lacks(h.a.Sampling) {
		return
	}
	if c.Temperature != nil {
		p.Temperature = openai.Float(model.Decimal(*c.Temperature))
	}
	if c.TopP != nil {
		p.TopP = openai.Float(model.Decimal(*c.TopP))
	}
	if c.Seed != nil {
		p.Seed = openai.Int(int64(*c.Seed))
	}
	if n := min(len(c.StopSequences), maxStops); n > 0 {
		p.Stop.OfStringArray = c.StopSequences[:n]
	}
}

// prompted translates a message of the user: a message for each result, since these
// directly follow the calls, and one for the rest. A result cannot contain pictures,
// so they are in the user's message, with the name of the tool before them.
func (h *history) prompted(parts []model.Part) []openai.ChatCompletionMessageParamUnion {
	var out []openai.ChatCompletionMessageParamUnion
	var beside, content []openai.ChatCompletionContentPartUnionParam
	for _, p := range parts {
		switch p := p.(type) {
		case model.Text:
			if p.Text != "" {
				content = append(content, openai.TextContentPart(p.Text))
			}
		case model.Blob:
			if len(p.Data) > 0 {
				content = append(content, h.contentPart(p))
			}
		case model.Result:
			text := output(p)
			var shown []openai.ChatCompletionContentPartUnionParam
			for _, b := range p.Blobs {
				if len(b.Data) == 0 {
					continue
				}
				if part := h.contentPart(b); part.OfText != nil {
					text += "\n\n" + part.OfText.Text
				} else {
					shown = append(shown, part)
				}
			}
			if len(shown) > 0 {
				beside = append(append(beside, openai.TextContentPart("Output of the tool "+wireName(p.Name)+":")), shown...)
			}
			out = append(out, openai.ToolMessage(text, h.id(p)))
		case model.Thought, model.Call: // only the model's
		default:
			panic(fmt.Sprintf("openai: unknown part %T", p))
		}
	}
	content = append(beside, content...)
	switch text, only := onlyText(content); {
	case len(content) == 0:
	case only: // servers that cannot see know nothing but a text
		out = append(out, openai.UserMessage(text))
	default:
		out = append(out, openai.UserMessage(content))
	}
	return out
}

// onlyText joins texts. It reports false if there is anything else.
func onlyText(content []openai.ChatCompletionContentPartUnionParam) (string, bool) {
	texts := make([]string, 0, len(content))
	for _, c := range content {
		if c.OfText == nil {
			return "", false
		}
		texts = append(texts, c.OfText.Text)
	}
	return strings.Join(texts, "\n\n"), true
}

// contentPart translates a blob.
func (h *history) contentPart(b model.Blob) openai.ChatCompletionContentPartUnionParam {
	switch image, file, text := h.contentOf(b); {
	case image != "":
		return openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: image})
	case file != "":
		return openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{Filename: openai.String(pdfName), FileData: openai.String(file)})
	default:
		return openai.TextContentPart(text)
	}
}

// answered translates a message of the model: one message, or none if it has neither
// text nor calls.
func (h *history) answered(parts []model.Part) []openai.ChatCompletionMessageParamUnion {
	var text strings.Builder
	m := &openai.ChatCompletionAssistantMessageParam{}
	for _, p := range parts {
		switch p := p.(type) {
		case model.Text:
			text.WriteString(p.Text)
		case model.Call:
			m.ToolCalls = append(m.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
					ID:       h.ids[p.ID],
					Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: wireName(p.Name), Arguments: string(model.ObjectOf(p.Args))},
				},
			})
		case model.Thought, model.Blob, model.Result: // not sent, or not the model's
		default:
			panic(fmt.Sprintf("openai: unknown part %T", p))
		}
	}
	if text.Len() == 0 && len(m.ToolCalls) == 0 {
		return nil
	}
	if text.Len() > 0 {
		m.Content.OfString = openai.String(text.String())
	}
	return []openai.ChatCompletionMessageParamUnion{{OfAssistant: m}}
}
