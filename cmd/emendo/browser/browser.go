// Package browser signs the user in by a browser, from a terminal. It does not know to
// what.
package browser

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// Find returns a function that opens an address in the user's browser, which
// outlives emendo, or nil if there is none to see it.
func Find(environ []string) func(address string) error {
	set := func(names ...string) bool {
		return slices.ContainsFunc(environ, func(v string) bool {
			name, value, _ := strings.Cut(v, "=")
			return value != "" && slices.Contains(names, name)
		})
	}
	if set("NO_BROWSER", "CI") {
		return nil
	}
	var argv []string
	switch runtime.GOOS {
	case "darwin":
		argv = []string{"open"}
	case "windows":
		argv = []string{"rundll32", "url.dll,FileProtocolHandler"}
	default:
		if !set("DISPLAY", "WAYLAND_DISPLAY") {
			return nil
		}
		argv = []string{"xdg-open"}
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil
	}
	return func(address string) error {
		c := exec.Command(path, append(argv[1:], address)...)
		c.Env = slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
			name, _, _ := strings.Cut(v, "=")
			return sandbox.Credential(name)
		})
		apart(c)
		if err := c.Start(); err != nil {
			return err
		}
		return c.Process.Release()
	}
}
