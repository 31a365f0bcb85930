package outward

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// Git returns what the call does if it is one of git.
func (c Call) Git() program.GitCall {
	if c.name != "git" {
		return program.GitCall{}
	}
	command, args := GitCommand(c.words)
	g := program.GitCall{Called: true, Command: command}
	if command == "" {
		g.Plain = !given(c.words, settingUp)
		return g
	}
	lasting := c.Lasting() != ""
	g.Writes = lasting || program.HasName("add stage mv rm restore reset switch checkout", command)
	g.Plain = !lasting && !given(c.words[:len(c.words)-len(args)], settingUp) && !given(args, launching)
	if configures, is := gitConfigures[command]; is {
		g.Configures = lasting && (configures == nil || configures(c, args))
	}
	return g
}

// settingUp holds options of git that set a setting, or choose what it runs or which
// repository it works in, and launching those of its commands that run a program.
var (
	settingUp = program.NameSet("-c --config-env --exec-path -p --paginate --git-dir --work-tree --namespace")
	launching = program.NameSet("--ext-diff --textconv --show-signature -O --open-files-in-pager -e --edit -i --interactive -p --patch")
)

func given(words []program.Word, options map[string]bool) bool {
	return slices.ContainsFunc(words, func(w program.Word) bool {
		name, _, _ := strings.Cut(w.Text, "=")
		return options[name]
	})
}

// gitConfigures holds git's commands that change its configuration if they do more than read.
// The function reports whether they do so with these arguments; nil means always.
var gitConfigures = map[string]func(Call, []program.Word) bool{
	"init": nil, "clone": nil, "gc": nil, "repack": nil, "maintenance": nil, "update-server-info": nil, "sparse-checkout": nil, "config": nil, "worktree": nil,
	"lfs":       func(_ Call, a []program.Word) bool { return verbs(false, "install", "uninstall", "update")(a) },
	"remote":    func(_ Call, a []program.Word) bool { return !verbs(false, "set-head", "update", "prune")(a) },
	"submodule": func(_ Call, a []program.Word) bool { return !verbs(false, "foreach")(a) },
	"push":      func(_ Call, a []program.Word) bool { return program.Option(a, "u", "set-upstream") },
	"branch": func(c Call, a []program.Word) bool {
		o := program.Operands(a)
		return program.Option(a, "mMcCdDut", "move", "copy", "delete", "set-upstream-to", "unset-upstream", "edit-description", "track") || len(o) > 1 && !program.Option(a, "", "no-track") && c.isRemote(o[1])
	},
	"switch":   Call.tracks,
	"checkout": Call.tracks,
}

// tracks reports whether switching configures which branch is tracked.
func (c Call) tracks(a []program.Word) bool {
	o := program.Operands(a)
	switch {
	case program.Option(a, "", "no-track", "no-guess", "detach"):
		return false
	case program.Option(a, "t", "track"):
		return true
	case program.Option(a, "cCbB", "create", "force-create"):
		return len(o) > 1 && c.isRemote(o[1])
	case len(o) != 1 || slices.ContainsFunc(a, func(w program.Word) bool { return w.Is("--") }):
		return false
	}
	r, ok := gitdir.Around(c.In.Single(), "")
	name := o[0].Text
	return ok && len(r.Refs("refs/heads/", name)) == 0 && len(r.Refs("refs/tags/", name)) == 0 && slices.ContainsFunc(r.Refs("refs/remotes/", name), func(ref string) bool { return ref != "refs/remotes/"+name })
}

// isRemote reports whether a word is the name of a remote's branch.
func (c Call) isRemote(w program.Word) bool {
	r, ok := gitdir.Around(c.In.Single(), "")
	name := strings.TrimPrefix(strings.TrimPrefix(w.Text, "refs/"), "remotes/")
	return ok && slices.Contains(r.Refs("refs/remotes/", name), "refs/remotes/"+name)
}
