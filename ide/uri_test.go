package ide

import (
	"runtime"
	"testing"
)

func TestSpellingsOfOneFileAreOneURI(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // its paths are in TestWindowsURIs
	}
	for path, spellings := range map[string][]string{
		"/home/a b/c.go":   {"file:///home/a b/c.go", "file:///home/a%20b/c.go", "FILE:///home/a%20b/c.go", "file://localhost/home/a%20b/c.go", "file:/home/a%20b/c.go", "file:///home/a%20b/./d/../c.go", "file:///home//a b/c.go"},
		"/c:/x":            {"file:///c:/x", "file:///c%3A/x", "file:///c%3a/x"},
		"/é":               {"file:///é", "file:///%C3%A9", "file:///%c3%a9"},
		"/100%/a#b?c":      {"file:///100%/a#b?c", "file:///100%25/a%23b%3Fc", "file:///100%/a%23b?c"},
		"/latin\xe9":       {"file:///latin%E9", "file:///latin\xe9"},
		"/a+b&c=[d](e)@;,": {"file:///a+b&c=[d](e)@;,", "file:///a%2Bb%26c%3D%5Bd%5D%28e%29%40%3B%2C"},
		"/":                {"file:///"},
	} {
		for _, s := range spellings {
			u := ParseURI(s)
			if u != FileURI(path) || u.Path() != path || ParseURI(string(u)) != u {
				t.Errorf("%s: got %s of path %q, want %s of %q", s, u, u.Path(), FileURI(path), path)
			}
		}
	}
}

func TestNonFilesAreNamed(t *testing.T) {
	for _, s := range []string{"untitled:Untitled-1", "untitled:/a%20b", "vscode-notebook-cell:/x.ipynb#W0", "", "file:", "file://", "file:x", "%zz", "/plain/path", "git:/a?%7B%7D"} {
		if u := ParseURI(s); string(u) != s || u.Path() != "" {
			t.Errorf("%q: got %q of path %q", s, u, u.Path())
		}
	}
}

func TestWindowsURIs(t *testing.T) {
	if runtime.GOOS != "windows" {
		if u := ParseURI("file://server/share/x"); u.Path() != "" {
			t.Errorf("another machine's file has the path %q here", u.Path())
		}
		return
	}
	for s, path := range map[string]string{
		"file:///c%3A/a%20b":      `c:\a b`,
		"file:///C:/a%20b":        `c:\a b`,
		"file://server/share/a b": `\\server\share\a b`,
	} {
		if u := ParseURI(s); u.Path() != path || ParseURI(string(u)) != u {
			t.Errorf("%s: got %s of path %q", s, u, u.Path())
		}
	}
}

func FuzzParseURI(f *testing.F) {
	for _, s := range []string{"file:///a%20b", "file:///%", "file://h/%2e%2e", "untitled:1", "file:///a%00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u := ParseURI(s)
		if again := ParseURI(string(u)); again != u {
			t.Fatalf("%q became %q and then %q", s, u, again)
		}
	})
}
