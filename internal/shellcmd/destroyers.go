package shellcmd

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
)

// always are the programs that destroy, or act with more power than the
// user's own, whatever their arguments.
var always = map[string]string{
	"rm":         "deletes files for good",
	"unlink":     "deletes a file for good",
	"shred":      "destroys what files hold",
	"srm":        "destroys what files hold",
	"wipefs":     "wipes a disk",
	"fdisk":      "changes the partitions of a disk",
	"sfdisk":     "changes the partitions of a disk",
	"parted":     "changes the partitions of a disk",
	"mkswap":     "formats a disk",
	"truncate":   "cuts files off",
	"blkdiscard": "discards what a disk holds",
	"sudo":       "acts with the rights of another user",
	"doas":       "acts with the rights of another user",
	"su":         "acts with the rights of another user",
	"pkexec":     "acts with the rights of another user",
	"runuser":    "acts with the rights of another user",
	"shutdown":   "stops the machine",
	"reboot":     "stops the machine",
	"poweroff":   "stops the machine",
	"halt":       "stops the machine",
	"killall":    "ends processes by their name",
	"pkill":      "ends processes by their name",
	"userdel":    "deletes a user",
	"dropdb":     "deletes a database",
}

// byArguments are those whose arguments decide.
var byArguments = map[string]func(j judge, name string, args []word) string{
	"git":            git,
	"find":           finding,
	"dd":             dd,
	"chmod":          recursive,
	"chown":          recursive,
	"chgrp":          recursive,
	"mv":             judge.replaces,
	"cp":             judge.replaces,
	"install":        judge.replaces,
	"ln":             link,
	"tee":            judge.tee,
	"kill":           kill,
	"docker":         container,
	"podman":         container,
	"nerdctl":        container,
	"docker-compose": container,
	"rsync":          rsync,
	"kubectl":        verbs("delete drain"),
	"oc":             verbs("delete drain"),
	"helm":           verbs("uninstall delete"),
	"terraform":      verbs("destroy"),
	"tofu":           verbs("destroy"),
	"pulumi":         verbs("destroy"),
	"gh":             verbs("delete"),
	"gcloud":         verbs("delete"),
	"az":             verbs("delete"),
	"aws":            aws,
	"systemctl":      verbs("poweroff reboot halt"),
	"crontab":        crontab,
	"fallocate":      fallocate,
	"svn":            svn,
	"hg":             hg,
	"redis-cli":      redis,
}

// option says whether one of the short letters or of the long names is among
// the options. Long names may be shortened, as programs allow; a word that is
// not known may hold anything and is no option here.
func option(args []word, letters string, long ...string) bool {
	for _, a := range args {
		switch {
		case a.is("--"):
			return false
		case strings.HasPrefix(a.text, "--"):
			name, _, _ := strings.Cut(a.text[2:], "=")
			if name != "" && slices.ContainsFunc(long, func(l string) bool { return l == name || len(name) > 2 && strings.HasPrefix(l, name) }) {
				return true
			}
		case strings.HasPrefix(a.text, "-") && strings.ContainsAny(a.text[1:], letters):
			return true
		}
	}
	return false
}

// operands are the words that are no options.
func operands(args []word) []word {
	var l []word
	for i, a := range args {
		if a.is("--") {
			return append(l, args[i+1:]...)
		}
		if !strings.HasPrefix(a.text, "-") || a.is("-") {
			l = append(l, a)
		}
	}
	return l
}

func dd(_ judge, _ string, args []word) string {
	for _, a := range args {
		if strings.HasPrefix(a.text, "of=") && !a.is("of=/dev/null") {
			return "dd writes over " + visible.Escape(a.text[len("of="):])
		}
		if !a.known {
			return "dd may write anywhere"
		}
	}
	return ""
}

func recursive(_ judge, name string, args []word) string {
	if option(args, "R", "recursive") {
		return name + " -R changes a whole folder, and what was is not kept"
	}
	return ""
}

// replaces judges mv, cp and install: what they put in the place of a file.
func (j judge) replaces(name string, args []word) string {
	if option(args, "n", "no-clobber", "update=none") {
		return ""
	}
	l := operands(args)
	if option(args, "tT", "target-directory", "no-target-directory") || len(l) < 2 {
		if len(l) == 0 {
			return ""
		}
		return name + " may replace files"
	}
	from, to := l[:len(l)-1], l[len(l)-1]
	if !to.known || !j.place.isFolder(to.text) {
		return j.overwrites(name, to)
	}
	for _, f := range from {
		if !f.known {
			return name + " may replace files"
		}
		if why := j.overwrites(name, word{text: filepath.Join(to.text, filepath.Base(f.text)), known: true}); why != "" {
			return why
		}
	}
	return ""
}

func link(j judge, name string, args []word) string {
	if option(args, "f", "force") {
		return j.replaces(name, args)
	}
	return ""
}

func (j judge) tee(name string, args []word) string {
	if option(args, "a", "append") {
		return ""
	}
	for _, a := range operands(args) {
		if why := j.overwrites(name, a); why != "" {
			return why
		}
	}
	return ""
}

func kill(_ judge, _ string, args []word) string {
	for i, a := range args {
		signal := strings.TrimPrefix(strings.ToUpper(strings.TrimPrefix(a.text, "-")), "SIG")
		after := i > 0 && args[i-1].is("-s", "-n", "--signal")
		if (signal == "9" || signal == "KILL") && (strings.HasPrefix(a.text, "-") || after) {
			return "kill -9 ends processes that then save nothing"
		}
		if i > 0 && a.is("-1") {
			return "kill -1 ends all processes of the user"
		}
	}
	return ""
}

func container(_ judge, name string, args []word) string {
	l := operands(args)
	for i, a := range l {
		switch {
		case a.is("prune"):
			return name + " prune deletes what is not in use"
		case a.is("volume", "image", "container", "network", "system") && i+1 < len(l) && l[i+1].is("rm", "remove"):
			return name + " " + a.text + " rm deletes for good"
		case a.is("rmi") || a.is("rm") && option(args, "fv", "force", "volumes"):
			return name + " " + a.text + " deletes for good"
		case a.is("down") && option(args, "v", "volumes", "rmi"):
			return name + " down -v deletes volumes"
		}
	}
	return ""
}

func rsync(_ judge, _ string, args []word) string {
	for _, a := range args {
		if strings.HasPrefix(a.text, "--del") || strings.HasPrefix(a.text, "--remove-source") {
			return "rsync " + a.text + " deletes files for good"
		}
	}
	return ""
}

func crontab(_ judge, _ string, args []word) string {
	if option(args, "r") {
		return "crontab -r deletes the user's table"
	}
	return ""
}

func fallocate(_ judge, _ string, args []word) string {
	if option(args, "pcz", "punch-hole", "collapse-range", "zero-range") {
		return "fallocate with these options erases what files hold"
	}
	return ""
}

func svn(_ judge, _ string, args []word) string {
	l := operands(args)
	switch {
	case len(l) > 0 && l[0].is("revert"):
		return "svn revert loses changes"
	case option(args, "", "remove-unversioned", "remove-ignored"):
		return "svn cleanup deletes files for good"
	}
	return ""
}

func hg(_ judge, _ string, args []word) string {
	l := operands(args)
	switch {
	case len(l) == 0:
	case l[0].is("revert", "purge", "clean", "strip", "rollback"), l[0].is("update", "up", "checkout", "co", "goto") && option(args, "C", "clean"):
		return "hg " + l[0].text + " with these arguments loses changes or commits"
	}
	return ""
}

func redis(_ judge, _ string, args []word) string {
	for _, a := range args {
		if strings.EqualFold(a.text, "flushall") || strings.EqualFold(a.text, "flushdb") {
			return "redis-cli " + visible.Escape(a.text) + " deletes a database"
		}
	}
	return ""
}

// aws is of the verbs of its many services, most of which begin alike.
func aws(_ judge, name string, args []word) string {
	for _, a := range operands(args) {
		if a.is("rm", "rb") || strings.HasPrefix(a.text, "delete-") || strings.HasPrefix(a.text, "terminate-") {
			return name + " " + a.text + " cannot be taken back"
		}
	}
	return ""
}

// verbs judges programs by a word of their own language.
func verbs(destroying string) func(judge, string, []word) string {
	all := set(destroying)
	return func(_ judge, name string, args []word) string {
		for _, a := range operands(args) {
			if a.known && all[a.text] {
				return name + " " + a.text + " cannot be taken back"
			}
		}
		return ""
	}
}
