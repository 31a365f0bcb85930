package config

import (
	"maps"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/internal/lazyregexp"
)

// variable matches $NAME, ${NAME}, ${NAME:-default}, and VS Code's ${env:NAME} and
// ${workspaceFolder}.
var variable = lazyregexp.New(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_:]*)(?::-([^}]*))?\})`)

// Expanded returns the server with the variables in its environment, headers,
// login, arguments and address replaced by their values. In the command and its arguments
// and in the address only the forms with braces are variables, since programs have
// their own use for a $. hidden are names of variables that no server gets, such as
// emendo's own keys, unless the user's own files configure the server. What the user's
// editor has handed over has no variables.
func (s Server) Expanded(env func(string) string, hidden func(name string) bool) Server {
	if s.Client {
		return s // as it is
	}
	look := func(name string) (string, bool) {
		switch {
		case name == "workspaceFolder":
			return s.Folder, true
		case (s.Project != "" || s.Extension != "") && hidden != nil && hidden(strings.TrimPrefix(name, "env:")):
			return "", true
		}
		if env == nil {
			return "", false
		}
		v := env(strings.TrimPrefix(name, "env:"))
		return v, v != ""
	}
	all := func(text string, bare bool) string {
		return variable.ReplaceAllStringFunc(text, func(match string) string {
			m := variable.FindStringSubmatch(match)
			name := m[2]
			if name == "" {
				if !bare {
					return match
				}
				name = m[1]
			}
			if v, ok := look(name); ok {
				return v
			}
			return m[3]
		})
	}
	table := func(m map[string]string) map[string]string {
		m = maps.Clone(m)
		for k, v := range m {
			m[k] = all(v, true)
		}
		return m
	}
	s.Env, s.Headers = table(s.Env), table(s.Headers)
	if s.users() { // approval of another's server does not cover them
		for _, text := range []*string{&s.OAuth.ClientID, &s.OAuth.ClientSecret} {
			*text = all(*text, true)
		}
		for _, text := range []*string{&s.OAuth.AuthorizationURL, &s.OAuth.TokenURL, &s.OAuth.RegistrationURL, &s.OAuth.Issuer, &s.OAuth.RedirectURI} {
			*text = all(*text, false)
		}
	}
	s.Command, s.URL, s.Dir = all(s.Command, false), all(s.URL, false), all(s.Dir, false)
	if s.Dir != "" && !filepath.IsAbs(s.Dir) {
		s.Dir = filepath.Join(s.Folder, s.Dir)
	}
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = all(a, false)
	}
	s.Args = args
	return s
}
