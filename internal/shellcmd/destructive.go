package shellcmd

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
)

// untold is said of what cannot be judged before it runs.
const untold = "what it would run cannot be told beforehand"

// A place says what a command that runs in dir would find there.
type place struct{ dir string }

// holds says whether a path leads to something that writing to it would lose:
// a file that is not empty. A path that is not known may do so.
func (p place) holds(name string) bool {
	if !filepath.IsAbs(name) {
		if p.dir == "" {
			return true
		}
		name = filepath.Join(p.dir, name)
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

func (p place) isFolder(name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.dir, name)
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// A judge says why what a line of words does could destroy something that
// cannot be brought back, or that this cannot be told; it is there to warn: a
// program may always do more than its name says.
type judge struct{ place place }

// overwrites says whether writing to that file would lose what is in it.
func (j judge) overwrites(who string, w word) string {
	switch {
	case !w.known:
		return who + " may write over a file that cannot be told beforehand"
	case j.place.holds(w.text):
		return who + " writes over " + visible.Escape(w.text)
	}
	return ""
}

// base is the name of a program without its folder.
func base(w word) string {
	if !w.known {
		return ""
	}
	return w.text[strings.LastIndexByte(w.text, '/')+1:]
}

// call judges one command line, without what it runs in turn.
func (j judge) call(args []word) string {
	if !args[0].known {
		return untold
	}
	name := strings.ToLower(base(args[0])) // as on disks that know no case
	if why, ok := always[name]; ok {
		return name + " " + why
	}
	if strings.HasPrefix(name, "mkfs") {
		return name + " formats a disk"
	}
	if f, ok := byArguments[name]; ok {
		return f(j, name, args[1:])
	}
	if (name == "." || name == "source") && (len(args) < 2 || !args[1].known) {
		return untold
	}
	return ""
}

// finding judges what a search does to what it finds.
func finding(j judge, _ string, args []word) string {
	for i, a := range args {
		switch {
		case !a.known && !strings.HasPrefix(a.text, "-") && a.text != "":
		case !a.known:
			return "find has an option that cannot be told beforehand"
		case a.text == "-delete":
			return "find -delete deletes files for good"
		case a.is("-fprint", "-fprint0", "-fprintf", "-fls") && i+1 < len(args):
			if why := j.overwrites("find "+a.text, args[i+1]); why != "" {
				return why
			}
		}
	}
	return ""
}
