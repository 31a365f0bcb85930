package shellcmd

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
)

func TestCanonicalForm(t *testing.T) {
	for _, c := range []struct{ name, command, want string }{
		{"plain words", "go test ./...", "go test ./..."},
		{"joined commands", "a && b || c | d", "a && b || c | d"},
		{"commands one after the other", "a; b\nc", "a; b; c"},
		{"a negated pipe", "! a | b", "! a | b"},
		{"quotes", `a "b c" 'd e' f\ g`, `a 'b c' 'd e' 'f g'`},
		{"a quote in quotes", `a "it's"`, `a 'it'\''s'`},
		{"an empty word", `a "" ''`, `a '' ''`},
		{"a continued line", "a \\\n  b", "a b"},
		{"a comment", "a # b\nc", "a; c"},
		{"characters of several bytes", `echo 字\;touch x`, `echo '字;touch' x`},
		{"a keyword as a program", "'if' a", "'if' a"},
		{"a keyword as an argument", "a if", "a if"},
		{"a program that looks like an assignment", "'A=b' c", "'A=b' c"},
		{"an assignment as an argument", "a B=c", "a B=c"},
		{"a pattern", "a *.go '*'x?", "a *.go '*x'?"},
		{"a pattern with brackets", "a [a-c]*", "a [a-c]*"},
		{"a pattern with quoted brackets", "a [a'b']", ""},
		{"braces", "a {b,c}.go", "a {b,c}.go"},
		{"braces that stand for themselves", "find . -exec a {} +", "find . -exec a {} +"},
		{"a home", "a ~/b", "a ~/b"},
		{"a tilde in quotes", "a '~/b'", "a '~/b'"},
		{"redirections", "a 2>&1 >/dev/null <b", "a 2>&1 >/dev/null <b"},
		{"a redirection before the program", ">a b c", ">a b c"},
		{"a number before a redirection", "a 2 >b", "a 2 >b"},
		{"a descriptor that is too large", "a 2147483648>b", ""},
		{"a here-document", "a <<E\nb\n\tc\nE", "a <<'EOF'\nb\n\tc\nEOF"},
		{"a here-document with tabs", "a <<-E\n\tb\n\t\tc\n\tE", "a <<'EOF'\nb\nc\nEOF"},
		{"a here-document with our delimiter", "a <<E\nEOF\nEOF_\nE", "a <<'EOF__'\nEOF\nEOF_\nEOF__"},
		{"an empty here-document", "a <<E\nE", "a <<'EOF'\nEOF"},
		{"two here-documents", "a <<E <<F | b\nc\nE\nd\nF\ne", "a <<'EOF' <<'EOF' | b; e\nc\nEOF\nd\nEOF"},
		{"a quoted here-document with a backslash", "a <<'E'\nb \\\nE", "a <<'EOF'\nb \\\nEOF"},
		{"a here-document with escapes", "a <<E\n\\$b \\\\ \\` \\\"\nE", "a <<'EOF'\n$b \\ ` \\\"\nEOF"},
		{"a here-document that expands", "a <<E\n$b \\$c $(d)\nE", "a <<EOF\n${b} \\$c $(d)\nEOF"},
		{"a here-document that is continued", "a <<-EOF\n\t\\\nEOF\nid\nEOF", ""},
		{"a here-document in a substitution", "a $(b <<E\nc\nE\n)", ""},
		{"a here-string", `a <<<"b c"`, "a <<<'b c'"},
		{"a variable", `a $b "$c d" ${e}f`, `a ${b} "${c}"' d' ${e}f`},
		{"a default", `a ${b:-c} "${d##*/}"`, `a ${b:-c} "${d##*/}"`},
		{"a default that runs something", "a ${b:-$(c)}", ""},
		{"a substitution", "a $(b | c; d) `e`", "a $(b | c; d) $(e)"},
		{"a substitution with a subshell", "a $( (b) )", "a $( (b) )"},
		{"an old substitution with backslashes", "a `b \\`c\\``", ""},
		{"arithmetic", "a $((b + (1 << 2)))", "a $((b + (1 << 2)))"},
		{"arithmetic that runs something", "a $((b[$(c)]))", ""},
		{"escapes of bash", `a $'b\n'`, `a $'b\n'`},
		{"translated text", `a $"b"`, ""},
		{"extended patterns", "a @(b|c)", ""},
		{"an assignment", "A=b B='c d' e", "A=b B='c d' e"},
		{"a list", "A=(b 'c d')", "A=(b 'c d')"},
		{"the background", "a & b", "a & b"},
		{"a group", "{ a; b; } >c", "{ a; b; } >c"},
		{"a subshell", "(a && b)", "(a && b)"},
		{"a condition", "if a; then b; elif c; then d; else e; fi", "if a; then b; elif c; then d; else e; fi"},
		{"a loop", "for a in b 'c d'; do e; done", "for a in b 'c d'; do e; done"},
		{"a loop over a here-document", "while a; do b; done <<E\nc\nE", "while a; do b; done <<'EOF'\nc\nEOF"},
		{"a case", `case "$a" in b|c*) d;; esac`, "case \"${a}\" in b | c*) d ;; esac"},
		{"a case in a substitution", "a $(case b in c) d;; esac)", ""},
		{"a function", "a() { b; }", "a() { b; }"},
		{"a test of bash", `[[ -f a && $b == "c"* ]]`, "[[ -f a && ${b} == c* ]]"},
		{"time", "time -p a | b", "time -p a | b"},
		{"time with two dashes", "time -- a", ""},
		{"what changes how the next line is parsed", "shopt -s extglob\na", ""},
		{"the same behind another builtin", "command -p builtin shopt -s expand_aliases\na", ""},
		{"the same in pieces", "builtin al'i'as a=b\na", ""},
		{"what is asked about a name of the same", "command -v alias", "command -v alias"},
		{"a shell's own text", `bash -c "a \"b c\"; d"`, `bash -c 'a '\''b c'\''; d'`},
		{"a shell's text with a trick", "bash -c 'a <<-E\n\t\\\nE\nid\nE'", "bash -c 'a <<-E\n\t\\\nE\nid\nE'"},
		{"text that is filled in", `xargs -I{} sh -c "a {}"`, `xargs '-I{}' sh -c 'a {}'`},
		{"nothing", "# a", ""},
		{"no syntax", "a 'b", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Analyze(c.command, "/w", []string{"/w"}).Canonical
			if got != c.want {
				t.Errorf("%q is printed as %q, want %q", c.command, got, c.want)
			}
			checkCanonical(t, c.command)
		})
	}
}

// checkCanonical checks what must hold for every command: a command that can be
// allowed has a canonical form, whose analysis is the same, and which is its
// own canonical form.
func checkCanonical(t *testing.T, command string) {
	t.Helper()
	r := Analyze(command, "/w", []string{"/w"})
	if r.Canonical == "" {
		if r.Known || allowable(r) {
			t.Errorf("%q can be allowed and has no canonical form\n%s", command, described(r))
		}
		return
	}
	again := Analyze(r.Canonical, "/w", []string{"/w"})
	if again.Canonical != r.Canonical {
		if len(r.Canonical) <= canonical.MaxParsed {
			t.Errorf("%q is printed as %q, and that as %q", command, r.Canonical, again.Canonical)
		}
		return
	}
	if r.Known && !reflect.DeepEqual(meaning(again), meaning(r)) {
		t.Errorf("%q is printed as %q, which is not the same\n%s%s", command, r.Canonical, described(r), described(again))
	}
}

// meaning returns the parts of a command without the details of how they are
// written.
func meaning(r Analysis) []Part {
	l := slices.Clone(r.Parts)
	for i := range l {
		if l[i].Text, l[i].Input = "", ""; l[i].Least == 0 {
			l[i].Words = nil // text passed to a shell is printed again too, and no rule covers it by its words
		}
	}
	return l
}

func TestTheTablesCommandsInCanonicalForm(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	for _, c := range shellcmdtest.Commands(t, w) {
		if len(c.Command) > 1000 {
			continue
		}
		checkCanonical(t, c.Command)
		r := Analyze(c.Command, w, []string{w})
		if r.Canonical == "" {
			continue
		}
		again := Analyze(r.Canonical, w, []string{w})
		if got, want := decided(again, c.Allow, c.Deny), decided(r, c.Allow, c.Deny); got != want && want != "ask" {
			t.Errorf("line %d: %q is %s, and its canonical form %q is %s", c.Line, c.Command, want, r.Canonical, got)
		}
	}
}

// On one line the printer of the parser loses what ends a group behind a command in the
// background, so such lines are printed on several.
func TestCommandsInTheBackgroundHaveACanonicalForm(t *testing.T) {
	for _, command := range []string{"(sleep 1 &)\nls", "(sleep 1 &); ls", "{ a & }; b", "if a; then b & fi; c", "(a &); cat <<E\nx\nE\nb"} {
		checkCanonical(t, command)
		if r := Analyze(command, "/w", nil); r.Canonical == "" {
			t.Errorf("%q has none: %s", command, r.Why)
		}
	}
}

// A canonical form can be longer than the limit of what is parsed.
func TestALongCommandHasACanonicalForm(t *testing.T) {
	command := `echo "` + strings.Repeat("'", canonical.MaxParsed-10) + `"`
	if r := Analyze(command, "/w", nil); r.Canonical == "" || !r.Known {
		t.Errorf("it has none: %s", r.Why)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, c := range shellcmdtest.Commands(f, "/w") {
		if len(c.Command) < 1000 {
			f.Add(c.Command)
		}
	}
	f.Fuzz(func(t *testing.T, s string) { checkCanonical(t, s) })
}
