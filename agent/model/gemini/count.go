package gemini

import (
	"context"
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
)

// CountTokens implements [model.Counter]. The Gemini API counts contents only, so
// the system prompt and the tools are counted as a content before the others.
func (g *Generator) CountTokens(ctx context.Context, req model.Request) (int64, error) {
	client, err := g.connect(ctx)
	if err != nil {
		return 0, err
	}
	tr, _ := traitsOf(g.o.Catalogue, req.Model)
	r, err := newRequest(req, tr)
	if err != nil {
		return 0, err
	}
	around := []string{req.System}
	for _, t := range req.Tools {
		around = append(around, t.Name, t.Description, string(t.Schema))
	}
	contents := r.contents
	if text := strings.TrimSpace(strings.Join(around, "\n")); text != "" {
		contents = append([]*genai.Content{genai.NewContentFromText(text, genai.RoleUser)}, contents...)
	}
	for i, m := range r.messages { // arguments, which the library gets too late for this request
		for j, raw := range m.args {
			if c := callAt(contents[len(contents)-len(r.messages)+i], j); c != nil && json.Unmarshal(raw, &c.Args) != nil {
				c.Args = nil
			}
		}
	}
	var n int64
	err = g.way.Ask(ctx, func(ctx context.Context) error {
		got, err := client.Models.CountTokens(ctx, req.Model, contents, nil)
		if err == nil {
			n = int64(got.TotalTokens)
		}
		return err
	})
	return n, err
}

// callAt returns the n-th call of a content.
func callAt(c *genai.Content, n int) *genai.FunctionCall {
	for _, p := range c.Parts {
		if p.FunctionCall == nil {
			continue
		}
		if n == 0 {
			return p.FunctionCall
		}
		n--
	}
	return nil
}
