// Package apikeys lists the environment variables that hold the keys of models'
// providers. Providers, the sandbox, redaction, completion and messages read them
// from here. It does not read the environment.
package apikeys

import "slices"

// all lists the variables of each provider, in the order in which they are looked
// at.
var all = []struct {
	provider  string
	variables []string
}{
	{"gemini", []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
	{"vertex", []string{"GOOGLE_API_KEY"}}, // of the express mode
	{"openai", []string{"OPENAI_API_KEY"}},
	{"anthropic", []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}},
	{"ollama", []string{"OLLAMA_API_KEY"}},
	{"lmstudio", []string{"LM_API_TOKEN"}},
	{"llamacpp", []string{"LLAMA_API_KEY"}},
	{"vllm", []string{"VLLM_API_KEY"}},
}

// Variables returns the environment variables that hold the keys of these
// providers, or of all if none is named, each once.
func Variables(providers ...string) []string {
	var l []string
	for _, k := range all {
		if len(providers) > 0 && !slices.Contains(providers, k.provider) {
			continue
		}
		for _, v := range k.variables {
			if !slices.Contains(l, v) {
				l = append(l, v)
			}
		}
	}
	return l
}
