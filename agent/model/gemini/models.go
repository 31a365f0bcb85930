package gemini

import (
	"context"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
)

// Models implements [model.Lister]: it asks the API which models the key may use.
func (g *Generator) Models(ctx context.Context) ([]model.Offered, error) {
	client, err := g.connect(ctx)
	if err != nil {
		return nil, err
	}
	var out []model.Offered
	err = g.way.Ask(ctx, func(ctx context.Context) error {
		for m, err := range client.Models.All(ctx) {
			if err != nil {
				return err
			}
			if o, ok := offeredBy(m); ok {
				out = append(out, o)
			}
		}
		return nil
	})
	return out, err
}

// offeredBy translates a model for conversations. It reports false for others.
func offeredBy(m *genai.Model) (model.Offered, bool) {
	if len(m.SupportedActions) > 0 && !slices.Contains(m.SupportedActions, "generateContent") {
		return model.Offered{}, false
	}
	id := model.PlainName(m.Name)
	for _, kind := range []string{"image", "tts", "audio", "live", "embedding", "robotics", "computer-use"} {
		if strings.Contains(id, kind) {
			return model.Offered{}, false
		}
	}
	return model.Offered{ID: id, Name: m.DisplayName, InputTokens: int64(m.InputTokenLimit), OutputTokens: int64(m.OutputTokenLimit)}, true
}
