package anthropic

import (
	"context"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// maxModels bounds the list of models: a page of the API's list has no more.
const maxModels = 1000

// Models implements [model.Lister]: it asks the API which models the key may use.
func (g *Generator) Models(ctx context.Context) ([]model.Offered, error) {
	asked, stop := context.WithTimeout(ctx, lookupTimeout)
	defer stop()
	x := &transport.Exchange{Whole: true}
	page, err := g.models.List(transport.With(asked, x), anthropic.ModelListParams{Limit: param.NewOpt[int64](maxModels)})
	if err != nil {
		return nil, g.ended(asked, err, x)
	}
	var out []model.Offered
	for _, m := range page.Data {
		o := model.Offered{ID: m.ID, Name: m.DisplayName, InputTokens: m.MaxInputTokens, OutputTokens: m.MaxTokens}
		if c := m.Capabilities; c.JSON.ImageInput.Valid() {
			o.Images = new(c.ImageInput.Supported)
		}
		out = append(out, o)
	}
	return out, nil
}

// CountTokens asks the API how many tokens the request has. Its error is a
// [*model.Error] unless ctx ended.
func (g *Generator) CountTokens(ctx context.Context, req model.Request) (int64, error) {
	r, err := newRequest(req, g.traits(ctx, req.Model), &g.refused)
	if err != nil {
		return 0, err
	}
	x := &transport.Exchange{Whole: true}
	n, err := g.messages.CountTokens(transport.With(ctx, x), r.count())
	if err != nil {
		return 0, g.ended(ctx, err, x)
	}
	return n.InputTokens, nil
}

// ended returns the error of a request that is not a stream.
func (g *Generator) ended(ctx context.Context, err error, x *transport.Exchange) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return g.explain(err, x)
}
