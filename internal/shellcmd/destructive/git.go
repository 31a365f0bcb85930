package destructive

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/shellcmd/outward"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// git describes what a git command would lose: changes that are not committed,
// commits without a name, and commits or branches on a remote.
func git(j Judge, _ string, args []program.Word) string {
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		value := args[0].Known && outward.GitValued[args[0].Text]
		if value && len(args) > 1 {
			if args[0].Is("-c", "--config-env") && (!args[1].Known || program.RunsConfig(args[1].Text)) {
				return program.WhyUntold + ": git's configuration names programs to run"
			}
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return ""
	}
	if !args[0].Known {
		return program.WhyUntold
	}
	command, args := args[0].Text, args[1:]
	if f, ok := gitCommands[command]; ok && f(args) {
		return "git " + command + " with these arguments loses changes or commits"
	}
	if command == "checkout" && slices.ContainsFunc(program.Operands(args), func(w program.Word) bool { return j.Dir != "" && j.holds(w.Text) }) {
		return "git checkout of a file loses its changes"
	}
	if command == "push" && pushForces(args) {
		return "git push with these arguments replaces or deletes what is on the remote"
	}
	return ""
}

// gitCommands report whether a command with these arguments loses something.
var gitCommands = map[string]func(args []program.Word) bool{
	"reset": func(a []program.Word) bool { return program.Option(a, "", "hard", "merge", "keep") },
	"clean": func(a []program.Word) bool { return !program.Option(a, "n", "dry-run") },
	"checkout": func(a []program.Word) bool {
		paths := len(program.Operands(a)) > 1 && !program.Option(a, "bt", "orphan", "track")
		return paths || program.Option(a, "fB", "force") || slices.ContainsFunc(a, func(w program.Word) bool { return w.Is("--", ".") || !w.Known })
	},
	"restore": func(a []program.Word) bool {
		return !program.Option(a, "S", "staged") || program.Option(a, "W", "worktree")
	},
	"switch": func(a []program.Word) bool {
		return program.Option(a, "fC", "force", "discard-changes", "force-create")
	},
	"branch": func(a []program.Word) bool {
		return program.Option(a, "DMf", "force") || program.Option(a, "d", "delete") && program.Option(a, "f", "force")
	},
	"tag":    func(a []program.Word) bool { return program.Option(a, "df", "delete", "force") },
	"stash":  first("drop clear"),
	"reflog": first("expire delete"),
	"gc": func(a []program.Word) bool {
		return slices.ContainsFunc(a, func(w program.Word) bool { return strings.HasPrefix(w.Text, "--prune") })
	},
	"prune":          func([]program.Word) bool { return true },
	"filter-branch":  func([]program.Word) bool { return true },
	"filter-repo":    func([]program.Word) bool { return true },
	"update-ref":     func(a []program.Word) bool { return program.Option(a, "d", "stdin") },
	"read-tree":      func(a []program.Word) bool { return program.Option(a, "u", "reset") },
	"checkout-index": func(a []program.Word) bool { return program.Option(a, "f", "force") },
	"rm":             func(a []program.Word) bool { return program.Option(a, "f", "force") },
	"worktree":       func(a []program.Word) bool { return first("remove")(a) && program.Option(a, "f", "force") },
	"submodule":      func(a []program.Word) bool { return first("deinit")(a) && program.Option(a, "f", "force") },
}

// first returns a function that reports whether the first argument is one of
// the verbs.
func first(verbs string) func([]program.Word) bool {
	all := program.NameSet(verbs)
	return func(a []program.Word) bool { return len(a) > 0 && a[0].Known && all[a[0].Text] }
}

// pushForces reports whether a push replaces or deletes.
func pushForces(args []program.Word) bool {
	return program.Option(args, "fd", "force", "force-with-lease", "force-if-includes", "mirror", "delete", "prune") ||
		slices.ContainsFunc(program.Operands(args), func(w program.Word) bool { return strings.HasPrefix(w.Text, "+") || strings.HasPrefix(w.Text, ":") })
}
