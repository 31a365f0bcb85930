package langserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// A Program is a language server that may be installed on this machine.
type Program struct {
	Name string   // of the program, found on the search path, or its absolute path
	Args []string // that make it talk LSP on its standard streams
	// Languages maps extensions of files, with their dot, to LSP's names of languages.
	Languages map[string]string
	// Watched are the names of further files whose changes it is told of.
	Watched []string
	Options json.RawMessage // initializationOptions; nil: none
	// Config answers workspace/configuration, for every section; nil: null.
	Config  json.RawMessage
	Environ []string // "NAME=value", added to the environment of a command
	// Partial: it knows the files that are open, and others once it has found them. Those
	// that mention a symbol are opened before it is asked where the symbol is used.
	Partial bool
	// Sandboxed: it may run programs that a project brings along, so it starts in a
	// sandbox only.
	Sandboxed bool
}

// Builtin returns the programs that emendo knows. Their options keep them from
// running what a project brings along and from the network.
func Builtin() []Program {
	gopls := json.RawMessage(`{"pullDiagnostics":true,"diagnosticsDelay":"0s","telemetryPrompt":false,"linksInHover":false}`)
	script := func(names ...string) map[string]string {
		m := map[string]string{}
		for _, n := range names {
			ext, id, _ := strings.Cut(n, "=")
			m[ext] = id
		}
		return m
	}
	return []Program{
		{
			Name: "gopls", Languages: script(".go=go"), Watched: []string{"go.mod", "go.sum", "go.work"},
			Options: gopls, Config: gopls, Environ: []string{"GOTOOLCHAIN=local", "GOPROXY=off"},
		},
		{
			Name: "typescript-language-server", Args: []string{"--stdio"},
			Languages: script(".ts=typescript", ".mts=typescript", ".cts=typescript", ".tsx=typescriptreact", ".js=javascript", ".mjs=javascript", ".cjs=javascript", ".jsx=javascriptreact"),
			Watched:   []string{"tsconfig.json", "jsconfig.json", "package.json"},
		},
		{
			Name: "pyright-langserver", Args: []string{"--stdio"}, Languages: script(".py=python", ".pyi=python"),
			Watched: []string{"pyrightconfig.json", "pyproject.toml"},
			Partial: true, // it looks for the files of the workspace after it has started
		},
		{
			Name: "rust-analyzer", Languages: script(".rs=rust"), Watched: []string{"Cargo.toml", "Cargo.lock"},
			Options:   json.RawMessage(`{"checkOnSave":false,"cargo":{"buildScripts":{"enable":false}},"procMacro":{"enable":false}}`),
			Environ:   []string{"CARGO_NET_OFFLINE=true", "RUSTC_WRAPPER=", "RUSTC_WORKSPACE_WRAPPER="},
			Sandboxed: true, // Cargo's configuration in the project names programs
		},
		{
			Name: "clangd", Args: []string{"--background-index=false"},
			Languages: script(".c=c", ".h=c", ".cc=cpp", ".cpp=cpp", ".cxx=cpp", ".hh=cpp", ".hpp=cpp", ".hxx=cpp", ".m=objective-c", ".mm=objective-cpp"),
			Watched:   []string{"compile_commands.json", "compile_flags.txt"},
			Partial:   true, // without an index of its own, which it would keep in the project
		},
	}
}

// language returns LSP's name of the language of a file; empty if the program does
// not serve it.
func (p Program) language(path string) string { return p.Languages[filepath.Ext(path)] }

// Serves reports whether the program serves the file at path.
func (p Program) Serves(path string) bool { return p.language(path) != "" }

// watches reports whether the program is told of changes of a file on disk.
func (p Program) watches(path string) bool {
	return p.Serves(path) || slices.Contains(p.Watched, filepath.Base(path))
}

// options returns the initializationOptions of the program installed at path.
func (p Program) options(path string) json.RawMessage {
	if len(p.Options) > 0 || filepath.Base(p.Name) != "typescript-language-server" {
		return p.Options
	}
	ts := map[string]any{"useSyntaxServer": "never"} // it answers from one file until the project is loaded
	o := map[string]any{
		"disableAutomaticTypingAcquisition": true, // which installs packages
		"preferences":                       map[string]any{"providePrefixAndSuffixTextForRename": false},
		"tsserver":                          ts,
	}
	if own := typescriptOf(path); own != "" { // otherwise it runs the TypeScript of the project
		ts["path"] = own
	}
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings and booleans
	}
	return text
}

// typescriptOf returns the TypeScript that is installed beside the
// typescript-language-server at path, or an empty path.
func typescriptOf(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		own := filepath.Join(dir, "typescript", "lib", "tsserver.js")
		if filepath.Base(dir) == "node_modules" && isFile(own) {
			return own
		}
	}
	return ""
}

// NeedsSandbox reports whether the program installed at path starts in a sandbox only.
func (p Program) NeedsSandbox(path string) bool {
	return p.Sandboxed || filepath.Base(p.Name) == "typescript-language-server" && typescriptOf(path) == ""
}

// Find returns the absolute path of the program, links resolved but for one to rustup;
// empty if it is not installed. It is looked for outside of the folders alone: a workspace must not
// bring its own.
func (p Program) Find(environ, folders []string) string {
	places := []string{p.Name}
	if !filepath.IsAbs(p.Name) {
		places = nil
		for _, dir := range sandbox.SearchPath(sandbox.Environment(environ, nil, folders)) {
			for _, ext := range executable {
				places = append(places, filepath.Join(dir, p.Name+ext))
			}
		}
	}
	for _, place := range places {
		real, err := filepath.EvalSymlinks(place)
		if err != nil || !runs(real) || slices.ContainsFunc(folders, func(f string) bool { return below(f, real) }) {
			continue
		}
		if strings.TrimSuffix(filepath.Base(real), ".exe") == "rustup" {
			return place // it is the program whose name it is started by
		}
		return real
	}
	return ""
}

// Inside returns the absolute path of the program where it is in one of the folders,
// so that [Program.Find] does not return it; empty if it is not.
func (p Program) Inside(environ, folders []string) string {
	for _, dir := range sandbox.SearchPath(environ) {
		for _, ext := range executable {
			place := filepath.Join(dir, p.Name+ext)
			if filepath.IsAbs(p.Name) {
				place = p.Name
			}
			real, err := filepath.EvalSymlinks(place)
			if err == nil && runs(real) && slices.ContainsFunc(folders, func(f string) bool { return below(f, place) || below(f, real) }) {
				return place
			}
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// below reports whether an absolute path is the folder or in it.
func below(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// Reads returns the folders outside the system's that the program installed at path
// needs beside those of toolchains: the modules of one that runs on Node.
func Reads(path string) []string {
	at := string(filepath.Separator) + "node_modules" + string(filepath.Separator)
	if i := strings.Index(path, at); i >= 0 {
		return []string{path[:i+len(at)-1]}
	}
	return []string{filepath.Dir(path)}
}
