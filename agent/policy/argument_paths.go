package policy

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools"
)

// argumentsMatch reports whether the arguments match a rule's expression. A path can be
// spelled in many ways, or be a link: a rule that allows has to match both the
// given path and its target, and a rule that denies or asks applies to every
// spelling.
func (m *matching) argumentsMatch(r *Rule) bool {
	if r.Decision == Allow {
		return r.Args.MatchString(m.arguments().text) && r.Args.MatchString(m.resolved().text)
	}
	return slices.ContainsFunc(m.respelled(), func(a argumentText) bool { return r.Args.MatchString(a.text) })
}

// resolved returns the arguments with their paths resolved, relative to the
// session's directory where they were given so.
func (m *matching) resolved() argumentText {
	if m.real == nil {
		a := m.withPaths(isPath, func(given, path string) string {
			if path = m.follow(path); !filepath.IsAbs(given) {
				return m.relative(path)
			}
			return path
		})
		m.real = &a
	}
	return *m.real
}

// respelled returns the arguments in every spelling of their paths.
func (m *matching) respelled() []argumentText {
	if m.spelled == nil {
		m.spelled = []argumentText{m.arguments()}
		for _, way := range []func(_, path string) string{
			func(_, path string) string { return filepath.Clean(path) },
			func(_, path string) string { return m.relative(path) },
			func(_, path string) string { return m.follow(path) },
			func(_, path string) string { return m.relative(m.follow(path)) },
			func(_, path string) string { rel, _ := m.within(path); return rel },
			func(_, path string) string { rel, _ := m.within(m.follow(path)); return rel },
		} {
			for _, prefix := range []string{"", "@"} { // the tools remove it unless a file has that name
				a := m.withPaths(isPathOrPattern, func(given, path string) string {
					if plain := strings.TrimLeft(given, prefix); plain != given {
						path = m.absolute(plain)
					}
					return way(given, path)
				})
				if !slices.Contains(m.spelled, a) {
					m.spelled = append(m.spelled, a)
				}
			}
		}
	}
	return m.spelled
}

// follow returns an absolute path with its links resolved.
func (m *matching) follow(path string) string {
	if m.call.Real == nil {
		return filepath.Clean(path)
	}
	return m.call.Real(path)
}

// relative returns an absolute path relative to the session's directory.
func (m *matching) relative(path string) string {
	rel, err := filepath.Rel(m.call.Dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// absolute returns a path argument as an absolute path. It does not use
// filepath.Join, which would remove "link/.." before the link is followed.
func (m *matching) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return m.call.Dir + string(filepath.Separator) + path
}

func isPath(argument string) bool { return strings.HasSuffix(argument, "path") }

func isPathOrPattern(argument string) bool {
	return isPath(argument) || strings.HasSuffix(argument, "pattern")
}

// withPaths returns the arguments with each path, as given and absolute,
// replaced by way.
func (m *matching) withPaths(taken func(argument string) bool, way func(given, path string) string) argumentText {
	switch m.call.Effect.(type) {
	case tools.Reads, tools.Edits, tools.Runs:
	case nil, tools.Ends, tools.Notes, tools.Asks, tools.Plans, tools.Presents, tools.Remembers, tools.Sends: // the meaning of their arguments is not known here
		return m.arguments()
	}
	var args map[string]json.RawMessage
	if json.Unmarshal(m.call.Args, &args) != nil {
		return m.arguments()
	}
	for name, value := range args {
		var given string
		if !taken(name) || json.Unmarshal(value, &given) != nil || given == "" {
			continue
		}
		args[name] = json.RawMessage(`"` + inJSON(way(given, m.absolute(given))) + `"`)
	}
	text, err := json.Marshal(args)
	if err != nil {
		return m.arguments()
	}
	a, _ := argumentsOf(text)
	return a
}
