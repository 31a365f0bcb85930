package gemini

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
)

// noSignature is what the API takes in place of a signature that it did not
// make or that got lost, as the very text of the field.
const noSignature = "skip_thought_signature_validator"

// request is a request in the client library's types, and what these cannot
// hold: [request.patch] puts it into the body.
type request struct {
	contents []*genai.Content
	config   *genai.GenerateContentConfig

	args    []json.RawMessage // of every call, in order
	unsaid  []bool            // the call needs noSignature, in the same order
	schemas []json.RawMessage // of every tool, in order
}

// newRequest translates. Its error is a [*model.Error].
func newRequest(req model.Request) (*request, error) {
	if req.Model == "" {
		return nil, &model.Error{Kind: model.Invalid, Message: "no model is named; choose one with --model or the setting model.name"}
	}
	r := &request{contents: contents(req.Messages, gemini3(req.Model))}
	if len(r.contents) == 0 {
		return nil, &model.Error{Kind: model.Invalid, Message: "the conversation is empty: there is nothing to send"}
	}
	r.noteCalls(req, r.contents)
	r.config = &genai.GenerateContentConfig{
		Temperature:           req.Config.Temperature,
		MaxOutputTokens:       req.Config.MaxTokens,
		AutomaticContinuation: genai.Ptr(false), // it would repeat requests unseen
		HTTPOptions:           &genai.HTTPOptions{ExtrasRequestProvider: r.patch},
	}
	if req.System != "" {
		r.config.SystemInstruction = genai.NewContentFromText(req.System, genai.RoleUser)
	}
	if thinks(req.Model) {
		r.config.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: true}
	}
	var functions []*genai.FunctionDeclaration
	for _, t := range req.Tools {
		if len(t.Schema) > 0 && !json.Valid(t.Schema) {
			return nil, &model.Error{Kind: model.Invalid, Message: fmt.Sprintf("the schema of the tool %s is not JSON", t.Name)}
		}
		functions = append(functions, &genai.FunctionDeclaration{Name: t.Name, Description: t.Description})
		r.schemas = append(r.schemas, t.Schema)
	}
	if len(functions) > 0 {
		r.config.Tools = []*genai.Tool{{FunctionDeclarations: functions}}
	}
	return r, nil
}

// contents translates a history: thoughts stay here, empty parts and messages
// vanish, and neighbours of one role become one.
func contents(messages []model.Message, nested bool) []*genai.Content {
	var out []*genai.Content
	for _, m := range messages {
		ps := parts(m.Parts, nested)
		if len(ps) == 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Role == string(m.Role) {
			out[n-1].Parts = append(out[n-1].Parts, ps...)
			continue
		}
		out = append(out, &genai.Content{Role: string(m.Role), Parts: ps})
	}
	return out
}

// parts translates a message. nested puts what a tool returned beside its
// text into its answer; otherwise it follows all the answers.
func parts(in []model.Part, nested bool) []*genai.Part {
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
			out = append(out, &genai.Part{
				FunctionCall:     &genai.FunctionCall{ID: p.ProviderID, Name: p.Name},
				ThoughtSignature: p.Signature,
			})
		case model.Result:
			r, rest := response(p, nested)
			out = append(out, r)
			beside = append(beside, rest...)
		default:
			panic(fmt.Sprintf("gemini: unknown part %T", p))
		}
	}
	return append(out, beside...)
}

// inAnswer are the media types that an answer to a call may carry itself.
var inAnswer = regexp.MustCompile(`^(image/(png|jpeg|webp)|application/pdf|text/plain)$`)

// response answers a call, and gives what does not fit into the answer.
func response(r model.Result, nested bool) (*genai.Part, []*genai.Part) {
	key := "output"
	if r.Failed {
		key = "error"
	}
	f := &genai.FunctionResponse{ID: r.ProviderID, Name: r.Name, Response: map[string]any{key: r.Output}}
	var beside []*genai.Part
	for _, b := range r.Blobs {
		switch {
		case len(b.Data) == 0:
		case nested && inAnswer.MatchString(b.MIME):
			f.Parts = append(f.Parts, genai.NewFunctionResponsePartFromBytes(b.Data, b.MIME))
		default:
			beside = append(beside, genai.NewPartFromBytes(b.Data, b.MIME))
		}
	}
	return &genai.Part{FunctionResponse: f}, beside
}

// noteCalls collects the arguments of the calls, and which of them need
// noSignature: the models that check want one on the first call of each of
// their messages since the user last spoke.
func (r *request) noteCalls(req model.Request, contents []*genai.Content) {
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if c, ok := p.(model.Call); ok {
				r.args = append(r.args, object(c.Args))
			}
		}
	}
	start := 0
	for i, c := range contents {
		if spoke(c) {
			start = i
		}
	}
	for i, c := range contents {
		first := true
		for _, p := range c.Parts {
			if p.FunctionCall == nil {
				continue
			}
			r.unsaid = append(r.unsaid, first && i >= start && gemini3(req.Model) && len(p.ThoughtSignature) == 0)
			first = false
		}
	}
}

// spoke says whether a content begins a turn: the user's words, no answers.
func spoke(c *genai.Content) bool {
	text := false
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			return false
		}
		text = text || p.Text != ""
	}
	return text && c.Role == genai.RoleUser
}

// patch completes the body that the client library made.
func (r *request) patch(body map[string]any) map[string]any {
	n := 0
	for _, content := range objects(body["contents"]) {
		for _, part := range objects(content["parts"]) {
			call, ok := part["functionCall"].(map[string]any)
			switch {
			case ok && n < len(r.args):
				call["args"] = r.args[n]
				if r.unsaid[n] {
					part["thoughtSignature"] = noSignature
				}
				n++
			case len(part) == 1 && part["thoughtSignature"] != nil:
				part["text"] = "" // a part must hold something
			}
		}
	}
	n = 0
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

// objects is a list of objects in either of the forms that the client library
// gives it.
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

var (
	thinking = regexp.MustCompile(`^gemini-(2\.5|3)([.-]|$)`)
	third    = regexp.MustCompile(`^gemini-3([.-]|$)`)
)

// thinks says whether the model has thoughts to show.
func thinks(name string) bool {
	name = bare(name)
	return thinking.MatchString(name) && !strings.Contains(name, "image") && !strings.Contains(name, "tts")
}

// gemini3 says whether the model is of the third family, which checks thought
// signatures and takes pictures inside answers to calls.
func gemini3(name string) bool { return third.MatchString(bare(name)) }

// bare is the model's name without its collection.
func bare(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
