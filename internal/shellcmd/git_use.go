package shellcmd

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/shellcmd/outward"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// gitConfigures holds git's commands that change its configuration. The
// function reports whether they do so with these arguments; nil means always.
var gitConfigures = map[string]func(gitCall) bool{
	"init": nil, "clone": nil, "gc": nil, "repack": nil, "maintenance": nil, "update-server-info": nil, "sparse-checkout": nil, "lfs": func(c gitCall) bool { return c.first("install uninstall update") },
	"config": func(c gitCall) bool {
		return !c.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "-l", "--list") && !c.first("get list") && (len(c.operands()) != 1 || c.has("--unset", "--unset-all", "--remove-section", "-e", "--edit"))
	},
	"remote":    func(c gitCall) bool { return c.first("add remove rm rename set-url set-branches") },
	"submodule": func(c gitCall) bool { return len(c.operands()) > 0 && !c.first("status summary foreach") },
	"worktree":  func(c gitCall) bool { return !c.first("list") },
	"push":      func(c gitCall) bool { return c.has("-u", "--set-upstream") },
	"branch": func(c gitCall) bool {
		if c.has("-m", "-M", "--move", "-c", "-C", "--copy", "-d", "-D", "--delete", "-u", "--set-upstream-to", "--unset-upstream", "--edit-description", "-t", "--track") {
			return true
		}
		o := c.operands()
		return len(o) > 1 && !c.has("-l", "--list", "--no-track") && c.isRemote(o[1])
	},
	"switch":   gitCall.tracks,
	"checkout": gitCall.tracks,
}

// gitWriting holds git's commands that only read with some arguments.
var gitWriting = map[string]func(gitCall) bool{
	"branch":    func(c gitCall) bool { return len(c.operands()) > 0 && !c.has("-l", "--list") },
	"tag":       func(c gitCall) bool { return len(c.operands()) > 0 && !c.has("-l", "--list") },
	"stash":     func(c gitCall) bool { return !c.first("list show") },
	"reflog":    func(c gitCall) bool { return c.first("expire delete") },
	"submodule": func(c gitCall) bool { return len(c.operands()) > 0 && !c.first("status summary") },
	"config":    func(gitCall) bool { return false }, "worktree": func(gitCall) bool { return false },
	"remote": func(c gitCall) bool { return c.first("set-head update prune") },
}

// gitUse returns what the parts of a command do with git in a directory.
func gitUse(parts []Part, dir string) GitUse {
	use := GitUse{Alone: true, Only: true}
	in, compares := program.Folders{dir}, false
	for _, p := range parts {
		use.Only = use.Only && easyAlone(p)
		if len(p.Words) == 0 || path.Base(p.Words[0]) != "git" {
			use.Alone = use.Alone && (p.Passes || seesNoFile(p))
			continue
		}
		use.Calls = true
		c := gitCallOf(p.Words[1:], dir)
		name := strings.TrimSpace("git " + c.command)
		if configures, is := gitConfigures[c.command]; is && (configures == nil || configures(c)) && use.Configures == "" {
			use.Configures = name
		}
		if p.Network && use.Network == "" {
			use.Network = name
		}
		if writes, is := gitWriting[c.command]; is {
			use.Writes = use.Writes || writes(c)
		} else if !outward.GitReads(c.command) && c.command != "" {
			use.Writes = true
		}
		compares = compares || !gitUncompared[c.command]
		in = in.Or(p.In)
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
	if path.Base(p.Words[0]) != "git" {
		return false
	}
	rest := gitCallOf(p.Words[1:], "").args
	has := func(words []string, options map[string]bool) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			name, _, _ := strings.Cut(w, "=")
			return options[name]
		})
	}
	return !has(p.Words[1:len(p.Words)-len(rest)], settingUp) && !has(rest, launching)
}

// settingUp holds options of git that set a setting, or choose what it runs or which
// repository it works in.
var settingUp = program.NameSet("-c --config-env --exec-path -p --paginate --git-dir --work-tree --namespace")

// gitUncompared holds git's commands that compare no content of files by a program.
var gitUncompared = program.NameSet("add stage mv rm restore reset switch checkout status branch tag ls-files rev-parse describe ls-tree merge-base rev-list for-each-ref check-ignore config remote version")

// launching holds options of git's commands that run a program.
var launching = program.NameSet("--ext-diff --textconv --show-signature -O --open-files-in-pager -e --edit -i --interactive -p --patch")

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

// A gitCall is one of git's commands with its arguments, as far as they are
// literal.
type gitCall struct {
	command string
	args    []string
	dir     string
}

func gitCallOf(args []string, dir string) gitCall {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if outward.GitValued[args[0]] && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return gitCall{dir: dir}
	}
	return gitCall{args[0], args[1:], dir}
}

// has reports whether one of these options is given.
func (c gitCall) has(options ...string) bool {
	for _, a := range c.args {
		if a == "--" {
			return false
		}
		long, _, _ := strings.Cut(a, "=")
		for _, o := range options {
			if a == o || long == o || len(o) == 2 && len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.Contains(a[1:], o[1:]) {
				return true
			}
		}
	}
	return false
}

// operands returns the arguments that are not options.
func (c gitCall) operands() []string {
	var l []string
	for _, a := range c.args {
		if a == "--" {
			break
		}
		if !strings.HasPrefix(a, "-") {
			l = append(l, a)
		}
	}
	return l
}

// first reports whether the first operand is one of these verbs.
func (c gitCall) first(verbs string) bool {
	o := c.operands()
	return len(o) > 0 && slices.Contains(strings.Fields(verbs), o[0])
}

// tracks reports whether switching configures which branch is tracked.
func (c gitCall) tracks() bool {
	if c.has("--no-track", "--no-guess", "--detach") {
		return false
	}
	if c.has("--track") || slices.Contains(c.args, "-t") {
		return true
	}
	o := c.operands()
	if c.has("-c", "-C", "-b", "-B", "--create", "--force-create") {
		return len(o) > 1 && c.isRemote(o[1])
	}
	if len(o) != 1 || slices.Contains(c.args, "--") {
		return false
	}
	r, ok := gitdir.Around(c.dir, "")
	return ok && len(r.Refs("refs/heads/", o[0])) == 0 && len(r.Refs("refs/tags/", o[0])) == 0 && slices.ContainsFunc(r.Refs("refs/remotes/", o[0]), func(ref string) bool { return ref != "refs/remotes/"+o[0] })
}

// isRemote reports whether a name is that of a remote's branch.
func (c gitCall) isRemote(name string) bool {
	r, ok := gitdir.Around(c.dir, "")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "refs/"), "remotes/")
	return ok && slices.Contains(r.Refs("refs/remotes/", name), "refs/remotes/"+name)
}
