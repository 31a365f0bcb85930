//go:build linux

package linux

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// enter makes the view and moves the process into it, for good. The process has user,
// mount and PID namespaces of its own, and is the first process of the latter.
// Afterwards nothing of the machine's own tree can be reached except through the view.
//
// Every step goes through file descriptors: a path is walked once, without following
// links, so that a folder which is swapped for a link meanwhile leads nowhere.
func (v view) enter() error {
	defer unix.Umask(unix.Umask(0)) // the view needs exact modes; the command gets the user's umask
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("part the mounts from the machine's: %w", err)
	}
	// The machine's tree goes below "old" of an empty root, beside "new".
	const base = "/tmp"
	if err := unix.Mount("tmpfs", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return fmt.Errorf("make an empty root: %w", err)
	}
	for _, dir := range []string{"old", "new"} {
		if err := os.Mkdir(base+"/"+dir, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount("tmpfs", base+"/new", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=16m"); err != nil {
		return fmt.Errorf("make an empty root: %w", err)
	}
	if err := unix.PivotRoot(base, base+"/old"); err != nil {
		return fmt.Errorf("leave the machine's tree: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	b, err := newBuilder()
	if err != nil {
		return err
	}
	for _, m := range v.Mounts {
		if err := b.makeMount(m); err != nil {
			return fmt.Errorf("put %s at %s: %w", m.Kind, m.Target, err)
		}
	}
	return b.moveIn()
}

// A builder makes a view.
type builder struct {
	old, new int    // descriptors of the machine's tree and of the view
	blank    string // a file of mode 0 within the view
	empty    []string
}

func newBuilder() (*builder, error) {
	var b builder
	for _, d := range []struct {
		fd   *int
		path string
	}{{&b.old, "/old"}, {&b.new, "/new"}} {
		fd, err := unix.Open(d.path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", d.path, err)
		}
		*d.fd = fd
	}
	return &b, nil
}

// moveIn makes the view the root and unmounts everything else.
func (b *builder) moveIn() error {
	for _, p := range b.empty {
		if err := b.freeze(p); err != nil {
			return fmt.Errorf("make %s read-only: %w", p, err)
		}
	}
	if err := setReadOnly(b.new); err != nil {
		return fmt.Errorf("make the root read-only: %w", err)
	}
	if err := unix.Fchdir(b.new); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil { // the old root is then on top of the new one
		return fmt.Errorf("make the view the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("let go of the machine's tree: %w", err)
	}
	unix.Close(b.old)
	unix.Close(b.new)
	return unix.Chdir("/")
}

func (b *builder) makeMount(m mount) error {
	switch m.Kind {
	case bindRead:
		return b.bind(m, true)
	case bindWrite:
		return b.bind(m, false)
	case fixedAt:
		return b.mountOnItself(m.Target, true)
	case keptAt:
		return b.mountOnItself(m.Target, false)
	case blankFile:
		return b.blankFile(m.Target)
	case blankDir:
		return b.tmpfs(m.Target, "mode=0000,size=4k", true)
	case emptyDir:
		b.empty = append(b.empty, m.Target) // read-only once everything is in it
		return b.tmpfs(m.Target, "mode=0755,size=1m", false)
	case freshDir:
		return b.tmpfs(m.Target, "mode=0700,size="+strconv.Itoa(mostFresh), false)
	case textFile:
		return b.textFile(m)
	case linkTo:
		return b.makeLink(m.Source, m.Target)
	case processes:
		return b.processes(m.Target)
	case devices:
		return b.devices(m.Target)
	}
	panic("sandbox: unknown mount " + m.Kind)
}

// walk opens a path below a folder without following links.
func walk(dir int, p string) (int, error) {
	rel := strings.TrimPrefix(p, "/")
	if rel == "" {
		rel = "."
	}
	return unix.Openat2(dir, rel, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_IN_ROOT,
	})
}

// folder opens a folder of the view, and creates it if it is missing.
func (b *builder) folder(p string) (int, error) {
	fd, err := walk(b.new, p)
	if !errors.Is(err, unix.ENOENT) {
		return fd, err
	}
	parent, err := b.folder(path.Dir(p))
	if err != nil {
		return -1, err
	}
	defer unix.Close(parent)
	if err := unix.Mkdirat(parent, path.Base(p), 0o755); err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	return walk(parent, path.Base(p))
}

// place opens a mount point: a folder, or an empty file.
func (b *builder) place(p string, dir bool) (int, error) {
	if dir {
		return b.folder(p)
	}
	fd, err := walk(b.new, p)
	if !errors.Is(err, unix.ENOENT) {
		return fd, err
	}
	parent, err := b.folder(path.Dir(p))
	if err != nil {
		return -1, err
	}
	defer unix.Close(parent)
	made, err := unix.Openat(parent, path.Base(p), unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return -1, err
	}
	unix.Close(made)
	return walk(parent, path.Base(p))
}

func (b *builder) bind(m mount, readOnly bool) error {
	source, err := walk(b.old, m.Source)
	if err != nil {
		return fmt.Errorf("find %s: %w", m.Source, err)
	}
	defer unix.Close(source)
	return b.attach(source, m.Target, readOnly)
}

// attach mounts what source refers to at a path of the view.
func (b *builder) attach(source int, target string, readOnly bool) error {
	var s unix.Stat_t
	if err := unix.Fstat(source, &s); err != nil {
		return err
	}
	at, err := b.place(target, s.Mode&unix.S_IFMT == unix.S_IFDIR)
	if err != nil {
		return fmt.Errorf("make a place for it: %w", err)
	}
	defer unix.Close(at)
	return attachAt(source, at, s.Mode, readOnly)
}

// attachAt mounts what source refers to on what at refers to.
func attachAt(source, at int, mode uint32, readOnly bool) error {
	tree, err := unix.OpenTree(source, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return fmt.Errorf("clone it: %w", err)
	}
	defer unix.Close(tree)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if mode&unix.S_IFMT != unix.S_IFCHR {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if readOnly {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return fmt.Errorf("restrict it: %w", err)
	}
	return unix.MoveMount(tree, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// mountOnItself makes a path of the view a mount of its own, which cannot be renamed or removed,
// nor changed if it is read-only. It does nothing if the path is gone or has become a
// link.
func (b *builder) mountOnItself(target string, readOnly bool) error {
	fd, err := walk(b.new, target)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return attachAt(fd, fd, unix.S_IFREG, readOnly) // the name may be another file's by now
}

func (b *builder) blankFile(target string) error {
	if b.blank == "" {
		const name = "/.blank"
		fd, err := unix.Openat(b.new, name[1:], unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		unix.Close(fd)
		b.blank = name
	}
	at, err := walk(b.new, target)
	if err != nil { // it has been moved, and could be read there
		return fmt.Errorf("another command has moved it; run this one again: %w", err)
	}
	defer unix.Close(at)
	source, err := walk(b.new, b.blank)
	if err != nil {
		return err
	}
	defer unix.Close(source)
	return attachAt(source, at, unix.S_IFREG, true)
}

// textFile makes a file with a text, which is on the view's root and has no other name there.
func (b *builder) textFile(m mount) error {
	const name = ".text"
	fd, err := unix.Openat(b.new, name, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC, 0o444)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, []byte(m.Text)); err != nil {
		return err
	}
	if err := b.attach(fd, m.Target, true); err != nil {
		return err
	}
	return unix.Unlinkat(b.new, name, 0)
}

func (b *builder) tmpfs(target, data string, readOnly bool) error {
	at, err := b.folder(target)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	if err := mountAt(at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, data); err != nil || !readOnly {
		return err
	}
	return b.freeze(target)
}

// freeze makes the mount at a path of the view read-only.
func (b *builder) freeze(target string) error {
	fd, err := walk(b.new, target)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return setReadOnly(fd)
}

func mountAt(fd int, kind string, flags uintptr, data string) error {
	return unix.Mount(kind, "/old/proc/self/fd/"+strconv.Itoa(fd), kind, flags, data)
}

func setReadOnly(fd int) error {
	return unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV})
}

func (b *builder) makeLink(to, at string) error {
	parent, err := b.folder(path.Dir(at))
	if err != nil {
		return err
	}
	defer unix.Close(parent)
	if err := unix.Symlinkat(to, parent, path.Base(at)); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	return nil
}

// processes mounts the proc file system of the PID namespace.
func (b *builder) processes(target string) error {
	at, err := b.folder(target)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	if err := mountAt(at, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return err
	}
	for _, name := range machineOfProc {
		if err := b.mountOnItself(target+"/"+name, true); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// usualDevices are the devices that programs expect.
var usualDevices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// devices makes a folder of the devices that programs expect, with pseudo-terminals of
// its own.
func (b *builder) devices(target string) error {
	if err := b.tmpfs(target, "mode=0755,size=1m", false); err != nil {
		return err
	}
	for _, name := range usualDevices {
		// Writing to a device needs no mount that can be written; changing its mode does.
		if err := b.bind(mount{Target: target + "/" + name, Source: "/dev/" + name}, true); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	pts, err := b.folder(target + "/pts")
	if err != nil {
		return err
	}
	defer unix.Close(pts)
	if err := mountAt(pts, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620"); err != nil {
		return fmt.Errorf("terminals: %w", err)
	}
	if err := b.tmpfs(target+"/shm", "mode=1777,size="+strconv.Itoa(mostFresh), false); err != nil {
		return fmt.Errorf("shared memory: %w", err)
	}
	for _, l := range [][2]string{
		{"pts/ptmx", "ptmx"}, {"/proc/self/fd", "fd"}, {"/proc/self/fd/0", "stdin"}, {"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"},
	} {
		if err := b.makeLink(l[0], target+"/"+l[1]); err != nil {
			return fmt.Errorf("%s: %w", l[1], err)
		}
	}
	return b.freeze(target)
}
