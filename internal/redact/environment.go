package redact

import "strings"

// keyNames are the variables with a model's key.
var keyNames = []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"}

// Environment returns the secrets of an environment of NAME=value: the keys of
// models, and other values that look like a secret by both name and value.
func Environment(environ []string) []Secret {
	var l []Secret
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if isKey(name) || secretName(name) && len(value) >= 2*Shortest && random(strings.ReplaceAll(value, "/", "+")) && !strings.ContainsAny(value, " :") && !strings.HasPrefix(value, "/") {
			l = append(l, Secret{name, value})
		}
	}
	return l
}

func isKey(name string) bool {
	for _, k := range keyNames {
		if strings.EqualFold(k, name) {
			return true
		}
	}
	return false
}

// secretName reports whether a variable of that name holds a secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, part := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_PASS") || strings.HasSuffix(name, "_AUTH")
}
