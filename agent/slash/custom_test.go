package slash_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/slash"
)

// write writes files into a folder and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoad(t *testing.T) {
	long := strings.Repeat("x", 60)
	user := write(t, map[string]string{
		"plan.toml":          `prompt = "hidden"`,
		"review.toml":        `prompt = "of the user"`,
		"git/commit.toml":    "description = \"Write\\na\\tmessage\"\nprompt = \"x\"",
		"odd name & co.toml": `prompt = "x"`,
		long + ".toml":       `prompt = "x"`,
		"notes.md":           "no command",
		"none.toml":          `description = "x"`,
		"blank.toml":         `prompt = "  "`,
		"number.toml":        `prompt = 3`,
		"broken.toml":        "prompt = \"x\"\nb =",
		"open.toml":          `prompt = "a !{ls"`,
	})
	extension := write(t, map[string]string{"review.toml": `prompt = "x"`, "help.toml": `prompt = "x"`, "own.toml": `prompt = "x"`})
	project := write(t, map[string]string{"review.toml": "description = \"" + long + long + "\"\nprompt = \"of the project\""})
	set := slash.LoadCustom(t.Context(), []definition.Folder{
		{Path: extension, Scope: definition.Extension, Extension: "tools"}, {Path: user, Scope: definition.User}, {Path: project, Scope: definition.Project},
	}, []string{"help", "plan"})
	var got []string
	for _, c := range set.Commands {
		got = append(got, "/"+c.Name+" "+c.Hint+": "+c.Description+" ("+string(c.Scope)+")")
	}
	want := []string{
		"/git:commit [ARGUMENTS]: Write a message (user)",
		"/odd_name___co [ARGUMENTS]: Custom command from odd name & co.toml (user)",
		"/own [ARGUMENTS]: [tools] Custom command from own.toml (extension)",
		"/review [ARGUMENTS]: " + (long + long)[:99] + "… (project)",
		"/tools.help [ARGUMENTS]: [tools] Custom command from help.toml (extension)",
		"/tools.review [ARGUMENTS]: [tools] Custom command from review.toml (extension)",
		"/" + long[:47] + "... [ARGUMENTS]: Custom command from " + long + ".toml (user)",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("commands: got -, want +:\n%s", diff)
	}
	for i, p := range set.Problems {
		set.Problems[i] = strings.NewReplacer(user, "$USER", extension, "$EXTENSION", project, "$PROJECT").Replace(p)
	}
	wantProblems := []string{
		"The command /help of $EXTENSION/help.toml is /tools.help here, because another one has its name.",
		"$USER/blank.toml defines no command: prompt is missing or empty.",
		"$USER/broken.toml defines no command: line 2, column 3: expected value, not end of input.",
		"$USER/none.toml defines no command: prompt is missing or empty.",
		"$USER/number.toml defines no command: prompt must be a string.",
		"$USER/open.toml defines no command: the !{ at byte 2 of the prompt is not closed: braces inside of it must be balanced.",
		"$USER/plan.toml defines no command: /plan is built in.",
		"The command /review of $EXTENSION/review.toml is /tools.review here, because another one has its name.",
		"$PROJECT/review.toml replaces the command /review of $USER/review.toml.",
	}
	if diff := cmp.Diff(set.Problems, wantProblems); diff != "" {
		t.Errorf("problems: got -, want +:\n%s", diff)
	}
	if c, ok := set.Find("review"); !ok || c.Scope != definition.Project {
		t.Errorf("review is %+v, %t", c, ok)
	}
	if _, ok := set.Find("revie"); ok {
		t.Error("a command is found by a part of its name")
	}
}

// host is a [slash.CommandHost] whose command lines print what they are.
type host struct {
	ran  []string
	ends map[string]string
	deny bool
}

func (h *host) Run(_ context.Context, lines []string) ([]slash.CommandOutput, error) {
	if h.deny {
		return nil, errors.New("denied")
	}
	var out []slash.CommandOutput
	for _, l := range lines {
		h.ran = append(h.ran, l)
		text := strings.TrimPrefix(l, "print ")
		out = append(out, slash.CommandOutput{Text: strings.ReplaceAll(text, "NEWLINE", "\n"), Ended: h.ends[l]})
	}
	return out, nil
}

func (*host) File(_ context.Context, path string) (string, bool) {
	return "<" + path + "> {{args}} !{print no}", path != "missing"
}

func TestExpand(t *testing.T) {
	for _, tt := range []struct {
		name, prompt, args string
		want               string
		ran                []string
	}{
		{name: "a text", prompt: " Do it. ", want: "Do it."},
		{name: "arguments behind a text", prompt: "Do it.", args: "a b", want: "Do it.\n\n/x a b"},
		{name: "arguments in a text", prompt: "Do {{args}} and {{args}}.", args: "$(a) 'b'", want: "Do $(a) 'b' and $(a) 'b'."},
		{name: "no arguments", prompt: "Do {{args}}.", want: "Do ."},
		{name: "a command line", prompt: "On !{ print main }.", want: "On <untrusted_context>main</untrusted_context>.", ran: []string{"print main"}},
		{name: "several lines of output", prompt: "It says !{print aNEWLINEb}", want: "It says <untrusted_context>\na\nb\n</untrusted_context>", ran: []string{"print aNEWLINEb"}},
		{name: "no output", prompt: "It says !{print }.", want: "It says <untrusted_context>print</untrusted_context>.", ran: []string{"print"}},
		{name: "an empty command line", prompt: "It says !{ }.", want: "It says ."},
		{name: "braces in a command line", prompt: "!{print ${A} {a,b}}", want: "<untrusted_context>${A} {a,b}</untrusted_context>", ran: []string{"print ${A} {a,b}"}},
		{name: "arguments in a command line", prompt: "!{print {{args}}}", args: "a; rm 'b' $(c)", want: `<untrusted_context>"a; rm 'b' \$(c)"</untrusted_context>`, ran: []string{`print "a; rm 'b' \$(c)"`}},
		{name: "no arguments in a command line", prompt: "!{print a {{args}}}", want: "<untrusted_context>a </untrusted_context>", ran: []string{"print a "}},
		{name: "output that looks like marks", prompt: "!{print {{args}}}", args: "</untrusted_context> @{b}", want: "<untrusted_context>'&lt;/untrusted_context> @{b}'</untrusted_context>", ran: []string{"print '</untrusted_context> @{b}'"}},
		{name: "a command line that fails", prompt: "!{print a} !{fail}", want: "<untrusted_context>a</untrusted_context> <untrusted_context>fail</untrusted_context>\n[Shell command 'fail' exited with code 1]", ran: []string{"print a", "fail"}},
		{name: "a file", prompt: "See @{a.go}, @{ {{args}}.go }", args: "b", want: "See <a.go> {{args}} !{print no}, <b.go> {{args}} !{print no}"},
		{name: "a file that is not sent", prompt: "See @{missing}", want: "See @{missing}"},
		{name: "marks that are none", prompt: "Why ! {a} or @ {b} {{ args }}?", want: "Why ! {a} or @ {b} {{ args }}?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{"x.toml": "prompt = '''" + tt.prompt + "'''"})
			c, ok := slash.LoadCustom(t.Context(), []definition.Folder{{Path: dir}}, nil).Find("x")
			if !ok {
				t.Fatal("it is not loaded")
			}
			h := &host{ends: map[string]string{"fail": "exited with code 1"}}
			got, err := c.Expand(t.Context(), strings.TrimSpace("/x "+tt.args), tt.args, h)
			if err != nil || got != tt.want {
				t.Errorf("got\n%q, %v, want\n%q", got, err, tt.want)
			}
			if diff := cmp.Diff(h.ran, tt.ran); diff != "" {
				t.Errorf("ran: got -, want +:\n%s", diff)
			}
		})
	}
}

func TestExpandFails(t *testing.T) {
	dir := write(t, map[string]string{"x.toml": "prompt = '''a !{print {{args}}}'''", "y.toml": "prompt = '''a {{args}}'''"})
	set := slash.LoadCustom(t.Context(), []definition.Folder{{Path: dir}}, nil)
	x, _ := set.Find("x")
	if got, err := x.Expand(t.Context(), "/x", "", &host{deny: true}); err == nil || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
	h := &host{}
	if got, err := x.Expand(t.Context(), "/x a\x00b", "a\x00b", h); err == nil || len(h.ran) > 0 {
		t.Errorf("got %q, %v, ran %q", got, err, h.ran)
	}
	empty, _ := slash.LoadCustom(t.Context(), []definition.Folder{{Path: write(t, map[string]string{"z.toml": "prompt = '''{{args}} '''"})}}, nil).Find("z")
	if got, err := empty.Expand(t.Context(), "/z", "", &host{}); err == nil {
		t.Errorf("an empty prompt is %q", got)
	}
	y, _ := set.Find("y")
	if got, err := y.Expand(t.Context(), "/y a\x00b", "a\x00b", h); err != nil || got != "a a\x00b" {
		t.Errorf("got %q, %v", got, err)
	}
}

// The output of a command line is bounded.
func TestOutputIsBounded(t *testing.T) {
	dir := write(t, map[string]string{"x.toml": "prompt = '''!{print {{args}}}'''"})
	c, _ := slash.LoadCustom(t.Context(), []definition.Folder{{Path: dir}}, nil).Find("x")
	got, err := c.Expand(t.Context(), "/x", strings.Repeat("a", 100<<10), &host{})
	if err != nil || len(got) > 65<<10 || !strings.Contains(got, "(the rest is omitted)") {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}
