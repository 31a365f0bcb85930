//go:build linux

package linux

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// Rights of Landlock. A right to a folder extends to everything in it, now and later,
// and cannot be revoked for a part of it.
const (
	landRead    = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landList    = unix.LANDLOCK_ACCESS_FS_READ_DIR
	landOverall = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	landWrite   = landRead | landOverall | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	landDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | landOverall | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	landFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | landOverall | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV // those that apply to files
	landAll  = landWrite | landDevice | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// leastLandlock is the version that also guards truncation, without which files outside
// could be emptied. signalsFrom is the version that guards signals.
const (
	leastLandlock = 3
	signalsFrom   = 6
)

// landlockVersion returns the kernel's version of Landlock.
func landlockVersion() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch {
	case errno == unix.ENOSYS || errno == unix.EOPNOTSUPP:
		return 0, errors.New("this kernel has no Landlock, or it is disabled")
	case errno != 0:
		return 0, fmt.Errorf("ask for Landlock: %w", errno)
	case v < leastLandlock:
		return int(v), fmt.Errorf("this kernel's Landlock is version %d and cannot restrict truncation; version %d can, from Linux 6.2 on", v, leastLandlock)
	}
	return int(v), nil
}

// A land is a path and the rights to it.
type land struct {
	path   string
	rights uint64
}

// harmlessDevices are devices that programs expect to be able to write.
var harmlessDevices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// landsOf returns the rights that a profile grants. Landlock cannot exclude a part of a
// folder, so a folder that contains something that may not be read or changed is
// granted entry by entry: its entries can be listed and used, but none can be created
// or removed directly in it.
func landsOf(p *profile.Profile) []land {
	var l []land
	for _, d := range harmlessDevices {
		l = append(l, land{d, landDevice})
	}
	grants := p.Grants()
	for _, f := range append(append([]string{"/proc"}, profile.SystemFolders...), systemCounts...) {
		if !slices.ContainsFunc(grants, func(g profile.Grant) bool { return g.Path == f }) {
			grants = append(grants, profile.Grant{Path: f, Access: profile.MayRead})
		}
	}
	for i, g := range grants {
		switch g.Access {
		case profile.MayRead:
			l = appendLand(l, g.Path, landRead, grants)
		case profile.MayWrite:
			l = appendLand(l, g.Path, landWrite, grants)
		case profile.MayNotChange:
			if readableAround(g.Path, grants[:i]) {
				l = appendLand(l, g.Path, landRead, grants)
			}
		case profile.MayNotRead: // not granted
		}
	}
	return l
}

// readableAround reports whether the closest grant around a path lets it be read.
func readableAround(path string, grants []profile.Grant) bool {
	for _, g := range slices.Backward(grants) {
		if g.Path != path && paths.Within(path, g.Path) {
			return g.Access != profile.MayNotRead
		}
	}
	return false
}

// appendLand grants a path without those paths in it for which grants say less.
func appendLand(l []land, path string, rights uint64, grants []profile.Grant) []land {
	if !slices.ContainsFunc(grants, func(g profile.Grant) bool { return g.Path != path && takes(g, rights) && paths.Within(g.Path, path) }) {
		return append(l, land{path, rights})
	}
	l = append(l, land{path, landList})
	entries, _ := os.ReadDir(path) // use what could be read
	for _, e := range entries {
		entry := filepath.Join(path, e.Name())
		said := slices.ContainsFunc(grants, func(g profile.Grant) bool { return g.Path == entry })
		if !said && e.Type()&os.ModeSymlink == 0 {
			l = appendLand(l, entry, rights, grants)
		}
	}
	return l
}

// takes reports whether a grant gives less than rights.
func takes(g profile.Grant, rights uint64) bool {
	return g.Access == profile.MayNotRead || g.Access == profile.MayNotChange && rights == landWrite
}

// landlock restricts the calling thread and what it starts, for good: access to files,
// TCP, and where the kernel supports it signals and abstract sockets. A path that no
// longer exists, or has become a link, is not granted.
func landlock(lands []land, network bool) error {
	version, err := landlockVersion()
	if err != nil {
		return err
	}
	handled := unix.LandlockRulesetAttr{Handled_access_fs: landAll}
	size := unsafe.Sizeof(handled)
	if version < 5 {
		handled.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 4 && !network {
		handled.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= signalsFrom {
		handled.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	made, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&handled)), size, 0)
	if errno != 0 {
		return fmt.Errorf("make Landlock's rules: %w", errno)
	}
	rules := int(made)
	defer unix.Close(rules)
	for _, l := range lands {
		if err := l.add(rules, handled.Handled_access_fs); err != nil {
			return fmt.Errorf("grant %s: %w", l.path, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new rights: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0); errno != 0 {
		return fmt.Errorf("restrict a thread by Landlock: %w", errno)
	}
	return nil
}

func (l land) add(rules int, handled uint64) error {
	fd, err := unix.Openat2(unix.AT_FDCWD, l.path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS})
	switch err {
	case nil:
	case unix.ENOENT, unix.ELOOP, unix.ENOTDIR, unix.EACCES:
		return nil
	default:
		return err
	}
	defer unix.Close(fd)
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return err
	}
	rights := l.rights & handled
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
	case unix.S_IFLNK:
		return nil
	default:
		rights &= landFile
	}
	if rights == 0 {
		return nil
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
