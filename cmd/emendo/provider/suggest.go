package provider

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/internal/spelling"
)

// suggesting adds the nearest names to the error for a model that neither the
// catalogue nor the provider knows.
type suggesting struct {
	model.Generator
	catalogue *catalogue.Catalogue
	provider  string
}

// Unwrap implements [model.Wrapper].
func (g suggesting) Unwrap() model.Generator { return g.Generator }

// Stream implements [model.Generator].
func (g suggesting) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for c, err := range g.Generator.Stream(ctx, req) {
			if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.NotFound {
				err = g.suggest(e, req.Model)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// suggest returns e with the nearest name, if there is one.
func (g suggesting) suggest(e *model.Error, name string) *model.Error {
	if _, known := g.catalogue.Find(name); known {
		return e // it was withdrawn
	}
	var ids []string
	for _, m := range g.catalogue.Models(g.provider) {
		ids = append(ids, m.ID)
	}
	if l, ok := model.As[model.Limiter](g.Generator); ok {
		if named, ok := l.(interface{ Known() []string }); ok {
			ids = append(ids, named.Known()...)
		}
	}
	near, _ := spelling.Nearest(name, ids)
	if near == "" {
		return e
	}
	more := *e
	more.Message += fmt.Sprintf("; did you mean %q?", near)
	return &more
}
