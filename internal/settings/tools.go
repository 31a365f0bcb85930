package settings

import (
	"fmt"
	"strings"
	"time"
)

// Experimental has what is off by default.
type Experimental struct {
	// Let the model keep tasks with types, parents and dependencies, by the tools `tracker_…`,
	// instead of a plain to-do list. You see them in the same place.
	TaskTracker bool `scope:"any"`
}

// Tools says what the agent may call.
type Tools struct {
	// Calls to allow without asking: names of tools, or `run_shell_command(PREFIX)` for commands
	// that begin with PREFIX.
	Allowed []string
	// Tools not to offer to the model, written as in `tools.allowed`. Layers add to the list.
	Exclude []string `scope:"any" how:"joined"`
	// Calls to ask about even if something else allows them, written as in `tools.allowed`.
	Confirm []string `key:"tools.confirmationRequired"`
	// The only tools to offer to the model, written as in `tools.allowed`; empty means all.
	// `tools.exclude` still applies. A project's list is used only if no other layer has one.
	Core []string `scope:"any" how:"firm"`
	// Offer every model the tool `apply_patch`, which changes several files by a patch. Otherwise
	// only models that are trained on patches are offered it; any model may call it.
	ApplyPatch bool
	// The maximum number of characters of a call's output that the model gets. Longer output is
	// stored in a file that the model can read. -1 means as many as fit.
	LongOutput int `key:"tools.truncateToolOutputThreshold" default:"40000" range:"-1.." scope:"any"`
	// Discovery lists and calls further tools; OfProject is the project's, which needs
	// approval.
	Discovery Discovery
	OfProject Discovery `json:"-"`
	Shell     Shell
	Sandbox   Sandbox
}

// Discovery has the commands that list and call further tools; none if List is empty.
type Discovery struct {
	// A command that prints further [tools](extensions.md#discovered-tools) as JSON. It needs
	// `tools.callCommand`. It runs in the sandbox, in a trusted folder. A project's needs your
	// approval first, and is not used if you have one.
	List string `key:"tools.discoveryCommand" scope:"any" how:"apart"`
	// The command that calls a tool of `tools.discoveryCommand`: it gets the tool's name as its
	// last argument and the arguments as JSON on standard input, and prints the result.
	Call   string `key:"tools.callCommand" scope:"any" how:"apart"`
	Folder string `json:"-"` // of the project; empty: the user's
}

// Discovered returns the commands that are used: the user's if there are any.
func (t Tools) Discovered() Discovery {
	if t.Discovery.List != "" {
		return t.Discovery
	}
	return t.OfProject
}

// Sandbox says how commands are held.
type Sandbox struct {
	// Sandbox commands: `auto` uses the highest level that this machine supports, which `emendo
	// doctor` shows; `required` also refuses to run commands without a sandbox; `off` runs them
	// without one, and asks about more of them.
	Use string `key:"tools.sandbox" default:"auto" values:"auto off required"`
	// Files and folders outside the workspace that sandboxed commands may read and change:
	// absolute paths, or `~/x` in the home folder.
	Allowed []string `key:"tools.sandboxAllowedPaths"`
	// Hosts that sandboxed commands can reach by HTTP and HTTPS: names, or `*.` and a domain for
	// its subdomains. `true` gives full network access, `false` none. For single hosts, commands
	// use a proxy, which needs level A. Servers that the commands of a session start are always
	// reached there; those of the machine, as `localhost`, are not.
	Network Hosts `key:"tools.sandboxNetworkAccess" how:"either"`
}

// Hosts are names of hosts.
type Hosts []string

// Shell says how commands of the agent run.
type Shell struct {
	// The maximum time that a command may run, unless the model asks for less.
	Timeout time.Duration `key:"tools.shell.timeoutSeconds" default:"600" range:"1..86400" scope:"any"`
	// The time without output, in seconds, after which a command is killed; 0 means no limit. It
	// does not apply to a command for which the model set a time limit.
	Inactivity time.Duration `key:"tools.shell.inactivityTimeout" default:"300" range:"0..86400" scope:"any"`
	// When commands in the sandbox need your approval: `outside` asks only about what a sandbox
	// cannot undo or would have to let out, as [Rules](policy.md#commands) says; `always` asks
	// about all commands but those that only read. Without a sandbox it changes nothing. On macOS
	// the default is `always`. A project can set `always` only.
	Ask string `default:"outside" mac:"always" values:"outside always" scope:"any" project:"always"`
	// Connect the output of commands to a terminal of 120 columns instead of a pipe, for programs
	// that show progress only there. Programs then also print in columns and truncate long lines.
	// Commands cannot read input in either case.
	Watched bool `key:"tools.shell.enableInteractiveShell" scope:"any"`
	// When a background command exits: `silent` waits until the model checks, `notify` shows you a
	// notice at the next step, `inject` also sends it to the model, with the end of the output.
	JobsEnd JobsEnd `key:"tools.shell.backgroundCompletionBehavior" default:"silent" scope:"any"`
}

// JobsEnd selects how the end of a background command is reported.
type JobsEnd string

// The values of [JobsEnd]. Reports are sent with the next step of a turn.
const (
	JobsSilent JobsEnd = "silent" // not at all, unless the command created protected files: then as notify
	JobsNotify JobsEnd = "notify" // with a notice
	JobsInject JobsEnd = "inject" // with a notice, and the model reads the end of the output
)

func (JobsEnd) words() []string { return words(JobsSilent, JobsNotify, JobsInject) }

// doubt returns a warning about hosts of this machine: no command reaches them through the
// proxy.
func (hosts Hosts) doubt(string) string {
	for _, host := range hosts {
		if Own(host) {
			return fmt.Sprintf("%q opens nothing: sandboxed commands always reach the servers that the commands of their session have started, and those of the machine only with true", host)
		}
	}
	return ""
}

// Own reports whether a host of tools.sandboxNetworkAccess is this machine.
func Own(host string) bool {
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSuffix(host, ".")), ":")
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || strings.HasPrefix(name, "127.") || host == "::1" || host == "[::1]" || name == "0.0.0.0"
}
