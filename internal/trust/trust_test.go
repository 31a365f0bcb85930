package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/private"
)

// folders makes a state folder's path and one folder for each name, beside
// each other, and returns their real paths.
func folders(t *testing.T, names ...string) (state string, dirs []string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		dir := filepath.Join(base, name)
		mkdir(t, dir)
		dirs = append(dirs, dir)
	}
	return filepath.Join(base, "state", "emendo"), dirs
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, s *Store, dir string) {
	t.Helper()
	if _, err := s.Add(dir); err != nil {
		t.Fatal(err)
	}
}

// trustedPaths returns the paths of the trusted folders.
func trustedPaths(s *Store) (l []string, err error) {
	list, err := s.List()
	for _, f := range list {
		l = append(l, f.Path)
	}
	return l, err
}

const restricted, trusted = false, true

func decides(t *testing.T, s *Store, dir string, want bool) {
	t.Helper()
	got, err := s.Trusts(dir)
	if err != nil || got != want {
		t.Errorf("%s is %v, error %v; want %v", dir, got, err, want)
	}
}

func TestAddAndRemove(t *testing.T) {
	state, dirs := folders(t, "a", "b", "a/inside")
	s := Open(state)
	decides(t, s, dirs[0], restricted)

	path, err := s.Add(dirs[0])
	if err != nil || path != dirs[0] {
		t.Fatalf("added %q, %v", path, err)
	}
	add(t, s, dirs[0]) // again changes nothing
	decides(t, s, dirs[0], trusted)
	decides(t, s, dirs[1], restricted)
	decides(t, s, dirs[2], restricted)
	decides(t, s, filepath.Dir(dirs[0]), restricted)

	add(t, s, dirs[1])
	list, err := trustedPaths(s)
	if diff := cmp.Diff(list, dirs[:2]); diff != "" || err != nil {
		t.Errorf("listed (-got +want), error %v:\n%s", err, diff)
	}

	for _, want := range []bool{true, false} {
		if removed, err := s.Remove(dirs[0]); err != nil || removed != want {
			t.Errorf("removed %v, error %v; want %v", removed, err, want)
		}
	}
	decides(t, s, dirs[0], restricted)
	decides(t, s, dirs[1], trusted)
}

func TestAddBelow(t *testing.T) {
	state, dirs := folders(t, "all", "all/a", "all/a/b", "allied", "one", "one/a")
	s := Open(state)
	if _, err := s.AddBelow(dirs[0]); err != nil {
		t.Fatal(err)
	}
	add(t, s, dirs[4])
	for i, want := range []bool{trusted, trusted, trusted, restricted, trusted, restricted} {
		decides(t, s, dirs[i], want)
	}
	if err := os.Symlink(dirs[3], filepath.Join(dirs[0], "link")); err != nil {
		t.Fatal(err)
	}
	decides(t, s, filepath.Join(dirs[0], "link"), restricted)

	rename(t, dirs[0], dirs[0]+".moved") // another folder there trusts nothing below it
	mkdir(t, dirs[1])
	decides(t, s, dirs[1], restricted)
	decides(t, s, filepath.Join(dirs[0]+".moved", "a"), restricted)
	rename(t, dirs[0], dirs[0]+".other")
	rename(t, dirs[0]+".moved", dirs[0])
	decides(t, s, dirs[1], trusted)

	add(t, s, dirs[0]) // the newer decision is about it alone
	decides(t, s, dirs[0], trusted)
	decides(t, s, dirs[1], restricted)
}

func TestLinkHasTheTrustOfItsTarget(t *testing.T) {
	state, dirs := folders(t, "real", "other")
	link := filepath.Join(filepath.Dir(dirs[0]), "link")
	if err := os.Symlink(dirs[0], link); err != nil {
		t.Fatal(err)
	}
	s := Open(state)
	if path, err := s.Add(link); err != nil || path != dirs[0] {
		t.Fatalf("added %q, %v", path, err)
	}
	decides(t, s, dirs[0], trusted)
	decides(t, s, link, trusted)

	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dirs[1], link); err != nil {
		t.Fatal(err)
	}
	decides(t, s, link, restricted)
}

func TestOtherFolderAtTheSamePathIsNotTrusted(t *testing.T) {
	state, dirs := folders(t, "project", "foreign")
	s := Open(state)
	add(t, s, dirs[0])

	moved := dirs[0] + ".moved"
	rename(t, dirs[0], moved)
	rename(t, dirs[1], dirs[0])
	decides(t, s, dirs[0], restricted)
	decides(t, s, moved, restricted)

	add(t, s, dirs[0])
	decides(t, s, dirs[0], trusted)
	if list, err := trustedPaths(s); len(list) != 1 || err != nil {
		t.Errorf("the folder that was there before is still listed: %v, %v", list, err)
	}

	if err := os.Remove(dirs[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Trusts(dirs[0]); err == nil {
		t.Error("a folder that is gone was decided about without an error")
	}
	if removed, err := s.Remove(dirs[0]); err != nil || !removed {
		t.Errorf("the decision about a folder that is gone was not removed: %v, %v", removed, err)
	}
}

// File systems reuse the number of a removed folder.
func TestReusedInodeIsNotTrusted(t *testing.T) {
	state, dirs := folders(t, "project")
	s := Open(state)
	add(t, s, dirs[0])
	before, err := identify(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dirs[0]); err != nil {
		t.Fatal(err)
	}
	mkdir(t, dirs[0])
	after, err := identify(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	if before == after {
		t.Logf("this file system does not distinguish a folder from a later one with its number")
		return
	}
	decides(t, s, dirs[0], restricted)
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestRunningProcessSeesChanges(t *testing.T) {
	state, dirs := folders(t, "a")
	server, command := Open(state), Open(state)
	decides(t, server, dirs[0], restricted)
	for range 50 {
		add(t, command, dirs[0])
		decides(t, server, dirs[0], trusted)
		if _, err := command.Remove(dirs[0]); err != nil {
			t.Fatal(err)
		}
		decides(t, server, dirs[0], restricted)
	}
}

func TestConcurrentWriters(t *testing.T) {
	names := make([]string, 20)
	for i := range names {
		names[i] = fmt.Sprintf("folder%02d", i)
	}
	state, dirs := folders(t, names...)
	reader := Open(state)
	var writers sync.WaitGroup
	for _, dir := range dirs {
		writers.Go(func() {
			if _, err := Open(state).Add(dir); err != nil {
				t.Error(err)
			}
			if _, err := reader.Trusts(dir); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	list, err := trustedPaths(reader)
	if diff := cmp.Diff(list, dirs); diff != "" || err != nil {
		t.Errorf("listed (-got +want), error %v:\n%s", err, diff)
	}
	left, err := os.ReadDir(state)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 2 {
		t.Errorf("the state folder holds more than the file and its lock: %v", left)
	}
}

// A folder has several paths where letter case does not count, or where it is
// mounted twice. Removing trust by one of them removes it for all.
func TestRemoveByAnotherPath(t *testing.T) {
	state, dirs := folders(t, "project")
	s := Open(state)
	add(t, s, dirs[0])
	approve(t, s, dirs[0], look(t, s, dirs[0], Entry{Kind: Server, Name: "db", Command: "db"}))
	file := filepath.Join(state, fileName)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "/project", "/PROJECT")), 0o600); err != nil {
		t.Fatal(err)
	}
	if removed, err := s.Remove(dirs[0]); err != nil || !removed {
		t.Errorf("removed %v, error %v", removed, err)
	}
	if text, err = os.ReadFile(file); err != nil || strings.Contains(string(text), "PROJECT") {
		t.Errorf("what is left, error %v:\n%s", err, text)
	}
}

func TestForeignStateFolderIsRejected(t *testing.T) {
	state, dirs := folders(t, "a", "theirs")
	mkdir(t, filepath.Dir(state))
	if err := os.Symlink(dirs[1], state); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(state).Add(dirs[0]); !errors.Is(err, private.ErrForeign) {
		t.Errorf("got %v", err)
	}
}

func TestOversizedStoreIsNotWritten(t *testing.T) {
	state, dirs := folders(t, "a", "b")
	s := Open(state)
	add(t, s, dirs[0])
	l := look(t, s, dirs[1], Entry{Kind: Server, Name: strings.Repeat("x", maxFile), Command: "x"})
	if err := s.Approve(dirs[1], l); err == nil || !strings.Contains(err.Error(), "emendo trust remove") {
		t.Errorf("got %v", err)
	}
	decides(t, s, dirs[0], trusted)
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // access lists, not modes
	}
	state, dirs := folders(t, "a")
	if err := os.MkdirAll(state, 0o777); err != nil {
		t.Fatal(err)
	}
	add(t, Open(state), dirs[0])
	for path, want := range map[string]fs.FileMode{
		state:                          fs.ModeDir | 0o700,
		filepath.Join(state, fileName): 0o600,
		filepath.Join(state, lockName): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
	}
}

func TestBrokenFileTrustsNothing(t *testing.T) {
	for _, tt := range []struct {
		name    string
		spoil   func(path string) error
		wantErr string
	}{
		{
			name:    "cut off",
			spoil:   func(path string) error { return os.Truncate(path, 30) },
			wantErr: "unexpected EOF",
		},
		{
			name:    "of a later version",
			spoil:   func(path string) error { return os.WriteFile(path, []byte(`{"version": 2, "folders": []}`), 0o600) },
			wantErr: "unsupported version 2: want 1",
		},
		{
			name:    "with a field of a later version",
			spoil:   func(path string) error { return os.WriteFile(path, []byte(`{"version": 1, "not": []}`), 0o600) },
			wantErr: `json: unknown field "not"`,
		},
		{
			name:    "too large",
			spoil:   func(path string) error { return os.Truncate(path, maxFile+1) },
			wantErr: "larger than 4194304 bytes",
		},
		{
			name:    "writable by others",
			spoil:   func(path string) error { return os.Chmod(path, 0o666) },
			wantErr: "other users may write it: run chmod 600",
		},
		{
			name: "a folder",
			spoil: func(path string) error {
				if err := os.Remove(path); err != nil {
					return err
				}
				return os.Mkdir(path, 0o700)
			},
			wantErr: "not a regular file",
		},
		{
			name:    "a link",
			spoil:   func(path string) error { return replaceByLink(path) },
			wantErr: "not a regular file",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state, dirs := folders(t, "a")
			path := filepath.Join(state, fileName)
			s := Open(state)
			add(t, s, dirs[0])
			decides(t, s, dirs[0], trusted)
			if err := tt.spoil(path); err != nil {
				t.Fatal(err)
			}

			want := "read folder trust: " + path + ": " + tt.wantErr + "; every folder is restricted until you fix or delete that file"
			level, err := s.Trusts(dirs[0])
			if level != restricted || err == nil || err.Error() != want {
				t.Errorf("decided %v, error\n%v\nwant\n%s", level, err, want)
			}
			if _, err := s.Add(dirs[0]); err == nil || !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("a file that cannot be read was replaced: %v", err)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			decides(t, s, dirs[0], restricted)
			add(t, s, dirs[0])
			decides(t, s, dirs[0], trusted)
		})
	}
}

func replaceByLink(path string) error {
	if err := os.Rename(path, path+".real"); err != nil {
		return err
	}
	return os.Symlink(path+".real", path)
}

func TestOnlyFoldersAreTrusted(t *testing.T) {
	state, dirs := folders(t, "a")
	file := filepath.Join(dirs[0], "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(state)
	if _, err := s.Add(file); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("a file was trusted: %v", err)
	}
	if _, err := s.Add(filepath.Join(dirs[0], "missing")); err == nil {
		t.Error("a missing folder was trusted")
	}
}

func BenchmarkTrusts(b *testing.B) {
	state, dir := filepath.Join(b.TempDir(), "state"), b.TempDir()
	s := Open(state)
	if _, err := s.Add(dir); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if level, err := s.Trusts(dir); level != trusted || err != nil {
			b.Fatal(level, err)
		}
	}
}
