package profile

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/paths"
)

// SystemFolders contain what programs need to run. Links among them stay links, such as
// /bin to /usr/bin.
var SystemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/var/lib/dpkg", "/var/lib/rpm", "/var/lib/texmf", "/var/lib/ghc", "/var/cache/fontconfig"}

// systemSecrets are paths in the system's folders that commands may not read, even if
// emendo runs as root.
var systemSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/pki/tls/private",
	"/etc/krb5.keytab", "/etc/NetworkManager/system-connections", "/etc/wireguard", "/etc/openvpn", "/etc/emendo", "/etc/polkit-1", "/etc/letsencrypt", "/etc/docker",
	"/etc/kubernetes", "/etc/rancher",
}

// machineSecrets returns the systemSecrets that exist, without links. For root it adds
// what others cannot read in /etc.
var machineSecrets = sync.OnceValue(func() []string {
	l := paths.ResolveAll(slices.DeleteFunc(slices.Clone(systemSecrets), func(p string) bool { return !paths.Exists(p) }))
	if os.Geteuid() != 0 {
		return l
	}
	_ = filepath.WalkDir("/etc", func(path string, entry os.DirEntry, err error) error { // skip what cannot be read
		if err != nil || entry.Type()&os.ModeSymlink != 0 {
			return nil //nolint:nilerr // skipped
		}
		info, err := entry.Info()
		if err != nil || info.Mode().Perm()&0o004 != 0 {
			return nil //nolint:nilerr // skipped
		}
		l = append(l, path)
		if entry.IsDir() {
			return filepath.SkipDir
		}
		return nil
	})
	return l
})

// Confinable returns an error if commands cannot be confined to the profile,
// because it lets them write the system's own folders.
func Confinable(p *Profile) error {
	for _, w := range p.Write {
		for _, f := range append([]string{"/proc", "/dev", "/sys"}, SystemFolders...) {
			if paths.Within(f, w) {
				return fmt.Errorf("commands may write %s, which contains the system folder %s: no sandbox can protect it; open a smaller folder, or switch tools.sandbox off", w, f)
			}
		}
	}
	return nil
}

// An access says what may be done with a path, from the most to the least.
type access int

// The accesses.
const (
	MayRead access = iota
	MayWrite
	MayNotChange
	MayNotRead
)

// A Grant is a path of a profile and the access to it.
type Grant struct {
	Path   string
	Access access
}

// Grants returns the paths of a profile that exist, each once, ancestors first.
func (p Profile) Grants() []Grant {
	said := map[string]access{}
	for _, l := range []struct {
		paths  []string
		access access
	}{
		{p.Read, MayRead},
		{p.Write, MayWrite},
		{[]string{p.Temp, p.Cache}, MayWrite},
		{p.Kept, MayWrite},
		{p.Protected, MayNotChange},
		{p.Hidden, MayNotRead},
		{machineSecrets(), MayNotRead},
	} {
		for _, path := range l.paths {
			if path != "" && paths.Exists(path) {
				said[path] = max(said[path], l.access)
			}
		}
	}
	var l []Grant
	for path, a := range said {
		l = append(l, Grant{path, a})
	}
	slices.SortFunc(l, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(len(a.Path), len(b.Path)), strings.Compare(a.Path, b.Path))
	})
	return l
}

// Shows reports whether a command with the profile may read an absolute path without links.
func (p Profile) Shows(path string) bool {
	for _, g := range slices.Backward(p.Grants()) {
		if paths.Within(path, g.Path) {
			return g.Access != MayNotRead
		}
	}
	return paths.WithinAny(path, append([]string{"/proc", "/dev", "/sys"}, SystemFolders...))
}
