package destructive

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
	"github.com/emendo-dev/emendo/internal/visible"
)

// holds reports whether writing to a path would lose something: it is a file
// that is not empty. A path that is not known may be one.
func (j Judge) holds(name string) bool {
	if j.Dir == "" && !filepath.IsAbs(name) {
		return true
	}
	info, err := os.Stat(paths.Absolute(name, j.Dir))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// A Judge returns why a call could destroy something that cannot be restored, or
// that this is not known. It only warns: a program may do more than its name
// says.
type Judge struct {
	Dir string // where the command runs; empty if that is not known
}

// Overwrites returns a reason if writing to a file would lose its content.
func (j Judge) Overwrites(who string, w program.Word) string {
	switch {
	case !w.Known:
		return who + " may overwrite a file that is not known in advance"
	case j.holds(w.Text):
		return who + " overwrites " + visible.Escape(w.Text)
	}
	return ""
}

// Why returns why a call is destructive, without what it runs in turn; empty if
// it is not.
func (j Judge) Why(args []program.Word) string {
	if !args[0].Known {
		return program.WhyUntold
	}
	name := strings.ToLower(program.Base(args[0])) // some file systems ignore case
	if why, ok := always[name]; ok {
		return name + " " + why
	}
	if strings.HasPrefix(name, "mkfs") {
		return name + " formats a disk"
	}
	if why := listed(name, args[1:]); why != "" {
		return why
	}
	if f, ok := byArguments[name]; ok {
		return f(j, name, args[1:])
	}
	if (name == "." || name == "source") && (len(args) < 2 || !args[1].Known) {
		return program.WhyUntold
	}
	return ""
}

// finding judges what find does to what it finds.
func finding(j Judge, _ string, args []program.Word) string {
	for i, a := range args {
		switch {
		case !a.Known && !strings.HasPrefix(a.Text, "-") && a.Text != "":
		case !a.Known:
			return "find has an option that is not known in advance"
		case a.Text == "-delete":
			return "find -delete deletes files for good"
		case a.Is("-fprint", "-fprint0", "-fprintf", "-fls") && i+1 < len(args):
			if why := j.Overwrites("find "+a.Text, args[i+1]); why != "" {
				return why
			}
		}
	}
	return ""
}
