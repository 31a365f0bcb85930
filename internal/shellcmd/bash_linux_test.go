package shellcmd

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tracer makes bash record every command instead of running it: its words, its
// input, and where its first descriptors lead. Each line of $lines runs as if
// in a shell of its own. No program is found, and functions replace the
// builtins; commands named false or b fail.
const tracer = `
exec 250>>"$trace" 251>&1 252>&2
there=$PWD
t() {
	builtin local in= i where= IFS=$'\4' record LC_ALL=C
	for i in 0 1 2 3; do
		if [[ ! -e /proc/self/fd/$i ]]; then where+=-
		elif [[ /proc/self/fd/$i -ef /dev/null ]]; then where+=n
		elif [[ /proc/self/fd/$i -ef /proc/self/fd/251 ]]; then where+=o
		elif [[ /proc/self/fd/$i -ef /proc/self/fd/252 ]]; then where+=e
		else where+=x
		fi
	done
	[[ -e /proc/self/fd/0 ]] && IFS= builtin read -r -d '' in
	record="$where"$'\4'"$in"$'\4'"$*"$'\4\2'
	builtin printf '%s' "${record//$'\n'/$'\3'}" >&250 # one write: bash writes line by line
	[[ $1 != false && $1 != b ]]
}
command_not_found_handle() { t "$@"; }
builtin mapfile -d '' -t lines <"$lines"
for name in $(compgen -b); do
	case $name in builtin|return|break|continue|local) continue ;; esac
	builtin eval "$name() { t $name \"\$@\"; }" || builtin exit 3
done
for line in "${lines[@]}"; do
	( builtin eval "$line" ) </dev/null
	builtin printf '\1' >&250
done
`

// A traced command is the result of one command line in bash: each command that
// ran, ordered by their text, since the commands of a pipe run at the same
// time.
type traced []tracedCommand

type tracedCommand struct {
	where string // descriptors 0 to 3: n is the null device, o and e the shell's output and errors, x another file, - closed
	input string
	words string // each followed by the byte 4
}

// A tracedShell runs commands under the tracer, in a directory that it creates.
type tracedShell struct {
	bash, dir string
	env       []string
}

func newTracedShell(t *testing.T, env ...string) *tracedShell {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("bash is needed to compare with it: %v; install it", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a", "b.txt", "main.go", "sub/x", ".hidden"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &tracedShell{bash: bash, dir: dir, env: append([]string{"PATH=/nowhere", "HOME=" + dir}, env...)}
}

// run runs the command lines, and fails the test if a file has changed.
func (s *tracedShell) run(t *testing.T, lines []string) []traced {
	t.Helper()
	before := s.files(t)
	own := t.TempDir()
	trace, all := filepath.Join(own, "trace"), filepath.Join(own, "lines")
	if err := os.WriteFile(all, []byte(strings.Join(lines, "\x00")+"\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(own, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var errs bytes.Buffer
	cmd := exec.Command(s.bash, "--noprofile", "--norc", "-c", tracer)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, append([]string{"trace=" + trace, "lines=" + all}, s.env...), out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 0 && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("bash: %v: %s", err, errs.String())
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	pieces := strings.Split(strings.TrimSuffix(string(text), "\x01"), "\x01")
	if len(pieces) != len(lines) {
		t.Fatalf("bash ran %d of %d lines: %.2000s", len(pieces), len(lines), errs.String())
	}
	if after := s.files(t); !slices.Equal(before, after) {
		t.Errorf("files have changed from %q to %q by one of %d lines", before, after, len(lines))
		if len(lines) > 1 {
			for _, line := range lines {
				s.run(t, []string{line})
			}
		} else {
			t.Fatalf("it was %q", lines[0])
		}
	}
	l := make([]traced, len(lines))
	for i, piece := range pieces {
		piece = strings.ReplaceAll(piece, "\x03", "\n")
		for one := range strings.SplitSeq(strings.TrimSuffix(piece, "\x02"), "\x02") {
			if f := strings.SplitN(one, "\x04", 3); len(f) == 3 {
				l[i] = append(l[i], tracedCommand{f[0], f[1], f[2]})
			}
		}
		slices.SortFunc(l[i], func(a, b tracedCommand) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return l
}

// files returns the files of the directory with their content.
func (s *tracedShell) files(t *testing.T) []string {
	t.Helper()
	var l []string
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		if !d.IsDir() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(b)
		}
		l = append(l, fmt.Sprintf("%s %v %q", path, info.Mode(), text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}
