package transport_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model/transport"
)

func TestOverflowIsRecognisedWhoeverSaysIt(t *testing.T) {
	for _, tt := range []struct {
		says           string
		counted, limit int64
		ok             bool
	}{
		{"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", 9001, 8192, true},
		{"This model's maximum context length is 4096 tokens. However, you requested 5200 tokens (4200 in the messages, 1000 in the completion).", 5200, 4096, true},
		{"'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 4096 tokens and your request has 2000 input tokens", 0, 4096, true},
		{"You passed 5001 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens", 5001, 4096, true},
		{"litellm.ContextWindowExceededError: OpenAIException - the request exceeds the available context size. try increasing it", 0, 0, true},
		{"request (5063 tokens) exceeds the available context size (4096 tokens), try increasing it", 5063, 4096, true},
		{"the request exceeds the available context size (4096 tokens), n_prompt_tokens = 5063, n_ctx = 4096", 5063, 4096, true},
		{"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1200000, 1048576, true},
		{"prompt is too long: 201000 tokens > 200000 maximum", 0, 200000, true},
		{"the input length exceeds the context length", 0, 0, true},
		{"Your input exceeds the context window of this model. Please adjust your input and try again.", 0, 0, true},
		{"input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease input length or `max_tokens` and try again", 0, 200000, true},
		{"This model's maximum prompt length is 131072 but the request contains 150000 tokens.", 150000, 131072, true},
		{"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.", 0, 0, true},
		{"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 40000, 0, true},
		{"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`", 0, 0, true},
		{"Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192", 0, 0, true},
		{"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens", 0, 4096, true},
		{"Input is too long for requested model.", 0, 0, true},
		{"Request payload size exceeds the limit: 20971520 bytes.", 0, 0, true},
		{"Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 20000000 instead.", 0, 0, true},
		{"Invalid 'messages[1].name': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.", 0, 0, false},
		{"Invalid 'input[2].call_id': string too long. Expected a string with maximum length 64, but got a string with length 90 instead.", 0, 0, false},
		{"Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 3000 instead.", 0, 0, false},
		{"max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for this model", 0, 0, false},
		{"max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.", 0, 0, false},
		{"max_tokens exceeds the model's maximum output tokens (8192)", 0, 0, false},
		{"The requested output token count exceeds the maximum", 0, 0, false},
		{"The thinking budget exceeds the maximum number of tokens", 0, 0, false},
		{"The number of images in the input exceeds the limit of 16", 0, 0, false},
		{"messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes", 0, 0, false},
		{"The audio input exceeds the maximum duration", 0, 0, false},
		{"Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).", 0, 0, false},
		{"The specified schema produces a constraint that has too many states for serving.", 0, 0, false},
		{"A schema in the input exceeds the maximum nesting depth", 0, 0, false},
		{"`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model", 0, 0, false},
		{"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.", 0, 0, false},
		{"Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 40000.", 0, 0, false},
		{"thinking.budget_tokens: must be less than max_tokens", 0, 0, false},
		{"tools.0.custom.name: String should have at most 128 characters", 0, 0, false},
		{"the model `x` does not exist", 0, 0, false},
		{"unsupported parameter: max_tokens", 0, 0, false},
		{"Invalid value for 'content'", 0, 0, false},
	} {
		counted, limit, ok := transport.Overflow(tt.says)
		if counted != tt.counted || limit != tt.limit || ok != tt.ok {
			t.Errorf("%q: %d of %d, %v; want %d of %d, %v", tt.says, counted, limit, ok, tt.counted, tt.limit, tt.ok)
		}
	}
}
