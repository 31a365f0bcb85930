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
