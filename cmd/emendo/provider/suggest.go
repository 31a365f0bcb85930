package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/internal/spelling"
)

// suggesting adds the nearest name to the error for a model that neither the catalogue nor
// the provider knows: of the catalogue, or of what the server lists if it is another one
// than the provider's own.
type suggesting struct {
	g         model.Generator // lists what the server has
	catalogue *catalogue.Catalogue
	provider  string
	other     bool // the server is not the provider's own
}

// listing limits the wait for the names that a server has.
const listing = 3 * time.Second

// Begin implements [model.Layer].
func (g suggesting) Begin(ctx context.Context, req *model.Request) (model.Watch, error) {
	return unknownModel{g, ctx, req.Model}, nil
}

// unknownModel is a request whose model may be unknown.
type unknownModel struct {
	suggesting suggesting
	ctx        context.Context // of the request
	name       string
}

// Chunk implements [model.Watch].
func (u unknownModel) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.NotFound {
		err = u.suggesting.suggest(u.ctx, e, u.name)
	}
	return c, err
}

// suggest returns e with the nearest name, if there is one.
func (g suggesting) suggest(ctx context.Context, e *model.Error, name string) *model.Error {
	if _, known := g.catalogue.Find(name); known {
		return e // it was withdrawn
	}
	var ids []string
	if l, ok := model.As[model.Lister](g.g); ok && g.other {
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
