package gemini

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/httptransport"
	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
)

// Google's own endpoints. The client library would otherwise look for one in
// the environment, which is not this room's to read.
const (
	geminiURL = "https://generativelanguage.googleapis.com/"
	vertexURL = "https://aiplatform.googleapis.com/"
)

// noKey stands for the key that a gateway does not ask for: the client library
// refuses to start without one. The transport never sends it.
const noKey = "none"

// check says what is missing or wrong.
func (o Options) check() error {
	if o.BaseURL != "" {
		u, err := url.Parse(o.BaseURL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return &model.Error{Kind: model.Invalid, Message: "the base URL of the Gemini API is not an http or https URL; correct it in the settings or in GOOGLE_GEMINI_BASE_URL"}
		}
	}
	switch {
	case o.Vertex && o.APIKey == "" && (o.Project == "" || o.Location == ""):
		return &model.Error{Kind: model.Auth, Message: "Vertex AI needs GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or an API key in GOOGLE_API_KEY"}
	case !o.Vertex && o.APIKey == "" && o.BaseURL == "":
		return &model.Error{Kind: model.Auth, Message: "no Gemini API key; set GEMINI_API_KEY or GOOGLE_API_KEY"}
	}
	return nil
}

// connect builds the client, once. A failure is not kept: the user may mend
// the credentials while the process runs.
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
			BaseURL:    g.o.BaseURL,
			APIVersion: g.o.APIVersion,
		},
	}
	switch {
	case g.o.Vertex:
		cfg.Backend, cfg.Project, cfg.Location = genai.BackendVertexAI, g.o.Project, g.o.Location
		if cfg.HTTPOptions.BaseURL == "" {
			cfg.HTTPOptions.BaseURL = regional(g.o.Location)
		}
	default:
		if cfg.APIKey == "" {
			cfg.APIKey = noKey
		}
		if cfg.HTTPOptions.BaseURL == "" {
			cfg.HTTPOptions.BaseURL = geminiURL
		}
	}
	client, err := genai.NewClient(ctx, cfg)
	if err != nil { // its text holds the key
		return nil, &model.Error{Kind: model.Auth, Message: "the Gemini client refuses its configuration; check the key, the project and the location"}
	}
	g.client = client
	return client, nil
}

// httpClient is the way to the backend: our transport, no redirects (they would
// carry the key to another host), and for Vertex AI without a key the
// machine's default credentials.
func (g *Generator) httpClient() (*http.Client, error) {
	hc := &http.Client{Transport: &transport{o: &g.o, redact: g.redact}}
	if g.o.Vertex && g.o.APIKey == "" {
		creds, err := credentials.DetectDefault(&credentials.DetectOptions{
			Scopes: []string{"https://www.googleapis.com/auth/cloud-platform"},
		})
		if err != nil {
			return nil, &model.Error{
				Kind: model.Auth, Err: errors.New(g.redact(err.Error())),
				Message: "no Google Cloud credentials; run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_API_KEY",
			}
		}
		// The client library sends no credentials at all when it is given both
		// them and a client, so they go into the client.
		hc, err = httptransport.NewClient(&httptransport.Options{Credentials: creds, BaseRoundTripper: hc.Transport})
		if err != nil {
			return nil, &model.Error{Kind: model.Auth, Message: "the Google Cloud credentials cannot be used", Err: errors.New(g.redact(err.Error()))}
		}
	}
	hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return hc, nil
}

// regional is where a location of Vertex AI is served.
func regional(location string) string {
	switch location {
	case "", "global":
		return vertexURL
	case "us", "eu":
		return "https://aiplatform." + location + ".rep.googleapis.com/"
	}
	return "https://" + location + "-aiplatform.googleapis.com/"
}
