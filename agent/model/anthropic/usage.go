package anthropic

import (
	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/respjson"

	"github.com/emendo-dev/emendo/agent/model"
)

// counts are the API's counts of one event; -1 for those that it does not have.
type counts struct{ input, created, read, output, thought int64 }

func startUsage(u anthropic.Usage) counts {
	return counts{
		counted(u.JSON.InputTokens, u.InputTokens), counted(u.JSON.CacheCreationInputTokens, u.CacheCreationInputTokens),
		counted(u.JSON.CacheReadInputTokens, u.CacheReadInputTokens), counted(u.JSON.OutputTokens, u.OutputTokens),
		counted(u.OutputTokensDetails.JSON.ThinkingTokens, u.OutputTokensDetails.ThinkingTokens),
	}
}

func deltaUsage(u anthropic.MessageDeltaUsage) counts {
	return counts{
		counted(u.JSON.InputTokens, u.InputTokens), counted(u.JSON.CacheCreationInputTokens, u.CacheCreationInputTokens),
		counted(u.JSON.CacheReadInputTokens, u.CacheReadInputTokens), counted(u.JSON.OutputTokens, u.OutputTokens),
		counted(u.OutputTokensDetails.JSON.ThinkingTokens, u.OutputTokensDetails.ThinkingTokens),
	}
}

func counted(f respjson.Field, n int64) int64 {
	if !f.Valid() {
		return -1
	}
	return max(n, 0)
}

// later returns the counts of a later event over those before.
func (c counts) later(l counts) counts {
	over := func(a, b int64) int64 {
		if b < 0 {
			return a
		}
		return b
	}
	return counts{over(c.input, l.input), over(c.created, l.created), over(c.read, l.read), over(c.output, l.output), over(c.thought, l.thought)}
}

// usage translates the counts. The API counts cached tokens apart from the input,
// and thinking as output.
func (c counts) usage() model.Usage {
	in, out, thought := max(c.input, 0)+max(c.created, 0)+max(c.read, 0), max(c.output, 0), max(c.thought, 0)
	return model.Usage{
		Input: in, Cached: max(c.read, 0),
		Output: max(out-thought, 0), Thought: thought,
		Total: in + max(out, thought),
	}
}

// count takes the counts of an event.
func (s *stream) count(c counts) {
	s.counts = s.counts.later(c)
	s.usage = s.resumed.Add(s.counts.usage())
}
