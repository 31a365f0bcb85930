package anthropic

import (
	"context"
	"time"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/emendo-dev/emendo/agent/model"
)

// maxModels bounds the list of models: a page of the API's list has no more.
const maxModels = 1000

// Models implements [model.Lister]: it asks the API which models the key may use.
func (g *Generator) Models(ctx context.Context) ([]model.Offered, error) {
	var out []model.Offered
	err := g.way.Ask(ctx, func(ctx context.Context) error {
		page, err := g.models.List(ctx, anthropic.ModelListParams{Limit: param.NewOpt[int64](maxModels)})
		if err != nil {
			return err
		}
		for _, m := range page.Data {
			o := model.Offered{ID: m.ID, Name: m.DisplayName, InputTokens: m.MaxInputTokens, OutputTokens: m.MaxTokens}
			if c := m.Capabilities; c.JSON.ImageInput.Valid() {
				o.Images = new(c.ImageInput.Supported)
			}
			out = append(out, o)
		}
		return nil
	})
	return out, err
}

// countTimeout bounds a count of tokens, for which a whole conversation is sent.
const countTimeout = time.Minute

// CountTokens implements [model.Counter].
func (g *Generator) CountTokens(ctx context.Context, req model.Request) (n int64, err error) {
	r, err := newRequest(req, g.traits(ctx, req.Model), &g.refused)
	if err != nil {
		return 0, err
	}
	err = g.way.AskWithin(ctx, countTimeout, func(ctx context.Context) error {
		got, err := g.messages.CountTokens(ctx, r.count())
		if err == nil {
			n = got.InputTokens
		}
		return err
	})
	return n, err
}
