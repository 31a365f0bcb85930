package program

import (
	"slices"
	"strings"
)

// programVariables holds variables whose value is a command line that some
// program runs.
var programVariables = NameSet(`CC CXX CPP LD AR AS FC RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTDOC
	PAGER MANPAGER GIT_PAGER LESSOPEN LESSCLOSE EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR FCEDIT SUDO_EDITOR BROWSER
	GIT_EXTERNAL_DIFF GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH SVN_SSH
	SHELL MAKE FZF_DEFAULT_COMMAND PROMPT_COMMAND GOCACHEPROG GOAUTH CCACHE_PREFIX CCACHE_PREFIX_CPP HGEDITOR`)

// programEnds lists endings of the names of such variables.
var programEnds = strings.Fields("PAGER _EDITOR _BROWSER _ASKPASS _RSH _SSH _SHELL _COMPILER_LAUNCHER _CREDENTIAL_PROVIDER")

// VariableNamesProgram reports whether the value of a variable is a command
// line that some program runs.
func VariableNamesProgram(name string) bool {
	return programVariables[name] || !strings.HasPrefix(name, "npm_") && slices.ContainsFunc(programEnds, func(end string) bool { return strings.HasSuffix(name, end) })
}

// loading holds the variables that decide how programs are found, what they
// load at start, or which settings they apply.
var loading = NameSet(`PATH HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS BASH_ENV ENV SHELLOPTS BASHOPTS BASH_ALIASES BASH_CMDS PS0 PS1 PS2 PS4 CDPATH FPATH GLOBIGNORE EXECIGNORE
	PERL5OPT PERL5DB RUBYOPT NODE_OPTIONS PYTHONSTARTUP PYTHONWARNINGS PYTHONHOME PYTHONBREAKPOINT JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS LUA_INIT PHPRC PHP_INI_SCAN_DIR
	MAKEFLAGS GNUMAKEFLAGS MFLAGS MAKEFILES GOFLAGS GOENV TAR_OPTIONS VIMINIT EXINIT MYVIMRC GCONV_PATH INPUTRC AWKPATH AWKLIBPATH LESS MORE SYSTEMD_EDITOR GCC_EXEC_PREFIX COMPILER_PATH
	ZDOTDIR GOROOT RIPGREP_CONFIG_PATH ACKRC WGETRC R_PROFILE R_PROFILE_USER ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ELIXIR_ERL_OPTIONS PSQLRC SCREENRC
	CARGO_BUILD_RUSTC_WRAPPER CARGO_BUILD_RUSTC CARGO_BUILD_RUSTDOC`)

// harmlessGit lists the variables of git that name neither a program nor
// another repository.
var harmlessGit = strings.Fields("GIT_AUTHOR_ GIT_COMMITTER_ GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT GIT_LITERAL_PATHSPECS GIT_PAGER_IN_USE GIT_REFLOG_ACTION GIT_ADVICE GIT_PRINT_SHA1_ELLIPSIS")

// VariableDecides reports whether a variable decides what runs without naming a
// program.
func VariableDecides(name string) bool {
	upper := strings.ToUpper(name)
	switch {
	case loading[name], loading[strings.TrimSuffix(name, "_5_4")]:
		return true
	case strings.HasPrefix(name, "LD_"), strings.HasPrefix(name, "DYLD_"), strings.HasPrefix(name, "BASH_FUNC_"), strings.HasPrefix(upper, "NPM_CONFIG_"):
		return true
	case strings.HasPrefix(name, "CARGO_"):
		return strings.HasSuffix(name, "_RUNNER") || strings.HasSuffix(name, "_LINKER") || strings.HasPrefix(name, "CARGO_ALIAS_")
	case strings.HasPrefix(name, "GIT_"):
		return !slices.ContainsFunc(harmlessGit, func(harmless string) bool { return strings.HasPrefix(name, harmless) })
	}
	return false
}

// Assign handles a variable that is set for a part, or for everything after it.
func (l *CommandLine) Assign(p *Part, name string, value Word, s Scope) {
	c := l.NewCall(p, s)
	switch {
	case value.Known && inputName().MatchString(value.Text):
		c.Evaluates(WhyRunsInput)
	case strings.HasSuffix(name, "_OPTS") && holdsAny(value.Text, "OnError", "OnOutOfMemory", "agent"):
		c.Evaluates(whyRunsNamed)
	case VariableNamesProgram(name) && value.Known && value.Text == "":
	case VariableNamesProgram(name) && !isAssignedShell(name, value):
		s.Inside, s.Handed = true, true
		c.analyzeCode(value, s)
	case VariableDecides(name):
		c.Evaluates("it sets " + name + ", which decides what runs")
	}
}

// isAssignedShell reports whether a variable selects one of the usual shells
// for other programs to start.
func isAssignedShell(name string, value Word) bool {
	return name == "SHELL" && value.Is("/bin/sh", "/bin/bash", "/usr/bin/bash", "sh", "bash")
}
