// Package provider finds the model behind a name and the user's credentials for
// it. It owns the key file. What a provider speaks is in agent/model.
package provider

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/logged"
	"github.com/emendo-dev/emendo/agent/model/replay"
	"github.com/emendo-dev/emendo/agent/model/transport"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/providers"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/spelling"
)

// Options of [New].
type Options struct {
	Env      func(string) string
	Keys     KeyFile
	Logins   credentials.Store // what `emendo auth login` stored
	Network  *network.Network  // the way to providers; nil: the default one
	Settings settings.Settings
	Version  string    // of emendo, for the user agent
	Record   io.Writer // where answers are recorded; nil: nowhere
	Log      *slog.Logger
}

// Models finds generators by name and keeps them.
type Models struct {
	o         Options
	catalogue *catalogue.Catalogue

	mu   sync.Mutex
	made map[string]made // by provider, or replay:FILE

	vault *vault
	way   http.RoundTripper // to providers; nil: the default one
}

// made is a generator, and the version of the stored credentials that it was made with.
type made struct {
	model.Generator

	version string
}

// New returns the models that o.Settings configure. Its error is about the
// setting model.catalogue.
func New(o Options) (*Models, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c, err := catalogue.BuiltIn().Merge(o.Settings.Model.Models())
	if err != nil {
		return nil, fmt.Errorf("model.catalogue: %w", err)
	}
	return newModels(o, c, nil), nil
}

func newModels(o Options, c *catalogue.Catalogue, given map[string]string) *Models {
	m := &Models{o: o, catalogue: c}
	if o.Network != nil {
		m.way = o.Network
	}
	m.vault = newVault(o, given, m.way)
	for _, p := range o.Settings.Model.Providers {
		if p.KeyVariable != "" { // a name of the user's, of which nothing else is known
			o.Keys.Secrets.Learn(redact.Secret{Name: p.KeyVariable, Value: o.Env(p.KeyVariable)})
		}
	}
	return m
}

// Catalogue returns the catalogue with the user's changes.
func (m *Models) Catalogue() *catalogue.Catalogue { return m.catalogue }

// Lookup finds a name that leaves the choice of the model to emendo.
func (m *Models) Lookup(name string) (catalogue.Name, bool) {
	provider, short := m.split(name)
	return m.catalogue.Lookup(provider, short)
}

// Generator returns the model of that name, and the name its provider knows.
func (m *Models) Generator(name string) (model.Generator, string, error) {
	provider, short := m.split(name)
	m.mu.Lock()
	defer m.mu.Unlock()
	version := m.vault.version(provider)
	if g, ok := m.made[provider]; ok && g.version == version {
		return g.Generator, short, nil
	}
	g, err := m.generatorOf(provider)
	if err != nil {
		return nil, "", err
	}
	g = logged.New(g, logged.Options{Provider: provider, Log: m.o.Log, Text: m.o.Settings.Model.LogText})
	if m.o.Record != nil {
		g = replay.Record(g, m.o.Record)
	}
	if m.made == nil {
		m.made = map[string]made{}
	}
	m.made[provider] = made{g, version}
	return g, short, nil
}

// split splits a name into its provider and the provider's own name.
func (m *Models) split(name string) (provider, short string) {
	if strings.HasPrefix(name, "replay:") {
		return name, ""
	}
	if before, after, ok := strings.Cut(name, "/"); ok {
		return before, after
	}
	return cmp.Or(m.Provider(name), catalogue.Google), name
}

// Provider returns the provider of a name without one: that of the model or, if the
// catalogue does not know it, the default one. "" is Google, whose service depends on
// the credentials.
func (m *Models) Provider(name string) string {
	of := m.catalogue.ProviderOf(name)
	if of == "" {
		of = m.standard()
	}
	if of == catalogue.Google {
		return ""
	}
	return of
}

// standard returns the provider of names such as auto: the one that the user selected,
// or the first one with credentials.
func (m *Models) standard() string {
	if chosen := m.o.Settings.Security.Auth.SelectedType; m.kind(chosen) != nil {
		return chosen
	}
	for _, p := range providers.Services() {
		if m.source(p.Name) != "" {
			return p.Name
		}
	}
	return catalogue.Google
}

// Ready returns the providers with known models and a key in the environment or a stored
// login, in the order of preference; only Google if there is none.
func Ready(env func(string) string, stored map[string]credentials.Entry) (names []string) {
	has := func(login string) bool {
		_, ok := stored[login]
		return ok
	}
	for _, p := range providers.Services() {
		if has(p.Name) || p.Name == catalogue.Google && has(GoogleLogin) || slices.ContainsFunc(p.Keys, func(v string) bool { return env(v) != "" }) {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return []string{catalogue.Google}
	}
	return names
}

// Providers returns the providers that can be asked for lists of models: those with
// credentials, and servers on this machine on request.
func (m *Models) Providers() []state.ProviderInfo {
	first := m.standard()
	list := []state.ProviderInfo{{Name: first, Local: m.Local(first)}}
	for _, name := range m.Names() {
		k := m.kind(name)
		if name == first || k == nil || !k.Local && m.source(name) == "" {
			continue
		}
		list = append(list, state.ProviderInfo{Name: name, Local: m.Local(name), OnRequest: k.Local || m.o.Settings.Model.Providers[name].BaseURL != ""})
	}
	return list
}

// Names returns the names of all providers: the built-in ones, in the order of
// preference, and those of the settings.
func (m *Models) Names() []string {
	var names []string
	for _, p := range providers.All {
		names = append(names, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(m.o.Settings.Model.Providers)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Local reports whether a provider is a server on this machine, or one that only the
// settings name.
func (m *Models) Local(name string) bool {
	k := m.kind(name)
	return k != nil && (k.Local || k.Name == "")
}

// generatorOf returns the generator of a provider, without what all of them have.
func (m *Models) generatorOf(provider string) (model.Generator, error) {
	if file, ok := strings.CutPrefix(provider, "replay:"); ok {
		g, err := replay.Open(file)
		if err != nil {
			return nil, &model.Error{Kind: model.Invalid, Message: err.Error(), Err: err}
		}
		return g, nil
	}
	k := m.kind(provider)
	if k == nil {
		return nil, m.unknown(provider)
	}
	g, err := m.construct(access{kind: k, name: provider, set: m.o.Settings.Model.Providers[provider]})
	if err != nil {
		return nil, err
	}
	if k.Catalogue == catalogue.Google {
		g = model.Issued(g, provider, "") // sessions from before there were issuers are Google's
	} else {
		g = model.Issued(g, provider)
	}
	other := m.o.Settings.Model.Providers[provider].BaseURL != "" || !k.Local && m.baseURL(k, provider) != ""
	g = model.Seeing(g, m.images)
	return model.With(g, suggesting{g, m.catalogue, provider, other}), nil
}

// unknown returns the error for a provider that there is not.
func (m *Models) unknown(provider string) error {
	names := m.Names()
	what := fmt.Sprintf("unknown provider %q", provider)
	if near, _ := spelling.Nearest(provider, names); near != "" {
		what += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return &model.Error{Kind: model.NotFound, Message: what + ". The providers are " + strings.Join(names, ", ") + " and replay:FILE; others are configured in the setting model.providers"}
}

// noCredentials is the error message for users without credentials.
var noCredentials = "no credentials for a model. Run `emendo auth login` in a terminal, " +
	"or set " + strings.Join(providers.Variables(func(p providers.Provider) bool { return !p.Local }), ", ") + " (the first is a key from Google AI Studio), " +
	"or for Vertex AI GOOGLE_GENAI_USE_VERTEXAI=true with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, " +
	"or for a gateway GOOGLE_GEMINI_BASE_URL with the setting security.auth.selectedType \"gateway\", " +
	"or choose a model of a server on this machine, such as ollama/NAME; `emendo demo` works without credentials"

// access is the way to one provider.
type access struct {
	kind *providers.Provider
	name string
	set  settings.ModelProvider
}

// headers returns the headers that the user configured. $NAME means the value of that
// variable.
func (m *Models) headers(a access) http.Header {
	h := http.Header{}
	for name, value := range a.set.Headers {
		if value = Expanded(value, m.o.Env); value != "" {
			h.Set(name, value)
		}
	}
	return h
}

// Expanded returns the value of a setting, where $NAME means the value of that variable.
func Expanded(value string, env func(string) string) string {
	if variable, ok := strings.CutPrefix(value, "$"); ok {
		return env(strings.Trim(variable, "{}"))
	}
	return value
}

// connection returns the way to a provider.
func (m *Models) connection(a access) transport.Options {
	stream := m.o.Settings.Model.Stream
	return transport.Options{HTTP: m.way, Headers: m.headers(a), UserAgent: "emendo/" + m.o.Version, FirstByte: stream.FirstByte, Idle: stream.Idle}
}

// Source names where the credentials of a model come from, without telling them.
func (m *Models) Source(name string) string {
	if strings.HasPrefix(name, "replay:") {
		return "not needed for recorded answers"
	}
	provider, _ := m.split(name)
	if from := m.source(provider); from != "" {
		return from
	}
	return "none"
}

// source names where the credentials of a provider come from; "" if there are none.
func (m *Models) source(provider string) string {
	s, err := m.Origin(provider)
	if err != nil {
		return ""
	}
	return s.String()
}
