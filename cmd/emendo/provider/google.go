package provider

import (
	"cmp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/internal/providers"
)

// gemini returns the generator for Gemini's API or Vertex AI, with the first
// credentials found.
func (m *Models) gemini(vertex bool) (model.Generator, error) {
	o, source, err := m.googlePlan(vertex)
	if err != nil {
		return nil, err
	}
	switch source.Origin {
	case SignIn:
		o.Tokens = m.vault
		if project := o.Project; project != "" && !o.Vertex {
			o.Way.Headers.Set("X-Goog-User-Project", project) // which the requests are billed to
		}
	case Given, Environment, Keyring, File, UserFile:
		if o.APIKey, _, err = m.vault.key(googleLogin(o.Vertex), googleVariables(o.Vertex)...); err != nil {
			return nil, authFailed(err)
		}
	case Default, NotNeeded, Nowhere:
	}
	return built(gemini.New(o))
}

// googleLogin returns the name of a service of Google's, under which its key is stored.
func googleLogin(vertex bool) string {
	if vertex {
		return "vertex"
	}
	return "gemini"
}

// googleVariables returns the variables that may hold a key.
func googleVariables(vertex bool) []string {
	return providers.Variables(providers.Named(googleLogin(vertex)))
}

// googlePlan decides which of Google's services is used and with what. The options have
// no secrets yet, and the keyring is not asked.
func (m *Models) googlePlan(vertex bool) (gemini.Options, Source, error) {
	chosen := m.o.Settings.Security.Auth.SelectedType
	name := googleLogin(vertex)
	a := access{name: name, set: m.o.Settings.Model.Providers[name]}
	o := gemini.Options{
		APIVersion: m.o.Env("GOOGLE_GENAI_API_VERSION"),
		Project:    cmp.Or(m.o.Env("GOOGLE_CLOUD_PROJECT"), m.o.Env("GOOGLE_CLOUD_PROJECT_ID")), Location: cmp.Or(m.o.Env("GOOGLE_CLOUD_LOCATION"), m.o.Env("GOOGLE_CLOUD_REGION")),
		Way: m.connection(a), Catalogue: m.catalogue,
	}
	switch {
	case vertex, chosen == "vertex-ai":
		vertex = true
	case chosen == "" && slices.Contains([]string{"true", "1"}, strings.ToLower(m.o.Env("GOOGLE_GENAI_USE_VERTEXAI"))) && m.vault.given[name] == "" && m.o.Env("GEMINI_API_KEY") == "":
		own, err := m.vault.inKeyFile("GEMINI_API_KEY")
		vertex = err != nil || own.Origin == Nowhere
	}
	o.Vertex = vertex
	login := googleLogin(vertex)
	if o.BaseURL = cmp.Or(a.set.BaseURL, m.o.Env("GOOGLE_GEMINI_BASE_URL")); vertex {
		if o.BaseURL = m.o.Env("GOOGLE_VERTEX_BASE_URL"); name == "vertex" {
			o.BaseURL = cmp.Or(a.set.BaseURL, o.BaseURL)
		}
	}
	source, err := m.vault.find(login, googleVariables(vertex)...)
	if source.Name == "" {
		source.Name = login
	}
	placed := o.Project != "" && o.Location != ""
	switch {
	case err == nil && source.Origin != Nowhere:
		return o, source, nil
	case vertex && placed && m.o.Env("GOOGLE_APPLICATION_CREDENTIALS") != "":
		return o, m.applicationDefault(o.Project), nil
	case m.vault.stored(GoogleLogin).Origin != Nowhere && (placed || !vertex):
		where := map[Origin]string{Keyring: "in the keyring of the system", File: "in " + m.o.Logins.File()}[m.vault.stored(GoogleLogin).Origin]
		return o, Source{Origin: SignIn, Name: GoogleLogin, Where: "from your sign-in with Google, " + where}, nil
	case vertex && placed:
		return o, m.applicationDefault(o.Project), nil
	case err != nil:
		return o, Source{}, authFailed(err)
	case !vertex && chosen == "gateway" && o.BaseURL != "":
		return o, Source{Origin: NotNeeded, Where: "not needed for the gateway at GOOGLE_GEMINI_BASE_URL"}, nil
	}
	return o, Source{}, &model.Error{Kind: model.Auth, Message: noCredentials}
}

// applicationDefault describes Google's application default credentials, which are
// looked for with the first request.
func (m *Models) applicationDefault(project string) Source {
	s := Source{Origin: Default, Name: defaultFile(m.o.Env), Where: "Google's application default credentials, for the project " + project}
	if s.Name != "" {
		s.Where += ", in " + s.Name
	}
	return s
}
