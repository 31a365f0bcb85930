package policy

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools"
)

// meets says whether the arguments are what a rule's expression about them is
// for. A path can be spelled in many ways, and a link can be one: a rule that
// allows has to mean both the path that is given and the one that it leads to,
// one that denies or asks means it in every spelling.
func (m *matching) meets(r *Rule) bool {
	if r.Decision == Allow {
		return r.Args.MatchString(m.arguments().text) && r.Args.MatchString(m.resolved().text)
	}
	return slices.ContainsFunc(m.respelled(), func(a argumentText) bool { return r.Args.MatchString(a.text) })
}

// resolved are the arguments with their paths as they lead, relative to the
// session's folder where they were given so.
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

// respelled are the arguments as they are and with their paths in every way.
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
			for _, prefix := range []string{"", "@"} { // which the tools take off where no file is called so
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

// follow is an absolute path with its links resolved.
func (m *matching) follow(path string) string {
	if m.call.Real == nil {
		return filepath.Clean(path)
	}
	return m.call.Real(path)
}

// relative is an absolute path as it is named from the session's folder.
func (m *matching) relative(path string) string {
	rel, err := filepath.Rel(m.call.Dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// absolute is a path of the arguments as an absolute path. It does not join, which
// would take "link/.." away before the link is followed.
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

// withPaths are the arguments with what way makes of each that is taken: as it is
// given, and absolute.
func (m *matching) withPaths(taken func(argument string) bool, way func(given, path string) string) argumentText {
	switch m.call.Effect.(type) {
	case tools.Reads, tools.Edits, tools.Runs:
	case nil, tools.Ends, tools.Notes, tools.Asks, tools.Plans, tools.Presents, tools.Remembers, tools.Sends: // what their arguments mean is not known here
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
