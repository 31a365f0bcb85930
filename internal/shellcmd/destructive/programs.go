package destructive

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/shellcmd/outward"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
	"github.com/emendo-dev/emendo/internal/visible"
)

// always holds the programs that destroy, or act with other permissions than
// the user's, whatever their arguments are.
var always = map[string]string{
	"rm":         "deletes files for good",
	"unlink":     "deletes a file for good",
	"shred":      "destroys the content of files",
	"srm":        "destroys the content of files",
	"wipefs":     "wipes a disk",
	"fdisk":      "changes the partitions of a disk",
	"sfdisk":     "changes the partitions of a disk",
	"parted":     "changes the partitions of a disk",
	"mkswap":     "formats a disk",
	"truncate":   "truncates files",
	"blkdiscard": "discards the content of a disk",
	"sudo":       "acts with the permissions of another user",
	"doas":       "acts with the permissions of another user",
	"su":         "acts with the permissions of another user",
	"pkexec":     "acts with the permissions of another user",
	"runuser":    "acts with the permissions of another user",
	"shutdown":   "stops the machine",
	"reboot":     "stops the machine",
	"poweroff":   "stops the machine",
	"halt":       "stops the machine",
	"killall":    "ends processes by name",
	"pkill":      "ends processes by name",
	"userdel":    "deletes a user",
	"dropdb":     "deletes a database",
}

// A danger is a way to call a program that cannot be undone: with one of the sub-commands,
// and with one of the options. Without options in it, the sub-command is enough; an empty one
// is every call.
type danger struct{ verbs, letters, options string }

func (d danger) matches(args []program.Word) bool {
	verb := d.verbs == "" || slices.ContainsFunc(program.Operands(args), func(w program.Word) bool { return w.Known && program.HasName(d.verbs, w.Text) })
	return verb && (d.letters+d.options == "" || program.Option(args, d.letters, strings.Fields(d.options)...))
}

// dangers holds them by the names of programs. Those of git's commands are the names in git's
// own directory.
var dangers = sync.OnceValue(func() map[string][]danger {
	return program.ByName(map[string][]danger{
		"chmod chown chgrp":                    {{letters: "R", options: "recursive"}},
		"docker podman nerdctl docker-compose": {{verbs: "prune rmi rm remove"}, {verbs: "down", letters: "v", options: "volumes rmi"}},
		"rsync":                                {{options: "del delete delete-before delete-during delete-delay delete-after delete-excluded delete-missing-args remove-source-files"}},
		"kubectl oc":                           {{verbs: "delete drain"}},
		"helm":                                 {{verbs: "uninstall delete"}},
		"terraform tofu pulumi":                {{verbs: "destroy"}},
		"gh gcloud az":                         {{verbs: "delete"}},
		"aws":                                  {{verbs: "rm rb"}},
		"systemctl":                            {{verbs: "poweroff reboot halt"}},
		"crontab":                              {{letters: "r"}},
		"fallocate":                            {{letters: "pcz", options: "punch-hole collapse-range zero-range"}},
		"svn":                                  {{verbs: "revert"}, {options: "remove-unversioned remove-ignored"}},
		"hg":                                   {{verbs: "revert purge clean strip rollback"}, {verbs: "update up checkout co goto", letters: "C", options: "clean"}},
		"redis-cli":                            {{verbs: "flushall flushdb FLUSHALL FLUSHDB"}},
		"git-reset":                            {{options: "hard merge keep"}},
		"git-checkout":                         {{letters: "fB", options: "force"}},
		"git-switch":                           {{letters: "fC", options: "force discard-changes force-create"}},
		"git-branch":                           {{letters: "DMf", options: "force"}},
		"git-tag":                              {{letters: "df", options: "delete force"}},
		"git-stash":                            {{verbs: "drop clear"}},
		"git-reflog":                           {{verbs: "expire delete"}},
		"git-gc":                               {{options: "prune"}},
		"git-prune":                            {{}},
		"git-filter-branch":                    {{}},
		"git-filter-repo":                      {{}},
		"git-update-ref":                       {{letters: "d", options: "stdin"}},
		"git-read-tree":                        {{letters: "u", options: "reset"}},
		"git-checkout-index git-rm":            {{letters: "f", options: "force"}},
		"git-worktree":                         {{verbs: "remove", letters: "f", options: "force"}},
		"git-submodule":                        {{verbs: "deinit", letters: "f", options: "force"}},
		"git-push":                             {{letters: "fd", options: "force force-with-lease force-if-includes mirror delete prune"}},
	})
})

// listed returns a reason if a call is among the dangers.
func listed(name string, args []program.Word) string {
	if slices.ContainsFunc(dangers()[name], func(d danger) bool { return d.matches(args) }) {
		return strings.Replace(name, "git-", "git ", 1) + " with these arguments cannot be undone"
	}
	return ""
}

// byArguments holds the programs of which a table does not tell what they destroy.
var byArguments = map[string]func(j Judge, name string, args []program.Word) string{
	"git":     gitLoses,
	"find":    finding,
	"dd":      ddOverwrites,
	"mv":      Judge.replaces,
	"cp":      Judge.replaces,
	"install": Judge.replaces,
	"ln":      linkReplaces,
	"tee":     Judge.teeOverwrites,
	"kill":    killsAtOnce,
	"aws":     awsDeletes,
}

// gitLoses describes what a git command would lose: changes that are not committed,
// commits without a name, and commits or branches on a remote.
func gitLoses(j Judge, _ string, args []program.Word) string {
	for i, w := range args[:max(0, len(args)-1)] {
		if next := args[i+1]; w.Is("-c", "--config-env") && (!next.Known || program.RunsConfig(next.Text)) {
			return program.WhyUntold + ": git's configuration names programs to run"
		}
	}
	command, rest := outward.GitCommand(args)
	if command == "" {
		if slices.ContainsFunc(args, func(w program.Word) bool { return !w.Known }) {
			return program.WhyUntold
		}
		return ""
	}
	operands := program.Operands(rest)
	loses := false
	switch command {
	case "clean":
		loses = !program.Option(rest, "n", "dry-run")
	case "restore":
		loses = !program.Option(rest, "S", "staged") || program.Option(rest, "W", "worktree")
	case "checkout":
		loses = len(operands) > 1 && !program.Option(rest, "bt", "orphan", "track") ||
			slices.ContainsFunc(rest, func(w program.Word) bool { return w.Is("--", ".") || !w.Known }) ||
			slices.ContainsFunc(operands, func(w program.Word) bool { return j.Dir != "" && j.holds(w.Text) })
	case "push":
		loses = slices.ContainsFunc(operands, func(w program.Word) bool { return strings.HasPrefix(w.Text, "+") || strings.HasPrefix(w.Text, ":") })
	}
	if why := listed("git-"+command, rest); why != "" || !loses {
		return why
	}
	return "git " + command + " with these arguments loses changes or commits"
}

func ddOverwrites(_ Judge, _ string, args []program.Word) string {
	for _, a := range args {
		if strings.HasPrefix(a.Text, "of=") && !a.Is("of=/dev/null") {
			return "dd overwrites " + visible.Escape(a.Text[len("of="):])
		}
		if !a.Known {
			return "dd may write anywhere"
		}
	}
	return ""
}

// replaces judges mv, cp and install, which may replace files.
func (j Judge) replaces(name string, args []program.Word) string {
	if program.Option(args, "n", "no-clobber", "update=none") {
		return ""
	}
	l := program.Operands(args)
	if program.Option(args, "tT", "target-directory", "no-target-directory") || len(l) < 2 {
		if len(l) == 0 {
			return ""
		}
		return name + " may replace files"
	}
	from, to := l[:len(l)-1], l[len(l)-1]
	if !to.Known || !paths.IsFolder(paths.Absolute(to.Text, j.Dir)) {
		return j.Overwrites(name, to)
	}
	for _, f := range from {
		if !f.Known {
			return name + " may replace files"
		}
		if why := j.Overwrites(name, program.Word{Text: filepath.Join(to.Text, filepath.Base(f.Text)), Known: true}); why != "" {
			return why
		}
	}
	return ""
}

func linkReplaces(j Judge, name string, args []program.Word) string {
	if program.Option(args, "f", "force") {
		return j.replaces(name, args)
	}
	return ""
}

func (j Judge) teeOverwrites(name string, args []program.Word) string {
	if program.Option(args, "a", "append") {
		return ""
	}
	for _, a := range program.Operands(args) {
		if why := j.Overwrites(name, a); why != "" {
			return why
		}
	}
	return ""
}

func killsAtOnce(_ Judge, _ string, args []program.Word) string {
	for i, a := range args {
		signal := strings.TrimPrefix(strings.ToUpper(strings.TrimPrefix(a.Text, "-")), "SIG")
		after := i > 0 && args[i-1].Is("-s", "-n", "--signal")
		if (signal == "9" || signal == "KILL") && (strings.HasPrefix(a.Text, "-") || after) {
			return "kill -9 ends processes before they can save anything"
		}
		if i > 0 && a.Is("-1") {
			return "kill -1 ends all processes of the user"
		}
	}
	return ""
}

// awsDeletes judges the verbs of its many services, most of which begin alike.
func awsDeletes(_ Judge, name string, args []program.Word) string {
	for _, a := range program.Operands(args) {
		if strings.HasPrefix(a.Text, "delete-") || strings.HasPrefix(a.Text, "terminate-") {
			return name + " " + a.Text + " cannot be undone"
		}
	}
	return ""
}
