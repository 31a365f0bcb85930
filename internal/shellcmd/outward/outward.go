// Package outward recognises what calls of programs do that a sandbox cannot keep from lasting,
// or has to let out: changes of the history, removals, the network, and what programs need of
// the machine outside. It does not know all programs: what it misses meets the sandbox.
package outward

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// A Call is a call of a program with a literal name.
type Call struct {
	In    program.Folders // where it may run
	Fed   bool            // words are filled in, or more are appended, when it runs
	name  string
	words []program.Word // after the name
}

// CallOf returns the call of l, whose first word is the name.
func CallOf(l []program.Word, in program.Folders, fed bool) Call {
	return Call{in, fed, strings.ToLower(program.Base(l[0])), l[1:]}
}

// Removes returns the files and folders that the words of a call name, or a pattern matches,
// and that it removes, absolute.
func (c Call) Removes() []string {
	if !program.HasName("rm unlink shred srm", c.name) || c.Fed {
		return nil
	}
	var l []string
	for _, w := range program.Operands(c.words) {
		switch {
		case w.Known && w.Text != "":
			l = append(l, c.In.Paths(w.Text)...)
		case w.Home != "":
			l = append(l, w.Home)
		case w.Pattern():
			for _, pattern := range c.In.Paths(w.Source) {
				found, _ := filepath.Glob(pattern) // bash removes nothing by a pattern that is none
				l = append(l, found...)
			}
		}
	}
	return l
}

// Needs returns why the call cannot work in a sandbox: what it uses outside; "" if nothing
// shows that.
func (c Call) Needs() string {
	l := program.Operands(c.words)
	if slices.ContainsFunc(c.words, func(w program.Word) bool { return w.Is("--version", "--help", "-h") }) && len(l) == 0 {
		return ""
	}
	what := outsiders()[c.name]
	if accounts[c.name] != nil && slices.ContainsFunc(l[:min(len(l), 1)], func(w program.Word) bool { return w.Known && accounts[c.name][w.Text] }) {
		what = "your account"
	}
	switch c.name {
	case "git", "git-push", "git-send-email", "git-credential":
		words := c.words
		if sub, ok := strings.CutPrefix(c.name, "git-"); ok {
			words = []program.Word{{Text: sub, Known: true}}
		}
		if command, _ := GitCommand(words); program.HasName("push send-email credential", command) {
			what = "the user's keys"
		}
	case "rsync":
		if slices.ContainsFunc(l, func(w program.Word) bool { return strings.Contains(w.Text, ":") }) {
			what = "the user's keys"
		}
	}
	if what == "" {
		return ""
	}
	return c.name + " needs " + what
}

// outsiders returns the programs that need a daemon, the user's keys or settings outside of
// a sandbox, and what that is.
var outsiders = sync.OnceValue(func() map[string]string {
	return program.ByName(map[string]string{
		"docker docker-compose docker-buildx podman podman-compose podman-remote nerdctl buildah crictl ctr lxc incus multipass vagrant virsh limactl colima vboxmanage adb minikube kind k3d":                                                                                                          "its daemon",
		"systemctl service loginctl machinectl hostnamectl timedatectl resolvectl networkctl journalctl launchctl busctl dbus-send gdbus":                                                                                                                                                               "the system's services",
		"ssh scp sftp ssh-add ssh-copy-id ssh-agent mosh gpg gpg2 gpg-connect-agent pass op bw secret-tool security keybase kubectl oc helm k9s skaffold tilt gh glab hub aws gcloud az heroku vercel netlify fly flyctl wrangler firebase doctl eksctl terraform tofu pulumi ansible ansible-playbook": "the user's keys",
		"crontab at batch mail mailx sendmail mutt-send msmtp xdg-open gnome-open notify-send":                                                                                                                                                                                                          "the user's settings",
		"apt apt-get dnf yum pacman apk zypper snap flatpak brew port": "the system's packages",
	})
})

// accounts holds the sub-commands of package managers that use the user's account.
var accounts = map[string]map[string]bool{
	"npm": npmAccount, "pnpm": npmAccount, "yarn": npmAccount, "bun": program.NameSet("publish"),
	"cargo": program.NameSet("publish login logout yank owner"), "gem": program.NameSet("push yank signin signout owner"),
	"twine": program.NameSet("upload register"), "poetry": program.NameSet("publish"), "uv": program.NameSet("publish"), "pdm": program.NameSet("publish"), "hatch": program.NameSet("publish"),
}

var npmAccount = program.NameSet("publish unpublish login logout adduser whoami token owner access dist-tag deprecate team org profile")

// hostName matches a host in an address, or before a path.
var hostName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[a-zA-Z][a-zA-Z0-9+.-]*://)?(?:[^/?#@\s]*@)?([a-zA-Z0-9_](?:[a-zA-Z0-9_.-]*[a-zA-Z0-9_])?|\[[0-9a-fA-F:.]+\])(?::[0-9]*)?(?:[/:?#].*)?$`)
})

// usualHosts returns the hosts that package managers reach if nothing names another, separated by blanks.
var usualHosts = sync.OnceValue(func() map[string]string {
	return program.ByName(map[string]string{
		"npm npx pnpm pnpx bun bunx": "registry.npmjs.org",
		"yarn":                       "registry.yarnpkg.com registry.npmjs.org",
		"pip pip3 uv uvx pipx poetry pdm pipenv python python3": "pypi.org files.pythonhosted.org",
		"conda mamba":        "conda.anaconda.org repo.anaconda.com",
		"gem bundle bundler": "rubygems.org index.rubygems.org",
		"cargo":              "index.crates.io static.crates.io",
		"go":                 "proxy.golang.org sum.golang.org",
		"composer":           "repo.packagist.org",
	})
})

// webPrograms lists programs whose operands are addresses, and rawPrograms those that reach
// hosts otherwise than by HTTP.
const (
	webPrograms = "curl wget http https xh httpie"
	rawPrograms = "ping traceroute dig host nslookup whois nc netcat ncat socat telnet ftp lftp rclone torsocks proxychains proxychains4"
)

// OnlyLocal reports whether the call connects to servers of this machine alone.
func (c Call) OnlyLocal() bool { return program.OnlyLocal(c.name, c.words) }

// Raw reports that the call reaches hosts otherwise than by HTTP.
func (c Call) Raw() bool { return program.HasName(rawPrograms, c.name) }

// Hosts returns the hosts that the words of a call name, or that its program is known to
// reach, sorted; none if they are not known.
func (c Call) Hosts() []string {
	l := c.words
	var names []string
	switch {
	case program.HasName(webPrograms, c.name) || program.HasName(rawPrograms, c.name):
		l = program.OperandsOf(c.name, l)
		for _, w := range l {
			if !w.Known {
				return nil
			}
			if strings.Contains(w.Text, ".") && !strings.HasPrefix(w.Text, "-") {
				names = append(names, hostIn(w.Text)...)
			}
		}
	case c.name == "git":
		names = c.gitHosts()
	default:
		for _, w := range l {
			if w.Known && strings.Contains(w.Text, "://") {
				names = append(names, hostIn(w.Text)...)
			}
		}
	}
	if len(names) == 0 {
		names = strings.Fields(usualHosts()[c.name])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// hostIn returns the host of an address, if there is one.
func hostIn(address string) []string {
	m := hostName().FindStringSubmatch(address)
	if m == nil || strings.HasPrefix(address, "file:") {
		return nil
	}
	return []string{strings.ToLower(m[1])}
}

// gitHosts returns the hosts of the remote that a git command contacts.
func (c Call) gitHosts() []string {
	command, args := GitCommand(c.words)
	remote := "origin"
	if l := program.Operands(args); len(l) > 0 && l[0].Known && command != "remote" && command != "submodule" {
		if remote = l[0].Text; strings.ContainsAny(remote, ":") {
			return hostIn(remote)
		}
	}
	r, ok := gitdir.Around(c.In.Single(), "")
	if !ok {
		return nil
	}
	for _, s := range gitdir.Settings(filepath.Join(r.Common, "config")) {
		if s.Section == "remote" && s.Sub == remote && s.Key == "url" && strings.Contains(s.Value, ":") {
			return hostIn(s.Value)
		}
	}
	return nil
}

// offline holds the options that keep package managers from the network.
var offline = map[string]string{
	"npm": "offline", "pnpm": "offline", "yarn": "offline", "cargo": "offline frozen", "uv": "offline no-index", "pip": "no-index", "pip3": "no-index", "bundle": "local",
	"npx": "no-install no", "pnpx": "no-install no", "bunx": "no-install no",
}

// Offline reports whether an option of the call keeps its program from the network.
func (c Call) Offline() bool {
	own := c.words
	if l := program.Operands(own); program.HasName("npx pnpx bunx", c.name) && len(l) > 0 { // what follows are arguments of the program
		own = before(own, l[0])
	}
	return slices.ContainsFunc(strings.Fields(offline[c.name]), func(name string) bool {
		return slices.ContainsFunc(own, func(w program.Word) bool { return w.Is("--" + name) })
	})
}

// before returns the words that come before another one of them.
func before(l []program.Word, w program.Word) []program.Word {
	return l[:max(0, slices.IndexFunc(l, func(o program.Word) bool { return o.From == w.From }))]
}

// Installed reports whether the call runs a program of a package that the project has
// installed, so that none is fetched.
func (c Call) Installed() bool {
	l, own := program.Operands(c.words), c.words
	switch c.name {
	case "npx", "pnpx", "bunx":
		if len(l) > 0 { // what follows are arguments of the program
			own = before(c.words, l[0])
		}
	case "npm", "pnpm", "yarn":
		if len(l) == 0 || !l[0].Is("exec", "x") {
			return false
		}
		l = l[1:]
	default:
		return false
	}
	if len(l) == 0 || !l[0].Known || strings.ContainsAny(l[0].Text, "/@") || len(c.In) == 0 || program.Option(own, "p", "package", "call") {
		return false
	}
	return !slices.ContainsFunc(c.In, func(dir string) bool {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if paths.Exists(filepath.Join(dir, "node_modules", ".bin", l[0].Text)) {
				return false
			}
		}
		return true
	})
}
