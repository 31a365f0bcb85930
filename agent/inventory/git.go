package inventory

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
)

// maxConfig limits the size of a git configuration file, in bytes.
const maxConfig = 256 << 10

// runs are the git settings that make git run a program, include another file
// or look elsewhere, in lower case, with "*" for any subsection. The function
// selects the values that do; nil: all.
var runs = map[string]func(value string) bool{
	"core.fsmonitor": func(v string) bool { return !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(v)) },
	"core.hookspath": nil, "core.pager": nil, "core.editor": nil, "core.sshcommand": nil, "core.askpass": nil, "core.gitproxy": nil,
	"core.alternaterefscommand": nil, "core.worktree": nil, "core.attributesfile": nil, "pager.*": nil, "sequence.editor": nil,
	"interactive.difffilter": nil, "gpg.program": nil, "gpg.*.program": nil, "credential.helper": nil, "credential.*.helper": nil,
	"filter.*.clean": nil, "filter.*.smudge": nil, "filter.*.process": nil, "diff.external": nil, "diff.*.command": nil, "diff.*.textconv": nil,
	"merge.*.driver": nil, "mergetool.*.cmd": nil, "difftool.*.cmd": nil, "browser.*.cmd": nil, "man.*.cmd": nil, "guitool.*.cmd": nil,
	"trailer.*.command": nil, "trailer.*.cmd": nil, "remote.*.vcs": nil, "remote.*.uploadpack": nil, "remote.*.receivepack": nil,
	"browser.*.path": nil, "man.*.path": nil, "mergetool.*.path": nil, "difftool.*.path": nil, "imap.tunnel": nil, "tar.*.command": nil,
	"gpg.*.defaultkeycommand": nil, "hook.*.command": nil, "alias.*.command": nil, "lfs.*.path": nil, "sendemail.*.sendmailcmd": nil, "sendemail.*.smtpserver": nil,
	"uploadpack.packobjectshook": nil, "init.templatedir": nil, "include.path": nil, "includeif.*.path": nil, "sendemail.*": nil, "http.proxy": nil, "http.*.proxy": nil,
	"alias.*":            func(v string) bool { return strings.HasPrefix(v, "!") },
	"submodule.*.update": func(v string) bool { return strings.HasPrefix(v, "!") },
	"remote.*.url":       isExternal, "remote.*.pushurl": isExternal,
	"protocol.*.allow": func(v string) bool { return v == "always" || v == "user" },
}

// isExternal reports whether git would run another program to fetch from an
// address.
func isExternal(v string) bool { return strings.Contains(v, "::") }

// repositories inspects the repositories around and in the folder, without running git.
func (v *Inventory) repositories(held []string) {
	seen := map[string]bool{}
	look := func(dir string) {
		common := v.shared(dir)
		for _, file := range []string{filepath.Join(common, "config"), filepath.Join(dir, "config.worktree")} {
			if !seen[file] {
				seen[file] = true
				v.config(file)
			}
		}
		if hooks := filepath.Join(common, "hooks"); !seen[hooks] {
			seen[hooks] = true
			v.hooks(hooks)
		}
	}
	for at, found := v.Folder, false; !found; at = filepath.Dir(at) {
		for _, dir := range v.repositoriesAt(at) {
			look(dir)
			found = found || isRepository(dir) // git skips a .git that is not a repository, and looks further up
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	for _, at := range held {
		for _, dir := range v.repositoriesAt(at) {
			look(dir)
		}
	}
}

// config lists the settings in a git configuration file that would start
// something.
func (v *Inventory) config(file string) {
	text, err := readSmall(file)
	if err != nil {
		v.Git = append(v.Git, Item{"git", v.within(file), "cannot be checked: " + err.Error()})
	}
	for _, e := range gitdir.ParseConfig(text) {
		if counts, is := runsOf(e); is && (counts == nil || counts(e.Value)) {
			v.Git = append(v.Git, Item{"git", v.within(file), e.Name() + " = " + e.Value})
		}
	}
}

// hooks lists the programs in a folder of hooks.
func (v *Inventory) hooks(dir string) {
	entries, _ := os.ReadDir(dir) // it usually does not exist
	for _, h := range entries {
		name := filepath.Join(dir, h.Name())
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && path.Ext(name) != ".sample" {
			v.Git = append(v.Git, Item{What: "git", Path: v.within(name)})
		}
	}
}

// runsOf reports whether a setting is one of [runs].
func runsOf(e gitdir.Setting) (counts func(string) bool, is bool) {
	for _, name := range []string{e.Section + "." + e.Key, e.Section + ".*." + e.Key, e.Section + ".*"} {
		if counts, is := runs[name]; is && (strings.Count(name, "*.") == 0) == !e.Named {
			return counts, true
		}
	}
	if e.Section == "url" && isExternal(e.Sub) { // url.ext::….insteadOf
		return nil, true
	}
	return nil, false
}

// repositoriesAt returns the folders in which git may keep its data for a work
// tree at a folder: what .git is or refers to, and the folder itself.
func (v *Inventory) repositoriesAt(folder string) []string {
	var l []string
	dir := filepath.Join(folder, ".git")
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		l = append(l, dir)
	} else if err == nil {
		text, err := readSmall(dir)
		if err != nil {
			v.Git = append(v.Git, Item{"git", v.within(dir), "cannot be checked: " + err.Error()})
		}
		if target, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir:"); ok {
			l = append(l, paths.Absolute(strings.TrimSpace(target), folder))
		}
	}
	if isRepository(folder) {
		l = append(l, folder)
	}
	return l
}

// isRepository reports whether git would take a folder for a repository.
func isRepository(folder string) bool {
	is := func(name string, aFolder bool) bool {
		info, err := os.Stat(filepath.Join(folder, name))
		return err == nil && info.IsDir() == aFolder
	}
	return is("HEAD", false) && (is("objects", true) && is("refs", true) || is("commondir", false))
}

// shared returns the folder in which a repository keeps what it shares with
// other work trees.
func (v *Inventory) shared(dir string) string {
	file := filepath.Join(dir, "commondir")
	text, err := readSmall(file)
	if err != nil {
		v.Git = append(v.Git, Item{"git", v.within(file), "cannot be checked: " + err.Error()})
	}
	if text == "" {
		return dir
	}
	return paths.Absolute(strings.TrimSpace(text), dir)
}

// readSmall reads a small file. A path that is missing or not a file reads as
// empty.
func readSmall(name string) (string, error) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return "", nil //nolint:nilerr // git does not read it either
	}
	b, err := paths.ReadRegular(name, maxConfig+1)
	switch {
	case err != nil:
		return "", errors.New("cannot be read")
	case len(b) > maxConfig:
		return "", fmt.Errorf("larger than %d KiB", maxConfig>>10)
	}
	return string(b), nil
}
