package shellcmd

import (
	"slices"
	"testing"
)

func TestParts(t *testing.T) {
	for _, c := range []struct {
		name, command string
		parts         []string
		known         bool
	}{
		{"two joined commands", "touch a.txt && echo hi", []string{"touch a.txt", "echo hi"}, true},
		{"a list with every join", "a; b && c || d | e\n! f", []string{"a", "b", "c", "d", "e", "f"}, true},
		{"quoting that folds", `r\m 'a b' "c"d`, []string{`r\m 'a b' "c"d`}, true},
		{"a printed format", "printf 'canary-%s' 99; pwd; exit 3", []string{"printf 'canary-%s' 99", "pwd", "exit 3"}, true},
		{"a comment", "ls # rm -rf /", []string{"ls"}, true},
		{"a pattern for a program that can do harm", "go vet ./*.go", []string{"go vet ./*.go"}, false},
		{"a pattern for a program that can do none", "cat *", []string{"cat *"}, true},
		{"a pattern behind two dashes", "rm -- *", []string{"rm -- *"}, true},
		{"a pattern as the program", "/bin/r? x", []string{"/bin/r? x"}, false},
		{"errors to nowhere", "make 2>/dev/null >&2", []string{"make 2>/dev/null >&2"}, true},
		{"output into a file", "echo hi > f", []string{"echo hi > f"}, true},
		{"output into a file named like a copy", "echo hi >&f", []string{"echo hi >&f"}, true},
		{"a redirection alone", "> f", []string{"> f"}, false},
		{"a descriptor in a variable", "exec {x}>/dev/null", []string{"exec {x}>/dev/null"}, false},
		{"a here-document of text", "cat <<'E' | sort\n$(rm x)\nE", []string{"cat <<'E'", "sort"}, true},
		{"a here-document that expands", "cat <<E\n$(rm x)\nE", []string{"cat <<E", "rm x"}, false},
		{"a substitution", "echo $(rm x)", []string{"echo $(rm x)", "rm x"}, false},
		{"an old substitution", "echo `rm x`", []string{"echo `rm x`", "rm x"}, false},
		{"a process substitution", "diff <(a) b", []string{"diff <(a) b", "a"}, false},
		{"a substitution in arithmetic", "echo $((a[$(id)]))", []string{"echo $((a[$(id)]))", "id"}, false},
		{"a variable", "echo $HOME", []string{"echo $HOME"}, false},
		{"a home", "ls ~", []string{"ls ~"}, false},
		{"braces", "rm {a,b}", []string{"rm {a,b}"}, false},
		{"braces with quotes in them", `rm {"a",b}`, []string{`rm {"a",b}`}, false},
		{"braces that are none", "git show HEAD@{1}", []string{"git show HEAD@{1}"}, true},
		{"escapes of bash", `$'\x72m' x`, []string{`$'\x72m' x`}, false},
		{"a variable for one command", "PATH=/x ls", []string{"PATH=/x ls"}, false},
		{"a variable for all", "export PATH=/x; ls", []string{"export PATH=/x", "ls"}, false},
		{"the background", "sleep 9 & ls", []string{"sleep 9", "ls"}, false},
		{"a subshell", "(cd x && ls)", []string{"cd x", "ls"}, false},
		{"a loop", "for f in a b; do rm $f; done", []string{"rm $f"}, false},
		{"a function", "ls() { rm x; }; ls", []string{"rm x", "ls"}, false},
		{"a condition", "if a; then b; else c; fi", []string{"a", "b", "c"}, false},
		{"a test of bash", "[[ -f x ]] && ls", []string{"[[ -f x ]]", "ls"}, false},
		{"eval", "eval 'rm x'", []string{"eval 'rm x'", "rm x"}, true},
		{"a wrapper", "env A=b rm x", []string{"env A=b rm x", "rm x"}, true},
		{"a wrapper by its path", "/usr/bin/env rm x", []string{"/usr/bin/env rm x", "rm x"}, true},
		{"a shell", "sh -c 'rm x'", []string{"sh -c 'rm x'", "rm x"}, true},
		{"a search", "find . -name '*.go'", []string{"find . -name '*.go'"}, true},
		{"a search that runs", `find . -exec rm {} \;`, []string{`find . -exec rm {} \;`, "rm {}"}, false},
		{"a format into a variable", "printf -v 'a[$(id)]' x", []string{"printf -v 'a[$(id)]' x"}, false},
		{"a continued line", "git \\\n status", []string{"git \\\n status"}, true},
		{"a process of its own with a variable", "coproc a.txt VAR=x", []string{"a.txt VAR=x"}, false},
		{"nothing", "# nothing", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Analyze(c.command, "/w", []string{"/w"})
			if got := r.Texts(); !slices.Equal(got, c.parts) {
				t.Errorf("parts of %q are %q, want %q", c.command, got, c.parts)
			}
			if r.Known != c.known {
				t.Errorf("%q is known: %v (%s), want %v", c.command, r.Known, r.Why, c.known)
			}
		})
	}
}

func TestEffectOfHiddenText(t *testing.T) {
	got := Analyze("ls \u202ex", t.TempDir(), nil)
	if got.Command != "ls \u202ex" || got.Known || len(got.Parts) != 1 || got.Parts[0].Text != `ls \u202ex` || got.Destructive == "" {
		t.Errorf("got %+v", got)
	}
}
