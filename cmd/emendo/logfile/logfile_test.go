package logfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestLogIsPrivateAndBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "lsp.log")
	one, two := New(path), New(path) // as two processes have it
	line := bytes.Repeat([]byte("x"), 1<<20)
	for range 12 {
		for _, l := range []*File{one, two} {
			if _, err := l.Write(line); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, l := range []*File{one, two} {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	all, err := filepath.Glob(path + "*")
	if err != nil || len(all) != 2 {
		t.Errorf("there are %v, %v", all, err)
	}
	for _, name := range all {
		fi, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if fi.Size() > 2*maxSize || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has %d bytes and mode %v", name, fi.Size(), fi.Mode())
		}
	}
}
