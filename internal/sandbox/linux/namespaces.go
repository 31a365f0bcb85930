//go:build linux

package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/process"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
	"github.com/emendo-dev/emendo/internal/sandbox/toolchain"
)

// ownTemp is the folder for temporary files of a command at level A. Its path is short,
// since those of sockets must be.
const ownTemp = "/tmp"

// StartInNamespaces starts a command at level A, in namespaces that emendo makes
// itself.
func StartInNamespaces(ctx context.Context, c process.Command) (process.Process, error) {
	return endedIfReplaced(c.Profile, func() (*process.Supervised, error) {
		return inNetwork(func() (*process.Supervised, error) { return startInNamespaces(ctx, c) })
	})
}

func startInNamespaces(ctx context.Context, c process.Command) (*process.Supervised, error) {
	if err := profile.Confinable(c.Profile); err != nil {
		return nil, err
	}
	v := viewOf(c.Profile)
	conf := confinement{Level: profile.Isolated, Profile: c.Profile, Isolation: &isolation{View: &v}}
	uid, gid := os.Geteuid(), os.Getegid()
	users, groups := []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}, []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	o := process.Supervision{Level: profile.Isolated, Visible: true, Attributes: syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		// What making the view and the network requires.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_SETPCAP},
		UidMappings: users, GidMappings: groups,
	}}
	if c.Profile.Network.All {
		return startIsolated(ctx, c, conf, o, outlet{})
	}
	o.In = networkOf(c.Profile, "namespaces", func() (*process.Network, error) {
		return process.NewNetwork(process.Supervision{Visible: true, Attributes: syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNET, AmbientCaps: []uintptr{unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE},
			UidMappings: users, GidMappings: groups,
		}})
	})
	out, err := openOutlet(c.Profile, o.In)
	if err != nil {
		return nil, err
	}
	v.resolve(out)
	if o.In != nil {
		o.Spares = o.In.Spares()
		return startIsolated(ctx, c, conf, o, out)
	}
	o.Attributes.Cloneflags |= unix.CLONE_NEWNET
	conf.Isolation.Loopback = true
	if out.port == 0 {
		o.Spares = &usual
	}
	return startIsolated(ctx, c, conf, o, out)
}

// usual holds the spare supervisor for commands with a network of their own and no outlet.
var usual process.Spares

// isolated returns c with the environment of level A. outlet is the address of the
// command's outlet, or empty.
func isolated(c process.Command, outlet string) process.Command {
	temp := ""
	if c.Profile.Temp != "" {
		temp = ownTemp
	}
	c.Env = toolchain.ConfinedEnvironment(c.Env, c.Profile, temp, outlet)
	return c
}

// An isolation is the set-up of a supervisor at level A before it starts the command.
type isolation struct {
	View     *view `json:",omitempty"` // to make; nil: bubblewrap has made it
	Devices  bool  `json:",omitempty"` // make the devices of an existing view read-only
	Loopback bool  `json:",omitempty"` // bring up the loopback interface
	// Outlet is the descriptor of a socket through which the sockets of the outlet are
	// sent to the server, or 0.
	Outlet int `json:",omitempty"`
}

// begin isolates the supervisor, which is the first process of its PID namespace.
func (i isolation) begin() error {
	if os.Getpid() != 1 {
		return errors.New("isolate a command: its supervisor is not the first process of its namespace")
	}
	// The command must not inherit anything else.
	if err := unix.CloseRange(process.ControlFD, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("keep files from a command: %w", err)
	}
	if i.Loopback {
		if err := process.RaiseLoopback(); err != nil {
			return err
		}
	}
	if i.Outlet != 0 {
		if err := sendOutlet(i.Outlet); err != nil {
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

// dropRights takes the capabilities of the namespace's root from the calling thread and
// from what it starts, for good.
func dropRights() error {
	var now [2]unix.CapUserData
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capget(&header, &now[0]); err != nil {
		return fmt.Errorf("read the rights of a command: %w", err)
	}
	if now == [2]unix.CapUserData{} {
		return nil // bubblewrap has dropped them
	}
	for right := uintptr(0); ; right++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, right, 0, 0, 0); errors.Is(err, unix.EINVAL) {
			break // that was the last one
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
