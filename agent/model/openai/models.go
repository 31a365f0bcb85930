package openai

import (
	"context"
	"strings"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/responses"

	"github.com/emendo-dev/emendo/agent/model"
)

// Models implements [model.Lister]: it asks the server which models the key may use.
// The API tells neither what a model is for nor its limits; some compatible servers
// tell the latter.
func (g *Generator) Models(ctx context.Context) ([]model.Offered, error) {
	var out []model.Offered
	err := g.way.Ask(ctx, func(ctx context.Context) error {
		page, err := g.models.List(ctx)
		if err != nil {
			return err
		}
		for _, m := range page.Data {
			if m.ID != "" && !g.isOther(m.ID) {
				out = append(out, model.Offered{ID: m.ID, InputTokens: contextOf(m)})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	g.learn(out)
	return out, nil
}

// isOther reports whether a model of OpenAI's is not for conversations.
func (g *Generator) isOther(id string) bool {
	if g.o.Compatible {
		return false
	}
	for _, kind := range []string{"embedding", "whisper", "tts", "dall-e", "image", "audio", "realtime", "transcribe", "moderation", "sora", "babbage", "davinci"} {
		if strings.Contains(id, kind) {
			return true
		}
	}
	return false
}

func rawOf(fields map[string]respjson.Field, name string) string {
	f := fields[name]
	return f.Raw()
}

// CountTokens asks the server how many tokens a request has. Only the Responses API
// can tell; its error is an [*model.Error] unless ctx ended.
func (g *Generator) CountTokens(ctx context.Context, req model.Request) (int64, error) {
	if g.o.API != Responses {
		return 0, &model.Error{Kind: model.Invalid, Message: "the Chat Completions API does not count tokens"}
	}
	p, _, err := g.responsesRequest(req)
	if err != nil {
		return 0, err
	}
	count := responses.InputTokenCountParams{
		Model: param.NewOpt(p.Model), Instructions: p.Instructions, Tools: p.Tools, Reasoning: p.Reasoning,
		Input:      responses.InputTokenCountParamsInputUnion{OfResponseInputItemArray: p.Input.OfInputItemList},
		ToolChoice: responses.InputTokenCountParamsToolChoiceUnion{OfToolChoiceMode: p.ToolChoice.OfToolChoiceMode},
	}
	var n int64
	err = g.way.Ask(ctx, func(ctx context.Context) error {
		got, err := g.responses.InputTokens.Count(ctx, count)
		if err == nil && got != nil {
			n = got.InputTokens
		}
		return err
	})
	return n, err
}
