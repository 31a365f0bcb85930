// Package openai is the generator for OpenAI's models, through the Responses API,
// and for every server with a compatible Chat Completions API. It owns everything
// that is specific to these: requests and responses, encrypted reasoning, error
// bodies and what a model's abilities mean for a request. It knows no tool and no
// session, and nothing of a model but its [catalogue.Abilities].
//
// The client library reads OPENAI_* variables in its own client only. This package
// builds the services without it, so that all configuration comes from [Options].
package openai

import (
	"context"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// API selects one of the two interfaces of a server.
type API string

// The interfaces. The zero value is Responses.
const (
	Responses       API = "responses"
	ChatCompletions API = "chat"
)

// Options select a server and the way to it.
type Options struct {
	API          API
	APIKey       string // may be empty with a BaseURL, for servers that need none
	BaseURL      string // including the version, such as https://host/v1; empty: OpenAI's
	Organization string
	Project      string

	// Compatible is for servers that are not OpenAI's: only what all of them know is
	// sent. It does not change which API is used.
	Compatible bool

	// Traits returns what is known of a model; nil: nothing is.
	Traits func(model string) (catalogue.Model, bool)

	Way transport.Options
}

// Generator talks to one server. It is safe for concurrent use.
type Generator struct {
	o      Options
	way    *transport.Transport
	issuer string // of the signatures that this server accepts

	responses responses.ResponseService
	chat      openai.ChatCompletionService
	models    openai.ModelService

	asked  atomic.Pointer[time.Time]        // when the server was last asked for limits
	limits atomic.Pointer[map[string]int64] // that it told, in tokens, by ID
	refuse model.Forgotten                  // encrypted reasoning that the server has refused
}

// openaiURL is OpenAI's own server.
const openaiURL = "https://api.openai.com/v1/"

// New checks the options and returns a generator. It does not use the network. Its
// error is a [*model.Error].
func New(o Options) (*Generator, error) {
	o.APIKey = strings.TrimSpace(o.APIKey)
	if o.API == "" {
		o.API = Responses
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.BaseURL == "" {
		o.BaseURL = openaiURL
	}
	g := &Generator{o: o, issuer: o.issuer()}
	o.Way.Framing, o.Way.Keys = transport.Named, []string{o.APIKey}
	g.way = transport.New(o.Way, g)
	opts := []option.RequestOption{
		option.WithHTTPClient(g.way.Client()), option.WithBaseURL(o.BaseURL), option.WithMaxRetries(0),
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	if o.Organization != "" {
		opts = append(opts, option.WithOrganization(o.Organization))
	}
	if o.Project != "" {
		opts = append(opts, option.WithProject(o.Project))
	}
	g.responses = responses.NewResponseService(opts...)
	g.chat = openai.NewChatCompletionService(opts...)
	g.models = openai.NewModelService(opts...)
	return g, nil
}

// issuer identifies who can read what the server encrypts.
func (o Options) issuer() string {
	return transport.Digest(strings.TrimRight(o.BaseURL, "/")+"\x00"+o.Organization+"\x00"+o.Project, 8)
}

// Searches implements [model.Searcher]: only the Responses API can search the web.
func (g *Generator) Searches() bool { return g.o.API == Responses && !g.o.Compatible }

// Stream implements [model.Generator].
func (g *Generator) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return transport.Answering(func(a *transport.Answer) error {
		return (&stream{g: g, out: a}).run(ctx, req)
	})
}

// check returns an error for options that cannot work.
func (o Options) check() error {
	switch {
	case o.API != Responses && o.API != ChatCompletions:
		return &model.Error{Kind: model.Invalid, Message: "unknown API " + string(o.API) + "; use " + string(Responses) + " or " + string(ChatCompletions)}
	case o.BaseURL != "":
		return transport.CheckURL(o.BaseURL, "OpenAI", "OPENAI_BASE_URL")
	case o.APIKey == "":
		return &model.Error{Kind: model.Auth, Message: "no OpenAI API key; set OPENAI_API_KEY"}
	}
	return nil
}

// abilities returns what is known of a model. The zero value is a model that does not reason
// and accepts everything else.
func (g *Generator) abilities(name string) catalogue.Abilities {
	if g.o.Traits == nil {
		return catalogue.Abilities{}
	}
	t, _ := g.o.Traits(name)
	return t.Abilities
}

// Takes implements [model.Taker]. Servers of others take what OpenAI's takes, or less,
// which shows when they refuse it. Texts are sent as such.
func (g *Generator) Takes(name string) []string {
	types := append([]string{"text/*", "application/json"}, model.PictureTypes...)
	if !catalogue.Lacks(g.abilities(name).Images) {
		types = append(types, "application/pdf")
	}
	return types
}

// maxTools is how many tools OpenAI lets a request declare.
const maxTools = 128

// MaxTools implements [model.ToolLimiter].
func (g *Generator) MaxTools() int {
	if g.o.Compatible {
		return 0
	}
	return maxTools
}

// Allowances implements [model.Allower].
func (g *Generator) Allowances() []model.Allowance { return g.way.Allowances() }
