package langserver_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// started starts servers without a sandbox.
func started(_ context.Context, l langserver.Launch) (sandbox.Process, error) {
	env := append(sandbox.Environment(os.Environ(), nil, l.Folders), l.Environ...)
	return sandbox.System().Start(context.Background(), sandbox.Command{Argv: l.Argv, Dir: l.Folders[0], Env: env, Streams: sandbox.Separate})
}

func TestRealServersCheckAndFormatProposedText(t *testing.T) {
	dir := langservertest.Installed(t)
	for _, tt := range []struct {
		program, file string
		files         map[string]string
		proposed      string
		want          []string
		messy, tidy   string // before and after formatting
	}{
		{
			program: "gopls", file: "a.go",
			files:    map[string]string{"go.mod": "module x\n\ngo 1.24\n", "a.go": "package x\n\nfunc A() int { return B() }\n", "b.go": "package x\n\nfunc B() int { return 1 }\n"},
			proposed: "package x\n\nfunc A() string { return B() }\n",
			want:     []string{"cannot use B() (value of type int) as string value in return statement"},
			messy:    "package x\n\nfunc A() int {\n\tx:=B( )\n  return x\n}\n", tidy: "package x\n\nfunc A() int {\n\tx := B()\n\treturn x\n}\n",
		},
		{
			program: "typescript-language-server", file: "a.ts",
			files:    map[string]string{"tsconfig.json": `{"compilerOptions": {"strict": true}}`, "a.ts": "import {b} from './b';\nexport const a: number = b();\n", "b.ts": "export function b(): number { return 1 }\n"},
			proposed: "import {b} from './b';\nexport const a: string = b();\nf(\n",
			want:     []string{"')' expected.", "Type 'number' is not assignable to type 'string'.", "Cannot find name 'f'."},
			messy:    "export function a(){\n  const x=1\n      return x\n}\n", tidy: "export function a() {\n  const x = 1\n  return x\n}\n",
		},
	} {
		t.Run(tt.program, func(t *testing.T) {
			folder, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			tree, err := disk.NewTree([]string{folder})
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			work := ide.NewWorkspace(tree, ide.UTF16)
			pool := langserver.NewPool(langserver.Options{Start: started, Environ: []string{"PATH=" + dir}})
			defer pool.Close()
			lease := pool.Lease([]string{folder})
			defer lease.Close()
			i := slices.IndexFunc(langserver.Builtin(), func(p langserver.Program) bool { return p.Name == tt.program })
			path := filepath.Join(folder, tt.file)
			problems := func(texts map[string]string) (found []string) {
				t.Helper()
				err := lease.Converse(t.Context(), langserver.Builtin()[i], langserver.View{Snapshot: work.Snapshot(), Texts: texts}, []string{path}, func(ctx context.Context, c *langserver.Conversation) error {
					l, err := c.Diagnostics(ctx, path)
					for _, d := range l {
						if d.Severity == langserver.Error {
							found = append(found, d.Message)
						}
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			if got := problems(nil); len(got) > 0 {
				t.Errorf("on disk: %q", got)
			}
			if got := problems(map[string]string{path: tt.proposed}); !slices.Equal(got, tt.want) {
				t.Errorf("proposed: got %q, want %q", got, tt.want)
			}
			if got := problems(nil); len(got) > 0 {
				t.Errorf("afterwards: %q", got)
			}
			var formatted string
			err = lease.Converse(t.Context(), langserver.Builtin()[i], langserver.View{Snapshot: work.Snapshot(), Texts: map[string]string{path: tt.messy}}, nil, func(ctx context.Context, c *langserver.Conversation) (err error) {
				formatted, err = c.Format(ctx, path)
				return err
			})
			if err != nil || formatted != tt.tidy {
				t.Errorf("formatted: %q, %v, want %q", formatted, err, tt.tidy)
			}
		})
	}
}

func TestTheSyntaxErrorsOfRealServersAreKnown(t *testing.T) {
	dir := langservertest.Installed(t)
	for _, tt := range []struct {
		program, file string
		broken        []string // texts that cannot be parsed
		wrong         []string // texts that can, with other errors
	}{
		{
			program: "gopls", file: "a.go",
			broken: []string{"package x\n\nfunc A() int { return (1 + }\n", "package x\n\nfunc A() {\n", "package x\n\nvar s = \"abc\n"},
			wrong:  []string{"package x\n\nfunc A() int { return b }\n", "package x\n\nimport \"os\"\nimport \"no/such\"\n\nfunc A() int {}\n"},
		},
		{
			program: "typescript-language-server", file: "a.tsx",
			broken: []string{"f(\n", "const a = {b: 1\nlet x = 3 +;\n", "let s = 'abc\n`x", "<<<<<<< HEAD\nlet x = 1\n=======\n>>>>>>> b\n", "const a = <div><b></div>;\n", "var x: = 3; function (a) {}\n"},
			wrong: []string{
				"import x from './nope';\nconst b: number = 'x';\nlet c = d;\n", "return 2;\n", "abstract class Q { private private x; }\nbreak; export = 3; enum E { a = 1, a }\n",
				"export const a = <div class={b}></div>;\n",
			},
		},
		{
			program: "pyright-langserver", file: "a.py",
			broken: []string{"def f(:\n    pass\n", "x = (1 +\n", "if True:\nx = 1\n", "s = 'abc\n", "for x in range(3)\n  pass\n"},
			wrong:  []string{"x = y\n", "import nope\nx: int = 'a'\nx.foo()\n", "def f(a): pass\nf()\n"},
		},
		{
			program: "clangd", file: "a.cpp",
			broken: []string{"int f( { return 1; }\n", "int f() { return 1 }\n", "int f() { return 1;\n", "int f() { } }\n", "int y[ = 3;\n", "int g() { if x { } }\n"},
			wrong:  []string{"int f() { return g() + z; }\n", "nope::x y; std::vector<int> v;\n", "namespace a { class B; }; a::C c;\n", "#include \"nope.h\"\nint f() { EACH(x) { return 1; } }\n"},
		},
	} {
		t.Run(tt.program, func(t *testing.T) {
			folder, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"go.mod": "module x\n\ngo 1.24\n", tt.file: ""} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			tree, err := disk.NewTree([]string{folder})
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			pool := langserver.NewPool(langserver.Options{Start: started, Environ: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}})
			defer pool.Close()
			lease := pool.Lease([]string{folder})
			defer lease.Close()
			i := slices.IndexFunc(langserver.Builtin(), func(p langserver.Program) bool { return p.Name == tt.program })
			path := filepath.Join(folder, tt.file)
			snapshot := ide.NewWorkspace(tree, ide.UTF16).Snapshot()
			for n, text := range slices.Concat(tt.broken, tt.wrong) {
				view := langserver.View{Snapshot: snapshot, Texts: map[string]string{path: text}}
				err := lease.Converse(t.Context(), langserver.Builtin()[i], view, nil, func(ctx context.Context, c *langserver.Conversation) error {
					all, err := c.Diagnostics(ctx, path)
					of := langserver.OfSyntax(all)
					if broken := n < len(tt.broken); err == nil && (len(of) > 0 != broken || len(all) == 0) {
						t.Errorf("%q: of %+v are of syntax: %+v", text, all, of)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestRealServersCheckEditsOfSeveralFilesTogether(t *testing.T) {
	dir := langservertest.Installed(t)
	for _, tt := range []struct {
		program       string
		before, after map[string]string
	}{
		{
			"gopls",
			map[string]string{"go.mod": "module x\n\ngo 1.24\n", "a.go": "package x\n\nfunc A() int { return 1 }\n", "b.go": "package x\n"},
			map[string]string{"a.go": "package x\n\nfunc A() int { return b() }\n", "b.go": "package x\n\nfunc b() int { return 1 }\n"},
		},
		{
			"typescript-language-server",
			map[string]string{"tsconfig.json": "{}", "a.ts": "export const a = 1;\n", "z.ts": "export const c = 1;\n"},
			map[string]string{"a.ts": "import {b} from './z';\nexport const a: number = b();\n", "z.ts": "export const c = 1;\nexport function b(): number { return 1; }\n"},
		},
		{
			"pyright-langserver",
			map[string]string{"a.py": "a = 1\n", "z.py": "c = 1\n"},
			map[string]string{"a.py": "from z import b\na = b()\n", "z.py": "c = 1\ndef b() -> int:\n    return 1\n"},
		},
	} {
		t.Run(tt.program, func(t *testing.T) {
			folder, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			texts := func(of map[string]string) map[string]string {
				all := map[string]string{}
				for name := range tt.after {
					all[filepath.Join(folder, name)] = of[name]
				}
				return all
			}
			for name, text := range tt.before {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			tree, err := disk.NewTree([]string{folder})
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			pool := langserver.NewPool(langserver.Options{Start: started, Environ: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}})
			defer pool.Close()
			lease := pool.Lease([]string{folder})
			defer lease.Close()
			i := slices.IndexFunc(langserver.Builtin(), func(p langserver.Program) bool { return p.Name == tt.program })
			view := langserver.View{Snapshot: ide.NewWorkspace(tree, ide.UTF16).Snapshot(), Texts: texts(tt.before)}
			err = lease.Converse(t.Context(), langserver.Builtin()[i], view, nil, func(ctx context.Context, c *langserver.Conversation) error {
				for _, of := range []map[string]string{nil, texts(tt.after), texts(tt.before), texts(tt.after)} {
					if of != nil {
						if err := c.SetTexts(ctx, of); err != nil {
							return err
						}
					}
					for _, path := range slices.Sorted(maps.Keys(texts(tt.after))) {
						l, err := c.Diagnostics(ctx, path)
						if err != nil {
							return err
						}
						for _, d := range l {
							if d.Severity == langserver.Error {
								t.Errorf("%s: %s", filepath.Base(path), d.Message)
							}
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
