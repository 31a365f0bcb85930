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
	"time"

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

	// Token returns an OAuth access token for the next request, in place of a key; nil:
	// there is none. Its errors are [*model.Error].
	Token func(ctx context.Context) (string, error)

	HTTP      http.RoundTripper // nil: http.DefaultTransport
	Headers   http.Header       // sent with each request; they replace emendo's
	UserAgent string

	FirstByte time.Duration // the longest wait for the first event; 0: transport.DefaultFirstByte
	Idle      time.Duration // the longest wait between two events; 0: transport.DefaultIdle

	Catalogue *catalogue.Catalogue // nil: the built-in one
}

// Generator talks to one backend. It is safe for concurrent use.
type Generator struct {
	o       Options
	way     *transport.Transport
	aliases aliases

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
	g := &Generator{o: o, aliases: aliases{catalogue: o.Catalogue}}
	g.way = transport.New(transport.Options{
		HTTP: o.HTTP, Headers: o.Headers, UserAgent: o.UserAgent, FirstByte: o.FirstByte, Idle: o.Idle,
		Framing: transport.Bare, Keys: []string{o.APIKey}, Dress: o.dress, Refuse: g.refuse, Garbled: garbled,
	})
	return g, nil
}

// Searches implements [model.Searcher].
func (g *Generator) Searches() bool { return true }

// Stream implements [model.Generator].
func (g *Generator) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		s := &stream{g: g, yield: yield}
		if err := s.run(ctx, req); err != nil && !s.left {
			yield(model.Chunk{}, err)
		}
	}
}

// takes are the media types of attachments that the API takes.
var takes = []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf", "text/*", "audio/*", "video/*"}

// Takes implements [model.Taker].
func (g *Generator) Takes(string) []string { return takes }

// maxTools is how many functions the API lets a request declare.
const maxTools = 512

// MaxTools implements [model.ToolLimiter].
func (g *Generator) MaxTools() int { return maxTools }
