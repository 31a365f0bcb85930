package reach

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/secret"
)

// settingsFiles returns the configuration files of git in a workspace and in the
// repositories that its work trees belong to, without links.
func (l repositories) settingsFiles(found findings) []string {
	var files []string
	inner := func(dir string) {
		files = append(files, filepath.Join(dir, "config"), filepath.Join(dir, "config.worktree"))
	}
	for _, r := range slices.Concat(l.all, l.broken) {
		inner(r.Common)
		inner(r.Git)
		for _, dir := range gitdir.Inner(r.Common) {
			inner(dir)
		}
	}
	for _, dir := range found.git {
		inner(dir)
	}
	for _, path := range found.protected {
		if secret.Settings(path) {
			files = append(files, path)
		}
	}
	files = paths.ResolveAll(append(files, l.within...))
	slices.Sort(files)
	return slices.Compact(files)
}

// withhold hides passwords and tokens in git's configuration from a command. If the
// level makes a view of its own, the command sees a copy without them, with which git
// works as long as it does not use the network. Otherwise the file is hidden from
// commands that do not call git, and visible to those that do, since git does nothing
// without it.
func (p *Profile) withhold(place *Workspace, files []string, extra Extra) {
	if extra.Git.Calls && !p.Network.None() { // git may need them to authenticate
		return
	}
	for _, path := range paths.Except(files, resolveAll(extra.Read, extra.Write)) {
		text, whole := settingsText(path)
		if !hasSecret(text) {
			continue
		}
		if filepath.Base(path) == ".gitmodules" && extra.Git.Calls { // git compares it with the index
			continue
		}
		if extra.Git.Calls {
			p.Protected = append(p.Protected, path)
		} else {
			p.Hidden = append(p.Hidden, path)
		}
		if !whole || place.Shown == "" {
			continue
		}
		clean := withoutCredentials(text)
		sum := sha256.Sum256([]byte(clean))
		if copied, err := place.keepCopy("settings-"+hex.EncodeToString(sum[:]), []byte(clean)); err == nil {
			if p.Shown == nil {
				p.Shown = map[string]string{}
			}
			p.Shown[path] = copied
		}
	}
}

// settingsText returns the beginning of a file, and whether that is all of it. A
// command may have replaced the file by a pipe.
func settingsText(path string) (text string, whole bool) {
	b, err := paths.ReadRegular(path, mostSettings+1)
	return string(b), err == nil && len(b) <= mostSettings
}

// hasSecret reports whether git configuration contains a password or a token.
func hasSecret(text string) bool { return secret.Held(".git/config", []byte(text)) }

// authority matches the user information of a URL.
var authority = regexp.MustCompile(`://[^/\s]*@`)

// withoutCredentials returns git configuration without passwords and tokens: URLs lose
// their user information, other settings with secrets are dropped.
func withoutCredentials(text string) string {
	var l []gitdir.Setting
	for _, s := range gitdir.ParseConfig(text) {
		if hasSecret(gitdir.Text([]gitdir.Setting{s})) {
			s.Sub, s.Value = authority.ReplaceAllString(s.Sub, "://"), authority.ReplaceAllString(s.Value, "://")
		}
		if !hasSecret(gitdir.Text([]gitdir.Setting{s})) {
			l = append(l, s)
		}
	}
	return gitdir.Text(l)
}

// secretsOf returns the paths in a home folder that hold secrets, with links resolved.
func secretsOf(home string) []string {
	if home == "" {
		return nil
	}
	var l []string
	for _, s := range secret.InHome() {
		s = filepath.Join(home, s)
		if paths.Exists(s) {
			s = paths.Resolve(s)
		}
		l = append(l, s)
	}
	return l
}

// gitSettings returns the user's own configuration files of git that contain no
// password. They say how files are compared.
func gitSettings(home, config string) []string {
	if home == "" {
		return nil
	}
	var l []string
	files := gitdir.UserSettings(home, config)
	for _, dir := range []string{filepath.Join(home, ".config"), config} {
		if filepath.IsAbs(dir) {
			files = append(files, filepath.Join(dir, "git", "ignore"), filepath.Join(dir, "git", "attributes"))
		}
	}
	for _, p := range files {
		text, whole := settingsText(p)
		if whole && !holdsPassword(strings.ToLower(text)) && !hasSecret(text) {
			l = append(l, p)
		}
	}
	return l
}

func holdsPassword(text string) bool {
	for _, sign := range []string{"token", "password", "passwd", "secret", "extraheader", "oauth", "apikey"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	for rest := text; ; { // https://name:password@host
		_, after, found := strings.Cut(rest, "://")
		if !found {
			return false
		}
		rest = after
		if authority, _, _ := strings.Cut(strings.SplitN(after, "\n", 2)[0], "/"); strings.Contains(authority, "@") && strings.Contains(authority, ":") {
			return true
		}
	}
}
