package settings

import (
	"regexp"
	"strings"

	"github.com/tailscale/hujson"
)

var variable = regexp.MustCompile(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})`)

// secretWords are parts of the names of variables that hold secrets. No setting
// takes a secret, and what settings hold is shown and logged.
var secretWords = []string{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH"}

// expand puts variables of the environment into text: $NAME, ${NAME}, and
// ${NAME:-otherwise}. A variable that is unset, empty or secret and has nothing
// to stand for it is left as written; what is put in is not looked at again.
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

// expanded is value with variables put into its strings, but not into names, nor
// into the command of a hook. Offsets stay those of the text.
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
				continue // the shell puts them in; here a value would become a part of what it runs
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
