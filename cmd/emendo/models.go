package main

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

// models finds the generator behind a model's name and keeps it.
type models struct {
	env      func(string) string
	keys     keyFile
	settings settings.Settings
	log      *slog.Logger

	record io.Writer // where answers are recorded; nil: nowhere

	mu   sync.Mutex
	made map[string]model.Generator // by provider, or replay:FILE
}

// noCredentials is what someone without a key reads.
const noCredentials = "there are no credentials for a model. Set GEMINI_API_KEY (a key from Google AI Studio), or GOOGLE_API_KEY, " +
	"or write GEMINI_API_KEY=… into the file keys in emendo's folder of settings, readable by you alone, " +
	"or for Vertex AI GOOGLE_GENAI_USE_VERTEXAI=true with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, " +
	"or for a gateway GOOGLE_GEMINI_BASE_URL with the setting security.auth.selectedType \"gateway\"; `emendo demo` works without any"

// generator returns the model of that name, and the name its provider knows.
func (m *models) generator(name string) (model.Generator, string, error) {
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
	if m.record != nil {
		g = replay.Record(g, m.record)
	}
	if m.made == nil {
		m.made = map[string]model.Generator{}
	}
	m.made[provider] = g
	return g, short, nil
}

func (m *models) make(provider, name string) (model.Generator, error) {
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
		return nil, &model.Error{Kind: model.NotFound, Message: fmt.Sprintf("the provider %s is not built into this version; choose a Gemini model, vertex/NAME or replay:FILE", provider)}
	}
	return nil, &model.Error{Kind: model.NotFound, Message: fmt.Sprintf("there is no provider %q; there are gemini, vertex and replay:FILE", provider)}
}

// google makes the generator for Gemini, by the first credentials that there are.
func (m *models) google(vertex bool) (model.Generator, error) {
	stored, err := m.keys.read()
	if err != nil && m.env("GEMINI_API_KEY") == "" && m.env("GOOGLE_API_KEY") == "" {
		return nil, &model.Error{Kind: model.Auth, Message: err.Error(), Err: err}
	}
	o := gemini.Options{
		APIKey: cmp.Or(m.env("GEMINI_API_KEY"), stored["GEMINI_API_KEY"]), BaseURL: m.env("GOOGLE_GEMINI_BASE_URL"), APIVersion: m.env("GOOGLE_GENAI_API_VERSION"),
		Project: m.env("GOOGLE_CLOUD_PROJECT"), Location: m.env("GOOGLE_CLOUD_LOCATION"), UserAgent: "emendo/" + version,
		FirstByte: m.settings.Model.Stream.FirstByte, Idle: m.settings.Model.Stream.Idle, Log: m.log,
	}
	chosen := m.settings.Security.Auth.SelectedType
	switch v := strings.ToLower(m.env("GOOGLE_GENAI_USE_VERTEXAI")); {
	case chosen == "vertex-ai", chosen == "" && o.APIKey == "" && (v == "true" || v == "1"):
		vertex = true
	}
	if o.APIKey == "" {
		o.APIKey = cmp.Or(m.env("GOOGLE_API_KEY"), stored["GOOGLE_API_KEY"])
	}
	switch {
	case vertex:
		o.Vertex = true
		o.BaseURL = m.env("GOOGLE_VERTEX_BASE_URL")
		if o.APIKey == "" && (o.Project == "" || o.Location == "") {
			return nil, &model.Error{Kind: model.Auth, Message: noCredentials}
		}
	case o.APIKey == "" && (chosen != "gateway" || o.BaseURL == ""):
		return nil, &model.Error{Kind: model.Auth, Message: noCredentials}
	}
	return gemini.New(o)
}
