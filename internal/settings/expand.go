package settings

import (
	"regexp"
	"strings"

	"github.com/tailscale/hujson"
)

var variable = regexp.MustCompile(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})`)

// secretWords are parts of the names of variables that hold secrets. No setting
// takes a secret, and settings are shown and logged.
var secretWords = []string{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH"}

// expand expands environment variables in text: $NAME, ${NAME}, and
// ${NAME:-otherwise}. A variable that is unset, empty or secret and has no default
// is left as written; the result is not expanded again.
func expand(text string, env func(string) string) string {
	return variable.ReplaceAllStringFunc(text, func(written string) string {
		m := variable.FindStringSubmatch(written)
		name := m[1] + m[2]
		if value := env(name); value != "" && !isSecret(name) {
			return value
		}
		if strings.Contains(written, ":-") {
			return m[3]
		}
		return written
	})
}

func isSecret(name string) bool {
	for _, w := range secretWords {
		if strings.Contains(strings.ToUpper(name), w) {
			return true
		}
	}
	return false
}

// expanded returns value with variables expanded in its strings, but not in names or
// the commands of hooks. Offsets stay those of the text.
func expanded(value hujson.Value, env func(string) string) hujson.Value {
	if env == nil {
		return value
	}
	value = value.Clone()
	expandIn(&value, env)
	return value
}

func expandIn(value *hujson.Value, env func(string) string) {
	switch v := value.Value.(type) {
	case hujson.Literal:
		if v.Kind() == '"' {
			value.Value = hujson.String(expand(v.String(), env))
		}
	case *hujson.Object:
		hook := isCommand(value.Find("/type"))
		for i := range v.Members {
			if name, _ := v.Members[i].Name.Value.(hujson.Literal); hook && name.String() == "command" {
				continue // the shell expands them; here a value would become a part of the command
			}
			expandIn(&v.Members[i].Value, env)
		}
	case *hujson.Array:
		for i := range v.Elements {
			expandIn(&v.Elements[i], env)
		}
	}
}

func isCommand(kind *hujson.Value) bool {
	if kind == nil {
		return false
	}
	word, _ := kind.Value.(hujson.Literal)
	return word.String() == "command"
}
