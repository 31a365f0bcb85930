package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// withServers adds the tests' language servers to the search path.
func (w *world) withServers(level string) {
	w.t.Helper()
	dir := langservertest.Installed(w.t)
	w.env[0] = "PATH=" + langservertest.SearchPath(w.t, dir)
	w.env = append(w.env, levelVariable+"="+level)
}

// goModule writes a module of n files that use one function.
func (w *world) goModule(n int) {
	w.t.Helper()
	w.write("go.mod", "module example.com/x\n\ngo 1.24\n")
	w.write("base.go", "package x\n\n// Base is used by every other file.\nfunc Base() int { return 1 }\n")
	for i := range n {
		w.write(fmt.Sprintf("use%d.go", i), fmt.Sprintf("package x\n\nfunc use%d() int { return Base() + %d }\n", i, i))
	}
}

// noServerIsLeft checks that no language server of the test is still running.
func (w *world) noServerIsLeft() {
	w.t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, p := range processes {
		line, err := os.ReadFile(filepath.Join(p, "cmdline"))
		if err != nil { // it has ended
			continue
		}
		cwd, err := os.Readlink(filepath.Join(p, "cwd"))
		if err == nil && cwd == w.dir && (strings.Contains(string(line), "gopls") || strings.Contains(string(line), "tsserver") || strings.Contains(string(line), "typescript-language-server") || strings.Contains(string(line), "pyright") || strings.Contains(string(line), "clangd")) {
			w.t.Errorf("process %s is still running: %q", p, line)
		}
	}
}

// Language servers work at every sandbox level, see the workspace, and end with the
// session.
func TestLanguageServersAnswerInTheSandbox(t *testing.T) {
	for _, level := range []string{"A", "B", "C"} {
		t.Run(level, func(t *testing.T) {
			w := newWorld(t,
				geminitest.Do(geminitest.Call("find_references", `{"file_path": "base.go", "line": 4, "symbol": "Base"}`)),
				geminitest.Do(geminitest.Call("hover", `{"file_path": "use0.go", "line": 3, "symbol": "Base"}`)),
				geminitest.Do(geminitest.Call("find_references", `{"file_path": "b.ts", "line": 1, "symbol": "answer"}`)),
				geminitest.Do(geminitest.Call("workspace_symbols", `{"query": "use1"}`)),
				geminitest.Do(geminitest.Call("get_diagnostics", `{"file_path": "broken.go"}`)),
				geminitest.Say("Done."),
			)
			w.withServers(level)
			w.goModule(3)
			w.write("broken.go", "package x\n\nvar broken int = \"text\"\n")
			w.write("tsconfig.json", `{"compilerOptions": {"strict": true}}`)
			w.write("b.ts", "export function answer(): number { return 1 }\n")
			w.write("a.ts", "import {answer} from './b';\nconsole.log(answer());\n")
			w.run("--trust", "-p", "look around").wantCode(t, 0)
			for i, want := range [][]string{
				{"File: use0.go\\nL3: func use0() int { return Base() + 0 }", "File: use2.go", "File: base.go\\nL4:"},
				{"func Base() int", "Base is used by every other file."},
				{"File: a.ts\\nL1: import {answer}", "L2: console.log(answer());", "File: b.ts"},
				{"File: use1.go\\nL3: function use1"},
				{"File: broken.go\\nL3: error: cannot use"},
			} {
				text := string(w.model.Requests()[i+1].Body)
				for _, s := range want {
					if !strings.Contains(text, s) {
						t.Errorf("request %d lacks %q: %s", i+1, s, w.resultOf(i+1))
					}
				}
			}
			w.noServerIsLeft()
		})
	}
}

// A rename changes every file that uses the symbol, as one edit.
func TestRenameOverManyFiles(t *testing.T) {
	w := newWorld(t,
		geminitest.Do(geminitest.Call("rename_symbol", `{"file_path": "base.go", "line": 4, "symbol": "Base", "new_name": "Root"}`)),
		geminitest.Say("Done."),
	)
	w.withServers("A")
	w.goModule(10)
	w.run("--trust", "--approval-mode", "auto_edit", "--output-format", "stream-json", "-p", "rename Base to Root").wantCode(t, 0)
	if got, want := w.read("base.go"), "package x\n\n// Root is used by every other file.\nfunc Root() int { return 1 }\n"; got != want {
		t.Errorf("base.go is %q, want %q", got, want)
	}
	for i := range 10 {
		if got, want := w.read(fmt.Sprintf("use%d.go", i)), fmt.Sprintf("package x\n\nfunc use%d() int { return Root() + %d }\n", i, i); got != want {
			t.Errorf("use%d.go is %q, want %q", i, got, want)
		}
	}
	if text := w.resultOf(1); !strings.Contains(text, "the rename changes 11 files") {
		t.Errorf("the model got %s", text)
	}
	w.noServerIsLeft()
}

// Edits that cannot be parsed are corrected before they are shown or applied.
func TestEditsAreCorrectedBeforeTheyAreApplied(t *testing.T) {
	for _, tt := range []struct{ name, file, old, bad, good, says string }{
		{"Go", "base.go", "return 1", "return (1", "return 2", "base.go:\\n- line 4: "},
		{"TypeScript", "b.ts", "return 1", "return (1", "return 2", "b.ts:\\n- line 1: ')' expected."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			edit := func(text string) geminitest.Reply {
				return geminitest.Do(geminitest.Call("replace", fmt.Sprintf(`{"file_path": %q, "old_string": %q, "new_string": %q}`, tt.file, tt.old, text)))
			}
			w := newWorld(t, edit(tt.bad), edit(tt.good), geminitest.Say("Done."))
			w.withServers("A")
			w.put(filepath.Join(w.home, "config", "settings.json"), `{"edits": {"verifyTimeoutMs": 60000}}`)
			w.goModule(1)
			w.write("tsconfig.json", `{"compilerOptions": {"strict": true}}`)
			w.write("b.ts", "export function answer(): number { return 1 }\n")
			before := w.read(tt.file)
			w.run("--trust", "--approval-mode", "auto_edit", "-p", "change it").wantCode(t, 0)
			if text := w.resultOf(1); !strings.Contains(text, tt.says) {
				t.Errorf("after the bad edit the model got %s, want %s", text, tt.says)
			}
			if got, want := w.read(tt.file), strings.Replace(before, tt.old, tt.good, 1); got != want {
				t.Errorf("the file is %q, want %q", got, want)
			}
			w.noServerIsLeft()
		})
	}
}

// A restricted folder starts no language server and is offered no tools that would.
func TestRestrictedFolderHasNoLanguageServers(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Call("find_references", `{"file_path": "base.go", "line": 4, "symbol": "Base"}`)), geminitest.Say("Done."))
	w.withServers("A")
	w.goModule(1)
	w.exec("run", "-p", "look around").wantCode(t, 0)
	first := string(w.model.Requests()[0].Body)
	for _, name := range []string{"find_references", "get_diagnostics", "rename_symbol"} {
		if strings.Contains(first, name) {
			t.Errorf("the request offers %s", name)
		}
	}
	if text := w.resultOf(1); !strings.Contains(text, "unknown tool") {
		t.Errorf("the call's result is %s", text)
	}
}

// resultOf returns the end of a request, with the results of the calls before it.
func (w *world) resultOf(i int) string {
	body := string(w.model.Requests()[i].Body)
	_, text, _ := strings.Cut(body[max(0, strings.LastIndex(body, `"functionResponse"`)):], "response")
	return text[:min(2000, len(text))]
}
