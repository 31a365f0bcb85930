package destructive

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/internal/shellcmd/program"
	"github.com/emendo-dev/emendo/internal/visible"
)

// holds says whether a path leads to something that writing to it would lose:
// a file that is not empty. A path that is not known may do so.
func (j Judge) holds(name string) bool {
	if !filepath.IsAbs(name) {
		if j.Dir == "" {
			return true
		}
		name = filepath.Join(j.Dir, name)
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

func (j Judge) isFolder(name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(j.Dir, name)
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// A Judge says why what a line of words does could destroy something that
// cannot be brought back, or that this cannot be told; it is there to warn: a
// program may always do more than its name says.
type Judge struct {
	Dir string // where the command runs; empty if that is not known
}

// Overwrites says whether writing to that file would lose what is in it.
func (j Judge) Overwrites(who string, w program.Word) string {
	switch {
	case !w.Known:
		return who + " may write over a file that cannot be told beforehand"
	case j.holds(w.Text):
		return who + " writes over " + visible.Escape(w.Text)
	}
	return ""
}

// Why judges one command line, without what it runs in turn.
func (j Judge) Why(args []program.Word) string {
	if !args[0].Known {
		return program.WhyUntold
	}
	name := strings.ToLower(program.Base(args[0])) // as on disks that know no case
	if why, ok := always[name]; ok {
		return name + " " + why
	}
	if strings.HasPrefix(name, "mkfs") {
		return name + " formats a disk"
	}
	if f, ok := byArguments[name]; ok {
		return f(j, name, args[1:])
	}
	if (name == "." || name == "source") && (len(args) < 2 || !args[1].Known) {
		return program.WhyUntold
	}
	return ""
}

// finding judges what a search does to what it finds.
func finding(j Judge, _ string, args []program.Word) string {
	for i, a := range args {
		switch {
		case !a.Known && !strings.HasPrefix(a.Text, "-") && a.Text != "":
		case !a.Known:
			return "find has an option that cannot be told beforehand"
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
