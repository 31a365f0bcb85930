package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/internal/settings"
)

// models returns the models of an environment, a list of NAME=VALUE.
func models(t *testing.T, s settings.Settings, environ ...string) *Models {
	t.Helper()
	env := func(name string) string {
		for _, v := range environ {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
	m, err := New(Options{Env: env, Keys: KeyFile{Path: t.TempDir() + "/keys"}, Settings: s, Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestProviderOfAName(t *testing.T) {
	chosen := settings.Defaults()
	chosen.Security.Auth.SelectedType = "anthropic"
	lab := settings.Defaults()
	lab.Model.Providers = map[string]settings.ModelProvider{"lab": {BaseURL: "http://127.0.0.1:1/v1"}}
	for _, tt := range []struct {
		name    string
		set     settings.Settings
		environ []string
		model   string
		want    string // PROVIDER NAME, or the beginning of an error
	}{
		{"nothing is set", settings.Defaults(), nil, "auto", "auth: no credentials for a model"},
		{"a key of Google", settings.Defaults(), []string{"GEMINI_API_KEY=a-key"}, "auto", "gemini auto"},
		{"keys of all", settings.Defaults(), []string{"GEMINI_API_KEY=a-key", "OPENAI_API_KEY=b-key", "ANTHROPIC_API_KEY=c-key"}, "auto", "gemini auto"},
		{"a key of OpenAI alone", settings.Defaults(), []string{"OPENAI_API_KEY=b-key"}, "auto", "openai auto"},
		{"a key of Anthropic alone", settings.Defaults(), []string{"ANTHROPIC_API_KEY=c-key"}, "pro", "anthropic pro"},
		{"a token of Anthropic alone", settings.Defaults(), []string{"ANTHROPIC_AUTH_TOKEN=c-token"}, "auto", "anthropic auto"},
		{"the provider that the user selected", chosen, []string{"GEMINI_API_KEY=a-key", "ANTHROPIC_API_KEY=c-key"}, "auto", "anthropic auto"},
		{"a model of another provider", settings.Defaults(), []string{"GEMINI_API_KEY=a-key", "ANTHROPIC_API_KEY=c-key"}, "claude-opus-5-5", "anthropic claude-opus-5-5"},
		{"a model too new for the catalogue", settings.Defaults(), []string{"OPENAI_API_KEY=b-key"}, "gemini-9-pro", "auth: no credentials for a model"},
		{"a name that nobody knows", settings.Defaults(), []string{"OPENAI_API_KEY=b-key"}, "qwen3", "openai qwen3"},
		{"the provider in the name", settings.Defaults(), []string{"OPENAI_API_KEY=b-key"}, "openai/o9", "openai o9"},
		{"no key for the provider in the name", settings.Defaults(), []string{"OPENAI_API_KEY=b-key"}, "anthropic/x", "auth: no Anthropic API key"},
		{"a base URL is no credential", settings.Defaults(), []string{"ANTHROPIC_BASE_URL=http://127.0.0.1:1"}, "anthropic/x", "auth: no Anthropic API key"},
		{"a server on this machine", settings.Defaults(), nil, "ollama/hf.co/unsloth/qwen3:q4", "ollama hf.co/unsloth/qwen3:q4"},
		{"a server of the settings", lab, nil, "lab/qwen3", "lab qwen3"},
		{"an unknown provider", settings.Defaults(), nil, "anthropc/x", `not_found: unknown provider "anthropc" (did you mean "anthropic"?)`},
		{"a path of Google's", settings.Defaults(), nil, "models/gemini-2.5-pro", `not_found: unknown provider "models"`},
		{"not an address", settings.Defaults(), []string{"OLLAMA_HOST=ftp://x"}, "ollama/x", "invalid: the address of the server"},
		{"Vertex AI by its variable", settings.Defaults(), []string{"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_API_KEY=k-express"}, "auto", "gemini auto"},
		{"Vertex AI without a place", settings.Defaults(), []string{"GOOGLE_CLOUD_PROJECT=p"}, "vertex/gemini-2.5-pro", "auth: no credentials for a model"},
		{"Vertex AI in a place", settings.Defaults(), []string{"GOOGLE_CLOUD_PROJECT=p", "GOOGLE_CLOUD_LOCATION=eu"}, "vertex/gemini-2.5-pro", "vertex gemini-2.5-pro"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := models(t, tt.set, tt.environ...)
			var got string
			_, name, err := m.Generator(tt.model)
			if e, ok := err.(*model.Error); ok { //nolint:errorlint // Generator does not wrap
				got = string(e.Kind) + ": " + e.Message
			} else {
				provider, _ := m.split(tt.model)
				got = provider + " " + name
			}
			if !strings.HasPrefix(got, tt.want) || err == nil && got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestProvidersThatCanBeListed(t *testing.T) {
	var got []string
	for _, p := range models(t, settings.Defaults(), "ANTHROPIC_API_KEY=c-key", "OPENAI_API_KEY=b-key").Providers() {
		if name := p.Name; p.OnRequest {
			got = append(got, name+"?")
		} else {
			got = append(got, name)
		}
	}
	if d := cmp.Diff([]string{"openai", "anthropic", "ollama?", "lmstudio?", "llamacpp?", "vllm?"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := Ready(func(string) string { return "" }, nil); !slices.Equal(got, []string{"gemini"}) {
		t.Errorf("without keys: %q", got)
	}
}

func TestServerAddress(t *testing.T) {
	for said, want := range map[string]string{
		"": "http://127.0.0.1:11434", "example.org": "http://example.org:11434", "0.0.0.0": "http://127.0.0.1:11434", ":8000": "http://127.0.0.1:8000",
		"https://models.example/": "https://models.example", "http://10.0.0.1:1/v1/": "http://10.0.0.1:1", "http://[::]:1": "http://127.0.0.1:1", "https://h/ollama": "https://h/ollama",
	} {
		if got, err := serverAddress(said, "http://127.0.0.1:11434"); got != want || err != nil {
			t.Errorf("%q is %q (%v), want %q", said, got, err, want)
		}
	}
}

func TestMistakesInTheCatalogue(t *testing.T) {
	s := settings.Defaults()
	s.Model.Catalogue = map[string]jsontext.Value{"x": jsontext.Value(`{"role": "big"}`)}
	if _, err := New(Options{Settings: s}); err == nil || !strings.Contains(err.Error(), "model.catalogue: model x: ") {
		t.Errorf("got %v", err)
	}
}
