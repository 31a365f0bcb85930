package turn

import (
	"context"
	"errors"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/tools"
)

// CanSearch reports whether the session's provider can search the web.
func (c *models) CanSearch() bool {
	own, err := c.conv.Session.Agent.ResolveModel(c.conv.Session.Info().Model)
	if err != nil {
		return false
	}
	s, ok := model.As[model.Searcher](own.Gen)
	return ok && s.Searches()
}

// Search answers a question by the search of the provider, in a request of its
// own that has nothing of the conversation.
func (c *models) Search(ctx context.Context, query string) (tools.Found, error) {
	g, name, err := c.Utility(model.WebSearch)
	if err != nil {
		return tools.Found{}, err
	}
	w, err := model.Ask(ctx, g, model.Request{Model: name, Search: true, Messages: []model.Message{
		{ID: c.conv.Session.Agent.Options.NewID(), Role: model.User, Parts: []model.Part{model.Text{Text: query}}},
	}})
	if err != nil {
		return tools.Found{}, err
	}
	if strings.TrimSpace(w.Text) == "" {
		return tools.Found{}, errors.New("the search found nothing")
	}
	f := tools.Found{Text: w.Text}
	if w.Grounding != nil {
		for _, s := range w.Grounding.Sources {
			f.Sources = append(f.Sources, tools.Source{Title: s.Title, URL: s.URI})
		}
		for _, p := range w.Grounding.Passages {
			f.Claims = append(f.Claims, tools.Claim(p))
		}
	}
	return f, nil
}
