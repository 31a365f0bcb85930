package outward

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// Lasting returns the command of version control that the call runs and that does more than
// read, or than change what is easily undone, such as "git commit"; "" if there is
// none. A word that is not literal counts as whatever is worst in its place, except for the
// command itself: nothing is known of that.
func (c Call) Lasting() string {
	name, words := c.name, c.words
	if sub, ok := strings.CutPrefix(name, "git-"); ok { // as in git's own directory
		name, words = "git", append([]program.Word{{Text: sub, Known: true}}, words...)
	}
	switch name {
	case "git":
		command, args := GitCommand(words)
		if command == "" {
			return ""
		}
		if c.Fed { // more words, which are not known
			args = append(slices.Clone(args), program.Word{})
		}
		if command == "reset" {
			args = c.withoutFiles(args)
		}
		if f, ok := gitEasy[command]; gitReads[command] || ok && (f == nil || f(args)) {
			return ""
		}
		return "git " + command
	case "hg", "jj", "svn":
		l := program.Operands(words)
		if len(l) == 0 || !l[0].Known || otherReads[name][l[0].Text] {
			return ""
		}
		if len(l) == 1 && otherLists[name][l[0].Text] || len(l) > 1 && otherReads[name][l[0].Text+"/"+l[1].Text] {
			return ""
		}
		return name + " " + l[0].Text
	}
	return ""
}

// gitEasy holds git's commands that only read, or that change no more than what is easily
// undone: the index, and the name of the current branch. The function reports whether
// they do so with these arguments; nil means always.
var gitEasy = map[string]func([]program.Word) bool{
	"add": nil, "stage": nil, "mv": nil,
	"rm": func(a []program.Word) bool { return program.Option(a, "n", "cached", "dry-run") },
	"restore": func(a []program.Word) bool {
		return program.Option(a, "S", "staged") && !program.Option(a, "W", "worktree") && literal(a)
	},
	"reset":    gitResetsIndex,
	"switch":   func(a []program.Word) bool { return gitNewBranch(a, "-c", "--create") },
	"checkout": func(a []program.Word) bool { return gitNewBranch(a, "-b", "") },

	"branch": func(a []program.Word) bool {
		return !program.Option(a, "dDmMcCfut", "delete", "move", "copy", "force", "set-upstream-to", "unset-upstream", "edit-description", "track", "create-reflog") &&
			(len(program.Operands(a)) == 0 || program.Option(a, "larv", "list", "all", "remotes", "contains", "no-contains", "merged", "no-merged", "points-at")) && literal(a)
	},
	"tag": func(a []program.Word) bool {
		return !program.Option(a, "asdfumF", "annotate", "sign", "delete", "force", "local-user", "message", "file", "edit") &&
			(len(program.Operands(a)) == 0 || program.Option(a, "lnv", "list", "contains", "no-contains", "merged", "no-merged", "points-at", "verify")) && literal(a)
	},
	"stash": verbs(false, "list", "show"),
	"reflog": func(a []program.Word) bool {
		return !verbs(false, "expire", "delete", "drop", "write")(a) && literal(a)
	},
	"remote":          verbs(true, "show", "get-url"),
	"worktree":        verbs(false, "list"),
	"submodule":       verbs(true, "status", "summary"),
	"notes":           verbs(true, "list", "show"),
	"bundle":          verbs(false, "verify", "list-heads"),
	"lfs":             verbs(true, "ls-files", "status", "env", "version", "help"),
	"rerere":          verbs(false, "status", "diff", "remaining"),
	"sparse-checkout": verbs(false, "list"),
	"bisect":          verbs(false, "log", "view", "terms"),
	"clean":           func(a []program.Word) bool { return program.Option(a, "n", "dry-run") && literal(a) },
	"commit":          func(a []program.Word) bool { return program.Option(a, "", "dry-run") && literal(a) },
	"apply": func(a []program.Word) bool {
		return program.Option(a, "", "check", "stat", "numstat", "summary") && !program.Option(a, "", "apply")
	},
	"symbolic-ref": func(a []program.Word) bool {
		return len(program.Operands(a)) == 1 && !program.Option(a, "dm", "delete") && literal(a)
	},
	"hash-object": func(a []program.Word) bool { return !program.Option(a, "w") && literal(a) },
	"config": func(a []program.Word) bool {
		l := program.Operands(a)
		switch {
		case !literal(a) || program.Option(a, "e", "edit", "unset", "unset-all", "remove-section", "rename-section", "add", "replace-all"):
			return false
		case program.Option(a, "l", "list", "get", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool"):
			return true
		}
		return len(l) == 1 && !l[0].Is("edit") || len(l) > 0 && l[0].Is("list", "get")
	},
}

// literal reports whether all words are known.
func literal(l []program.Word) bool {
	return !slices.ContainsFunc(l, func(w program.Word) bool { return !w.Known })
}

// withoutFiles returns arguments without those that name files: git refuses a word that
// could be a file and a commit.
func (c Call) withoutFiles(args []program.Word) []program.Word {
	return slices.DeleteFunc(slices.Clone(args), func(w program.Word) bool {
		missing := func(dir string) bool { return !paths.Exists(filepath.Join(dir, w.Text)) }
		return w.Known && !strings.HasPrefix(w.Text, "-") && len(c.In) > 0 && !slices.ContainsFunc(c.In, missing)
	})
}

// verbs returns a function that reports whether the first operand is one of the verbs, or,
// with none set, there is no operand.
func verbs(none bool, names ...string) func([]program.Word) bool {
	return func(a []program.Word) bool {
		l := program.Operands(a)
		return len(l) == 0 && none || len(l) > 0 && l[0].Is(names...)
	}
}

// gitResetsIndex reports whether git reset changes nothing but the index: it names no other
// commit than HEAD, and files at most.
func gitResetsIndex(args []program.Word) bool {
	paths := false
	for _, a := range args {
		switch {
		case !a.Known:
			return paths
		case paths:
		case a.Is("--"):
			paths = true
		case a.Is("-q", "--quiet", "-N", "--intent-to-add", "--mixed", "--refresh", "--no-refresh", "HEAD", "@", "."):
		default: // a commit, or a file that could be one
			return false
		}
		paths = paths || a.Is("HEAD", "@", ".")
	}
	return true
}

// gitNewBranch reports whether a branch of a new name is made at HEAD and switched to, by an
// option with that name.
func gitNewBranch(args []program.Word, short, long string) bool {
	at := -1
	rest := 0
	for i, a := range args {
		switch {
		case !a.Known:
			return false
		case a.Is(short) || long != "" && a.Is(long):
			if at >= 0 {
				return false
			}
			at = i + 1
		case i == at && !strings.HasPrefix(a.Text, "-"):
		case a.Is("-q", "--quiet", "--no-track", "--progress", "--no-progress"):
		case a.Is("HEAD", "@"):
			rest++
		default:
			return false
		}
	}
	return at > 0 && at < len(args) && rest < 2
}

// otherReads holds the commands of other version control that only read, and otherLists
// those that do so without an operand.
var (
	otherReads = map[string]map[string]bool{
		"hg":  program.NameSet("status st summary sum log history diff cat annotate blame heads identify id parents paths grep files manifest locate root version help config showconfig incoming in outgoing out verify export"),
		"jj":  program.NameSet("status st log show diff interdiff evolog obslog help version root file/list file/show file/annotate op/log operation/log op/show op/diff bookmark/list branch/list tag/list workspace/list workspace/root config/list config/get config/path git/remote"),
		"svn": program.NameSet("status stat st info log diff di cat list ls blame praise annotate ann help propget pg pget proplist pl plist"),
	}
	otherLists = map[string]map[string]bool{"hg": program.NameSet("branches branch bookmarks bookmark tags tag phase shelve")}
)
