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
	pieces []*piece // all that is said
	fresh  []*piece // those that the client library has to encode
	config *genai.GenerateContentConfig

	encoded *encoded
	schemas []json.RawMessage // of every tool, in order
}

// newRequest translates. Its error is a [*model.Error].
func newRequest(req model.Request, known *encoded) (*request, error) {
	if req.Model == "" {
		return nil, &model.Error{Kind: model.Invalid, Message: "no model is named; choose one with --model or the setting model.name"}
	}
	r := &request{pieces: pieces(req.Messages, gemini3(req.Model)), encoded: known}
	if len(r.pieces) == 0 {
		return nil, &model.Error{Kind: model.Invalid, Message: "the conversation is empty: there is nothing to send"}
	}
	noteUnsaid(req, r.pieces)
	r.fresh = known.recall(r.pieces)
	r.config = &genai.GenerateContentConfig{
		Temperature:           req.Config.Temperature,
		TopP:                  req.Config.TopP,
		TopK:                  req.Config.TopK,
		MaxOutputTokens:       req.Config.MaxTokens,
		StopSequences:         req.Config.StopSequences,
		Seed:                  req.Config.Seed,
		AutomaticContinuation: genai.Ptr(false), // it would repeat requests unseen
		HTTPOptions:           &genai.HTTPOptions{ExtrasRequestProvider: r.patch},
	}
	if req.System != "" {
		r.config.SystemInstruction = genai.NewContentFromText(req.System, genai.RoleUser)
	}
	if thinks(req.Model) {
		r.config.ThinkingConfig = thoughts(req)
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
		if mode := choices[req.Choice]; mode != "" {
			r.config.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: &genai.FunctionCallingConfig{Mode: mode}}
		}
	}
	return r, nil
}

// choices are the provider's words for whether a model may call.
var choices = map[model.Choice]genai.FunctionCallingConfigMode{
	model.MustCall: genai.FunctionCallingConfigModeAny, model.MustNotCall: genai.FunctionCallingConfigModeNone,
}

// pieces translates a history: thoughts stay here, empty parts and messages
// vanish, and neighbours of one role become one.
func pieces(messages []model.Message, nested bool) []*piece {
	var out []*piece
	for _, m := range messages {
		ps := parts(m.Parts, nested)
		if len(ps) == 0 {
			continue
		}
		if n := len(out); n == 0 || out[n-1].content.Role != string(m.Role) {
			out = append(out, &piece{id: m.ID, content: &genai.Content{Role: string(m.Role)}})
		}
		p := out[len(out)-1]
		p.content.Parts = append(p.content.Parts, ps...)
		for _, part := range m.Parts {
			if c, ok := part.(model.Call); ok {
				p.args = append(p.args, object(c.Args))
			}
		}
	}
	return out
}

// contents are pieces in the client library's type.
func contents(ps []*piece) []*genai.Content {
	out := make([]*genai.Content, len(ps))
	for i, p := range ps {
		out[i] = p.content
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

// noteUnsaid notes which calls need noSignature: the models that check want one
// on the first call of each of their messages since the user last spoke.
func noteUnsaid(req model.Request, ps []*piece) {
	start := 0
	for i, p := range ps {
		if spoke(p.content) {
			start = i
		}
	}
	for i, p := range ps {
		for _, part := range p.content.Parts {
			if part.FunctionCall != nil {
				p.unsaid = i >= start && gemini3(req.Model) && len(part.ThoughtSignature) == 0
				break
			}
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
	made := objects(body["contents"])
	if len(made) != len(r.fresh) {
		panic(fmt.Sprintf("gemini: the client library makes %d contents of %d", len(made), len(r.fresh)))
	}
	for i, p := range r.fresh {
		p.complete(made[i])
	}
	r.encoded.keep(r.fresh)
	body["contents"] = inPlace
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

// thoughts are how the model is to think. The third family takes levels, the
// one before it budgets in tokens, and neither takes both; a budget that the
// model does not take becomes the nearest one that it does.
func thoughts(req model.Request) *genai.ThinkingConfig {
	c := req.Config
	t := &genai.ThinkingConfig{IncludeThoughts: c.IncludeThoughts == nil || *c.IncludeThoughts}
	switch {
	case gemini3(req.Model) && c.ThinkingLevel != "":
		t.ThinkingLevel = genai.ThinkingLevel(strings.ToUpper(c.ThinkingLevel))
	case c.ThinkingBudget != nil:
		t.ThinkingBudget = genai.Ptr(budget(bare(req.Model), *c.ThinkingBudget))
		if *t.ThinkingBudget == 0 {
			t.IncludeThoughts = false // there are none
		}
	}
	return t
}

// The bounds of thinking budgets that Google publishes, in tokens.
const (
	proLeast, proMost = 128, 32768
	flashMost         = 24576
	liteLeast         = 512
	dynamic           = -1 // as the model likes
)

// budget is the nearest thinking budget that a model takes.
func budget(name string, want int32) int32 {
	switch {
	case want == dynamic:
		return want
	case strings.Contains(name, "pro"):
		return min(max(want, proLeast), proMost)
	case want <= 0:
		return 0
	case strings.Contains(name, "lite"):
		return min(max(want, liteLeast), flashMost)
	}
	return min(want, flashMost)
}

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
