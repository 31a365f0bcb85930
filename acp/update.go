package acp

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Update encodes an event as a SessionUpdate, or as one of emendo's own kinds.
// It panics for an event that is only recorded and never shown.
func Update(e transcript.Event) json.RawMessage {
	return encode(update(e))
}

func encode(update any) json.RawMessage {
	b, err := json.Marshal(update)
	if err != nil {
		panic(fmt.Sprintf("acp: encoding a %T: %v", update, err)) // plain structs and valid JSON
	}
	return b
}

type meta struct {
	Emendo any `json:"emendo"`
}

type chunk struct {
	Kind      string `json:"sessionUpdate"`
	Content   any    `json:"content"`
	MessageID string `json:"messageId"`
	Meta      *meta  `json:"_meta,omitempty"`
}

func update(e transcript.Event) any {
	switch e := e.(type) { //nolint:gochecksumtype // the others are not shown, see TestEveryShownEventHasItsUpdate
	case transcript.UserChunk:
		return chunk{"user_message_chunk", blockOf(e.Block), e.MessageID, nil}
	case transcript.Text:
		return chunk{"agent_message_chunk", textBlock(e.Text), e.MessageID, nil}
	case transcript.Thought:
		c := chunk{"agent_thought_chunk", textBlock(e.Text), e.MessageID, nil}
		if e.Subject != "" {
			c.Meta = &meta{struct {
				Subject string `json:"subject"`
			}{e.Subject}}
		}
		return c
	case transcript.ToolCall:
		return toolCall(e)
	case transcript.ToolUpdate:
		return toolUpdate(e)
	case transcript.Plan:
		return struct {
			Kind    string                 `json:"sessionUpdate"`
			Entries []transcript.PlanEntry `json:"entries"`
		}{"plan", append([]transcript.PlanEntry{}, e.Entries...)}
	case transcript.CommandsChanged:
		return struct {
			Kind     string             `json:"sessionUpdate"`
			Commands []AvailableCommand `json:"availableCommands"`
		}{"available_commands_update", Commands(e.Commands)}
	case transcript.ModeChanged:
		return struct {
			Kind string      `json:"sessionUpdate"`
			Mode policy.Mode `json:"currentModeId"`
		}{"current_mode_update", e.Mode}
	case transcript.ModelChanged:
		return optionsUpdate{"config_option_update", []ConfigOption{modelOption(e.Model)}}
	case transcript.InfoChanged:
		return struct {
			Kind      string `json:"sessionUpdate"`
			Title     string `json:"title"`
			UpdatedAt string `json:"updatedAt"`
		}{"session_info_update", e.Title, Time(e.At)}
	case transcript.UsageUpdated:
		return struct {
			Kind string `json:"sessionUpdate"`
			Used int64  `json:"used"`
			Size int64  `json:"size"`
			Cost *price `json:"cost,omitempty"`
			Meta meta   `json:"_meta"`
		}{"usage_update", e.Used, e.Size, priceOf(e.Usage), meta{UsageOf(e.Usage)}}
	case transcript.Notice:
		return notice(e)
	case transcript.Compaction:
		return struct {
			Kind   string `json:"sessionUpdate"`
			ID     string `json:"compactionId"`
			Status string `json:"status"`
			Meta   meta   `json:"_meta"`
		}{"compaction_update", e.ID, e.Status, meta{struct {
			OriginalTokens int64 `json:"originalTokens"`
			NewTokens      int64 `json:"newTokens"`
		}{e.OriginalTokens, e.NewTokens}}}
	case transcript.Retract:
		return struct {
			Kind      string `json:"sessionUpdate"`
			MessageID string `json:"messageId"`
		}{"_emendo/retract", e.MessageID}
	case transcript.ResponseFinished:
		r := finished{Kind: "_emendo/response_finished", MessageID: e.MessageID, Reason: e.Reason, Usage: UsageOf(e.Usage)}
		if e.Word != "" || e.Model != "" {
			r.Meta = &meta{struct {
				Word  string `json:"providerReason,omitempty"`
				Model string `json:"model,omitempty"`
			}{e.Word, e.Model}}
		}
		return r
	case transcript.TurnEnded:
		return struct {
			Kind       string                   `json:"sessionUpdate"`
			StopReason transcript.StopReason    `json:"stopReason"`
			Usage      Usage                    `json:"usage"`
			DurationMS int64                    `json:"durationMs,omitempty"`
			Files      []transcript.FileSummary `json:"files,omitempty"`
			Unasked    []transcript.Unasked     `json:"unasked,omitempty"`
		}{"_emendo/turn_ended", e.StopReason, UsageOf(e.Usage), e.DurationMS, e.Files, e.Unasked}
	}
	panic(fmt.Sprintf("acp: %T is not shown", e))
}

type finished struct {
	Kind      string       `json:"sessionUpdate"`
	MessageID string       `json:"messageId"`
	Reason    model.Finish `json:"reason"`
	Usage     Usage        `json:"usage"`
	Meta      *meta        `json:"_meta,omitempty"`
}

func notice(e transcript.Notice) any {
	return struct {
		Kind        string              `json:"sessionUpdate"`
		Severity    transcript.Severity `json:"severity"`
		Title       string              `json:"title"`
		Description string              `json:"description,omitempty"`
		Meta        meta                `json:"_meta"`
	}{"notice", e.Severity, e.Title, e.Description, meta{struct {
		Code         transcript.NoticeCode `json:"code"`
		RetryAfterMS *int64                `json:"retryAfterMs,omitempty"`
		Attempt      int                   `json:"attempt,omitempty"`
		MaxAttempts  int                   `json:"maxAttempts,omitempty"`
		Type         string                `json:"type,omitempty"`
		Tokens       int64                 `json:"requestTokens,omitempty"`
		Limit        int64                 `json:"contextLimit,omitempty"`
		Hook         *transcript.HookRun   `json:"hook,omitempty"`
	}{e.Code, retryAfter(e), e.Attempt, e.MaxAttempts, e.Type, e.RequestTokens, e.ContextLimit, e.Hook}}}
}

// retryAfter is set for every retry, even without a delay.
func retryAfter(e transcript.Notice) *int64 {
	if e.Code != transcript.NoticeRetry {
		return nil
	}
	return &e.RetryAfterMS
}

// Usage counts tokens.
type Usage struct {
	InputTokens   int64 `json:"inputTokens"`
	OutputTokens  int64 `json:"outputTokens"`
	CachedTokens  int64 `json:"cachedTokens"`
	ThoughtTokens int64 `json:"thoughtTokens"`
	ToolTokens    int64 `json:"toolTokens"`
	TotalTokens   int64 `json:"totalTokens"`
	ContextLimit  int64 `json:"contextLimit"`

	Cost *Cost `json:"cost,omitempty"`
}

// Cost is what tokens cost.
type Cost struct {
	Amount    float64 `json:"amount"`
	Currency  string  `json:"currency"` // ISO 4217
	Estimated bool    `json:"estimated"`
	AtLeast   bool    `json:"atLeast,omitempty"` // the prices of some tokens are not known
}

// price is a [Cost] as the protocol has it.
type price struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// priceOf returns the known cost of a session; nil if no price is known.
func priceOf(u transcript.Usage) *price {
	if c := UsageOf(u).Cost; c != nil {
		return &price{c.Amount, c.Currency}
	}
	return nil
}

// UsageOf converts the agent's usage. It has no cost if the price of no token is known.
func UsageOf(u transcript.Usage) Usage {
	of := Usage{u.Input, u.Output, u.Cached, u.Thought, u.Tool, u.Total, u.ContextLimit, nil}
	if u.Priced > 0 {
		of.Cost = &Cost{u.Cost, "USD", true, u.Priced < u.Total}
	}
	return of
}

// Time formats a time as RFC 3339 in UTC with milliseconds.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
