package tools

import (
	"context"
	"embed"
	"encoding/json"
	"strings"
	"sync"
)

// pages are the descriptions of the tools of this package.
//
//go:embed *.md
var pages embed.FS

// Declared is a tool with the parameters T, which prepares calls by a function.
type Declared[T any] struct {
	*Params[T]
	prepare   func(ctx context.Context, env Env, args T) (Action, error)
	spec      Spec
	pages     embed.FS
	described sync.Once
}

// Declare returns a tool. Its description for the model is the page with its name, and the
// parameters are its schema. prepare is its Prepare, with the arguments checked and read.
func Declare[T any](s Spec, pages embed.FS, p *Params[T], prepare func(context.Context, Env, T) (Action, error)) *Declared[T] {
	return &Declared[T]{Params: p, prepare: prepare, spec: s, pages: pages}
}

// Spec implements [Tool]. What it adds to the spec is made on first use.
func (d *Declared[T]) Spec() Spec {
	d.described.Do(func() {
		text, err := d.pages.ReadFile(d.spec.Name + ".md")
		if err != nil {
			panic(err) // the page is ours
		}
		d.spec.Description, d.spec.Schema = strings.TrimSpace(string(text)), d.Schema()
	})
	return d.spec
}

// Prepare implements [Tool].
func (d *Declared[T]) Prepare(ctx context.Context, env Env, raw json.RawMessage) (Action, error) {
	args, err := d.Decode(raw)
	if err != nil {
		return Action{}, err
	}
	return d.prepare(ctx, env, args)
}
