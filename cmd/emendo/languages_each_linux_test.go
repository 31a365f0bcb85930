package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Every language tool works with every language server in the sandbox.
func TestEveryLanguageServerAnswersEveryTool(t *testing.T) {
	for _, tt := range []struct {
		program string
		files   map[string]string
		asked   []query
		renamed map[string]string // files after the rename of base to root
	}{
		{
			program: "gopls",
			files: map[string]string{
				"go.mod":    "module example.com/x\n\ngo 1.24\n",
				"base.go":   "package x\n\n// base is used in use.go.\nfunc base() int { return 1 }\n",
				"use.go":    "package x\n\nfunc use() int { return base() + 1 }\n",
				"broken.go": "package x\n\nvar broken int = \"text\"\n",
			},
			asked: []query{
				{"find_references", `"file_path": "base.go", "line": 4, "symbol": "base"`, []string{"File: use.go\\nL3: func use() int", "File: base.go\\nL4:"}},
				{"get_diagnostics", `"file_path": "broken.go"`, []string{"File: broken.go\\nL3: error: cannot use"}},
				{"go_to_definition", `"file_path": "use.go", "line": 3, "symbol": "base"`, []string{"File: base.go\\nL4: func base() int"}},
				{"hover", `"file_path": "use.go", "line": 3, "symbol": "base"`, []string{"func base() int", "base is used in use.go."}},
				{"document_symbols", `"file_path": "use.go"`, []string{"File: use.go\\nL3: function use"}},
				{"workspace_symbols", `"query": "base"`, []string{"File: base.go\\nL4: function base"}},
			},
			renamed: map[string]string{
				"base.go": "package x\n\n// root is used in use.go.\nfunc root() int { return 1 }\n",
				"use.go":  "package x\n\nfunc use() int { return root() + 1 }\n",
			},
		},
		{
			program: "typescript-language-server",
			files: map[string]string{
				"tsconfig.json": `{"compilerOptions": {"strict": true}}`,
				"base.ts":       "/** Is used in use.ts. */\nexport function base(): number { return 1 }\n",
				"use.ts":        "import {base} from './base';\nexport function use(): number { return base() + 1 }\n",
				"broken.ts":     "export const broken: number = 'text';\n",
			},
			asked: []query{
				{"find_references", `"file_path": "base.ts", "line": 2, "symbol": "base"`, []string{"File: use.ts\\nL1: import {base}", "L2: export function use", "File: base.ts\\nL2:"}},
				{"get_diagnostics", `"file_path": "broken.ts"`, []string{"File: broken.ts\\nL1: error: Type 'string' is not assignable"}},
				{"go_to_definition", `"file_path": "use.ts", "line": 2, "symbol": "base"`, []string{"File: base.ts\\nL2: export function base"}},
				{"hover", `"file_path": "use.ts", "line": 2, "symbol": "base"`, []string{"base(): number", "Is used in use.ts."}},
				{"document_symbols", `"file_path": "use.ts"`, []string{"File: use.ts", "L2: function use"}},
				{"workspace_symbols", `"query": "base"`, []string{"File: base.ts\\nL2: function base"}},
			},
			renamed: map[string]string{
				"base.ts": "/** Is used in use.ts. */\nexport function root(): number { return 1 }\n",
				"use.ts":  "import {root} from './base';\nexport function use(): number { return root() + 1 }\n",
			},
		},
		{
			program: "pyright-langserver",
			files: map[string]string{
				"base.py":   "def base() -> int:\n    \"\"\"Is used in use.py.\"\"\"\n    return 1\n",
				"use.py":    "from base import base\n\n\ndef use() -> int:\n    return base() + 1\n",
				"broken.py": "broken: int = \"text\"\n",
			},
			asked: []query{
				{"find_references", `"file_path": "base.py", "line": 1, "symbol": "base"`, []string{"File: use.py\\nL1: from base import base", "L5:     return base() + 1", "File: base.py\\nL1:"}},
				{"get_diagnostics", `"file_path": "broken.py"`, []string{"File: broken.py\\nL1: error: Type ", "is not assignable to declared type"}},
				{"go_to_definition", `"file_path": "use.py", "line": 5, "symbol": "base"`, []string{"File: base.py\\nL1: def base"}},
				{"hover", `"file_path": "use.py", "line": 5, "symbol": "base"`, []string{"base() -", "int", "Is used in use.py."}},
				{"document_symbols", `"file_path": "use.py"`, []string{"File: use.py", "L4: function use"}},
				{"workspace_symbols", `"query": "base"`, []string{"File: base.py\\nL1: function base"}},
			},
			renamed: map[string]string{
				"base.py": "def root() -> int:\n    \"\"\"Is used in use.py.\"\"\"\n    return 1\n",
				"use.py":  "from base import root\n\n\ndef use() -> int:\n    return root() + 1\n",
			},
		},
		{
			program: "clangd",
			files: map[string]string{
				"compile_flags.txt": "-xc\n", // without it, clangd takes a header for C++
				"base.h":            "// Is used in use.c.\nint base(void);\n",
				"base.c":            "#include \"base.h\"\n\nint base(void) { return 1; }\n",
				"use.c":             "#include \"base.h\"\n\nint use(void) { return base() + 1; }\n",
				"broken.c":          "int broken = \"text\";\n",
			},
			asked: []query{
				{"find_references", `"file_path": "base.c", "line": 3, "symbol": "base"`, []string{"File: use.c\\nL3: int use(void)", "File: base.c\\nL3:"}},
				{"get_diagnostics", `"file_path": "broken.c"`, []string{"File: broken.c\\nL1: error: Incompatible pointer to integer conversion"}},
				{"go_to_definition", `"file_path": "use.c", "line": 3, "symbol": "base"`, []string{"base"}},
				{"hover", `"file_path": "use.c", "line": 3, "symbol": "base"`, []string{"int base(void)", "Is used in use.c."}},
				{"document_symbols", `"file_path": "use.c"`, []string{"File: use.c\\nL3: function use"}},
				{"workspace_symbols", `"query": "base"`, []string{"function base"}},
			},
			renamed: map[string]string{
				"base.h": "// Is used in use.c.\nint root(void);\n",
				"base.c": "#include \"base.h\"\n\nint root(void) { return 1; }\n",
				"use.c":  "#include \"base.h\"\n\nint use(void) { return root() + 1; }\n",
			},
		},
	} {
		t.Run(tt.program, func(t *testing.T) {
			var replies []geminitest.Reply
			for _, a := range tt.asked {
				replies = append(replies, geminitest.Do(geminitest.Call(a.tool, "{"+a.args+"}")))
			}
			from := tt.asked[0] // rename the symbol of the first query
			replies = append(replies, geminitest.Do(geminitest.Call("rename_symbol", "{"+from.args+`, "new_name": "root"}`)), geminitest.Say("Done."))
			w := newWorld(t, replies...)
			w.withServers("A")
			for name, text := range tt.files {
				w.write(name, text)
			}
			w.run("--trust", "--approval-mode", "auto_edit", "-p", "look around").wantCode(t, 0)
			for i, a := range tt.asked {
				for _, want := range a.want {
					if result := w.resultOf(i + 1); !strings.Contains(result, want) {
						t.Errorf("%s lacks %q: %s", a.tool, want, result)
					}
				}
			}
			for name, want := range tt.renamed {
				if got := w.read(name); got != want {
					t.Errorf("after the rename %s is %q, want %q; the model got %s", name, got, want, w.resultOf(len(tt.asked)+1))
				}
			}
			if text, want := w.resultOf(len(tt.asked)+1), fmt.Sprintf("the rename changes %d files", len(tt.renamed)); !strings.Contains(text, want) {
				t.Errorf("the model got %s, want %q", text, want)
			}
			w.noServerIsLeft()
		})
	}
}

// query is a call of a tool, with the expected parts of its result.
type query struct {
	tool, args string
	want       []string
}
