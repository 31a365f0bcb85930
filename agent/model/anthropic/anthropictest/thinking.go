package anthropictest

import (
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// thinking checks how the model is to think.
func (c *checker) thinking() *Refusal {
	if o := c.in.OutputConfig; o != nil && o.Effort != "" && !slices.Contains(c.m.Efforts, o.Effort) {
		return invalid("output_config.effort: %q is not supported by this model", o.Effort)
	}
	t := c.in.Thinking
	if t == nil {
		return nil
	}
	forced := c.in.ToolChoice != nil && (c.in.ToolChoice.Type == "any" || c.in.ToolChoice.Type == "tool")
	switch {
	case t.Type != "enabled" && t.BudgetTokens != nil:
		return invalid("thinking.%s.budget_tokens: Extra inputs are not permitted", t.Type)
	case t.Type == "disabled" && t.Display != "":
		return invalid("thinking.disabled.display: Extra inputs are not permitted")
	case t.Display != "" && t.Display != "summarized" && t.Display != "omitted":
		return invalid("thinking.%s.display: Input should be 'summarized' or 'omitted'", t.Type)
	case t.Type == "disabled" && c.m.Always, t.Type == "adaptive" && !c.m.Adaptive, t.Type == "enabled" && !c.m.Budgets:
		return invalid("\"thinking.type.%s\" is not supported for this model.", t.Type)
	case t.Type == "disabled":
		return nil
	case forced:
		return invalid("Thinking may not be enabled when tool_choice forces tool use.")
	case t.Type == "adaptive":
		return nil
	case t.Type != "enabled":
		return invalid("thinking: Input tag '%s' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'", t.Type)
	case t.BudgetTokens == nil:
		return invalid("thinking.enabled.budget_tokens: Field required")
	case *t.BudgetTokens < 1024:
		return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case !c.counting && *t.BudgetTokens >= *c.in.MaxTokens:
		return invalid("`max_tokens` must be greater than `thinking.budget_tokens`.")
	}
	return nil
}

// turn returns the index of the first message after the last one of the user that
// has no results.
func (c *checker) turn() int {
	for i := len(c.in.Messages) - 1; i >= 0; i-- {
		if m := c.in.Messages[i]; m.Role == "user" && m.Content[0].Type != "tool_result" {
			return i + 1
		}
	}
	return 0
}

// signatures checks that thinking comes back as it was sent: always unchanged, and
// in the current turn completely, before the calls that it led to.
func (c *checker) signatures() *Refusal {
	thinks := c.in.Thinking != nil && c.in.Thinking.Type != "disabled"
	turn := c.turn()
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	for i, m := range c.in.Messages {
		var before []string
		for j, b := range m.Content {
			at := fmt.Sprintf("messages.%d.content.%d", i, j)
			switch b.Type {
			case "thinking":
				text, known := c.s.issued.signatures[b.Signature]
				switch {
				case !known:
					return invalid("%s: Invalid `signature` in `thinking` block", at)
				case text != b.Thinking:
					return invalid("%s: `thinking` or `redacted_thinking` blocks cannot be modified. These blocks must remain as they were in the original response.", at)
				case c.s.o.Bound && c.s.issued.prefixes[b.Signature] != c.in.prefix(i):
					return invalid("%s: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".", at)
				}
				before = append(before, b.Signature)
			case "redacted_thinking":
				if !c.s.issued.redacted[b.Data] {
					return invalid("%s: Invalid `data` in `redacted_thinking` block", at)
				}
				before = append(before, b.Data)
			case "tool_use":
				want := c.s.issued.before[b.ID]
				unread := c.s.o.Bound && len(want) > 0 && c.s.issued.prefixes[want[0]] != c.in.prefix(i)
				if thinks && i >= turn && !slices.Equal(before, want) && (!unread || len(before) > 0) {
					return invalid("%s: the thinking blocks before `tool_use` %s are missing or in another order", at, b.ID)
				}
			}
		}
		if first := m.Content[0].Type; thinks && c.in.Thinking.Type == "enabled" && i == turn && m.Role == "assistant" && first != "thinking" && first != "redacted_thinking" {
			return invalid("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceding the last set of `tool_use` and `tool_result` blocks).", i, first)
		}
	}
	return nil
}

// prefix returns what comes before a message, without marks for the cache.
func (in *request) prefix(n int) string {
	type unmarked struct {
		System   Content
		Tools    []tool
		Messages []Message
	}
	p := unmarked{unmark(in.System), slices.Clone(in.Tools), slices.Clone(in.Messages[:n])}
	for i := range p.Tools {
		p.Tools[i].CacheControl = nil
	}
	for i := range p.Messages {
		p.Messages[i].Content = unmark(p.Messages[i].Content)
	}
	return string(servertest.JSON(p))
}

func unmark(c Content) Content {
	c = slices.Clone(c)
	for i := range c {
		c[i].CacheControl = nil
	}
	return c
}
