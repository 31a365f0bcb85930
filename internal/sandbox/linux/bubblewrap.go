//go:build linux

package linux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/process"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// bubblewrapPlaces lists where a system has bubblewrap. The search path does not count:
// what bubblewrap starts trusts it.
var bubblewrapPlaces = []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// FindBubblewrap returns the path of the system's bubblewrap, which belongs to root and
// which nobody else can change.
func FindBubblewrap() (string, error) {
	for _, p := range bubblewrapPlaces {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			continue
		}
		var s unix.Stat_t
		if err := unix.Stat(real, &s); err != nil {
			return "", fmt.Errorf("look at %s: %w", real, err)
		}
		if s.Uid != 0 || s.Mode&0o022 != 0 {
			return "", fmt.Errorf("%s can be changed by users other than root", real)
		}
		return real, nil
	}
	return "", errors.New("it is not installed")
}

// StartInBubblewrap starts a command at level A, in a view that the system's
// bubblewrap makes.
func StartInBubblewrap(ctx context.Context, c process.Command) (process.Process, error) {
	program, err := FindBubblewrap()
	if err != nil {
		return nil, err
	}
	return StartIn(ctx, program, c)
}

// Descriptors that bubblewrap inherits, after the supervisor's socket.
const (
	emendoFD    = process.ControlFD + 1 + iota // the supervisor's program
	argumentsFD                                // bubblewrap's own arguments
	textsFD                                    // the first of the files whose text is given
)

// StartIn starts a command at level A, in a view that the given bubblewrap makes.
func StartIn(ctx context.Context, program string, c process.Command) (process.Process, error) {
	return endedIfReplaced(c.Profile, func() (*process.Supervised, error) {
		return inNetwork(func() (*process.Supervised, error) { return startIn(ctx, program, c) })
	})
}

func startIn(ctx context.Context, program string, c process.Command) (_ *process.Supervised, err error) {
	if err := profile.Confinable(c.Profile); err != nil {
		return nil, err
	}
	v := viewOf(c.Profile)
	network := networkOf(c.Profile, program, func() (*process.Network, error) { return newBubblewrapped(program) })
	out, err := openOutlet(c.Profile, network)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			out.close()
		}
	}()
	v.resolve(out)
	args, texts := v.arguments(c.Profile.Network.All || network != nil)
	o := process.Supervision{Level: profile.Isolated, Visible: true, In: network, Program: []string{program, "--args", strconv.Itoa(argumentsFD), "/proc/self/fd/" + strconv.Itoa(emendoFD)}}
	defer func() { process.CloseAll(o.Files) }()
	add := func(f *os.File, err error) error {
		if err != nil {
			return fmt.Errorf("give bubblewrap its files: %w", err)
		}
		o.Files = append(o.Files, f)
		return nil
	}
	if err := add(os.Open(process.Self)); err != nil {
		return nil, err
	}
	if err := add(inMemory(args)); err != nil {
		return nil, err
	}
	for _, text := range texts {
		if err := add(inMemory([]byte(text))); err != nil {
			return nil, err
		}
	}
	return startIsolated(ctx, c, confinement{Level: profile.Isolated, Profile: c.Profile, Isolation: &isolation{Devices: fixesDevices()}}, o, out)
}

// newBubblewrapped returns a network that bubblewrap makes. The commands in it have views
// that bubblewrap makes within the one that it makes here, which is the whole machine's.
func newBubblewrapped(program string) (*process.Network, error) {
	self, err := os.Open(process.Self)
	if err != nil {
		return nil, fmt.Errorf("give bubblewrap its files: %w", err)
	}
	defer self.Close()
	return process.NewNetwork(process.Supervision{Visible: true, Files: []*os.File{self}, Program: []string{
		program, "--unshare-user", "--unshare-net", "--cap-add", "CAP_NET_BIND_SERVICE", "--dev-bind", "/", "/", "/proc/self/fd/" + strconv.Itoa(emendoFD),
	}})
}

// arguments returns the arguments by which bubblewrap makes the view, and the texts of the
// files that it needs for that. network says that it makes no network.
func (v view) arguments(network bool) (args []byte, texts []string) {
	var b bytes.Buffer
	var empty []string
	say := func(words ...string) {
		for _, w := range words {
			b.WriteString(w + "\x00")
		}
	}
	say("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
	if !network {
		say("--unshare-net")
	}
	// The supervisor is the first process of the namespace, and ends the others
	// with itself.
	say("--as-pid-1", "--cap-drop", "ALL")
	if fixesDevices() {
		say("--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP")
	}
	for _, m := range v.Mounts {
		switch m.Kind {
		case bindRead:
			say("--ro-bind", m.Source, m.Target)
		case bindWrite:
			say("--bind", m.Source, m.Target)
		case keptAt:
			say("--bind", m.Target, m.Target)
		case fixedAt:
			say("--ro-bind", m.Target, m.Target)
		case blankFile:
			say("--perms", "0000", "--ro-bind-data", strconv.Itoa(textsFD+len(texts)), m.Target)
			texts = append(texts, "")
		case textFile:
			say("--perms", "0444", "--ro-bind-data", strconv.Itoa(textsFD+len(texts)), m.Target)
			texts = append(texts, m.Text)
		case blankDir:
			say("--perms", "0000", "--tmpfs", m.Target, "--remount-ro", m.Target)
		case emptyDir:
			say("--perms", "0755", "--tmpfs", m.Target)
			empty = append(empty, m.Target)
		case freshDir:
			say("--perms", "0700", "--size", strconv.Itoa(mostFresh), "--tmpfs", m.Target)
		case linkTo:
			say("--symlink", m.Source, m.Target)
		case processes:
			say("--proc", m.Target)
			for _, name := range machineOfProc {
				say("--ro-bind-try", "/proc/"+name, m.Target+"/"+name)
			}
		case devices:
			say("--dev", m.Target)
		default:
			panic("sandbox: unknown mount " + m.Kind)
		}
	}
	for _, p := range empty {
		say("--remount-ro", p)
	}
	say("--remount-ro", "/", "--chdir", "/")
	return b.Bytes(), texts
}

// fixesDevices reports whether the supervisor must make the devices read-only that
// bubblewrap shows. Root owns them and could change their modes; other users cannot.
func fixesDevices() bool { return os.Geteuid() == 0 }

// inMemory returns an anonymous file that contains text.
func inMemory(text []byte) (*os.File, error) {
	syscall.ForkLock.RLock()
	fd, err := unix.MemfdCreate("emendo", unix.MFD_CLOEXEC)
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "arguments")
	if _, err = f.Write(text); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
