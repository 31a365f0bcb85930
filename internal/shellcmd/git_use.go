package shellcmd

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// gitUse returns what the parts of a command do with git in a directory.
func gitUse(parts []Part, dir string) GitUse {
	use := GitUse{Alone: true, Only: true}
	in, compares := program.Folders{dir}, false
	for _, p := range parts {
		use.Only = use.Only && easyAlone(p)
		if !p.Git.Called {
			use.Alone = use.Alone && (p.Passes || seesNoFile(p))
			continue
		}
		use.Calls = true
		name := strings.TrimSpace("git " + p.Git.Command)
		if p.Git.Configures && use.Configures == "" {
			use.Configures = name
		}
		if p.Network && use.Network == "" {
			use.Network = name
		}
		use.Writes = use.Writes || p.Git.Writes
		compares = compares || !gitUncompared[p.Git.Command]
		in = in.Union(p.In)
	}
	if !use.Calls {
		return GitUse{}
	}
	if use.Writes && use.Only {
		use.Filter = filterIn(in, compares)
	}
	return use
}

// easyAlone reports whether a part is nothing but a call of git that does no more than read,
// or than change what is easily undone, or a change of the directory inside the
// workspace: nothing in it sets a variable or a setting, or runs another program.
func easyAlone(p Part) bool {
	if !p.Known || p.Inside || p.Opaque != "" || p.Lasting != "" || len(p.Words) == 0 || len(p.Writes) > 0 {
		return false
	}
	if p.Words[0] == "cd" {
		return p.ReadOnly
	}
	return p.Git.Plain
}

// gitUncompared holds git's commands that compare no content of files by a program.
var gitUncompared = program.NameSet("add stage mv rm restore reset switch checkout status branch tag ls-files rev-parse describe ls-tree merge-base rev-list for-each-ref check-ignore config remote version")

// filterIn returns a program that the settings of a repository around one of these
// directories, or of the user, make git run on the content of files; Git LFS is none.
func filterIn(dirs program.Folders, compares bool) string {
	home, _ := os.UserHomeDir() // without it only the repository's settings count
	for _, dir := range dirs {
		if r, ok := gitdir.Around(dir, ""); ok {
			if f := r.Filter(home, "", compares); f != "" {
				return f
			}
		}
	}
	return ""
}

// filters holds programs that read their input if no file is named.
var filters = program.NameSet("head tail wc cat sort uniq tr nl rev tac column")

// seesNoFile reports whether a part reads no file of the workspace.
func seesNoFile(p Part) bool {
	if !p.Known || len(p.Words) == 0 || len(p.Reads) > 0 {
		return false
	}
	switch name := path.Base(p.Words[0]); {
	case slices.Contains([]string{"cd", "echo", "printf", "true", ":", "pwd"}, name):
		return true
	case filters[name]:
		return !slices.ContainsFunc(p.Words[1:], func(w string) bool { return !strings.HasPrefix(w, "-") && strings.Trim(w, "0123456789") != "" })
	}
	return false
}
