package gemini

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// noSignature is the placeholder that the API accepts instead of a signature. It
// is the text of the field, not base64.
const noSignature = "skip_thought_signature_validator"

// request is a request in the client library's types, with what these cannot
// hold. [request.complete] puts that into the body.
type request struct {
	contents []*genai.Content
	config   *genai.GenerateContentConfig

	messages []*message        // one for each of contents
	schemas  []json.RawMessage // one for each tool
}

// message is a content with what the client library's type cannot hold.
type message struct {
	content  *genai.Content
	args     []json.RawMessage // of its calls, in order, as the model wrote them
	unsigned bool              // its first call needs noSignature
}

// newRequest translates req for a model with the traits tr. Its error is a
// [*model.Error].
func newRequest(req model.Request, tr traits) (*request, error) {
	if err := req.Check(); err != nil {
		return nil, err
	}
	r := &request{messages: messages(req.Messages, tr.signed)}
	if len(r.messages) == 0 {
		return nil, model.EmptyConversation()
	}
	if tr.signed {
		markUnsigned(r.messages)
	}
	for _, m := range r.messages {
		r.contents = append(r.contents, m.content)
	}
	r.config = &genai.GenerateContentConfig{
		Temperature:           req.Config.Temperature,
		TopP:                  req.Config.TopP,
		TopK:                  req.Config.TopK,
		MaxOutputTokens:       req.Config.MaxTokens,
		StopSequences:         req.Config.StopSequences,
		Seed:                  req.Config.Seed,
		AutomaticContinuation: genai.Ptr(false), // it would repeat requests unnoticed
		HTTPOptions:           &genai.HTTPOptions{ExtrasRequestProvider: r.complete},
	}
	if req.System != "" {
		r.config.SystemInstruction = genai.NewContentFromText(req.System, genai.RoleUser)
	}
	if tr.thinks {
		r.config.ThinkingConfig = thoughts(req, tr)
	}
	if req.Search {
		r.config.Tools = []*genai.Tool{{GoogleSearch: &genai.GoogleSearch{}}}
		return r, nil
	}
	var functions []*genai.FunctionDeclaration
	for _, t := range req.Tools {
		if len(t.Schema) > 0 && !json.Valid(t.Schema) {
			return nil, &model.Error{Kind: model.Invalid, Message: fmt.Sprintf("the schema of the tool %s is invalid JSON", t.Name)}
		}
		functions = append(functions, &genai.FunctionDeclaration{Name: t.Name, Description: t.Description})
		r.schemas = append(r.schemas, t.Schema)
	}
	if len(functions) > 0 {
		r.config.Tools = []*genai.Tool{{FunctionDeclarations: functions}}
		if mode := choices[req.Choice]; mode != "" {
			r.config.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: &genai.FunctionCallingConfig{Mode: mode}}
		}
	}
	return r, nil
}

// choices are the provider's modes of function calling.
var choices = map[model.Choice]genai.FunctionCallingConfigMode{
	model.MustCall: genai.FunctionCallingConfigModeAny, model.MustNotCall: genai.FunctionCallingConfigModeNone,
}

// messages translates a history. Thoughts are left out but for their
// signatures, empty parts and messages are dropped, and adjacent messages of one
// role are merged. signed is for models that check signatures.
func messages(history []model.Message, signed bool) []*message {
	var out []*message
	for _, h := range history {
		ps := parts(h.Parts, signed)
		if len(ps) == 0 {
			continue
		}
		if n := len(out); n == 0 || out[n-1].content.Role != string(h.Role) {
			out = append(out, &message{content: &genai.Content{Role: string(h.Role)}})
		}
		m := out[len(out)-1]
		m.content.Parts = append(m.content.Parts, ps...)
		for _, part := range h.Parts {
			if c, ok := part.(model.Call); ok {
				m.args = append(m.args, model.ObjectOf(c.Args))
			}
		}
	}
	return out
}

// parts translates a message. For models that check signatures, binary output of
// a tool goes into its function response, and calls without an ID of the provider
// get emendo's. For others it follows all the function responses.
func parts(in []model.Part, signed bool) []*genai.Part {
	var out, beside []*genai.Part
	for _, p := range in {
		switch p := p.(type) {
		case model.Text:
			if p.Text != "" || len(p.Signature) > 0 {
				out = append(out, &genai.Part{Text: p.Text, ThoughtSignature: p.Signature})
			}
		case model.Thought:
			if len(p.Signature) > 0 {
				out = append(out, &genai.Part{ThoughtSignature: p.Signature})
			}
		case model.Blob:
			if len(p.Data) > 0 {
				out = append(out, genai.NewPartFromBytes(p.Data, p.MIME))
			}
		case model.Call:
			id := p.ProviderID
			if signed {
				id = cmp.Or(id, p.ID)
			}
			out = append(out, &genai.Part{
				FunctionCall:     &genai.FunctionCall{ID: id, Name: p.Name},
				ThoughtSignature: p.Signature,
			})
		case model.Result:
			r, rest := response(p, signed)
			out = append(out, r)
			beside = append(beside, rest...)
		default:
			panic(fmt.Sprintf("gemini: unknown part %T", p))
		}
	}
	return append(out, beside...)
}

// inAnswer lists the media types that a function response may contain.
var inAnswer = []string{"image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"}

// response translates the result of a call. It also returns the parts that do not
// fit into the function response.
func response(r model.Result, signed bool) (*genai.Part, []*genai.Part) {
	key := "output"
	if r.Failed {
		key = "error"
	}
	id := r.ProviderID
	if signed {
		id = cmp.Or(id, r.CallID)
	}
	f := &genai.FunctionResponse{ID: id, Name: r.Name, Response: map[string]any{key: r.Output}}
	var beside []*genai.Part
	for _, b := range r.Blobs {
		switch {
		case len(b.Data) == 0:
		case signed && slices.Contains(inAnswer, b.MIME):
			f.Parts = append(f.Parts, genai.NewFunctionResponsePartFromBytes(b.Data, b.MIME))
		default:
			beside = append(beside, genai.NewPartFromBytes(b.Data, b.MIME))
		}
	}
	return &genai.Part{FunctionResponse: f}, beside
}

// markUnsigned marks the messages whose first call needs noSignature. Models
// that check signatures want one on the first call of each of their messages
// since the last one of the user.
func markUnsigned(ms []*message) {
	start := 0
	for i, m := range ms {
		if beginsTurn(m.content) {
			start = i
		}
	}
	for i, m := range ms {
		for _, part := range m.content.Parts {
			if part.FunctionCall != nil {
				m.unsigned = i >= start && len(part.ThoughtSignature) == 0
				break
			}
		}
	}
}

// beginsTurn reports whether c is text from the user, without any answer to a
// call.
func beginsTurn(c *genai.Content) bool {
	text := false
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			return false
		}
		text = text || p.Text != ""
	}
	return text && c.Role == genai.RoleUser
}

// complete adds to the body that the client library made what its types cannot
// hold. It is the library's [genai.ExtrasRequestProvider].
func (r *request) complete(body map[string]any) map[string]any {
	contents := objects(body["contents"])
	if len(contents) != len(r.messages) {
		panic(fmt.Sprintf("gemini: the client library made %d contents of %d", len(contents), len(r.messages)))
	}
	for i, m := range r.messages {
		m.complete(contents[i])
	}
	n := 0
	for _, tool := range objects(body["tools"]) {
		for _, f := range objects(tool["functionDeclarations"]) {
			if n < len(r.schemas) && len(r.schemas[n]) > 0 {
				f["parametersJsonSchema"] = r.schemas[n]
			}
			n++
		}
	}
	return body
}

// complete adds the raw arguments of calls, the placeholder for a missing
// signature, and the empty text that a part with nothing but a signature needs.
func (m *message) complete(content map[string]any) {
	n := 0
	for _, part := range objects(content["parts"]) {
		call, ok := part["functionCall"].(map[string]any)
		switch {
		case ok && n < len(m.args):
			call["args"] = m.args[n]
			if n == 0 && m.unsigned {
				part["thoughtSignature"] = noSignature
			}
			n++
		case len(part) == 1 && part["thoughtSignature"] != nil:
			part["text"] = ""
		}
	}
}

// objects returns a list of objects in either of the forms that the client library
// uses.
func objects(v any) []map[string]any {
	switch v := v.(type) {
	case []map[string]any:
		return v
	case []any:
		out := make([]map[string]any, 0, len(v))
		for _, e := range v {
			if m, ok := e.(map[string]any); ok {
				out = append(out, m)
			}
		}
		return out
	}
	return nil
}

// thoughts configures how the model thinks. A generation accepts levels or budgets
// in tokens, never both. A budget out of range becomes the nearest one in range.
func thoughts(req model.Request, tr traits) *genai.ThinkingConfig {
	c := req.Config
	t := &genai.ThinkingConfig{IncludeThoughts: c.IncludeThoughts == nil || *c.IncludeThoughts}
	switch {
	case tr.thinking == catalogue.Levels && c.ThinkingLevel != "":
		t.ThinkingLevel = genai.ThinkingLevel(strings.ToUpper(c.ThinkingLevel))
	case tr.thinking != "" && c.ThinkingBudget != nil:
		t.ThinkingBudget = genai.Ptr(tr.nearest(*c.ThinkingBudget))
		if *t.ThinkingBudget == 0 {
			t.IncludeThoughts = false // there are none to include
		}
	}
	return t
}
