package darwin

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// seatbeltSystem allows what every program on macOS needs: the system's files, its
// devices, itself and its children.
const seatbeltSystem = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow user-preference-read)
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow mach-lookup
	(global-name "com.apple.system.opendirectoryd.libinfo")
	(global-name "com.apple.system.opendirectoryd.membership")
	(global-name "com.apple.system.logger")
	(global-name "com.apple.system.notification_center"))
(allow file-read-metadata)
(allow file-read*
	(literal "/")
	(subpath "/System")
	(subpath "/Library/Apple")
	(subpath "/Library/Developer")
	(subpath "/Library/Frameworks")
	(subpath "/Library/Java")
	(subpath "/Library/Preferences/Logging")
	(subpath "/Applications/Xcode.app")
	(subpath "/bin")
	(subpath "/sbin")
	(subpath "/usr")
	(subpath "/opt")
	(subpath "/private/etc")
	(subpath "/private/var/db/dyld")
	(subpath "/private/var/db/timezone")
	(subpath "/private/var/select")
	(subpath "/dev"))
(allow file-write-data file-ioctl
	(literal "/dev/null")
	(literal "/dev/zero")
	(literal "/dev/dtracehelper")
	(literal "/dev/tty")
	(literal "/dev/ptmx")
	(regex #"^/dev/ttys[0-9]+$"))
`

// seatbeltNetwork allows the machine's own network: addresses, names and certificates,
// and no Unix socket but that of the resolver.
const seatbeltNetwork = `(allow system-socket)
(allow network-outbound (remote ip))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow network-inbound network-bind (local ip))
(allow mach-lookup
	(global-name "com.apple.SystemConfiguration.configd")
	(global-name "com.apple.SystemConfiguration.DNSConfiguration")
	(global-name "com.apple.trustd.agent")
	(global-name "com.apple.SecurityServer")
	(global-name "com.apple.networkd"))
`

// seatbelt returns the profile in Seatbelt's language, in which the last matching rule
// applies. outlet is the port of the proxy on loopback, or 0.
func seatbelt(p *profile.Profile, outlet int) string {
	var b strings.Builder
	b.WriteString(seatbeltSystem)
	for _, g := range p.Grants() {
		at := "(subpath " + seatbeltString(g.Path) + ")"
		switch g.Access {
		case profile.MayRead:
			fmt.Fprintf(&b, "(allow file-read* %s)\n", at)
		case profile.MayWrite:
			fmt.Fprintf(&b, "(allow file-read* file-write* %s)\n", at)
		case profile.MayNotChange:
			fmt.Fprintf(&b, "(deny file-write* %s)\n", at)
		case profile.MayNotRead:
			fmt.Fprintf(&b, "(deny file-read* file-write* %s)\n", at)
		}
	}
	for _, dir := range p.Kept {
		fmt.Fprintf(&b, "(deny file-write-unlink (literal %s))\n", seatbeltString(dir))
	}
	if p.Temp != "" {
		fmt.Fprintf(&b, "(allow network-bind network-outbound (subpath %s))\n", seatbeltString(p.Temp)) // sockets of the command's own
	}
	switch {
	case p.Network.All:
		b.WriteString(seatbeltNetwork)
	case outlet != 0:
		fmt.Fprintf(&b, "(allow system-socket)\n(allow network-outbound (remote ip %s))\n", seatbeltString("localhost:"+strconv.Itoa(outlet)))
	}
	return b.String()
}

// seatbeltString quotes a string in Seatbelt's language.
func seatbeltString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
