// Package provider finds the model behind a name and the user's credentials for
// it. It owns the key file. What a provider speaks is in agent/model.
package provider

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/replay"
	"github.com/emendo-dev/emendo/internal/settings"
)

// Options of [New].
type Options struct {
	Env      func(string) string
	Keys     KeyFile
	Settings settings.Settings
	Version  string    // of emendo, for the user agent
	Record   io.Writer // where answers are recorded; nil: nowhere
	Log      *slog.Logger
}

// Models finds generators by name and keeps them.
type Models struct {
	o Options

	mu   sync.Mutex
	made map[string]model.Generator // by provider, or replay:FILE
}

// New returns the models that o.Settings configure.
func New(o Options) *Models { return &Models{o: o} }

// noCredentials is the error message for users without credentials.
const noCredentials = "no credentials for a model. Set GEMINI_API_KEY (a key from Google AI Studio), or GOOGLE_API_KEY, " +
	"or write GEMINI_API_KEY=… into the file keys in emendo's configuration folder, readable only by you, " +
	"or for Vertex AI GOOGLE_GENAI_USE_VERTEXAI=true with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, " +
	"or for a gateway GOOGLE_GEMINI_BASE_URL with the setting security.auth.selectedType \"gateway\"; `emendo demo` works without credentials"

// Generator returns the model of that name, and the name its provider knows.
func (m *Models) Generator(name string) (model.Generator, string, error) {
	provider, short := "gemini", name
	if file, ok := strings.CutPrefix(name, "replay:"); ok {
		provider, short = name, file
	} else if before, after, ok := strings.Cut(name, "/"); ok {
		provider, short = before, after
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.made[provider]; g != nil {
		return g, short, nil
	}
	g, err := m.make(provider, short)
	if err != nil {
		return nil, "", err
	}
	if m.o.Record != nil {
		g = replay.Record(g, m.o.Record)
	}
	if m.made == nil {
		m.made = map[string]model.Generator{}
	}
	m.made[provider] = g
	return g, short, nil
}

func (m *Models) make(provider, name string) (model.Generator, error) {
	switch {
	case strings.HasPrefix(provider, "replay:"):
		g, err := replay.Open(name)
		if err != nil {
			return nil, &model.Error{Kind: model.NotFound, Message: err.Error(), Err: err}
		}
		return g, nil
	case provider == "gemini", provider == "vertex":
		return m.google(provider == "vertex")
	case provider == "openai", provider == "anthropic", provider == "ollama":
		return nil, &model.Error{Kind: model.NotFound, Message: fmt.Sprintf("this version does not support the provider %s; use a Gemini model, vertex/NAME or replay:FILE", provider)}
	}
	return nil, &model.Error{Kind: model.NotFound, Message: fmt.Sprintf("unknown provider %q; the providers are gemini, vertex and replay:FILE", provider)}
}

// google creates the generator for Gemini, with the first credentials found.
func (m *Models) google(vertex bool) (model.Generator, error) {
	stored, err := m.o.Keys.Read()
	if err != nil && m.o.Env("GEMINI_API_KEY") == "" && m.o.Env("GOOGLE_API_KEY") == "" {
		return nil, &model.Error{Kind: model.Auth, Message: err.Error(), Err: err}
	}
	o := gemini.Options{
		APIKey: cmp.Or(m.o.Env("GEMINI_API_KEY"), stored["GEMINI_API_KEY"]), BaseURL: m.o.Env("GOOGLE_GEMINI_BASE_URL"), APIVersion: m.o.Env("GOOGLE_GENAI_API_VERSION"),
		Project: m.o.Env("GOOGLE_CLOUD_PROJECT"), Location: m.o.Env("GOOGLE_CLOUD_LOCATION"), UserAgent: "emendo/" + m.o.Version,
		FirstByte: m.o.Settings.Model.Stream.FirstByte, Idle: m.o.Settings.Model.Stream.Idle,
	}
	chosen := m.o.Settings.Security.Auth.SelectedType
	switch v := strings.ToLower(m.o.Env("GOOGLE_GENAI_USE_VERTEXAI")); {
	case chosen == "vertex-ai", chosen == "" && o.APIKey == "" && (v == "true" || v == "1"):
		vertex = true
	}
	if o.APIKey == "" {
		o.APIKey = cmp.Or(m.o.Env("GOOGLE_API_KEY"), stored["GOOGLE_API_KEY"])
	}
	switch {
	case vertex:
		o.Vertex = true
		o.BaseURL = m.o.Env("GOOGLE_VERTEX_BASE_URL")
		if o.APIKey == "" && (o.Project == "" || o.Location == "") {
			return nil, &model.Error{Kind: model.Auth, Message: noCredentials}
		}
	case o.APIKey == "" && (chosen != "gateway" || o.BaseURL == ""):
		return nil, &model.Error{Kind: model.Auth, Message: noCredentials}
	}
	return gemini.New(o)
}

// Source names where the credentials of a model come from, without telling them.
func (m *Models) Source(name string) string {
	if strings.HasPrefix(name, "replay:") {
		return "not needed for recorded answers"
	}
	for _, variable := range []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		if m.o.Env(variable) != "" {
			return "from " + variable + " in the environment"
		}
		if stored, err := m.o.Keys.Read(); err == nil && stored[variable] != "" {
			return "from " + variable + " in " + m.o.Keys.Path
		}
	}
	if m.o.Settings.Security.Auth.SelectedType == "gateway" {
		return "not needed for the gateway at GOOGLE_GEMINI_BASE_URL"
	}
	return "Google's application default credentials, for the project " + cmp.Or(m.o.Env("GOOGLE_CLOUD_PROJECT"), "(none)")
}
