// Package anthropic is the generator for Anthropic's Claude models, through the
// Messages API. It owns everything that is specific to Claude: its requests and
// responses, thinking blocks and their signatures, cache breakpoints, error bodies.
// It knows no tool and no session, and never repeats a request: [model.FallingBack]
// does.
//
// The API wants a model's thinking back, unchanged and in its place. A thinking
// block is yielded twice: as [model.Thought], to be shown, and when it is complete
// as a [model.Text] without text whose signature contains the whole block.
//
// Arguments of calls keep the bytes that the model wrote, in both directions, so
// that integers above 2^53 keep their digits.
package anthropic

import (
	"context"
	"iter"
	"strings"
	"sync"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// DefaultURL is the address of Anthropic's API.
const DefaultURL = "https://api.anthropic.com/"

// Options select the API and the way to it.
type Options struct {
	APIKey  string
	Token   string // a bearer token, sent instead of a key; empty: none
	BaseURL string // empty: DefaultURL. With another one, key and token may be empty: a gateway that needs none

	// Traits returns what is known of a model. If it is nil, or knows only the generation,
	// the API is asked.
	Traits func(model string) (catalogue.Model, bool)

	Way transport.Options
}

// Generator talks to one backend. It is safe for concurrent use.
type Generator struct {
	o        Options
	way      *transport.Transport
	messages anthropic.MessageService
	models   anthropic.ModelService
	learned  sync.Map        // traits by model, as the API tells them
	refused  model.Forgotten // signatures of thinking that the API has refused
}

// New checks the options and returns a generator. It does not use the network or
// read the environment. Its error is a [*model.Error].
func New(o Options) (*Generator, error) {
	o.APIKey, o.Token = strings.TrimSpace(o.APIKey), strings.TrimSpace(o.Token)
	if o.APIKey == "" && o.Token == "" && o.BaseURL == "" {
		return nil, &model.Error{Kind: model.Auth, Message: "no Anthropic API key; set ANTHROPIC_API_KEY"}
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultURL
	}
	if err := transport.CheckURL(o.BaseURL, "Anthropic", "ANTHROPIC_BASE_URL"); err != nil {
		return nil, err
	}
	o.Way.Keys = []string{o.APIKey, o.Token}
	g := &Generator{o: o}
	g.way = transport.New(o.Way, g)
	opts := g.clientOptions()
	g.messages, g.models = anthropic.NewMessageService(opts...), anthropic.NewModelService(opts...)
	return g, nil
}

// clientOptions configure the client library. Its services, unlike its client, take
// no credentials, addresses or headers from the environment; tracing would be turned
// on and off there.
func (g *Generator) clientOptions() []option.RequestOption {
	opts := []option.RequestOption{
		option.WithBaseURL(g.o.BaseURL),
		option.WithHTTPClient(g.way.Client()),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
	}
	switch {
	case g.o.Token != "":
		opts = append(opts, option.WithAuthToken(g.o.Token))
	case g.o.APIKey != "":
		opts = append(opts, option.WithAPIKey(g.o.APIKey))
	}
	return opts
}

// Searches implements [model.Searcher].
func (g *Generator) Searches() bool { return true }

// Stream implements [model.Generator].
func (g *Generator) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return transport.Answering(func(a *transport.Answer) error {
		return (&stream{g: g, out: a}).run(ctx, req)
	})
}

// takes are the media types of attachments that the API takes.
var takes = append([]string{"application/pdf", "text/*"}, model.PictureTypes...)

// Takes implements [model.Taker].
func (g *Generator) Takes(string) []string { return takes }

// Allowances implements [model.Allower].
func (g *Generator) Allowances() []model.Allowance { return g.way.Allowances() }
