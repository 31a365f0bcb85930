package anthropic

import (
	"slices"
	"strings"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

const (
	// leastBudget is the smallest thinking budget that the API accepts.
	leastBudget = 1024

	// usualBudget is the thinking budget of models that need one and are given none.
	usualBudget = 8192

	// freeBudget is the budget of models that need one and may think as they like.
	freeBudget = 32768

	// shortAnswer is the limit of tokens below which a model that decides how much it
	// thinks is not left enough for the answer.
	shortAnswer = 4096

	// maxSearches is how often the model may search for one answer.
	maxSearches = 5
)

// request is a request in the client library's types.
type request struct {
	params anthropic.MessageNewParams
	names  map[string]string // tools by their names in the API
	signed []string          // the signatures of the thinking in it
	unsent *model.Unsent     // pictures that are not in it; nil: there are none
}

// newRequest translates req for a model with the traits tr, without the thinking that
// was refused. Its error is a [*model.Error].
func newRequest(req model.Request, tr catalogue.Model, refused *model.Forgotten) (*request, error) {
	if err := req.Check(); err != nil {
		return nil, err
	}
	r := &request{params: anthropic.MessageNewParams{Model: req.Model, MaxTokens: outputTokens}}
	p := &r.params
	if tr.Output > 0 {
		p.MaxTokens = tr.Output
	}
	if n := int64(req.Config.MaxTokens); n > 0 {
		p.MaxTokens = min(p.MaxTokens, n)
	}
	if err := r.tools(req); err != nil {
		return nil, err
	}
	r.think(req, tr)
	req.Messages, r.unsent = fitting(req.Messages)
	h := history{think: r.thinks(), refused: refused}
	p.Messages = h.messages(req.Messages)
	if len(p.Messages) == 0 {
		return nil, model.EmptyConversation()
	}
	if p.Thinking.OfEnabled != nil && !beganWithThinking(p.Messages) {
		// A turn that another model began, or this one without thinking, is completed so.
		p.Thinking = anthropic.ThinkingConfigParamUnion{}
		h.think = false
		p.Messages = h.messages(req.Messages)
	}
	r.signed = h.signed
	r.sample(req.Config, tr)
	if strings.TrimSpace(req.System) != "" {
		p.System = []anthropic.TextBlockParam{{Text: req.System}}
	}
	r.markCached()
	return r, nil
}

// thinks reports whether thinking is turned on.
func (r *request) thinks() bool {
	return r.params.Thinking.OfEnabled != nil || r.params.Thinking.OfAdaptive != nil
}

// tools declares the tools, and how far the model may choose among them.
func (r *request) tools(req model.Request) error {
	p := &r.params
	if req.Search {
		p.Tools = []anthropic.ToolUnionParam{{OfWebSearchTool20250305: &anthropic.WebSearchTool20250305Param{MaxUses: param.NewOpt[int64](maxSearches)}}}
		return nil
	}
	r.names = map[string]string{}
	for _, t := range req.Tools {
		schema, err := accepted(t)
		if err != nil {
			return err
		}
		tool := &anthropic.ToolParam{Name: toolName(t.Name), InputSchema: param.Override[anthropic.ToolInputSchemaParam](schema)}
		if t.Description != "" {
			tool.Description = param.NewOpt(t.Description)
		}
		r.names[tool.Name] = t.Name
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: tool})
	}
	if len(p.Tools) == 0 {
		return nil
	}
	switch req.Choice {
	case model.MustCall:
		p.ToolChoice.OfAny = &anthropic.ToolChoiceAnyParam{}
	case model.MustNotCall:
		none := anthropic.NewToolChoiceNoneParam()
		p.ToolChoice.OfNone = &none
	case model.MayCall:
	}
	return nil
}

// think configures how the model thinks. A call cannot be demanded from a model that
// thinks: thinking is turned off, or where that is not possible the demand is dropped.
func (r *request) think(req model.Request, tr catalogue.Model) {
	switch tr.Thinking {
	case "":
	case catalogue.Budgets:
		r.budget(req.Config)
	case catalogue.Adaptive, catalogue.Efforts, catalogue.Levels:
		r.adapt(req.Config, tr)
	}
	if r.thinks() && r.params.ToolChoice.OfAny != nil {
		r.params.ToolChoice = anthropic.ToolChoiceUnionParam{}
	}
}

// budget sets how many tokens the model may think, and leaves at least half of the
// answer's for the rest. Without a budget it does not think.
func (r *request) budget(c model.Config) {
	want := int64(usualBudget)
	if c.ThinkingBudget != nil {
		if want = int64(*c.ThinkingBudget); want < 0 {
			want = freeBudget
		}
	}
	n := min(max(want, leastBudget), r.params.MaxTokens/2)
	if want == 0 || n < leastBudget || r.params.ToolChoice.OfAny != nil {
		return
	}
	on := &anthropic.ThinkingConfigEnabledParam{BudgetTokens: n}
	if hidden(c) {
		on.Display = anthropic.ThinkingConfigEnabledDisplayOmitted
	}
	r.params.Thinking.OfEnabled = on
}

// adapt lets the model decide how much it thinks, guided by a level of effort.
func (r *request) adapt(c model.Config, tr catalogue.Model) {
	off := c.ThinkingBudget != nil && *c.ThinkingBudget == 0 && c.ThinkingLevel == "" || strings.EqualFold(c.ThinkingLevel, "none")
	short := r.params.MaxTokens < shortAnswer
	if (off || short || r.params.ToolChoice.OfAny != nil) && !catalogue.Is(tr.AlwaysThinks) {
		none := anthropic.NewThinkingConfigDisabledParam()
		r.params.Thinking.OfDisabled = &none
		return
	}
	on := &anthropic.ThinkingConfigAdaptiveParam{Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized}
	if hidden(c) {
		on.Display = anthropic.ThinkingConfigAdaptiveDisplayOmitted
	}
	r.params.Thinking.OfAdaptive = on
	level := c.ThinkingLevel
	if off || short {
		level = "low" // the least that there is
	}
	r.params.OutputConfig.Effort = anthropic.OutputConfigEffort(effort(tr.Efforts, level))
}

// hidden reports whether thoughts are not to be shown.
func hidden(c model.Config) bool { return c.IncludeThoughts != nil && !*c.IncludeThoughts }

// beganWithThinking reports whether the model's first message of the turn that the
// request continues begins with thinking, or there is none yet. A budget for thinking
// is refused otherwise.
func beganWithThinking(ms []anthropic.MessageParam) bool {
	i := len(ms) - 1
	for i >= 0 && (ms[i].Role == anthropic.MessageParamRoleAssistant || ms[i].Content[0].OfToolResult != nil) {
		i--
	}
	return i+1 >= len(ms) || thinks(ms[i+1].Content[0])
}

// sample sets what thinking models and some others refuse.
func (r *request) sample(c model.Config, tr catalogue.Model) {
	p := &r.params
	for _, s := range c.StopSequences {
		if strings.TrimSpace(s) != "" {
			p.StopSequences = append(p.StopSequences, s)
		}
	}
	if catalogue.Lacks(tr.Sampling) || r.thinks() {
		return
	}
	switch { // the API accepts one of the two
	case c.Temperature != nil:
		p.Temperature = param.NewOpt(min(max(model.Decimal(*c.Temperature), 0), 1))
	case c.TopP != nil:
		p.TopP = param.NewOpt(min(max(model.Decimal(*c.TopP), 0), 1))
	}
	if c.TopK != nil && *c.TopK >= 1 {
		p.TopK = param.NewOpt(int64(*c.TopK))
	}
}

// markCached sets the breakpoints up to which the API caches the request: after the
// tools, after the system prompt, and after the last two messages of the user, so
// that what the previous request cached is found.
func (r *request) markCached() {
	mark := anthropic.NewCacheControlEphemeralParam()
	p := &r.params
	if n := len(p.Tools); n > 0 && p.Tools[n-1].OfTool != nil {
		p.Tools[n-1].OfTool.CacheControl = mark
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = mark
	}
	left := 2
	for _, m := range slices.Backward(p.Messages) {
		if left == 0 {
			return
		}
		if m.Role != anthropic.MessageParamRoleUser {
			continue
		}
		if c := m.Content[len(m.Content)-1].GetCacheControl(); c != nil {
			*c = mark
			left--
		}
	}
}

// count returns the request in the form of those that count tokens.
func (r *request) count() anthropic.MessageCountTokensParams {
	p := r.params
	out := anthropic.MessageCountTokensParams{
		Model: p.Model, Messages: p.Messages, Thinking: p.Thinking, ToolChoice: p.ToolChoice, OutputConfig: p.OutputConfig,
	}
	if len(p.System) > 0 {
		out.System.OfTextBlockArray = p.System
	}
	for _, t := range p.Tools {
		out.Tools = append(out.Tools, anthropic.MessageCountTokensToolUnionParam{OfTool: t.OfTool, OfWebSearchTool20250305: t.OfWebSearchTool20250305})
	}
	return out
}
