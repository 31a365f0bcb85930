package openai

import (
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// leastTokens is the smallest limit of an answer that the Responses API accepts.
const leastTokens = 16

// responsesRequest translates a request for the Responses API. It returns the
// encrypted reasoning in it as well.
func (g *Generator) responsesRequest(req model.Request) (responses.ResponseNewParams, []string, error) {
	var none responses.ResponseNewParams
	if err := req.Check(); err != nil {
		return none, nil, err
	}
	h := g.history(req)
	p := responses.ResponseNewParams{
		Model: req.Model,
		Store: openai.Bool(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: h.items()},
	}
	if len(p.Input.OfInputItemList) == 0 {
		return none, nil, model.EmptyConversation()
	}
	if req.System != "" {
		p.Instructions = openai.String(req.System)
	}
	if !g.o.Compatible {
		p.PromptCacheKey = openai.String(cacheKey(req))
	}
	c := req.Config
	if c.MaxTokens > 0 {
		p.MaxOutputTokens = openai.Int(max(int64(c.MaxTokens), leastTokens))
	}
	samples := !catalogue.Lacks(h.a.Sampling)
	if c.Temperature != nil && samples {
		p.Temperature = openai.Float(model.Decimal(*c.Temperature))
	}
	if c.TopP != nil && samples {
		p.TopP = openai.Float(model.Decimal(*c.TopP))
	}
	if reasons(h.a) {
		p.Reasoning.Effort = effort(h.a, c, req.Search)
		if show := c.IncludeThoughts; show == nil || *show {
			p.Reasoning.Summary = shared.ReasoningSummaryAuto
		}
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if req.Search {
		if g.Searches() {
			p.Tools = []responses.ToolUnionParam{{OfWebSearch: &responses.WebSearchToolParam{Type: responses.WebSearchToolTypeWebSearch}}}
		}
		return p, h.encrypted, nil
	}
	var err error
	if p.Tools, err = functions(req.Tools); err != nil {
		return none, nil, err
	}
	if choice := choices[req.Choice]; choice != "" && len(p.Tools) > 0 {
		p.ToolChoice.OfToolChoiceMode = param.NewOpt(responses.ToolChoiceOptions(choice))
	}
	return p, h.encrypted, nil
}

// functions declares tools.
func functions(tools []model.Tool) ([]responses.ToolUnionParam, error) {
	var out []responses.ToolUnionParam
	for _, t := range tools {
		schema, err := parameters(t)
		if err != nil {
			return nil, err
		}
		f := &responses.FunctionToolParam{Name: wireName(t.Name), Parameters: schema, Strict: openai.Bool(false)}
		if t.Description != "" {
			f.Description = openai.String(t.Description)
		}
		out = append(out, responses.ToolUnionParam{OfFunction: f})
	}
	return out, nil
}

// choices are the words for whether the model calls tools.
var choices = map[model.Choice]string{model.MustCall: "required", model.MustNotCall: "none"}

// items translates a conversation.
func (h *history) items() responses.ResponseInputParam {
	var out responses.ResponseInputParam
	for _, m := range h.messages {
		if m.Role == model.Model {
			out = append(out, h.modelItems(m.Parts)...)
		} else {
			out = append(out, h.userItems(m.Parts)...)
		}
	}
	return out
}

// userItems translates a message of the user. The results of calls come first.
func (h *history) userItems(parts []model.Part) responses.ResponseInputParam {
	var out responses.ResponseInputParam
	var content responses.ResponseInputMessageContentListParam
	for _, p := range parts {
		switch p := p.(type) {
		case model.Text:
			if p.Text != "" {
				content = append(content, responses.ResponseInputContentParamOfInputText(p.Text))
			}
		case model.Blob:
			if len(p.Data) > 0 {
				content = append(content, h.content(p))
			}
		case model.Result:
			out = append(out, h.result(p))
		case model.Thought, model.Call: // only the model's
		default:
			panic(fmt.Sprintf("openai: unknown part %T", p))
		}
	}
	if len(content) > 0 {
		out = append(out, responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser))
	}
	return out
}

// content translates a blob.
func (h *history) content(b model.Blob) responses.ResponseInputContentUnionParam {
	switch image, file, text := h.contentOf(b); {
	case image != "":
		return responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
			Detail: responses.ResponseInputImageDetailAuto, ImageURL: openai.String(image),
		}}
	case file != "":
		return responses.ResponseInputContentUnionParam{OfInputFile: &responses.ResponseInputFileParam{
			Filename: openai.String(pdfName), FileData: openai.String(file),
		}}
	default:
		return responses.ResponseInputContentParamOfInputText(text)
	}
}

// result translates the result of a call. Its output is a list only if there is
// something beside text.
func (h *history) result(r model.Result) responses.ResponseInputItemUnionParam {
	item := &responses.ResponseInputItemFunctionCallOutputParam{CallID: openai.String(h.id(r))}
	list := responses.ResponseFunctionCallOutputItemListParam{{
		OfInputText: &responses.ResponseInputTextContentParam{Text: output(r)},
	}}
	for _, b := range r.Blobs {
		if len(b.Data) > 0 { // the same as of the user, under another name
			list = append(list, param.Override[responses.ResponseFunctionCallOutputItemUnionParam](h.content(b)))
		}
	}
	if len(list) == 1 {
		item.Output.OfString = openai.String(output(r))
	} else {
		item.Output.OfResponseFunctionCallOutputItemArray = list
	}
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: item}
}

// modelItems translates a message of the model. The API refuses reasoning that nothing
// follows, as in an answer that was cut short.
func (h *history) modelItems(parts []model.Part) responses.ResponseInputParam {
	var out, reasoned responses.ResponseInputParam
	var encrypted []string
	var text strings.Builder
	add := func(item responses.ResponseInputItemUnionParam) {
		out = append(append(out, reasoned...), item)
		h.encrypted = append(h.encrypted, encrypted...)
		reasoned, encrypted = nil, nil
	}
	endText := func(phase string) {
		if text.Len() > 0 {
			add(answered(text.String(), phase))
		}
		text.Reset()
	}
	for _, p := range parts {
		switch p := p.(type) {
		case model.Text:
			text.WriteString(p.Text)
			if phase := h.g.read(p.Signature).Phase; phase != "" {
				endText(phase)
			}
		case model.Thought:
			if s := h.g.read(p.Signature); s.Encrypted != "" && reasons(h.a) {
				endText("")
				reasoned = append(reasoned, reasoning(s, p.Text))
				encrypted = append(encrypted, s.Encrypted)
			}
		case model.Call:
			endText("")
			add(responses.ResponseInputItemParamOfFunctionCall(string(model.ObjectOf(p.Args)), h.ids[p.ID], wireName(p.Name)))
		case model.Blob, model.Result: // not sent, or not the model's
		default:
			panic(fmt.Sprintf("openai: unknown part %T", p))
		}
	}
	endText("")
	return out
}

// answered returns a text of the model as a whole item of an earlier answer: OpenAI takes a
// shorter form too, and others only this one.
func answered(text, phase string) responses.ResponseInputItemUnionParam {
	m := responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleAssistant)
	m.OfMessage.Phase = responses.EasyInputMessagePhase(phase)
	m.OfMessage.Type = responses.EasyInputMessageTypeMessage
	m.OfMessage.Content = responses.EasyInputMessageContentUnionParam{OfInputItemContentList: responses.ResponseInputMessageContentListParam{
		param.Override[responses.ResponseInputContentUnionParam](map[string]any{"type": "output_text", "text": text, "annotations": []any{}}),
	}}
	return m
}

// reasoning returns a thought as the item that the API wants back.
func reasoning(s signature, text string) responses.ResponseInputItemUnionParam {
	summary := []responses.ResponseReasoningItemSummaryParam{} // not nil: the field is required
	if text != "" {
		summary = append(summary, responses.ResponseReasoningItemSummaryParam{Text: text})
	}
	item := responses.ResponseInputItemParamOfReasoning(s.ID, summary)
	item.OfReasoning.EncryptedContent = openai.String(s.Encrypted)
	return item
}
