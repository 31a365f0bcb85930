// Package providers lists the providers of models that are built in, with all that is
// known of them beside how they are spoken to. Connections, the sandbox, redaction, the
// command line and messages read it. It does not read the environment.
package providers

import "slices"

// A Provider is a service with models, or a kind of server on the user's machine.
type Provider struct {
	Name  string   // in settings and before the names of models
	Title string   // what the user calls it
	Keys  []string // the variables that may hold its key, in the order in which they are looked at
	// Catalogue is the provider whose models it serves, as the catalogue has them; empty:
	// servers say which models they have.
	Catalogue string
	// Address is where it is, of a local server without the path of its API, and
	// AddressVariable the variable that says otherwise. Empty: its package knows.
	Address, AddressVariable string
	Local                    bool // a server on this machine, which needs no key
}

// All are the providers in the order of preference.
var All = []Provider{
	{Name: "gemini", Title: "the Gemini API", Catalogue: "gemini", Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
	{Name: "vertex", Title: "Vertex AI", Catalogue: "gemini", Keys: []string{"GOOGLE_API_KEY"}}, // of the express mode
	{Name: "openai", Title: "OpenAI", Catalogue: "openai", Keys: []string{"OPENAI_API_KEY"}, Address: "https://api.openai.com/v1", AddressVariable: "OPENAI_BASE_URL"},
	{Name: "anthropic", Title: "Anthropic", Catalogue: "anthropic", Keys: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}, Address: "https://api.anthropic.com", AddressVariable: "ANTHROPIC_BASE_URL"},
	{Name: "ollama", Title: "Ollama", Keys: []string{"OLLAMA_API_KEY"}, Address: "http://127.0.0.1:11434", AddressVariable: "OLLAMA_HOST", Local: true},
	{Name: "lmstudio", Title: "LM Studio", Keys: []string{"LM_API_TOKEN"}, Address: "http://127.0.0.1:1234", Local: true},
	{Name: "llamacpp", Title: "llama.cpp", Keys: []string{"LLAMA_API_KEY"}, Address: "http://127.0.0.1:8080", Local: true},
	{Name: "vllm", Title: "vLLM", Keys: []string{"VLLM_API_KEY"}, Address: "http://127.0.0.1:8000", Local: true},
}

// Services returns the providers that are the first to have models in the catalogue.
func Services() []Provider {
	return slices.DeleteFunc(slices.Clone(All), func(p Provider) bool { return p.Name != p.Catalogue })
}

// Variables returns the environment variables that hold keys of the providers for which
// of is true, each once.
func Variables(of func(Provider) bool) []string {
	var l []string
	for _, p := range All {
		for _, v := range p.Keys {
			if of(p) && !slices.Contains(l, v) {
				l = append(l, v)
			}
		}
	}
	return l
}

// Any is for [Variables] of all providers.
func Any(Provider) bool { return true }

// Named returns whether a provider has that name, for [Variables].
func Named(name string) func(Provider) bool { return func(p Provider) bool { return p.Name == name } }
