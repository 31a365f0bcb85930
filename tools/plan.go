package tools

import (
	"path/filepath"
	"strings"
)

// IsPlanName says whether a file of that name can be a plan: Markdown.
func IsPlanName(path string) bool { return strings.EqualFold(filepath.Ext(path), ".md") }

// isPlan says whether an absolute path, links resolved, is in the session's
// folder of plans.
func isPlan(env Env, path string) bool {
	return env.Plans != nil && filepath.IsAbs(path) && env.Plans.Contains(path)
}

// plannedAs is the absolute path of the plan that an edit's path names: one in
// the session's folder of plans or, while the session plans, a relative name
// that the workspace has no file of.
func plannedAs(env Env, name string) (path string, ok bool) {
	switch {
	case isPlan(env, name):
		return name, true
	case !env.Planning || env.Plans == nil || !filepath.IsLocal(name) || !IsPlanName(name):
		return "", false
	}
	if p, err := env.Snapshot.Tree().Resolve(full(env, name)); err == nil && exists(env, p) {
		return "", false
	}
	return filepath.Join(env.Plans.Folders()[0], name), true
}
