package provider

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/internal/spelling"
)

// suggesting adds the nearest name to the error for a model that neither the catalogue nor
// the provider knows: of the catalogue, or of what the server lists if it is another one
// than the provider's own.
type suggesting struct {
	model.Generator
	catalogue *catalogue.Catalogue
	provider  string
	other     bool // the server is not the provider's own
}

// listing limits the wait for the names that a server has.
const listing = 3 * time.Second

// Unwrap implements [model.Wrapper].
func (g suggesting) Unwrap() model.Generator { return g.Generator }

// Stream implements [model.Generator].
func (g suggesting) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for c, err := range g.Generator.Stream(ctx, req) {
			if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.NotFound {
				err = g.suggest(ctx, e, req.Model)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// suggest returns e with the nearest name, if there is one.
func (g suggesting) suggest(ctx context.Context, e *model.Error, name string) *model.Error {
	if _, known := g.catalogue.Find(name); known {
		return e // it was withdrawn
	}
	var ids []string
	if l, ok := model.As[model.Lister](g.Generator); ok && g.other {
		ctx, stop := context.WithTimeout(ctx, listing)
		defer stop()
		has, _ := l.Models(ctx)
		for _, m := range has {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		for _, m := range g.catalogue.Models(g.provider) {
			ids = append(ids, m.ID)
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
