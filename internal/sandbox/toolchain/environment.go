package toolchain

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/providers"
)

// harmless lists the variables that a command gets from the server's environment: who
// and where the user is, and where toolchains and caches are. Keys, proxies, preloaded
// libraries and git's redirections are not among them. A name that ends in an
// underscore is a prefix.
var harmless = strings.Fields(`
	PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ TZ TMPDIR TMP TEMP
	XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME SSL_CERT_FILE SSL_CERT_DIR
	GOPATH GOROOT GOBIN GOENV GOFLAGS GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB GOCACHE GOMODCACHE GOTOOLCHAIN GOWORK CGO_ENABLED
	CI NODE_ENV RUSTFLAGS RUSTDOCFLAGS RUST_BACKTRACE MAKEFLAGS CFLAGS CXXFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH
	CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN
	JAVA_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT
	NODE_PATH NVM_DIR VOLTA_HOME PNPM_HOME VIRTUAL_ENV PYTHONPATH PYENV_ROOT CONDA_PREFIX CONDA_DEFAULT_ENV
	GEM_HOME GEM_PATH RBENV_ROOT DOTNET_ROOT NUGET_PACKAGES CC CXX NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE
	SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA
	PROGRAMDATA PROGRAMFILES NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE`)

// MarkVariable is set in every command.
const MarkVariable = "EMENDO"

// fixed is set for every command. Output goes to a model and to a log, so the terminal
// is a dumb one and programs write plain lines. No pager, editor or password prompt may
// open, since no user answers. Git does not run programs of a repository whenever its
// status is queried.
var fixed = []string{
	MarkVariable + "=1",
	"TERM=dumb", "NO_COLOR=1",
	"PAGER=cat", "GIT_PAGER=cat",
	"EDITOR=true", "GIT_EDITOR=true",
	"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GH_PROMPT_DISABLED=1", "GCM_INTERACTIVE=never",
	"GIT_CONFIG_COUNT=4",
	"GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false",
	"GIT_CONFIG_KEY_1=safe.bareRepository", "GIT_CONFIG_VALUE_1=explicit", // no folder of the project counts as a bare repository
	"GIT_CONFIG_KEY_2=gc.auto", "GIT_CONFIG_VALUE_2=0", // it writes to .git/info, and outlives the command
	"GIT_CONFIG_KEY_3=maintenance.auto", "GIT_CONFIG_VALUE_3=false",
}

// alone switches off what git runs beside itself by the settings of a repository: hooks,
// programs that check signatures, and the transport that fetches what a partial clone lacks.
// Monitors are off for every command.
var alone = [][2]string{
	{"core.hooksPath", os.DevNull},
	{"core.alternateRefsCommand", "false"},
	{"log.showSignature", "false"},
	{"gpg.program", "false"},
	{"gpg.openpgp.program", "false"},
	{"gpg.x509.program", "false"},
	{"gpg.ssh.program", "false"},
}

// GitAlone returns an environment of [Environment] for a command in which nothing but git runs
// and which may write git's data: git runs no program of the repository's.
func GitAlone(env []string) []string {
	env = slices.Clone(env)
	const count = "GIT_CONFIG_COUNT="
	at := slices.IndexFunc(env, func(v string) bool { return strings.HasPrefix(v, count) })
	if at < 0 {
		at = len(env)
		env = append(env, count+"0")
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(env[at], count)) // it is a number
	for i, s := range alone {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n+i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n+i, s[1]))
	}
	env[at] = count + strconv.Itoa(n+len(alone))
	return append(env, "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
}

// ownCredentials returns the variables with emendo's own credentials, which no command gets
// even if the user keeps them.
func ownCredentials() []string {
	return append(providers.Variables(providers.Any), "GOOGLE_APPLICATION_CREDENTIALS", "EMENDO_A2A_TOKEN")
}

// Environment returns the environment of a command. Its search path contains only
// absolute folders outside of folders, so that nothing in the workspace can replace a
// program of the system.
func Environment(server, keep, folders []string) []string {
	path := "PATH=" + strings.Join(usualPath, string(os.PathListSeparator))
	var env []string
	given := map[string]string{}
	secrets := ownCredentials()
	for _, v := range server {
		name, value, _ := strings.Cut(v, "=")
		given[name] = value
		switch {
		case name == "LC_ALL" && runtime.GOOS != "windows":
		case sameName(name, "PATH"):
			path = name + "=" + outside(value, folders, false)
		case slices.ContainsFunc(secrets, func(o string) bool { return sameName(o, name) }):
		case slices.ContainsFunc(keep, func(k string) bool { return sameName(k, name) }),
			slices.ContainsFunc(harmless, func(k string) bool { return known(k, name) }):
			env = append(env, v)
		}
	}
	env = append(env, path)
	if runtime.GOOS != "windows" {
		env = append(env, "LC_ALL="+locale(given))
	}
	return append(env, fixed...)
}

func known(k, name string) bool {
	if strings.HasSuffix(k, "_") {
		return strings.HasPrefix(name, k)
	}
	return sameName(k, name)
}

// sameName compares names of variables as the operating system does.
func sameName(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// SearchPathInside returns the PATH of a command that a sandbox holds: that of [Environment],
// and where the server has them, the folders of programs of the project's own environments.
// It is empty if there are none of these.
func SearchPathInside(server, folders []string) string {
	value := strings.Join(SearchPath(server), string(os.PathListSeparator))
	inside := outside(value, folders, true)
	if inside == outside(value, folders, false) {
		return ""
	}
	return inside
}

// outside returns a search path without relative entries and those inside the folders; own
// ones of a project stay if environments is set.
func outside(path string, folders []string, environments bool) string {
	var l []string
	for _, p := range filepath.SplitList(path) {
		if filepath.IsAbs(p) && (environments && OfProject(p) || !slices.ContainsFunc(folders, func(f string) bool { return leadsInto(p, f) })) {
			l = append(l, p)
		}
	}
	return strings.Join(l, string(os.PathListSeparator))
}

// OfProject reports whether a folder of programs belongs to an environment of a project's own,
// such as .venv/bin or node_modules/.bin.
func OfProject(folder string) bool {
	folder = filepath.Clean(folder)
	above := filepath.Dir(folder)
	switch filepath.Base(folder) {
	case ".bin":
		return filepath.Base(above) == "node_modules"
	case "bin", "Scripts":
		return paths.IsFile(filepath.Join(above, "pyvenv.cfg")) || strings.HasPrefix(filepath.Base(above), ".venv")
	}
	return false
}

// leadsInto reports whether an absolute path is dir or inside it, by name or after
// resolving links.
func leadsInto(path, dir string) bool {
	if paths.Within(path, dir) {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && paths.Within(real, dir)
}

// SearchPath returns the folders in the PATH of an environment.
func SearchPath(environ []string) []string {
	for _, v := range environ {
		if name, value, _ := strings.Cut(v, "="); sameName(name, "PATH") {
			return filepath.SplitList(value)
		}
	}
	return nil
}

// Credential reports whether a variable is one of emendo's own credentials.
func Credential(name string) bool {
	return slices.ContainsFunc(ownCredentials(), func(o string) bool { return sameName(o, name) })
}
