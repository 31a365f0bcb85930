package gitdir

import (
	"slices"
	"strings"
)

// harmlessKeys lists settings by section that neither run nor name anything.
var harmlessKeys = map[string][]string{
	"user":   {"name", "email"},
	"branch": {"remote", "merge", "rebase", "description", "pushremote", "vscode-merge-base", "github-pr-owner-number", "gh-merge-base"},
	"remote": {"url", "pushurl", "fetch", "push", "tagopt", "prune", "gh-resolved"},
	"core":   {"repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks", "autocrlf", "eol"},
	"push":   {"default", "autosetupremote"}, "pull": {"rebase", "ff"}, "submodule": {"active", "url"}, "init": {"defaultbranch"}, "color": {"ui"},
}

// Reaching returns the settings in a text, one line each, that may run
// something, name further settings, or change which files belong to git.
func Reaching(text string) []string {
	var l []string
	for _, s := range ParseConfig(text) {
		if !slices.Contains(harmlessKeys[s.Section], s.Key) || strings.Contains(s.Value, "::") || s.Name() == "core.bare" && s.Value != "false" {
			l = append(l, s.Name()+" = "+s.Value)
		}
	}
	return l
}
