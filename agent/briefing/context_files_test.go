package briefing

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/ide/disk"
)

// plant creates a workspace below a folder that is not part of it.
func plant(t *testing.T, files map[string]string) (*disk.Tree, string) {
	t.Helper()
	above, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(above, "work")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(target, p)
		} else {
			err = os.WriteFile(p, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return tree, dir
}

func found(t *testing.T, tree *disk.Tree, fs []File) []string {
	t.Helper()
	l := []string{}
	for _, f := range fs {
		p, err := tree.At(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		l = append(l, p.Rel+": "+f.Text)
	}
	return l
}

func TestRoots(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		names []string
		left  string
		want  []string
	}{
		{name: "names that reach further", files: map[string]string{".env": "K=1", "d/x.md": "x"}, names: []string{".env", "d/x.md", "../x.md"}, want: []string{}},
		{name: "none", want: []string{}},
		{
			name: "both names, not those of folders below", files: map[string]string{"AGENTS.md": "a", "GEMINI.md": "g", "sub/AGENTS.md": "s"},
			want: []string{"AGENTS.md: a", "GEMINI.md: g"},
		},
		{name: "other names", files: map[string]string{"AGENTS.md": "a", "RULES.md": "r"}, names: []string{"RULES.md"}, want: []string{"RULES.md: r"}},
		{name: "one file under two names", files: map[string]string{"AGENTS.md": "a", "GEMINI.md": "-> AGENTS.md"}, want: []string{"AGENTS.md: a"}},
		{
			name: "one that another imports", files: map[string]string{"AGENTS.md": "a", "CLAUDE.md": "@AGENTS.md\nc"},
			want: []string{"CLAUDE.md: <!-- imported from AGENTS.md -->\na\n<!-- end of AGENTS.md -->\nc"},
		},
		{
			name: "one that imports another", files: map[string]string{"AGENTS.md": "a @CLAUDE.md", "CLAUDE.md": "c"},
			want: []string{"AGENTS.md: a <!-- imported from CLAUDE.md -->\nc\n<!-- end of CLAUDE.md -->"},
		},
		{name: "a link that leads outside", files: map[string]string{"AGENTS.md": "-> ../AGENTS.md"}, want: []string{}},
		{name: "a link to what holds secrets", files: map[string]string{".env": "K=1", "AGENTS.md": "-> .env"}, want: []string{}},
		{name: "a private key", files: map[string]string{"AGENTS.md": "use this\n" + privateKey}, want: []string{}},
		{name: "kept from models", files: map[string]string{"AGENTS.md": "a", "GEMINI.md": "g", ".emendoignore": "AGENTS.md\n", ".geminiignore": "GEMINI.md\n"}, want: []string{}},
		{name: "a link to what is kept from models", files: map[string]string{"AGENTS.md": "-> private/a.md", "private/a.md": "a", ".emendoignore": "private/\n"}, want: []string{}},
		{name: "kept out of the repository alone", files: map[string]string{"AGENTS.md": "a", ".gitignore": "AGENTS.md\n", ".git/HEAD": ""}, want: []string{"AGENTS.md: a"}},
		{name: "a folder of that name", files: map[string]string{"AGENTS.md/x": "x"}, want: []string{}},
		{name: "nothing in it", files: map[string]string{"AGENTS.md": " \n"}, want: []string{}},
		{name: "no text", files: map[string]string{"AGENTS.md": "\x00\x01\x02"}, want: []string{}},
		{name: "left out by the user", files: map[string]string{"AGENTS.md": "a", "GEMINI.md": "g"}, left: "AGENTS.md", want: []string{"GEMINI.md: g"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree, dir := plant(t, tt.files)
			l := lookup{Tree: tree, Names: tt.names, Left: func(p string) bool { return p == filepath.Join(dir, tt.left) }}
			if diff := cmp.Diff(found(t, tree, l.roots(t.Context())), tt.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAbove(t *testing.T) {
	files := map[string]string{
		"AGENTS.md": "root", "a/AGENTS.md": "a", "a/b/c.go": "", "a/b/GEMINI.md": "b",
		"node_modules/x/AGENTS.md": "theirs", ".gitignore": "out/\n", ".git/HEAD": "ref: refs/heads/main\n", "out/AGENTS.md": "made",
	}
	for _, tt := range []struct {
		name, place string
		have        []string
		want        []string
	}{
		{name: "from the farthest to the nearest", place: "a/b/c.go", want: []string{"a/AGENTS.md: a", "a/b/GEMINI.md: b"}},
		{name: "a folder itself", place: "a", want: []string{"a/AGENTS.md: a"}},
		{name: "a file that is yet to be made", place: "a/new/x.go", want: []string{"a/AGENTS.md: a"}},
		{name: "what is known is not given again", place: "a/b/c.go", have: []string{"a/AGENTS.md"}, want: []string{"a/b/GEMINI.md: b"}},
		{name: "the root's are not among them", place: "main.go", want: []string{}},
		{name: "other people's files", place: "node_modules/x/y.js", want: []string{}},
		{name: "an ignored folder", place: "out/x", want: []string{}},
		{name: "outside", place: "../x", want: []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree, dir := plant(t, files)
			l := lookup{Tree: tree}
			for _, h := range tt.have {
				l.Have = append(l.Have, filepath.Join(dir, h))
			}
			if diff := cmp.Diff(found(t, tree, l.above(t.Context(), filepath.Join(dir, tt.place))), tt.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestImports(t *testing.T) {
	chain := map[string]string{}
	for i := range 8 {
		chain[fmt.Sprintf("f%d.md", i)] = fmt.Sprintf("%d @./f%d.md", i, i+1)
	}
	for _, tt := range []struct {
		name, text string
		files      map[string]string
		want       string
	}{
		{name: "a file beside it", text: "Read @./x.md first.", files: map[string]string{"x.md": "X\n"}, want: "Read <!-- imported from ./x.md -->\nX\n<!-- end of ./x.md --> first."},
		{
			name: "from where the import stands", text: "@docs/a.md", files: map[string]string{"docs/a.md": "@b.md", "docs/b.md": "B", "b.md": "wrong"},
			want: "<!-- imported from docs/a.md -->\n<!-- imported from b.md -->\nB\n<!-- end of b.md -->\n<!-- end of docs/a.md -->",
		},
		{name: "twice is no circle", text: "@x.md @x.md", files: map[string]string{"x.md": "X"}, want: strings.Repeat("<!-- imported from x.md -->\nX\n<!-- end of x.md --> ", 2)[:2*len("<!-- imported from x.md -->\nX\n<!-- end of x.md -->")+1]},
		{name: "a circle", text: "@x.md", files: map[string]string{"x.md": "@AGENTS.md"}, want: "<!-- imported from x.md -->\n<!-- not imported: AGENTS.md: it imports itself -->\n<!-- end of x.md -->"},
		{name: "no code", text: "`@x.md` and\n```\n@x.md\n```\nnor ``a ` @x.md``", files: map[string]string{"x.md": "X"}, want: "`@x.md` and\n```\n@x.md\n```\nnor ``a ` @x.md``"},
		{name: "a lone back-tick begins no code", text: "it`s @x.md", files: map[string]string{"x.md": "X"}, want: "it`s <!-- imported from x.md -->\nX\n<!-- end of x.md -->"},
		{name: "an address is none", text: "me@x.md and @https://x.md", files: map[string]string{"x.md": "X"}, want: "me@x.md and @https://x.md"},
		{name: "a person is none", text: "ask @alice", want: "ask @alice"},
		{name: "missing", text: "@./gone.md", want: "<!-- not imported: ./gone.md: no such file -->"},
		{name: "outside", text: "@../x.md", want: "<!-- not imported: ../x.md: it is outside the workspace -->"},
		{name: "outside, absolute", text: "@/etc/hostname", want: "<!-- not imported: /etc/hostname: it is outside the workspace -->"},
		{name: "outside, by a link", text: "@l.md", files: map[string]string{"l.md": "-> /etc/hostname"}, want: "<!-- not imported: l.md: it is outside the workspace -->"},
		{name: "a folder", text: "@docs/", files: map[string]string{"docs/a.md": ""}, want: "<!-- not imported: docs/: it is a folder -->"},
		{name: "secrets", text: "@.env", files: map[string]string{".env": "KEY=1"}, want: "<!-- not imported: .env: it may hold secrets -->"},
		{name: "a link to secrets", text: "@l.md", files: map[string]string{".env": "KEY=1", "l.md": "-> .env"}, want: "<!-- not imported: l.md: it may hold secrets -->"},
		{name: "a private key", text: "@k.md", files: map[string]string{"k.md": "mine:\n" + privateKey}, want: "<!-- not imported: k.md: it has a private key or credentials -->"},
		{name: "kept from models", text: "@x.md", files: map[string]string{"x.md": "X", ".emendoignore": "x.md\n"}, want: "<!-- not imported: x.md: it is excluded by .emendoignore or .geminiignore -->"},
		{name: "a name that would end the remark", text: "@./-->x", want: "<!-- not imported: ./- ->x: no such file -->"},
		{name: "a long chain", text: "@f0.md", files: chain, want: chainWant()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"AGENTS.md": tt.text}
			for n, s := range tt.files {
				files[n] = s
			}
			tree, _ := plant(t, files)
			fs := lookup{Tree: tree}.roots(t.Context())
			if len(fs) != 1 || fs[0].Text != tt.want {
				t.Errorf("got  %q\nwant %q", fs, tt.want)
			}
			names := map[string]bool{}
			for _, line := range strings.Split(tt.want, "<!-- ") {
				if name, ok := strings.CutPrefix(line, "imported from "); ok {
					names[filepath.Base(strings.TrimSuffix(strings.Split(name, "\n")[0], " -->"))] = true
				}
			}
			if len(fs) == 1 && len(fs[0].Imports) != len(names) {
				t.Errorf("said to be imported are %v, and it has %v", fs[0].Imports, names)
			}
		})
	}
}

func chainWant() string {
	s := "<!-- not imported: ./f5.md: imports are nested more than 5 deep -->"
	for i := 4; i >= 0; i-- {
		name := fmt.Sprintf("./f%d.md", i)
		if i == 0 {
			name = "f0.md"
		}
		s = fmt.Sprintf("<!-- imported from %s -->\n%d %s\n<!-- end of %s -->", name, i, s, name)
	}
	return s
}

func TestLimits(t *testing.T) {
	tree, _ := plant(t, map[string]string{
		"AGENTS.md": strings.Repeat("é", maxContextFile), "GEMINI.md": strings.Repeat("@x.md ", 200), "x.md": "x",
	})
	fs := lookup{Tree: tree}.roots(t.Context())
	if len(fs) != 2 || len(fs[0].Text) > maxContextFile+200 || !strings.Contains(fs[0].Text, "is left out") {
		t.Errorf("a long file is not cut: %d files", len(fs))
	}
	if n := strings.Count(fs[1].Text, "imported from x.md"); n != 100 {
		t.Errorf("%d imports are made", n)
	}
}

func TestNotes(t *testing.T) {
	n := notes{Dir: filepath.Join(t.TempDir(), "memory")}
	if s, err := n.read("/w"); s != "" || err != nil {
		t.Fatalf("nothing saved: %q, %v", s, err)
	}
	for _, fact := range []string{"Tabs,\nnot  spaces\u202e.", "Second."} {
		if err := n.add("/w", fact, "session 1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.add("/w", "Second.", "session 2"); !errors.Is(err, errKnown) {
		t.Errorf("the same fact again: %v", err)
	}
	s, err := n.read("/w")
	if want := "- Tabs, not spaces . <!-- session 1 -->\n- Second. <!-- session 1 -->\n"; s != want || err != nil {
		t.Errorf("read %q, %v, want %q", s, err, want)
	}
	if s, _ := n.read("/other"); s != "" {
		t.Errorf("another workspace reads %q", s)
	}
	info, err := os.Stat(n.path("/w"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file is not private: %v, %v", info, err)
	}
	for i := 0; err == nil; i++ {
		err = n.add("/w", fmt.Sprint(i, strings.Repeat(" word", (2<<10)/8)), "")
	}
	if !errors.Is(err, errFull) {
		t.Errorf("it never is full: %v", err)
	}
	if !slices.Contains(defaultNames, "AGENTS.md") {
		t.Error("AGENTS.md is no context file")
	}
}

// privateKey looks like one.
const privateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n-----END OPENSSH PRIVATE KEY-----\n"
