package provider

import (
	"cmp"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
)

// gemini returns the generator for Gemini's API or Vertex AI, with the first
// credentials found.
func (m *Models) gemini(vertex bool) (model.Generator, error) {
	o, err := m.googleOptions(vertex)
	if err != nil {
		return nil, err
	}
	return built(gemini.New(o))
}

// google returns why there are no credentials for Gemini's API or Vertex AI; nil if
// there are.
func (m *Models) google(vertex bool) error {
	_, err := m.googleOptions(vertex)
	return err
}

func (m *Models) googleOptions(vertex bool) (gemini.Options, error) {
	key, _, err := m.key("GEMINI_API_KEY")
	if err != nil && m.o.Env("GOOGLE_API_KEY") == "" {
		return gemini.Options{}, &model.Error{Kind: model.Auth, Message: err.Error(), Err: err}
	}
	name := "gemini"
	if vertex {
		name = "vertex"
	}
	a := access{name: name, set: m.o.Settings.Model.Providers[name]}
	o := gemini.Options{
		APIKey: key, BaseURL: cmp.Or(a.set.BaseURL, m.o.Env("GOOGLE_GEMINI_BASE_URL")), APIVersion: m.o.Env("GOOGLE_GENAI_API_VERSION"),
		Project: cmp.Or(m.o.Env("GOOGLE_CLOUD_PROJECT"), m.o.Env("GOOGLE_CLOUD_PROJECT_ID")), Location: cmp.Or(m.o.Env("GOOGLE_CLOUD_LOCATION"), m.o.Env("GOOGLE_CLOUD_REGION")),
		Headers: m.headers(a), UserAgent: m.userAgent(), FirstByte: m.o.Settings.Model.Stream.FirstByte, Idle: m.o.Settings.Model.Stream.Idle, Catalogue: m.catalogue,
	}
	chosen := m.o.Settings.Security.Auth.SelectedType
	switch v := strings.ToLower(m.o.Env("GOOGLE_GENAI_USE_VERTEXAI")); {
	case chosen == "vertex-ai", chosen == "" && o.APIKey == "" && (v == "true" || v == "1"):
		vertex = true
	}
	if o.APIKey == "" {
		o.APIKey, _, _ = m.key("GOOGLE_API_KEY") // an error was reported above
	}
	switch {
	case vertex:
		o.Vertex = true
		if o.BaseURL = m.o.Env("GOOGLE_VERTEX_BASE_URL"); name == "vertex" {
			o.BaseURL = cmp.Or(a.set.BaseURL, o.BaseURL)
		}
		if o.APIKey == "" && (o.Project == "" || o.Location == "") {
			return o, &model.Error{Kind: model.Auth, Message: noCredentials}
		}
	case o.APIKey == "" && (chosen != "gateway" || o.BaseURL == ""):
		return o, &model.Error{Kind: model.Auth, Message: noCredentials}
	}
	return o, nil
}

// googleSource names where Google's credentials come from; "" if there are none.
func (m *Models) googleSource() string {
	o, err := m.googleOptions(false)
	switch {
	case err != nil:
		return ""
	case o.APIKey != "":
		_, from, _ := m.key("GEMINI_API_KEY", "GOOGLE_API_KEY")
		return from
	case !o.Vertex:
		return "not needed for the gateway at GOOGLE_GEMINI_BASE_URL"
	}
	return "Google's application default credentials, for the project " + cmp.Or(o.Project, "(none)")
}
