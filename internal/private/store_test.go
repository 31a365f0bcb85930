package private

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReplaceLeavesOneFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.secret")
	for text, replace := range map[string]func(string, []byte) error{"first": Replace, "second": ReplaceUnsynced, "third": Replace} {
		if err := replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("the file has %q, %v; want %q", got, err, text)
		}
	}
	full := filepath.Join(dir, "b.secret")
	if err := os.MkdirAll(filepath.Join(full, "c"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(full, []byte("fourth")); err == nil {
		t.Error("a folder that is not empty was replaced")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the folder has %v, %v; want the file and the folder", entries, err)
	}
}

func TestLockIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "a.lock")
	unlock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	order := make(chan string, 2)
	done := make(chan error, 1)
	go func() {
		second, err := Lock(path)
		if err == nil {
			order <- "second"
			second()
		}
		done <- err
	}()
	order <- "first"
	unlock()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := <-order; got != "first" {
		t.Errorf("%s came first", got)
	}
}
