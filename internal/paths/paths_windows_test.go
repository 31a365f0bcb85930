package paths

import "testing"

func TestWithinOnWindows(t *testing.T) {
	for _, c := range []struct {
		name, path, folder string
		want               bool
	}{
		{"the letter case of the volume differs", `c:\a\b`, `C:\a`, true},
		{"another volume", `D:\a\b`, `C:\a`, false},
		{"the root of a volume", `C:\a`, `C:\`, true},
		{"a share", `\\host\share\a`, `\\host\share`, true},
		{"another share", `\\host\other\a`, `\\host\share`, false},
	} {
		if got := Within(c.path, c.folder); got != c.want {
			t.Errorf("%s: Within(%q, %q) = %t, want %t", c.name, c.path, c.folder, got, c.want)
		}
	}
}
