package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// asking is the variable that makes this test's process ask git about a
// repository.
const asking = "EMENDO_TEST_ASKS_GIT"

// Git does not outlive emendo, even if emendo is killed by a signal that it
// cannot catch.
func TestGitEndsWithEmendo(t *testing.T) {
	if dir := os.Getenv(asking); dir != "" {
		_, _ = here(t).Run(t.Context(), dir, nil, "status", "--untracked-files=all")
		return
	}
	dir := repository(t, here(t))
	fifo := filepath.Join(dir, "sub", ".gitignore")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	emendo := exec.Command(os.Args[0], "-test.run=^TestGitEndsWithEmendo$") //nolint:gosec // it is this test
	emendo.Env = append(os.Environ(), asking+"="+dir)
	if err := emendo.Start(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0) // blocks until git opens it for reading
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := emendo.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = emendo.Wait() // it was killed
	p := []unix.PollFd{{Fd: int32(f.Fd())}}
	for {
		n, err := unix.Poll(p, 10_000)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 || p[0].Revents&unix.POLLERR == 0 {
			t.Errorf("git still reads: %d, %v, %v", n, err, p[0].Revents)
		}
		return
	}
}
