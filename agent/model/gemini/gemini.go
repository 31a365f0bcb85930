// Package gemini is the generator for Google's Gemini models, through the Gemini
// API or Vertex AI. It owns everything that is specific to Gemini: its requests
// and responses, thought signatures, error bodies and the flaws of its event
// streams. It knows no tool and no session, and never repeats a request:
// [model.FallingBack] does.
//
// Arguments of calls keep the bytes that the model wrote, in both directions, so
// that integers above 2^53 keep their digits.
//
// The client library logs warnings with package log; the owner of the process
// redirects these.
package gemini

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"sync"

	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// Options select a backend and the way to it.
type Options struct {
	APIKey     string // may be empty with Vertex (default credentials) and with a BaseURL (a gateway that needs none)
	BaseURL    string // empty: Google's
	APIVersion string // empty: the client library's default

	Vertex   bool // Vertex AI instead of the Gemini API
	Project  string
	Location string

	Tokens Tokens // in place of a key; nil: there are none

	Way       transport.Options
	Catalogue *catalogue.Catalogue // nil: the built-in one
}

// Tokens are the user's OAuth access tokens.
type Tokens interface {
	// Token returns one for the next request. Its errors are [*model.Error].
	Token(ctx context.Context) (string, error)
}

// Generator talks to one backend. It is safe for concurrent use.
type Generator struct {
	o   Options
	way *transport.Transport
	// known has the traits of names that do not reveal their generation, such as
	// gemini-pro-latest.
	known sync.Map

	mu     sync.Mutex
	client *genai.Client // built by the first Stream
}

// New checks the options and returns a generator. It does not use the network and
// builds no client, so that it is cheap at the start of a process. Its error is a
// [*model.Error].
func New(o Options) (*Generator, error) {
	o.APIKey = strings.TrimSpace(o.APIKey)
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Catalogue == nil {
		o.Catalogue = catalogue.BuiltIn()
	}
	g := &Generator{o: o}
	o.Way.Framing, o.Way.Keys = transport.Bare, []string{o.APIKey}
	if o.APIKey == "" && !o.Vertex { // the client library has set another one
		h := http.Header{"X-Goog-Api-Key": {""}}
		for name, values := range o.Way.Headers {
			h[http.CanonicalHeaderKey(name)] = values
		}
		o.Way.Headers = h
	}
	g.way = transport.New(o.Way, g)
	return g, nil
}

// Searches implements [model.Searcher].
func (g *Generator) Searches() bool { return true }

// Stream implements [model.Generator].
func (g *Generator) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return transport.Answering(func(a *transport.Answer) error {
		return (&stream{g: g, name: req.Model, out: a}).run(ctx, req)
	})
}

// takes are the media types of attachments that the API takes.
var takes = []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf", "text/*", "audio/*", "video/*"}

// Takes implements [model.Taker].
func (g *Generator) Takes(string) []string { return takes }

// maxTools is how many functions the API lets a request declare.
const maxTools = 512

// MaxTools implements [model.ToolLimiter].
func (g *Generator) MaxTools() int { return maxTools }
