package toolchain

import "testing"

// Beside the programs of a folder on the search path are their libraries, unless
// the folder holds other things too.
func TestHoldsMore(t *testing.T) {
	const home = "/home/me"
	for folder, want := range map[string]bool{
		"/opt/tool": false, home + "/.nvm/versions/node/v22": false, home + "/src/tool": false,
		"/snap": true, home: true, "/home/other": true, "/Users/other": true, home + "/.local": true, home + "/.deno": true, home + "/.cargo": true,
	} {
		if got := holdsMore(folder, home); got != want {
			t.Errorf("%s: got %v", folder, got)
		}
	}
}
