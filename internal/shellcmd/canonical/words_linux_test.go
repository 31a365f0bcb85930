package canonical_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
)

// reader makes bash print the words of a command instead of running it: no
// program can be found, and only the builtins that it needs are left.
const reader = `
command_not_found_handle() { printf '%s\0' "$@"; }
for b in $(compgen -b) ; do case $b in printf|builtin|enable|:) ;; *) enable -n "$b" ;; esac ; done
enable -n enable
`

// The analysis has the same words as bash.
func TestWordsAreThoseOfBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("bash is needed to compare with it: %v; install it", err)
	}
	w := shellcmdtest.Workspace(t)
	lines := []string{
		`a "b c" 'd e' f\ g`, `a "" ''`, `a"b"'c'\d`, `a "x\"y" "x\\y" "x\y" "\$x" "a\` + "`" + `b"`, `a '\n' "\n" \n`, `a "b` + "\n" + `c"`, "a \\\n b", "a b\\\nc", "a \"b\\\nc\"", `a {b} {} {b,} x{y`, `a b=c --d=~e`, `a "~" '~'`, `a b#c '#d' \#e # f`,
		`a 'it'"'"'s'`, `a "$" '$x' \$x a$ $`, `a ! !b b!`, `a [ ] x]`, `a -- -x --y=z`, `a %s 100% @ ^ , . : / _ +`, "a\tb\t\tc", `a "  "  b`, `a é 漢 😀`, `a "'" '"'`, `a \" \' \\`, `a ';' '&' '|' '<' '>' '('`, `a \; \& \| \< \> \( \)`, `\a b`, `'a' b`, `"a"'b' c`, `a x:y=z x=y`,
		`a {1..} {..2}`, `a "*" '?' \*`, `a if then fi`, `a time`, `a x"y z"w'q'`, `a \` + "\n" + `b`,
	}
	for _, c := range shellcmdtest.Commands(t, w) {
		if len(c.Command) < 1000 {
			lines = append(lines, c.Command)
		}
	}
	compared := 0
	for _, line := range lines {
		r := shellcmd.Analyze(line, w, []string{w})
		if !r.Known || len(r.Parts) != 1 || strings.HasPrefix(line, "! ") {
			continue
		}
		have := r.Parts[0].Words
		if len(have) != wordsIn(t, line) || slices.Contains([]string{"printf", "builtin", ":"}, have[0]) || strings.Contains(have[0], "/") {
			continue
		}
		cmd := exec.Command(bash, "--noprofile", "--norc", "-c", reader+line)
		cmd.Dir, cmd.Env = w, []string{"PATH=/nowhere"}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("bash on %q: %v", line, err)
			continue
		}
		compared++
		if want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(have, want) {
			t.Errorf("the words of %q are %q, and bash has %q", line, have, want)
		}
	}
	if compared < 200 {
		t.Errorf("only %d lines were compared", compared)
	}
}

// Random lines of characters that matter for quoting are read as bash reads
// them: the same commands with the same words, in the same order.
func TestRandomLinesAreReadAsBashReadsThem(t *testing.T) {
	if testing.Short() {
		t.Skip("compares random lines with bash")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("bash is needed to compare with it: %v; install it", err)
	}
	pieces := strings.Split(`a b x 'a' "a" ' " \ \\ $ = { } , .. ~ # ! - [ ] % / : é ^ + @ '' "" \" \' $x ( ) ; & | * ? && && ;`, " ")
	pieces = append(pieces, " ", " ", " ", "\t", "\\\n", " \\\n", "'b c'", `"b c"`, "\n", "\na ", " #", "; a ", " && a ")
	r := rand.New(rand.NewPCG(5, 6))
	var lines, have []string
	for range 8000 {
		line := "a "
		for range 1 + r.IntN(11) {
			line += pieces[r.IntN(len(pieces))]
		}
		a := shellcmd.Analyze(line, "/w", []string{"/w"})
		if !a.Known {
			continue
		}
		var words strings.Builder
		n := 0
		for _, p := range a.Parts {
			words.WriteString(strings.Join(p.Words, "\x00") + "\x00\x02")
			n += len(p.Words)
			if len(p.Words) > 0 && (strings.Contains(p.Words[0], "/") || slices.Contains([]string{"printf", "builtin", ":"}, p.Words[0])) {
				n = -1 // not looked up as a program, or used by the test itself
			}
		}
		if n == wordsIn(t, line) {
			lines, have = append(lines, line), append(have, words.String())
		}
	}
	if len(lines) < 500 {
		t.Errorf("only %d lines are compared", len(lines))
	}
	cmd := exec.Command(bash, "--noprofile", "--norc")
	cmd.Stdin = strings.NewReader(strings.Replace(reader, "; }", "; printf '\\2'; }", 1) + strings.Join(lines, "\nprintf '\\1'\n"))
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=/nowhere"}
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("bash: %v", err)
	}
	for i, want := range strings.Split(string(out), "\x01") {
		if i >= len(lines) || have[i] != want {
			t.Fatalf("%q is parsed as %q, and bash reads %q", lines[min(i, len(lines)-1)], have[min(i, len(lines)-1)], want)
		}
	}
}

// Of random here-documents, redirections and comments bash runs nothing that is
// not a part of a line that can be allowed.
func TestRandomRedirectionsAreReadAsBashReadsThem(t *testing.T) {
	if testing.Short() {
		t.Skip("compares random lines with bash")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("bash is needed to compare with it: %v; install it", err)
	}
	pieces := strings.Split(`a 'b' <<E <<'E' <<-E <<\E <<"E" <<E'F' <<''  <<<x 3<<E E F EF # # ; && { } \ $ ' " 2>/dev/null >/dev/null 2>&1 </dev/null 99999999999>/dev/null time! -- ! = %`, " ")
	pieces = append(pieces, " ", " ", "\n", "\n", "\nE\n", "\nE\n", "\n\tE\n", "\nE \n", "\nF\n", "\nEF\n", "\nE#\n", " \\\n", "\nc d\n", " && c d", "; c d")
	r := rand.New(rand.NewPCG(9, 10))
	compared := 0
	for compared < 700 {
		line := "a "
		for range 2 + r.IntN(9) {
			line += pieces[r.IntN(len(pieces))]
		}
		a := shellcmd.Analyze(line, "/w", []string{"/w"})
		if !a.Known || !strings.Contains(line, "<") {
			continue
		}
		compared++
		cmd := exec.Command(bash, "--noprofile", "--norc", "-c", strings.Replace(reader, "; }", "; printf '\\2'; } >&3", 1)+line)
		cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=/nowhere"}
		var ran strings.Builder
		if err := output(cmd, &ran); err != nil {
			t.Fatal(err)
		}
		parts := a.Parts
		for one := range strings.SplitSeq(strings.TrimSuffix(ran.String(), "\x02"), "\x02") {
			i := slices.IndexFunc(parts, func(p shellcmd.Part) bool { return strings.Join(p.Words, "\x00")+"\x00" == one })
			if i < 0 && one != "" {
				t.Fatalf("of %q bash runs %q, which was not found\n%s", line, one, fmt.Sprintf("%+v", a))
			}
			parts = parts[i+1:]
		}
	}
}

// output runs a command and reads what it writes to descriptor 3. The exit
// status is ignored: lines may fail.
func output(cmd *exec.Cmd, to io.Writer) error {
	ours, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ours.Close()
	cmd.ExtraFiles = []*os.File{theirs}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return err
	}
	_, err = io.Copy(to, ours)
	_ = cmd.Wait()
	return err
}

// wordsIn returns how many words the simple commands of a line have, or -1 if
// one of them redirects or may not run.
func wordsIn(t *testing.T, line string) int {
	t.Helper()
	file, why := canonical.Parse(line)
	if file == nil {
		t.Fatalf("%q: %s", line, why)
	}
	n := 0
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Redirect, *syntax.TimeClause:
			n = -1 << 20
		case *syntax.BinaryCmd:
			if node.Op != syntax.AndStmt {
				n = -1 << 20
			}
		case *syntax.Stmt:
			if node.Negated {
				n = -1 << 20
			}
		case *syntax.CallExpr:
			n += len(node.Args)
		}
		return true
	})
	return n
}
