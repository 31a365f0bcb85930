package redact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/providers"
)

// Environment returns the secrets of an environment of NAME=value: the keys of
// models, other values that look like a secret by both name and value, and
// passwords in addresses, such as that of a proxy for modules.
func Environment(environ []string) []Secret {
	var l []Secret
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if isKey(name) || secretName(name) && len(value) >= 2*Shortest && random(strings.ReplaceAll(value, "/", "+")) && !strings.ContainsAny(value, " :") && !strings.HasPrefix(value, "/") {
			l = append(l, Secret{name, value})
		}
		for _, m := range login.FindAllStringSubmatch(value, -1) {
			user, password := m[1], m[2]
			switch {
			case password != "": // one that is too short to be hidden alone is hidden with its user
				l = append(l, Secret{name, password}, Secret{name, user + ":" + password + "@"})
			case random(user):
				l = append(l, Secret{name, user})
			}
		}
	}
	return l
}

// login matches a user with or without a password in an address.
var login = regexp.MustCompile(`://([^\s/@:"',|]*)(?::([^\s/@"',|]*))?@`)

func isKey(name string) bool {
	return slices.ContainsFunc(providers.Variables(providers.Any), func(k string) bool { return strings.EqualFold(k, name) })
}

// placeholder reports whether a key consists of words that people write where a
// server wants some key and checks none, such as lm-studio or no-key-required.
// Hiding them would only make text unreadable.
func placeholder(value string) bool {
	words := strings.FieldsFunc(strings.ToLower(value), func(r rune) bool { return strings.ContainsRune("-_. ", r) })
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(idle, w) })
}

var idle = strings.Fields("lm studio lmstudio ollama llama cpp llamacpp vllm litellm openai anthropic gemini sk api apikey key token no none not null empty required needed used unused ignored dummy fake placeholder example local localhost your my here any anything")

// secretName reports whether a variable of that name holds a secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	parts := []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"}
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) }) || strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_PASS") || strings.HasSuffix(name, "_AUTH")
}
