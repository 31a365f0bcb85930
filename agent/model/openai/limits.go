package openai

import (
	"context"
	"encoding/json"
	"time"

	"github.com/openai/openai-go/v3"

	"github.com/emendo-dev/emendo/agent/model"
)

// How often a compatible server is asked for the limits of its models, since it may have
// been restarted with others, and how long it may take to answer.
const (
	recently = time.Minute
	patience = 3 * time.Second
)

// Prepare implements [model.Informed]: it asks a compatible server for the limits of its
// models. OpenAI's own does not tell them.
func (g *Generator) Prepare(ctx context.Context, _ string) {
	if !g.o.Compatible {
		return
	}
	now := time.Now()
	if asked := g.asked.Swap(&now); asked != nil && now.Sub(*asked) < recently {
		return
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_, _ = g.Models(ctx) // a server that does not list its models may answer all the same
}

// Known implements [model.Informed].
func (g *Generator) Known(name string) (m model.Offered) {
	if limits := g.limits.Load(); limits != nil {
		m.InputTokens = (*limits)[name]
	}
	return m
}

// learn keeps the limits of the models that the server listed.
func (g *Generator) learn(list []model.Offered) {
	limits := map[string]int64{}
	for _, m := range list {
		if m.InputTokens > 0 {
			limits[m.ID] = m.InputTokens
		}
	}
	g.limits.Store(&limits)
}

// contextOf returns the context length that a server tells of a model, or 0. llama.cpp
// has that of the running model beside that of its training.
func contextOf(m openai.Model) int64 {
	for _, name := range []string{"max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens"} {
		if n := number(rawOf(m.JSON.ExtraFields, name)); n > 0 {
			return n
		}
	}
	var meta struct {
		Context int64 `json:"n_ctx"`
	}
	if raw := rawOf(m.JSON.ExtraFields, "meta"); raw == "" || json.Unmarshal([]byte(raw), &meta) != nil {
		return 0
	}
	return max(meta.Context, 0)
}
