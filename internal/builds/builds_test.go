package builds

import "testing"

func TestFoldersOfBuilds(t *testing.T) {
	for path, want := range map[string]bool{
		"node_modules": true, "web/node_modules/left-pad/index.js": true, "target/debug": true, "src/__pycache__/a.pyc": true,
		"src": false, "builds/a": false, "Target/a": false, "node_modules.txt": false, "": false,
	} {
		if got := Within(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
