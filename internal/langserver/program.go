package langserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// A Program is a language server that may be installed on this machine.
type Program struct {
	Name string   // looked up in the search path, or an absolute path
	Args []string // to speak LSP on its standard streams
	// Languages maps file extensions, with their dot, to LSP language IDs.
	Languages map[string]string
	// Watched are the names of other files whose changes it is notified of.
	Watched []string
	Options json.RawMessage // initializationOptions; nil: none
	// Config answers workspace/configuration, for every section; nil: null.
	Config  json.RawMessage
	Environ []string // "NAME=value", added to the environment of a command
	// Partial: it only knows the files that are open or that it has indexed so far.
	// Files that mention a symbol are opened before a request for its references.
	Partial bool
	// FromDisk: it reads the other files that a file needs from the disk, so that it
	// cannot check an edit of several files.
	FromDisk bool
	// Sandboxed: it may run programs from a project, so it only starts in a
	// sandbox.
	Sandboxed bool
}

// Builtin returns the programs that emendo knows. Their options keep them from
// running a project's programs and from the network.
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
			Partial: true, // it indexes the workspace after it has started
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
			Partial:   true, // its own index is off, because it would be stored in the project
			FromDisk:  true,
		},
	}
}

// language returns the LSP language ID of a file; empty if the program does not
// serve it.
func (p Program) language(path string) string { return p.Languages[filepath.Ext(path)] }

// Serves reports whether the program serves the file at path.
func (p Program) Serves(path string) bool { return p.language(path) != "" }

// watches reports whether the program is notified of changes of a file on disk.
func (p Program) watches(path string) bool {
	return p.Serves(path) || slices.Contains(p.Watched, filepath.Base(path))
}

// options returns the initializationOptions of the program installed at path.
func (p Program) options(path string) json.RawMessage {
	if len(p.Options) > 0 || filepath.Base(p.Name) != "typescript-language-server" {
		return p.Options
	}
	ts := map[string]any{"useSyntaxServer": "never"} // else it answers from single files until the project is loaded
	o := map[string]any{
		"disableAutomaticTypingAcquisition": true, // which installs packages
		"preferences":                       map[string]any{"providePrefixAndSuffixTextForRename": false},
		"tsserver":                          ts,
	}
	if own := typescriptOf(path); own != "" { // else it would run the project's TypeScript
		ts["path"] = own
	}
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings and booleans
	}
	return text
}

// typescriptOf returns the TypeScript installed beside the
// typescript-language-server at path, or "".
func typescriptOf(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		own := filepath.Join(dir, "typescript", "lib", "tsserver.js")
		if filepath.Base(dir) == "node_modules" && isFile(own) {
			return own
		}
	}
	return ""
}

// NeedsSandbox reports whether the program installed at path only starts in a
// sandbox.
func (p Program) NeedsSandbox(path string) bool {
	return p.Sandboxed || filepath.Base(p.Name) == "typescript-language-server" && typescriptOf(path) == ""
}

// Find returns the absolute path of the program, with links resolved except for one
// to rustup; empty if it is not installed. It ignores programs inside the folders,
// because a workspace must not bring its own.
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
		if err != nil || !isExecutable(real) || paths.WithinAny(real, folders) {
			continue
		}
		if strings.TrimSuffix(filepath.Base(real), ".exe") == "rustup" {
			return place // rustup runs the program by whose name it is called
		}
		return real
	}
	return ""
}

// Inside returns the absolute path of the program if it is in one of the folders,
// where [Program.Find] ignores it; else empty.
func (p Program) Inside(environ, folders []string) string {
	for _, dir := range sandbox.SearchPath(environ) {
		for _, ext := range executable {
			place := filepath.Join(dir, p.Name+ext)
			if filepath.IsAbs(p.Name) {
				place = p.Name
			}
			real, err := filepath.EvalSymlinks(place)
			if err == nil && isExecutable(real) && (paths.WithinAny(place, folders) || paths.WithinAny(real, folders)) {
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

// Reads returns the folders, beside system folders and toolchains, that the program
// installed at path needs: its modules if it runs on Node.
func Reads(path string) []string {
	at := string(filepath.Separator) + "node_modules" + string(filepath.Separator)
	if i := strings.Index(path, at); i >= 0 {
		return []string{path[:i+len(at)-1]}
	}
	return []string{filepath.Dir(path)}
}
