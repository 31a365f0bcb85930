package sandbox

import (
	"github.com/emendo-dev/emendo/internal/sandbox/linux"
	"github.com/emendo-dev/emendo/internal/sandbox/process"
)

// allMeans are the means of this system, the firmest first.
var allMeans = []means{
	{
		level: Isolated, name: "namespaces", start: linux.StartInNamespaces,
		fix: "let users make namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0 or kernel.unprivileged_userns_clone=1",
	},
	{
		level: Isolated, name: "bubblewrap", start: linux.StartInBubblewrap,
		fix: "install bubblewrap: apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap",
	},
	{
		level: Restricted, name: "Landlock", start: linux.StartRestricted,
		fix: "Linux 6.2 or later with landlock among the security modules of the boot parameter lsm",
	},
}

var confiner process.Confiner = linux.Confine

// circumstances describes what decides whether a means works. It returns false if that
// is not known.
func circumstances() (string, bool) { return linux.Circumstances() }

func endSession(session string) { linux.EndSession(session) }

func marked() bool { return linux.Marked() }
