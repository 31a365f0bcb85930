//go:build linux

package linux

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/process"
)

// Circumstances describes what decides whether a means works: the boot, the program,
// the user, and the namespaces it runs in. It returns false if that is not known.
func Circumstances() (string, bool) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", false
	}
	out := []string{strings.TrimSpace(string(boot)), fmt.Sprint(os.Geteuid())}
	var s unix.Stat_t
	for _, program := range append([]string{process.Self}, bubblewrapPlaces...) {
		if unix.Stat(program, &s) == nil {
			out = append(out, fmt.Sprintf("%d:%d:%d:%d", s.Dev, s.Ino, s.Size, s.Mtim.Nano()))
		}
	}
	for _, namespace := range []string{"user", "mnt", "pid"} {
		if unix.Stat("/proc/self/ns/"+namespace, &s) == nil { // its times are those of this call
			out = append(out, fmt.Sprintf("%d:%d", s.Dev, s.Ino))
		}
	}
	for _, limit := range []string{"user/max_user_namespaces", "kernel/unprivileged_userns_clone", "kernel/apparmor_restrict_unprivileged_userns"} {
		text, _ := os.ReadFile("/proc/sys/" + limit) // a missing file is no limit
		out = append(out, strings.TrimSpace(string(text)))
	}
	return strings.Join(out, " "), true
}
