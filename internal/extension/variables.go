package extension

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A variable is a setting of an extension: an environment variable whose value the
// user gives.
type variable struct {
	Name   string `json:"name"`
	EnvVar string `json:"envVar"`
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// values returns the values of an extension's settings. They are in the .env file of
// its folder, as Gemini CLI stores them, and only in that of an extension of the
// user's.
func (e *Extension) values(dir *os.Root, of []variable) map[string]string {
	if len(of) == 0 || e.Project != "" {
		return nil
	}
	text, err := readFile(dir, ".env")
	if err != nil {
		return nil
	}
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || !variableName.MatchString(name) || !slices.ContainsFunc(of, func(v variable) bool { return v.EnvVar == name }) {
			continue
		}
		if q := value; len(q) >= 2 && (q[0] == '"' || q[0] == '\'') && q[len(q)-1] == q[0] {
			value = q[1 : len(q)-1]
		}
		values[name] = value
	}
	return values
}

// replaceVariables replaces the variables of extensions in servers and hooks, and adds
// the values of the extension's settings to their environments.
func (e *Extension) replaceVariables(values map[string]string) {
	name := variables(e.Dir, "${workspaceFolder}").Replace
	table := func(m map[string]string) map[string]string {
		m = maps.Clone(m)
		for k, v := range m {
			m[k] = name(v)
		}
		return m
	}
	environment := func(m map[string]string) map[string]string {
		if values == nil {
			return table(m)
		}
		with := maps.Clone(values)
		maps.Copy(with, table(m))
		return with
	}
	for key, s := range e.Servers {
		s.Command, s.Cwd, s.URL, s.HTTPURL = name(s.Command), name(s.Cwd), name(s.URL), name(s.HTTPURL)
		s.Args = slices.Clone(s.Args)
		for i := range s.Args {
			s.Args[i] = name(s.Args[i])
		}
		s.Headers = table(s.Headers)
		if s.Command != "" {
			s.Env = environment(s.Env)
		}
		e.Servers[key] = s
	}
	for event, list := range e.Hooks.ByEvent() {
		for _, d := range list {
			for i := range d.Hooks {
				h := &d.Hooks[i]
				if strings.Contains(h.Command, "${extensionPath}") && !plain(e.Dir) {
					e.problem(filepath.Join("hooks", "hooks.json"), "a hook of "+event+" is left out: a shell would take characters of the extension's path for its own; move the extension")
					h.Type, h.Command = "unusable", ""
					continue
				}
				// The path of the workspace is a variable of the shell, so that nothing in it
				// is taken for syntax.
				h.Command = variables(e.Dir, "$GEMINI_PROJECT_DIR").Replace(h.Command)
				h.Env = environment(h.Env)
			}
		}
	}
}

// variables replaces the variables of an extension in dir.
func variables(dir, workspace string) *strings.Replacer {
	const separator = string(filepath.Separator)
	return strings.NewReplacer("${extensionPath}", dir, "${workspacePath}", workspace, "${/}", separator, "${pathSeparator}", separator)
}

// plain reports whether a path means itself inside of double quotes of a shell, and,
// but for spaces, without any.
func plain(path string) bool {
	return !strings.ContainsFunc(path, func(r rune) bool {
		return r < ' ' || strings.ContainsRune("\"'`$;&|()<>*?[]{}!#~", r) || r == '\\' && filepath.Separator != '\\'
	})
}
