package shellcmd

import (
	"slices"
	"strings"
)

// gitValued are the options before git's own command that take a value.
var gitValued = set("-C -c --git-dir --work-tree --namespace --config-env --exec-path --attr-source")

// git judges what a git command would lose: changes that are not committed,
// commits that nothing names any more, and what others have on a remote.
func git(j judge, _ string, args []word) string {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		value := args[0].known && gitValued[args[0].text]
		if value && len(args) > 1 {
			if args[0].is("-c", "--config-env") && (!args[1].known || runsConfig(args[1].text)) {
				return untold + ": git's configuration names programs to run"
			}
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return ""
	}
	if !args[0].known {
		return untold
	}
	command, args := args[0].text, args[1:]
	if f, ok := gitCommands[command]; ok && f(args) {
		return "git " + command + " with these arguments loses changes or commits"
	}
	if command == "checkout" && slices.ContainsFunc(operands(args), func(w word) bool { return j.place.dir != "" && j.place.holds(w.text) }) {
		return "git checkout of a file loses its changes"
	}
	if command == "push" && pushForces(args) {
		return "git push with these arguments replaces or deletes what is on the remote"
	}
	return ""
}

// gitPrograms are parts of the names of settings whose values are run.
var gitPrograms = strings.Fields("alias. pager editor fsmonitor hookspath command external textconv helper program askpass proxy filter. driver cmd")

// runsConfig says whether a setting, NAME=VALUE, names a program.
func runsConfig(setting string) bool {
	name, _, _ := strings.Cut(strings.ToLower(setting), "=")
	return slices.ContainsFunc(gitPrograms, func(p string) bool { return strings.Contains(name, p) })
}

// gitCommands say of a command's arguments whether something is lost.
var gitCommands = map[string]func(args []word) bool{
	"reset": func(a []word) bool { return option(a, "", "hard", "merge", "keep") },
	"clean": func(a []word) bool { return !option(a, "n", "dry-run") },
	"checkout": func(a []word) bool {
		paths := len(operands(a)) > 1 && !option(a, "bt", "orphan", "track")
		return paths || option(a, "fB", "force") || slices.ContainsFunc(a, func(w word) bool { return w.is("--", ".") || !w.known })
	},
	"restore": func(a []word) bool { return !option(a, "S", "staged") || option(a, "W", "worktree") },
	"switch":  func(a []word) bool { return option(a, "fC", "force", "discard-changes", "force-create") },
	"branch": func(a []word) bool {
		return option(a, "DMf", "force") || option(a, "d", "delete") && option(a, "f", "force")
	},
	"tag":    func(a []word) bool { return option(a, "df", "delete", "force") },
	"stash":  first("drop clear"),
	"reflog": first("expire delete"),
	"gc": func(a []word) bool {
		return slices.ContainsFunc(a, func(w word) bool { return strings.HasPrefix(w.text, "--prune") })
	},
	"prune":          func([]word) bool { return true },
	"filter-branch":  func([]word) bool { return true },
	"filter-repo":    func([]word) bool { return true },
	"update-ref":     func(a []word) bool { return option(a, "d", "stdin") },
	"read-tree":      func(a []word) bool { return option(a, "u", "reset") },
	"checkout-index": func(a []word) bool { return option(a, "f", "force") },
	"rm":             func(a []word) bool { return option(a, "f", "force") },
	"worktree":       func(a []word) bool { return first("remove")(a) && option(a, "f", "force") },
	"submodule":      func(a []word) bool { return first("deinit")(a) && option(a, "f", "force") },
}

// first says whether the first argument is one of the verbs.
func first(verbs string) func([]word) bool {
	all := set(verbs)
	return func(a []word) bool { return len(a) > 0 && a[0].known && all[a[0].text] }
}

// pushForces says whether a push replaces or deletes.
func pushForces(args []word) bool {
	return option(args, "fd", "force", "force-with-lease", "force-if-includes", "mirror", "delete", "prune") ||
		slices.ContainsFunc(operands(args), func(w word) bool { return strings.HasPrefix(w.text, "+") || strings.HasPrefix(w.text, ":") })
}
