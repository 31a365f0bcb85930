package gemini

import (
	"context"
	"errors"
	"net/http"
	"time"

	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/httptransport"
	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// Google's endpoints. Without them the client library would read the environment,
// which is not up to this package.
const (
	geminiURL = "https://generativelanguage.googleapis.com/"
	vertexURL = "https://aiplatform.googleapis.com/"
)

// noKey is the key for gateways that need none: the client library does not start
// without one. The transport never sends it.
const noKey = "none"

// tokenTime limits a request for a token.
const tokenTime = 30 * time.Second

// check returns an error for options that cannot work.
func (o Options) check() error {
	if o.BaseURL != "" {
		if err := transport.CheckURL(o.BaseURL, "Gemini", "GOOGLE_GEMINI_BASE_URL"); err != nil {
			return err
		}
	}
	switch {
	case o.Vertex && o.APIKey == "" && (o.Project == "" || o.Location == ""):
		return &model.Error{Kind: model.Auth, Message: "Vertex AI needs GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or an API key in GOOGLE_API_KEY"}
	case !o.Vertex && o.APIKey == "" && o.BaseURL == "" && o.Tokens == nil:
		return &model.Error{Kind: model.Auth, Message: "no Gemini API key; set GEMINI_API_KEY or GOOGLE_API_KEY"}
	}
	return nil
}

// connect returns the client, and builds it on the first call. Failures are not
// kept, because the user may fix the credentials while the process runs.
func (g *Generator) connect(ctx context.Context) (*genai.Client, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.client != nil {
		return g.client, nil
	}
	hc, err := g.httpClient()
	if err != nil {
		return nil, err
	}
	cfg := &genai.ClientConfig{
		APIKey:     g.o.APIKey,
		Backend:    genai.BackendGeminiAPI,
		HTTPClient: hc,
		HTTPOptions: genai.HTTPOptions{
			BaseURL:    g.o.Address(),
			APIVersion: g.o.APIVersion,
		},
	}
	switch {
	case g.o.Vertex:
		cfg.Backend, cfg.Project, cfg.Location = genai.BackendVertexAI, g.o.Project, g.o.Location
	default:
		if cfg.APIKey == "" {
			cfg.APIKey = noKey
		}
	}
	client, err := genai.NewClient(ctx, cfg)
	if err != nil { // its text contains the key
		return nil, &model.Error{Kind: model.Auth, Message: "the Gemini client rejects its configuration; check the key, the project and the location"}
	}
	g.client = client
	return client, nil
}

// httpClient returns the client for the backend: our transport, no redirects (they
// would take the key to another host), and without a key the user's tokens or, for
// Vertex AI, the machine's default credentials.
func (g *Generator) httpClient() (*http.Client, error) {
	hc := g.way.Client()
	switch {
	case g.o.APIKey != "":
	case g.o.Tokens != nil:
		hc.Transport = bearer{g.way, g.o.Tokens}
	case g.o.Vertex:
		creds, err := credentials.DetectDefault(&credentials.DetectOptions{
			Scopes: []string{"https://www.googleapis.com/auth/cloud-platform"}, Client: &http.Client{Transport: g.o.Way.HTTP, Timeout: tokenTime},
		})
		if err != nil {
			return nil, &model.Error{
				Kind: model.Auth, Err: errors.New(g.way.Redact(err.Error())),
				Message: "no Google Cloud credentials; run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_API_KEY",
			}
		}
		// The client library ignores credentials when it is also given an HTTP
		// client, so they go into that.
		hc, err = httptransport.NewClient(&httptransport.Options{Credentials: creds, BaseRoundTripper: hc.Transport})
		if err != nil {
			return nil, &model.Error{Kind: model.Auth, Message: "the Google Cloud credentials cannot be used", Err: errors.New(g.way.Redact(err.Error()))}
		}
	}
	hc.CheckRedirect = transport.NoRedirect
	return hc, nil
}

// bearer adds the user's token to requests.
type bearer struct {
	next   http.RoundTripper
	tokens Tokens
}

// RoundTrip implements [http.RoundTripper].
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	token, err := b.tokens.Token(r.Context())
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return b.next.RoundTrip(r)
}

// Address returns the URL that requests are sent to.
func (o Options) Address() string {
	switch {
	case o.BaseURL != "":
		return o.BaseURL
	case o.Vertex:
		return regional(o.Location)
	}
	return geminiURL
}

// regional returns the endpoint of a Vertex AI location.
func regional(location string) string {
	switch location {
	case "", "global":
		return vertexURL
	case "us", "eu":
		return "https://aiplatform." + location + ".rep.googleapis.com/"
	}
	return "https://" + location + "-aiplatform.googleapis.com/"
}
