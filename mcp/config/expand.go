package config

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
)

// variable matches $NAME, ${NAME}, ${NAME:-default}, and VS Code's ${env:NAME} and
// ${workspaceFolder}.
var variable = regexp.MustCompile(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_:]*)(?::-([^}]*))?\})`)

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
	s.Command, s.URL = all(s.Command, false), all(s.URL, false)
	if s.Cwd != "" {
		s.Dir, s.Cwd = paths.Absolute(all(s.Cwd, false), s.Folder), ""
	}
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = all(a, false)
		if args[i] != a && i > 0 && isCode(s.Command, s.Args[i-1]) {
			args[i] = s.ofCode(a, look)
		}
	}
	s.Args = args
	return s
}

// shells are programs that replace ${NAME} and ${NAME:-default} themselves, in the text
// after -c.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash"}

// isCode reports whether a program runs the text of the argument after an option.
func isCode(program, option string) bool {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	switch {
	case slices.Contains(shells, name):
		return strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--") && strings.HasSuffix(option, "c")
	case strings.HasPrefix(option, "-"), strings.HasPrefix(option, "/"):
		return slices.Contains([]string{"-c", "-e", "-E", "-p", "-r", "--eval", "--print", "-Command", "/c", "/C"}, option)
	}
	return false
}

// ofCode returns a text that a program runs, with its variables. A value is data: a shell
// is given it as a variable, and in other texts one with characters that could mean
// something there stays out, so that the name of a folder cannot run anything.
func (s *Server) ofCode(text string, look func(string) (string, bool)) string {
	shell := slices.Contains(shells, strings.TrimSuffix(filepath.Base(s.Command), ".exe"))
	return variable.ReplaceAllStringFunc(text, func(match string) string {
		m := variable.FindStringSubmatch(match)
		name := m[2]
		if name == "" {
			return match
		}
		value, ok := look(name)
		if !ok {
			value = m[3]
		}
		switch {
		case shell && ok:
			name = strings.TrimPrefix(name, "env:")
			if s.Env[name] == "" {
				s.Env = maps.Clone(s.Env)
				if s.Env == nil {
					s.Env = map[string]string{}
				}
				s.Env[name] = value
			}
			return "${" + name + "}"
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || strings.ContainsRune("\"'`\\$;&|<>(){}", r) }):
			return match
		}
		return value
	})
}
