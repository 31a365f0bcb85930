package toolchain

import "testing"

// Libraries are next to the folder of the programs on the search path, unless
// it also holds other things.
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
