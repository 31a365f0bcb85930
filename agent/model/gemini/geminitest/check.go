package geminitest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// check rejects a request that the API rejects.
func (s *Server) check(model string, in *request) *Refusal {
	if len(in.Contents) == 0 {
		return invalid("* GenerateContentRequest.contents: contents is not specified\n")
	}
	if sys := in.SystemInstruction; sys != nil {
		if len(sys.Parts) == 0 {
			return invalid("* GenerateContentRequest.system_instruction.parts: contents.parts must not be empty.\n")
		}
		for i, p := range sys.Parts {
			if p.Text == nil {
				return invalid("* GenerateContentRequest.system_instruction.parts[%d].data: required oneof field 'data' must have one initialized field\n", i)
			}
		}
	}
	for i, c := range in.Contents {
		if r := checkContent(i, c); r != nil {
			return r
		}
	}
	for _, check := range []func() *Refusal{
		func() *Refusal { return checkOrder(in.Contents) },
		func() *Refusal { return checkInside(model, in.Contents) },
		func() *Refusal { return s.checkSignatures(model, in.Contents) },
		func() *Refusal { return checkTools(model, in) },
		func() *Refusal { return checkConfig(model, in) },
	} {
		if r := check(); r != nil {
			return r
		}
	}
	return nil
}

// checkContent checks one content alone.
func checkContent(i int, c Content) *Refusal {
	switch {
	case c.Role != "user" && c.Role != "model" && c.Role != "":
		return invalid("Please use a valid role: user, model.")
	case len(c.Parts) == 0:
		return invalid("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.\n", i)
	}
	for j, p := range c.Parts {
		at := fmt.Sprintf("contents[%d].parts[%d]", i, j)
		if r := checkPart(at, p); r != nil {
			return r
		}
		switch {
		case p.FunctionCall != nil && c.Role != "model":
			return invalid("Please ensure that function calls come from the model: %s has role %q.", at, c.Role)
		case p.FunctionResponse != nil && c.Role == "model":
			return invalid("Please ensure that function responses come from the user: %s has role %q.", at, c.Role)
		}
	}
	return nil
}

var inlineTypes = regexp.MustCompile(`^(image/(png|jpeg|webp|heic|heif)|(audio|video|text)/[\w.+-]+|application/(pdf|json|rtf|x-javascript|x-python))$`)

func checkPart(at string, p Part) *Refusal {
	kinds := 0
	for _, set := range []bool{
		p.Text != nil, p.InlineData != nil, p.FileData != nil, p.FunctionCall != nil,
		p.FunctionResponse != nil, p.ExecutableCode != nil, p.CodeExecutionResult != nil,
	} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds == 0:
		return invalid("* GenerateContentRequest.%s.data: required oneof field 'data' must have one initialized field\n", at)
	case kinds > 1:
		return invalid("Invalid value at '%s' (oneof), oneof field 'data' is already set. Cannot set more than one.", at)
	case !isBytes(p.ThoughtSignature):
		return invalid("Invalid value at '%s.thought_signature' (TYPE_BYTES), Base64 decoding failed for %q", at, p.ThoughtSignature)
	case p.Text != nil && *p.Text == "" && p.ThoughtSignature == "":
		return invalid("Unable to submit request because it must have a text parameter. Add a text parameter and try again: %s is empty.", at)
	case p.InlineData != nil:
		return checkBlob(at+".inline_data", p.InlineData)
	case p.FunctionCall != nil:
		if p.FunctionCall.Name == "" {
			return invalid("* GenerateContentRequest.%s.function_call.name: Name cannot be empty.\n", at)
		}
		if args := p.FunctionCall.Args; args != nil && !isObject(args) {
			return invalid("Invalid value at '%s.function_call.args' (type.googleapis.com/google.protobuf.Struct), %s", at, args)
		}
	case p.FunctionResponse != nil:
		if p.FunctionResponse.Name == "" {
			return invalid("* GenerateContentRequest.%s.function_response.name: Name cannot be empty.\n", at)
		}
		if !isObject(p.FunctionResponse.Response) {
			return invalid("* GenerateContentRequest.%s.function_response.response: Response must be a JSON object.\n", at)
		}
		for k, part := range p.FunctionResponse.Parts {
			if part.InlineData != nil {
				if r := checkBlob(fmt.Sprintf("%s.function_response.parts[%d].inline_data", at, k), part.InlineData); r != nil {
					return r
				}
			}
		}
	}
	return nil
}

func checkBlob(at string, b *Blob) *Refusal {
	switch {
	case !inlineTypes.MatchString(b.MIMEType):
		return invalid("Unsupported MIME type: %s", b.MIMEType)
	case b.Data == "" || !isBytes(b.Data):
		return invalid("Invalid value at '%s.data' (TYPE_BYTES), Base64 decoding failed", at)
	}
	return nil
}

// isBytes reports whether s is base64, in either alphabet.
func isBytes(s string) bool {
	if _, err := base64.StdEncoding.DecodeString(s); err == nil {
		return true
	}
	_, err := base64.URLEncoding.DecodeString(s)
	return err == nil
}

func isObject(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m != nil
}

// checkOrder checks the order of roles, and that calls are answered.
func checkOrder(contents []Content) *Refusal {
	if contents[0].Role == "model" {
		return invalid("Please ensure that the conversation begins with a user turn.")
	}
	if contents[len(contents)-1].Role == "model" {
		return invalid("Please ensure that multiturn requests end with a user role or a function response.")
	}
	for i, c := range contents {
		if i > 0 && (c.Role == "model") == (contents[i-1].Role == "model") {
			return invalid("Please ensure that multiturn requests alternate between user and model.")
		}
		var asked []FunctionCall
		if i > 0 {
			asked = calls(contents[i-1])
		}
		if r := checkAnswers(asked, results(c)); r != nil {
			return r
		}
	}
	return nil
}

// inAnswers are the media types that a function response may contain.
var inAnswers = []string{"image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"}

// checkInside checks the binary parts of function responses.
func checkInside(model string, contents []Content) *Refusal {
	for _, c := range contents {
		for _, r := range results(c) {
			for _, p := range r.Parts {
				switch {
				case !strings.HasPrefix(model, "gemini-3"):
					return invalid("Multimodal function responses are not supported for models/%s.", model)
				case p.InlineData != nil && !slices.Contains(inAnswers, p.InlineData.MIMEType):
					return invalid("Unsupported MIME type in a function response: %s", p.InlineData.MIMEType)
				}
			}
		}
	}
	return nil
}

func calls(c Content) []FunctionCall {
	var out []FunctionCall
	for _, p := range c.Parts {
		if p.FunctionCall != nil {
			out = append(out, *p.FunctionCall)
		}
	}
	return out
}

func results(c Content) []FunctionResult {
	var out []FunctionResult
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			out = append(out, *p.FunctionResponse)
		}
	}
	return out
}

// checkAnswers pairs the calls of a turn with the responses in the next.
func checkAnswers(asked []FunctionCall, answers []FunctionResult) *Refusal {
	if len(asked) == 0 && len(answers) > 0 {
		return invalid("Please ensure that function response turn comes immediately after a function call turn.")
	}
	if len(asked) != len(answers) {
		return invalid("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
	}
	open := slices.Clone(asked)
	for _, a := range answers {
		i := slices.IndexFunc(open, func(c FunctionCall) bool { return c.ID == a.ID })
		if i < 0 || open[i].Name != a.Name { // without ids their order pairs them
			return invalid("Please ensure that function responses have the names and ids of the function calls of the previous turn: %q with the id %q answers none.", a.Name, a.ID)
		}
		open = slices.Delete(open, i, i+1)
	}
	return nil
}

// dummies are the placeholders that the API accepts instead of a signature.
var dummies = []string{"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"}

// checkSignatures requires the signature of each step's first call since the last
// message of the user.
func (s *Server) checkSignatures(model string, contents []Content) *Refusal {
	if !checksSignatures(model) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	start := 0
	for i, c := range contents {
		if c.Role != "model" && len(results(c)) == 0 {
			start = i
		}
	}
	for i := start; i < len(contents); i++ {
		first := true
		for _, p := range contents[i].Parts {
			if p.FunctionCall == nil {
				continue
			}
			switch sig := p.ThoughtSignature; {
			case sig == "" && first:
				return invalid("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call `%s`, position %d.", p.FunctionCall.Name, i)
			case sig != "" && !s.signed(sig, p) && !slices.Contains(dummies, sig):
				return invalid("Corrupted thought signature.")
			}
			first = false
		}
	}
	return nil
}

// signed reports whether a signature was issued, and if it was issued with a
// function, whether with this one. s.mu is held.
func (s *Server) signed(signature string, p Part) bool {
	function, known := s.signatures[signature]
	return known && function == p.function()
}

// function returns the name of the function that a part calls, or "".
func (p Part) function() string {
	if p.FunctionCall == nil {
		return ""
	}
	return p.FunctionCall.Name
}

func checkConfig(model string, in *request) *Refusal {
	g := in.GenerationConfig
	outside := func(v *float64, low, high float64) bool { return v != nil && (*v < low || *v > high) }
	switch {
	case outside(g.Temperature, 0, 2):
		return invalid("* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\n")
	case outside(g.TopP, 0, 1):
		return invalid("* GenerateContentRequest.generation_config.top_p: top_p must be in the range [0.0, 1.0].\n")
	case g.MaxOutputTokens != nil && (*g.MaxOutputTokens < 1 || *g.MaxOutputTokens > 65536):
		return invalid("Unable to submit request because it has a maxOutputTokens value of %d but the supported range is from 1 (inclusive) to 65537 (exclusive).", *g.MaxOutputTokens)
	case g.CandidateCount != nil && (*g.CandidateCount < 1 || *g.CandidateCount > 8):
		return invalid("* GenerateContentRequest.generation_config.candidate_count: candidate_count must be in the range [1, 8].\n")
	case len(g.StopSequences) > 5:
		return invalid("Unable to submit request because the request has %d stop sequences; at most 5 are supported.", len(g.StopSequences))
	case (g.ResponseSchema != nil || g.ResponseJSONSchema != nil) && g.ResponseMIMEType != "application/json" && g.ResponseMIMEType != "text/x.enum":
		return invalid("Response schema requires response mime type 'application/json'")
	case g.ResponseMIMEType == "application/json" && len(in.Tools) > 0 && !strings.HasPrefix(model, "gemini-3"):
		return invalid("Function calling with a response mime type: 'application/json' is unsupported")
	case g.ThinkingConfig == nil:
		return nil
	}
	return checkThinking(model, g.ThinkingConfig)
}

// budgets are how many tokens a model may think, least and most; none of them,
// 0, is another matter.
var budgets = []struct {
	model       string
	least, most int
}{
	{"gemini-2.5-flash-lite", 512, 24576},
	{"gemini-2.5-flash", 1, 24576},
	{"gemini-2.5-pro", 128, 32768},
}

func checkThinking(model string, t *thinkingConfig) *Refusal {
	third := strings.HasPrefix(model, "gemini-3")
	switch {
	case !third && !strings.HasPrefix(model, "gemini-2.5"):
		return invalid("Thinking is not enabled for models/%s", model)
	case t.ThinkingLevel != "" && t.ThinkingBudget != nil:
		return invalid("You can only set only one of thinking budget and thinking level.")
	case t.ThinkingLevel != "" && !third:
		return invalid("Thinking level is not supported for this model.")
	case t.ThinkingLevel != "" && !slices.Contains([]string{"MINIMAL", "LOW", "MEDIUM", "HIGH"}, strings.ToUpper(t.ThinkingLevel)):
		return invalid("Invalid value at 'generation_config.thinking_config.thinking_level' (type.googleapis.com/google.ai.generativelanguage.v1beta.ThinkingConfig.ThinkingLevel), %q", t.ThinkingLevel)
	case t.ThinkingBudget == nil || *t.ThinkingBudget == -1:
		return nil
	case *t.ThinkingBudget == 0 && strings.HasPrefix(model, "gemini-2.5-pro"):
		return invalid("Budget 0 is invalid. This model only works in thinking mode.")
	}
	for _, b := range budgets {
		if n := *t.ThinkingBudget; strings.HasPrefix(model, b.model) {
			if n != 0 && (n < b.least || n > b.most) {
				return invalid("The thinking budget %d is invalid. Please choose a value between %d and %d.", n, b.least, b.most)
			}
			return nil
		}
	}
	return nil
}
