package gitdir

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entry returns an entry of an index of version 2; length is the path length in
// its flags.
func entry(mode uint32, path string, length int) []byte {
	b := make([]byte, beforeHash+20+2, 100)
	binary.BigEndian.PutUint32(b[atMode:], mode)
	binary.BigEndian.PutUint16(b[beforeHash+20:], uint16(length)) //nolint:gosec // it is short
	b = append(append(b, path...), 0)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

func number(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) } //nolint:gosec // it is small

// Every entry that git may read is found, or the index is rejected.
func TestIndexHidesNothing(t *testing.T) {
	file, hidden := entry(0o100644, "a", 1), entry(Submodule, "build/x", 7)
	header := func(count int) []byte { return append([]byte("DIRC\x00\x00\x00\x02"), number(count)...) }
	join := func(parts ...[]byte) []byte { return append(bytes.Join(parts, nil), make([]byte, 20)...) }
	extension := func(name string, text ...[]byte) []byte {
		all := bytes.Join(text, nil)
		return append(append([]byte(name), number(len(all))...), all...)
	}
	start := len(header(1))
	for _, c := range []struct {
		name  string
		index []byte
		want  []string // nil: it is rejected
	}{
		{"a file", join(header(1), file), []string{"a"}},
		{"a submodule", join(header(2), file, hidden), []string{"a", "build/x"}},
		{"a path that is shorter than its text", join(header(1), entry(Submodule, "build/xy", 7)), nil},
		{"a path that is longer than its text", join(header(1), entry(Submodule, "build", 7)), nil},
		{"blocks elsewhere", join(header(1), file, extension("ABCD", hidden), extension("IEOT", number(1), number(start+len(file)+8), number(1))), []string{"a", "build/x"}},
		{"blocks that are none", join(header(1), file, extension("IEOT", number(1), number(1<<30), number(1))), nil},
		{"an end elsewhere", join(header(1), file, hidden, extension("EOIE", number(start+len(file)+len(hidden)+8), make([]byte, 20))), nil},
		{"the end where it is", join(header(1), file, extension("EOIE", number(start+len(file)), make([]byte, 20))), []string{"a"}},
		{"an extension that is cut off", join(header(1), file, []byte("ABCD\x7f\xff\xff\xff")), nil},
		{"a submodule without a name in a split index", join(header(1), entry(Submodule, "", 0), extension("link", make([]byte, 20))), nil},
		{"no index", []byte("DIRC"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "index"), c.index, 0o600); err != nil {
				t.Fatal(err)
			}
			var got []string
			err := Repository{Git: dir, Common: dir}.Index(func(e Entry) { got = append(got, e.Path) })
			if c.want == nil && err == nil {
				t.Errorf("it was read: %q", got)
			}
			if c.want != nil {
				if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
					t.Errorf("%v (-want +got)\n%s", err, diff)
				}
			}
		})
	}
}

// An index that git writes is read, whatever git's settings are.
func TestIndexReadsWhatGitWrites(t *testing.T) {
	long := strings.Repeat("d/", 2100) + "f" // longer than the flags of the index can say
	for _, c := range []struct {
		name   string
		config []string
		more   []string
	}{
		{name: "as usual"},
		{name: "paths that build on each other", config: []string{"index.version", "4"}},
		{name: "several threads", config: []string{"index.threads", "4"}},
		{name: "several threads and short paths", config: []string{"index.threads", "4", "index.version", "4"}},
		{name: "two files", more: []string{"update-index", "--split-index"}},
		{name: "files to come", more: []string{"add", "-N", "new"}},
		{name: "what is not tracked", more: []string{"update-index", "--untracked-cache"}},
		{name: "no sum", config: []string{"index.skipHash", "true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			git := func(stdin string, args ...string) string {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "git", args...)
				cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, strings.NewReader(stdin)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("git %q: %v: %s", args, err, out)
				}
				return string(out)
			}
			git("", "init", "-q")
			for i := 0; i+1 < len(c.config); i += 2 {
				git("", "config", c.config[i], c.config[i+1])
			}
			var all strings.Builder
			for n := range 25_000 {
				fmt.Fprintf(&all, "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\ta/%d/file-%d\n", n%10, n)
			}
			all.WriteString("160000 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\tsub\n100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\t" + long + "\n")
			git(all.String(), "update-index", "--index-info")
			if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if c.more != nil {
				git("", c.more...)
				git("", "update-index", "--add", "new")
			}
			var got []string
			if err := (Repository{Git: dir + "/.git", Common: dir + "/.git"}).Index(func(e Entry) {
				if e.Path != "" { // an entry of a split index
					got = append(got, e.Path)
				}
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(got)
			want := strings.Split(strings.TrimSuffix(git("", "ls-files", "-z"), "\x00"), "\x00")
			slices.Sort(want)
			if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
				t.Errorf("(-want +got)\n%.2000s", diff)
			}
		})
	}
}
