package settings

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Experimental has what is off by default.
type Experimental struct {
	TaskTracker bool // the model is offered the tracker's tools instead of write_todos
}

// Tools says what the agent may call.
type Tools struct {
	// Allowed names calls that need no question: tool names, or
	// run_shell_command(PREFIX).
	Allowed []string
	// Exclude names tools that the model is not offered.
	Exclude []string
	// Confirm names calls that always need a question, as Allowed does those
	// that need none.
	Confirm []string `key:"tools.confirmationRequired"`
	// Core names the only tools that the model is offered; empty: all.
	Core []string
	// ApplyPatch offers the tool apply_patch to every model.
	ApplyPatch bool
	// LongOutput is how many characters of a call's output the model is given;
	// -1 is as many as there is room for.
	LongOutput int `key:"tools.truncateToolOutputThreshold"`
	// Discovery lists and calls further tools; OfProject is the project's, which needs
	// approval.
	Discovery Discovery
	OfProject Discovery `json:"-"`
	Shell     Shell
	Sandbox   Sandbox
}

// Discovery has the commands that list and call further tools; none if List is empty.
type Discovery struct {
	List   string `key:"tools.discoveryCommand"`
	Call   string `key:"tools.callCommand"`
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
	Use     string   `key:"tools.sandbox"`             // "auto", "off" or "required"
	Allowed []string `key:"tools.sandboxAllowedPaths"` // what commands may change outside the workspace
	// Network names the hosts that commands reach, "*." and a domain for
	// all below it; "*" is all that the user reaches.
	Network Hosts `key:"tools.sandboxNetworkAccess"`
}

// Hosts are names of hosts.
type Hosts []string

// Shell says how commands of the agent run.
type Shell struct {
	Timeout    time.Duration `key:"tools.shell.timeoutSeconds"`    // in all
	Inactivity time.Duration `key:"tools.shell.inactivityTimeout"` // without output; zero: for ever
	Ask        string        // "outside" or "always"
	Watched    bool          `key:"tools.shell.enableInteractiveShell"` // programs have a terminal to write to
	// JobsEnd selects what is reported of commands in the background that have ended.
	JobsEnd JobsEnd `key:"tools.shell.backgroundCompletionBehavior"`
}

// JobsEnd selects how the end of a background command is reported.
type JobsEnd string

// The values of [JobsEnd]. Reports are sent with the next step of a turn.
const (
	JobsSilent JobsEnd = "silent" // not at all, unless the command created protected files: then as notify
	JobsNotify JobsEnd = "notify" // with a notice
	JobsInject JobsEnd = "inject" // with a notice, and the model reads the end of the output
)

var toolSettings = []setting{
	{
		key: "tools.allowed",
		doc: "Calls to allow without asking: names of tools, or `run_shell_command(PREFIX)` for commands that begin with PREFIX.",
	},
	{
		key: "tools.confirmationRequired",
		doc: "Calls to ask about even if something else allows them, written as in `tools.allowed`.",
	},
	{
		key:    "tools.exclude",
		doc:    "Tools not to offer to the model, written as in `tools.allowed`. Layers add to the list.",
		scope:  anyone,
		joined: true,
	},
	{
		key:   "tools.core",
		doc:   "The only tools to offer to the model, written as in `tools.allowed`; empty means all. `tools.exclude` still applies. A project's list is used only if no other layer has one.",
		scope: anyone,
		firm:  true,
	},
	{
		key: "tools.applyPatch",
		doc: "Offer every model the tool `apply_patch`, which changes several files by a patch. Otherwise only models that are trained on patches are offered it; any model may call it.",
	},
	{
		key:   "tools.discoveryCommand",
		doc:   "A command that prints further [tools](extensions.md#discovered-tools) as JSON. It needs `tools.callCommand`. It runs in the sandbox, in a trusted folder. A project's needs your approval first, and is not used if you have one.",
		scope: anyone,
		apart: true,
	},
	{
		key:   "tools.callCommand",
		doc:   "The command that calls a tool of `tools.discoveryCommand`: it gets the tool's name as its last argument and the arguments as JSON on standard input, and prints the result.",
		scope: anyone,
		apart: true,
	},
	{
		key:     "tools.truncateToolOutputThreshold",
		doc:     "The maximum number of characters of a call's output that the model gets. Longer output is stored in a file that the model can read. -1 means as many as fit.",
		scope:   anyone,
		initial: 40_000, least: -1, most: math.MaxInt32,
	},
	{
		key: "tools.sandbox",
		doc: "Sandbox commands: `auto` uses the highest level that this machine supports, which `emendo doctor` shows; `required` also refuses to run " +
			"commands without a sandbox; `off` runs them without one, and asks about more of them.",
		initial: "auto", oneOf: []string{"auto", "off", "required"},
	},
	{
		key: "tools.sandboxAllowedPaths",
		doc: "Files and folders outside the workspace that sandboxed commands may read and change: absolute paths, or `~/x` in the home folder.",
	},
	{
		key: "tools.sandboxNetworkAccess",
		doc: "Hosts that sandboxed commands can reach by HTTP and HTTPS: names, or `*.` and a domain for its subdomains. `true` gives full network access, `false` none. " +
			"For single hosts, commands use a proxy, which needs level A. Servers that the commands of a session start are always reached there; those of the machine, as `localhost`, are not.",
		either: true,
	},
	{
		key:     "useWriteTodos",
		doc:     "Let the model keep a to-do list that you can follow.",
		scope:   anyone,
		initial: true,
	},
	{
		key:   "experimental.taskTracker",
		doc:   "Let the model keep tasks with types, parents and dependencies, by the tools `tracker_…`, instead of a plain to-do list. You see them in the same place.",
		scope: anyone,
	},
	{
		key: "tools.shell.ask",
		doc: "When commands in the sandbox need your approval: `outside` asks only about what a sandbox cannot undo or would have to let out, as [Rules](policy.md#commands) says; `always` asks about all commands but those that only read. " +
			"Without a sandbox it changes nothing. On macOS the default is `always`. A project can set `always` only.",
		scope:   anyone,
		initial: "outside", oneOf: []string{"outside", "always"}, projects: "always", onMac: "always",
	},
	{
		key:     "tools.shell.timeoutSeconds",
		doc:     "The maximum time that a command may run, unless the model asks for less.",
		scope:   anyone,
		initial: 600, least: 1, most: maxSeconds,
	},
	{
		key:     "tools.shell.inactivityTimeout",
		doc:     "The time without output, in seconds, after which a command is killed; 0 means no limit. It does not apply to a command for which the model set a time limit.",
		scope:   anyone,
		initial: 300, least: 0, most: maxSeconds,
	},
	{
		key:   "tools.shell.enableInteractiveShell",
		doc:   "Connect the output of commands to a terminal of 120 columns instead of a pipe, for programs that show progress only there. Programs then also print in columns and truncate long lines. Commands cannot read input in either case.",
		scope: anyone,
	},
	{
		key:     "tools.shell.backgroundCompletionBehavior",
		doc:     "When a background command exits: `silent` waits until the model checks, `notify` shows you a notice at the next step, `inject` also sends it to the model, with the end of the output.",
		scope:   anyone,
		initial: string(JobsSilent), oneOf: words(JobsSilent, JobsNotify, JobsInject),
	},
}

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
