package provider

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/local"
	"github.com/emendo-dev/emendo/agent/model/openai"
	"github.com/emendo-dev/emendo/agent/model/textcall"
	"github.com/emendo-dev/emendo/internal/providers"
	"github.com/emendo-dev/emendo/internal/settings"
)

// compatible are the providers that only the settings name. They speak OpenAI's language.
var compatible providers.Provider

// kind returns what is known of a provider: [compatible] if only the settings name it, nil
// if there is none of that name.
func (m *Models) kind(provider string) *providers.Provider {
	if i := slices.IndexFunc(providers.All, func(p providers.Provider) bool { return p.Name == provider }); i >= 0 {
		return &providers.All[i]
	}
	if _, ok := m.o.Settings.Model.Providers[provider]; ok {
		return &compatible
	}
	return nil
}

// construct makes the generator of a provider.
func (m *Models) construct(a access) (model.Generator, error) {
	switch {
	case a.kind.Local:
		return m.local(a)
	case a.kind.Name == "anthropic":
		return m.anthropic(a)
	case a.kind.Catalogue == catalogue.Google:
		return m.gemini(a.kind.Name == "vertex")
	}
	return m.openAI(a)
}

// keyVariables returns the variables that may hold the key of a provider.
func keyVariables(k *providers.Provider, set settings.ModelProvider) []string {
	if set.KeyVariable != "" {
		return []string{set.KeyVariable}
	}
	return k.Keys
}

// baseURL returns the address that the user gave a provider; empty: the usual one.
func (m *Models) baseURL(k *providers.Provider, provider string) string {
	base := m.o.Settings.Model.Providers[provider].BaseURL
	if base == "" && k.AddressVariable != "" {
		base = m.o.Env(k.AddressVariable)
	}
	return base
}

// openAI returns the generator for OpenAI, or for a server that speaks its language.
// With a base URL that is Chat Completions unless the settings say otherwise.
func (m *Models) openAI(a access) (model.Generator, error) {
	key, _, err := m.vault.key(a.name, keyVariables(a.kind, a.set)...)
	if err != nil {
		return nil, authFailed(err)
	}
	o := openai.Options{
		Way: m.connection(a), API: openai.Responses, APIKey: key, BaseURL: m.baseURL(a.kind, a.name), Traits: m.catalogue.Traits,
	}
	if a.kind.Name != "" {
		o.Organization, o.Project = m.o.Env("OPENAI_ORG_ID"), m.o.Env("OPENAI_PROJECT_ID")
	}
	switch {
	case o.BaseURL == "" && a.kind.Name == "":
		return nil, &model.Error{Kind: model.Invalid, Message: fmt.Sprintf("set model.providers.%s.baseUrl to the address of the server", a.name)}
	case key == "" && o.BaseURL == "":
		return nil, noKey(a.name, a.kind.Title, keyVariables(a.kind, a.set)[0])
	}
	switch api := a.set.API; {
	case api == string(openai.Responses):
	case api == string(openai.ChatCompletions), o.BaseURL != "":
		o.API, o.Compatible = openai.ChatCompletions, o.BaseURL != ""
	}
	g, err := built(openai.New(o))
	if err == nil && o.Compatible {
		g = textcall.Reading(g)
	}
	return g, err
}

// local returns the generator for a server on this machine. It sends nothing.
func (m *Models) local(a access) (model.Generator, error) {
	key, _, err := m.vault.key(a.name, keyVariables(a.kind, a.set)...)
	if err != nil {
		key = "" // the key file is not needed
	}
	o := local.Options{Kind: local.Kind(a.name), Way: m.connection(a), Key: key, Catalogue: m.catalogue}
	if o.Address, err = serverAddress(m.baseURL(a.kind, a.name), a.kind.Address); err != nil {
		return nil, err
	}
	way := o.Way
	if o.Kind == local.Ollama {
		o.Bridge = local.NewBridge(m.way)
		way.HTTP = o.Bridge
	}
	chat, err := openai.New(openai.Options{
		Way: way, API: openai.ChatCompletions, Compatible: true, APIKey: key, BaseURL: o.Address + "/v1", Traits: m.catalogue.Traits,
	})
	if err != nil {
		return nil, err
	}
	return local.New(textcall.Reading(chat), o), nil
}

// images returns what the catalogue says of a model's ability to see pictures; nil:
// nothing.
func (m *Models) images(name string) *bool {
	t, _ := m.catalogue.Traits(name)
	return t.Images
}

// serverAddress returns the address of a server without a path such as /v1, from a
// URL or a HOST:PORT as in OLLAMA_HOST. Missing parts are as in standard.
func serverAddress(said, standard string) (string, error) {
	if said == "" {
		return standard, nil
	}
	usual, err := url.Parse(standard)
	if err != nil {
		return "", err
	}
	if !strings.Contains(said, "://") {
		said = usual.Scheme + "://" + said
	}
	u, err := url.Parse(said)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", &model.Error{Kind: model.Invalid, Message: "the address of the server is not an http or https URL; fix OLLAMA_HOST or model.providers"}
	}
	name, port := u.Hostname(), u.Port()
	switch name {
	case "", "0.0.0.0", "::": // what a server listens on
		name = usual.Hostname()
	}
	if port == "" && u.Scheme == "http" {
		port = usual.Port()
	}
	u.Host = name
	if port != "" {
		u.Host = net.JoinHostPort(name, port)
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
	return u.String(), nil
}

// built returns a generator without the trap of a nil pointer in an interface.
func built[G model.Generator](g G, err error) (model.Generator, error) {
	if err != nil {
		return nil, err
	}
	return g, nil
}
