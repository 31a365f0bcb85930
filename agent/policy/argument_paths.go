package policy

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools"
)

// arguments holds the arguments of a call in the spellings that rules are
// matched against. Each is computed on first use.
type arguments struct {
	call       *Call
	asIs, real *argumentText
	spelled    []argumentText
}

// match reports whether the arguments match a rule's expression. A path can be
// spelled in many ways, or be a link: a rule that allows has to match both the
// given path and its target, and a rule that denies or asks applies to every
// spelling. Of addresses, a rule that allows has to match all.
func (a *arguments) match(r *Rule) bool {
	if parts := a.call.parts(); len(parts) > 0 {
		return a.matchParts(r, parts)
	}
	return a.matchOwn(r)
}

// matchParts matches a call that stands for calls of other tools by their arguments: a
// rule that allows has to match all that it is about, and any other rule one of them.
func (a *arguments) matchParts(r *Rule, parts []tools.Part) bool {
	own := len(r.Tools) == 0 || matchesAny(r.Tools, a.call.Tool)
	matched := func(p tools.Part) bool {
		c := *a.call
		c.Tool, c.Args, c.Effect = p.Tool, p.Args, tools.Edits{}
		part := arguments{call: &c}
		return (own || matchesAny(r.Tools, p.Tool)) && part.matchOwn(r)
	}
	if r.Decision == Allow {
		return !slices.ContainsFunc(parts, func(p tools.Part) bool { return !matched(p) })
	}
	return own && a.matchOwn(r) || slices.ContainsFunc(parts, matched)
}

// matchOwn is match for the arguments of the call itself.
func (a *arguments) matchOwn(r *Rule) bool {
	addressed := a.addressed()
	if r.Decision == Allow {
		if len(addressed) > 0 {
			return a.allowsAddresses(r, addressed)
		}
		return r.Args.MatchString(a.given().JSON) && r.Args.MatchString(a.resolved().JSON)
	}
	return slices.ContainsFunc(slices.Concat(a.respelled(), addressed), func(t argumentText) bool { return r.Args.MatchString(t.JSON) })
}

// given returns the arguments as they are.
func (a *arguments) given() argumentText {
	if a.asIs == nil {
		t, _ := textOf(a.call.Args) // invalid arguments are denied earlier
		a.asIs = &t
	}
	return *a.asIs
}

// resolved returns the arguments with their paths resolved, relative to the
// session's directory where they were given so.
func (a *arguments) resolved() argumentText {
	if a.real == nil {
		t := a.withPaths(isPath, func(given, path string) string {
			if path = a.call.follow(path); !filepath.IsAbs(given) {
				return a.call.relative(path)
			}
			return path
		})
		a.real = &t
	}
	return *a.real
}

// respelled returns the arguments in every spelling of their paths.
func (a *arguments) respelled() []argumentText {
	if a.spelled == nil {
		a.spelled = []argumentText{a.given()}
		for _, way := range []func(_, path string) string{
			func(_, path string) string { return filepath.Clean(path) },
			func(_, path string) string { return a.call.relative(path) },
			func(_, path string) string { return a.call.follow(path) },
			func(_, path string) string { return a.call.relative(a.call.follow(path)) },
			func(_, path string) string { rel, _ := a.call.within(path); return rel },
			func(_, path string) string { rel, _ := a.call.within(a.call.follow(path)); return rel },
		} {
			for _, prefix := range []string{"", "@"} { // the tools remove it unless a file has that name
				t := a.withPaths(isPathOrPattern, func(given, path string) string {
					if plain := strings.TrimLeft(given, prefix); plain != given {
						path = a.call.absolute(plain)
					}
					return way(given, path)
				})
				if !slices.Contains(a.spelled, t) {
					a.spelled = append(a.spelled, t)
				}
			}
		}
	}
	return a.spelled
}

// follow returns an absolute path with its links resolved.
func (c *Call) follow(path string) string {
	if c.Files == nil {
		return filepath.Clean(path)
	}
	return c.Files.Real(path)
}

// relative returns an absolute path relative to the session's directory.
func (c *Call) relative(path string) string {
	rel, err := filepath.Rel(c.Dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// absolute returns a path argument as an absolute path. It does not use
// filepath.Join, which would remove "link/.." before the link is followed.
func (c *Call) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return c.Dir + string(filepath.Separator) + path
}

func isPath(name string) bool { return strings.HasSuffix(name, "path") }

func isPathOrPattern(name string) bool {
	return isPath(name) || strings.HasSuffix(name, "pattern")
}

// withPaths returns the arguments with each path, as given and absolute,
// replaced by way.
func (a *arguments) withPaths(taken func(name string) bool, way func(given, path string) string) argumentText {
	if !tools.TraitsOf(a.call.Effect).NamesFiles { // the meaning of its arguments is not known here
		return a.given()
	}
	var args map[string]json.RawMessage
	if json.Unmarshal(a.call.Args, &args) != nil {
		return a.given()
	}
	for name, value := range args {
		var given string
		if !taken(name) || json.Unmarshal(value, &given) != nil || given == "" {
			continue
		}
		args[name] = json.RawMessage(`"` + inJSON(way(given, a.call.absolute(given))) + `"`)
	}
	text, err := json.Marshal(args)
	if err != nil {
		return a.given()
	}
	t, _ := textOf(text)
	return t
}
