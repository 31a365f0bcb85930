package destructive

import (
	"path/filepath"
	"strings"

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

// byArguments holds the programs whose arguments decide.
var byArguments = map[string]func(j Judge, name string, args []program.Word) string{
	"git":            git,
	"find":           finding,
	"dd":             dd,
	"chmod":          recursive,
	"chown":          recursive,
	"chgrp":          recursive,
	"mv":             Judge.replaces,
	"cp":             Judge.replaces,
	"install":        Judge.replaces,
	"ln":             link,
	"tee":            Judge.tee,
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

func dd(_ Judge, _ string, args []program.Word) string {
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

func recursive(_ Judge, name string, args []program.Word) string {
	if program.Option(args, "R", "recursive") {
		return name + " -R changes a whole directory and cannot be undone"
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
	if !to.Known || !j.isFolder(to.Text) {
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

func link(j Judge, name string, args []program.Word) string {
	if program.Option(args, "f", "force") {
		return j.replaces(name, args)
	}
	return ""
}

func (j Judge) tee(name string, args []program.Word) string {
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

func kill(_ Judge, _ string, args []program.Word) string {
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

func container(_ Judge, name string, args []program.Word) string {
	l := program.Operands(args)
	for i, a := range l {
		switch {
		case a.Is("prune"):
			return name + " prune deletes what is not in use"
		case a.Is("volume", "image", "container", "network", "system") && i+1 < len(l) && l[i+1].Is("rm", "remove"):
			return name + " " + a.Text + " rm deletes for good"
		case a.Is("rmi") || a.Is("rm") && program.Option(args, "fv", "force", "volumes"):
			return name + " " + a.Text + " deletes for good"
		case a.Is("down") && program.Option(args, "v", "volumes", "rmi"):
			return name + " down -v deletes volumes"
		}
	}
	return ""
}

func rsync(_ Judge, _ string, args []program.Word) string {
	for _, a := range args {
		if strings.HasPrefix(a.Text, "--del") || strings.HasPrefix(a.Text, "--remove-source") {
			return "rsync " + a.Text + " deletes files for good"
		}
	}
	return ""
}

func crontab(_ Judge, _ string, args []program.Word) string {
	if program.Option(args, "r") {
		return "crontab -r deletes the user's table"
	}
	return ""
}

func fallocate(_ Judge, _ string, args []program.Word) string {
	if program.Option(args, "pcz", "punch-hole", "collapse-range", "zero-range") {
		return "fallocate with these options erases the content of files"
	}
	return ""
}

func svn(_ Judge, _ string, args []program.Word) string {
	l := program.Operands(args)
	switch {
	case len(l) > 0 && l[0].Is("revert"):
		return "svn revert loses changes"
	case program.Option(args, "", "remove-unversioned", "remove-ignored"):
		return "svn cleanup deletes files for good"
	}
	return ""
}

func hg(_ Judge, _ string, args []program.Word) string {
	l := program.Operands(args)
	switch {
	case len(l) == 0:
	case l[0].Is("revert", "purge", "clean", "strip", "rollback"), l[0].Is("update", "up", "checkout", "co", "goto") && program.Option(args, "C", "clean"):
		return "hg " + l[0].Text + " with these arguments loses changes or commits"
	}
	return ""
}

func redis(_ Judge, _ string, args []program.Word) string {
	for _, a := range args {
		if strings.EqualFold(a.Text, "flushall") || strings.EqualFold(a.Text, "flushdb") {
			return "redis-cli " + visible.Escape(a.Text) + " deletes a database"
		}
	}
	return ""
}

// aws judges the verbs of its many services, most of which begin alike.
func aws(_ Judge, name string, args []program.Word) string {
	for _, a := range program.Operands(args) {
		if a.Is("rm", "rb") || strings.HasPrefix(a.Text, "delete-") || strings.HasPrefix(a.Text, "terminate-") {
			return name + " " + a.Text + " cannot be undone"
		}
	}
	return ""
}

// verbs judges programs by their sub-commands.
func verbs(destroying string) func(Judge, string, []program.Word) string {
	all := program.NameSet(destroying)
	return func(_ Judge, name string, args []program.Word) string {
		for _, a := range program.Operands(args) {
			if a.Known && all[a.Text] {
				return name + " " + a.Text + " cannot be undone"
			}
		}
		return ""
	}
}
