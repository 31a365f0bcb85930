package shell

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/tools/shell/shelltest"
)

// reader has bash print the words of a command instead of running it: no
// program can be found, and no builtin is left but those that it needs.
const reader = `
command_not_found_handle() { printf '%s\0' "$@"; }
for b in $(compgen -b) ; do case $b in printf|builtin|enable|:) ;; *) enable -n "$b" ;; esac ; done
enable -n enable
`

// What bash makes of a line is what the analysis says of it.
func TestWordsAreThoseOfBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("bash is needed to compare with it: %v; install it", err)
	}
	w := shelltest.Workspace(t)
	lines := []string{
		`a "b c" 'd e' f\ g`, `a "" ''`, `a"b"'c'\d`, `a "x\"y" "x\\y" "x\y" "\$x" "a\` + "`" + `b"`, `a '\n' "\n" \n`, `a "b` + "\n" + `c"`, "a \\\n b", "a b\\\nc", "a \"b\\\nc\"", `a {b} {} {b,} x{y`, `a b=c --d=~e`, `a "~" '~'`, `a b#c '#d' \#e # f`,
		`a 'it'"'"'s'`, `a "$" '$x' \$x a$ $`, `a ! !b b!`, `a [ ] x]`, `a -- -x --y=z`, `a %s 100% @ ^ , . : / _ +`, "a\tb\t\tc", `a "  "  b`, `a é 漢 😀`, `a "'" '"'`, `a \" \' \\`, `a ';' '&' '|' '<' '>' '('`, `a \; \& \| \< \> \( \)`, `\a b`, `'a' b`, `"a"'b' c`, `a x:y=z x=y`,
		`a {1..} {..2}`, `a "*" '?' \*`, `a if then fi`, `a time`, `a x"y z"w'q'`, `a \` + "\n" + `b`,
	}
	for _, c := range shelltest.Commands(t, w) {
		if len(c.Command) < 1000 {
			lines = append(lines, c.Command)
		}
	}
	compared := 0
	for _, line := range lines {
		r := Analyze(line, w, []string{w})
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

// wordsIn is how many words the one simple command in a line has, or -1 when
// it is something else or redirects.
func wordsIn(t *testing.T, line string) int {
	t.Helper()
	file, why := parse(line)
	if file == nil {
		t.Fatalf("%q: %s", line, why)
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(file.Stmts[0].Redirs) > 0 {
		return -1
	}
	return len(call.Args)
}
