package toolchain

import (
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// A toolchain is a folder in the user's home that programs of a language need. It may
// be read and run.
type toolchain struct {
	variable string   // environment variable with its path
	folder   string   // its path in the home folder if the variable is not set; may be empty
	parts    []string // the parts of it that are granted; all if empty
}

var toolchains = []toolchain{
	{"GOROOT", "", nil},
	{"GOPATH", "go", []string{"bin", "pkg/mod"}},
	{"GOBIN", "", nil},
	{"GOMODCACHE", "", nil},
	{"GOENV", ".config/go/env", nil},
	{"", "sdk", nil}, // golang.org/dl
	{"CARGO_HOME", ".cargo", []string{"bin", "registry", "git", "config", "config.toml", "env"}},
	{"RUSTUP_HOME", ".rustup", nil},
	{"NVM_DIR", ".nvm", nil},
	{"VOLTA_HOME", ".volta", nil},
	{"PNPM_HOME", ".local/share/pnpm", nil},
	{"BUN_INSTALL", ".bun", []string{"bin", "install"}},
	{"DENO_INSTALL", ".deno", []string{"bin"}},
	{"", ".npm-global", nil},
	{"PYENV_ROOT", ".pyenv", nil},
	{"CONDA_PREFIX", "", nil},
	{"VIRTUAL_ENV", "", nil},
	{"PYTHONPATH", "", nil},
	{"NODE_PATH", "", nil},
	{"RBENV_ROOT", ".rbenv", nil},
	{"", ".rvm", nil},
	{"GEM_HOME", "", nil},
	{"GEM_PATH", "", nil},
	{"", ".gem/ruby", nil},
	{"", ".asdf", nil},
	{"SDKMAN_DIR", ".sdkman", []string{"bin", "candidates", "libexec", "src"}},
	{"JAVA_HOME", "", nil},
	{"MAVEN_HOME", "", nil},
	{"M2_HOME", "", nil},
	{"GRADLE_HOME", "", nil},
	{"", ".m2", []string{"repository", "wrapper"}},
	{"GRADLE_USER_HOME", ".gradle", []string{"caches", "wrapper"}},
	{"ANDROID_HOME", "", nil},
	{"ANDROID_SDK_ROOT", "", nil},
	{"DOTNET_ROOT", ".dotnet", nil},
	{"NUGET_PACKAGES", ".nuget/packages", nil},
	{"", ".ghcup", nil},
	{"", ".cabal", []string{"bin", "packages", "store"}},
	{"", ".stack", []string{"programs", "snapshots"}},
	{"", ".opam", nil},
	{"", ".juliaup", nil},
	{"", ".local/bin", nil},
	{"", ".local/lib", nil},
	{"", ".local/share/mise", nil},
	{"", ".local/share/uv", nil},
	{"", ".local/share/fnm", nil},
	{"", ".local/share/pipx", nil},
	{"", ".nix-profile", nil},
	{"SSL_CERT_FILE", "", nil},
	{"SSL_CERT_DIR", "", nil},
	{"NIX_SSL_CERT_FILE", "", nil},
}

// Folders returns the folders that programs on the search path need, without links: the
// table's, and those of the search path outside the system's folders.
func Folders(home string, environ []string) []string {
	var l []string
	add := func(p string) {
		if real, err := filepath.EvalSymlinks(p); err == nil && filepath.IsAbs(real) && real != "/" && !paths.Within(home, real) {
			l = append(l, real)
		}
	}
	for _, t := range toolchains {
		folders := filepath.SplitList(Variable(environ, t.variable))
		if len(folders) == 0 && t.folder != "" && home != "" {
			folders = []string{filepath.Join(home, t.folder)}
		}
		for _, f := range folders {
			if len(t.parts) == 0 {
				add(f)
			}
			for _, part := range t.parts {
				add(filepath.Join(f, part))
			}
		}
	}
	for _, f := range SearchPath(environ) {
		if f = filepath.Clean(f); !filepath.IsAbs(f) || paths.WithinAny(f, profile.SystemFolders) {
			continue
		}
		if prefix := filepath.Dir(f); filepath.Base(f) == "bin" && !paths.Within(home, prefix) && !holdsMore(prefix, home) {
			f = prefix // its libraries are beside it
		}
		add(f)
	}
	return l
}

// holdsMore reports whether a folder that contains bin holds more than programs: it is
// directly below the root, a home folder, or one of which the table grants parts.
func holdsMore(folder, home string) bool {
	switch filepath.Dir(folder) {
	case "/", "/home", "/Users":
		return true
	}
	for _, t := range toolchains {
		if len(t.parts) > 0 && folder == filepath.Join(home, t.folder) {
			return true
		}
	}
	return folder == filepath.Join(home, ".local")
}

// Variable returns the value of a variable in an environment, or "".
func Variable(environ []string, name string) string {
	if name == "" {
		return ""
	}
	for _, v := range environ {
		if n, value, _ := strings.Cut(v, "="); sameName(n, name) {
			return value
		}
	}
	return ""
}
