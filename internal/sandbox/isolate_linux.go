package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownTemp is where a command at level A has its folder for temporary files.
// The way there is short, as those of sockets must be.
const ownTemp = "/tmp"

// namespaced starts a command at level A, in namespaces that emendo makes
// itself.
func namespaced(ctx context.Context, c Command) (Process, error) {
	if err := c.Profile.holdable(); err != nil {
		return nil, err
	}
	v := c.Profile.view()
	s := c.isolated()
	s.Isolation = &isolation{View: &v, Loopback: !c.Profile.Network.All}
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP)
	if !c.Profile.Network.All {
		flags |= unix.CLONE_NEWNET
	}
	uid, gid := os.Geteuid(), os.Getegid()
	in := vehicle{hidden: true, attributes: syscall.SysProcAttr{
		Cloneflags: flags,
		// To begin with, the child has what the view and the network take.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP},
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
	}}
	if !c.Profile.Network.All && !c.Profile.hasOutlet() {
		in.spares = &usual
	}
	return in.start(ctx, c, s)
}

// usual are those for commands without a way out of their network.
var usual spares

// isolated is what a child is told of a command at level A.
func (c Command) isolated() spec {
	temp, outlet := "", ""
	if c.Profile.Temp != "" {
		temp = ownTemp
	}
	if c.Profile.hasOutlet() {
		outlet = outletAddress(outletPort)
	}
	return spec{
		Argv: c.Argv, Dir: c.Dir, Env: c.Profile.environ(c.Env, temp, outlet), Terminal: c.Streams == Terminal, Level: Isolated, Profile: c.Profile,
	}
}

// begin isolates the child, which is the first process of its namespace.
func (i isolation) begin() error {
	if os.Getpid() != 1 {
		return errors.New("isolate a command: its supervisor is not the first process of its namespace")
	}
	// What else this process was given is no business of the command's.
	if err := unix.CloseRange(controlFD, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("keep files from a command: %w", err)
	}
	if i.Loopback {
		if err := loopback(); err != nil {
			return err
		}
	}
	if i.Outlet != 0 {
		if err := openOutlet(i.Outlet); err != nil {
			return err
		}
	}
	if i.Devices {
		for _, name := range usualDevices {
			if err := unix.MountSetattr(unix.AT_FDCWD, "/dev/"+name, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
				return fmt.Errorf("make the device %s unchangeable: %w", name, err)
			}
		}
	}
	if i.View != nil {
		return i.View.enter()
	}
	return nil
}

// dropRights takes the rights of a namespace's root from the calling thread and
// from what it starts, for good.
func dropRights() error {
	var now [2]unix.CapUserData
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capget(&header, &now[0]); err != nil {
		return fmt.Errorf("read the rights of a command: %w", err)
	}
	if now == [2]unix.CapUserData{} {
		return nil // bubblewrap has taken them
	}
	for right := uintptr(0); ; right++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, right, 0, 0, 0); errors.Is(err, unix.EINVAL) {
			break // there are no more
		} else if err != nil {
			return fmt.Errorf("bound the rights of a command: %w", err)
		}
	}
	const rootIsNobody = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7 // NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each locked
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, rootIsNobody, 0, 0, 0); err != nil {
		return fmt.Errorf("bound the rights of a command: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("bound the rights of a command: %w", err)
	}
	now = [2]unix.CapUserData{}
	if err := unix.Capset(&header, &now[0]); err != nil {
		return fmt.Errorf("take the rights from a command: %w", err)
	}
	return nil
}
