package settings

import (
	"fmt"
	"math"
	"strings"
)

var toolSettings = []setting{
	{
		key:     "tools.allowed",
		doc:     "Calls to allow without asking: names of tools, or `run_shell_command(PREFIX)` for commands that begin with PREFIX.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Allowed },
		initial: []string{},
	},
	{
		key:     "tools.confirmationRequired",
		doc:     "Calls to ask about even if something else allows them, written as in `tools.allowed`.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Confirm },
		initial: []string{},
	},
	{
		key:     "tools.exclude",
		doc:     "Tools not to offer to the model, written as in `tools.allowed`. Layers add to the list.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Exclude },
		initial: []string{}, joined: true,
	},
	{
		key:     "tools.core",
		doc:     "The only tools to offer to the model, written as in `tools.allowed`; empty means all. `tools.exclude` still applies. A project's list is used only if no other layer has one.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Core },
		initial: []string{}, firm: true,
	},
	{
		key:     "tools.applyPatch",
		doc:     "Offer every model the tool `apply_patch`, which changes several files by a patch. Otherwise only models that are trained on patches are offered it; any model may call it.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.ApplyPatch },
		initial: false,
	},
	{
		key:     "tools.discoveryCommand",
		doc:     "A command that prints further [tools](extensions.md#discovered-tools) as JSON. It needs `tools.callCommand`. It runs in the sandbox, in a trusted folder. A project's needs your approval first, and is not used if you have one.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Discovery.List },
		initial: "",
		add:     func(s *Settings, value any, l layer) { s.Tools.discoveryOf(l).List = value.(string) },
	},
	{
		key:     "tools.callCommand",
		doc:     "The command that calls a tool of `tools.discoveryCommand`: it gets the tool's name as its last argument and the arguments as JSON on standard input, and prints the result.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Discovery.Call },
		initial: "",
		add:     func(s *Settings, value any, l layer) { s.Tools.discoveryOf(l).Call = value.(string) },
	},
	{
		key:     "tools.truncateToolOutputThreshold",
		doc:     "The maximum number of characters of a call's output that the model gets. Longer output is stored in a file that the model can read. -1 means as many as fit.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.LongOutput },
		initial: 40_000, least: -1, most: math.MaxInt32,
	},
	{
		key: "tools.sandbox",
		doc: "Sandbox commands: `auto` uses the highest level that this machine supports, which `emendo doctor` shows; `required` also refuses to run " +
			"commands without a sandbox; `off` runs them without one, and asks about more of them.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Sandbox.Use },
		initial: "auto", oneOf: []string{"auto", "off", "required"},
	},
	{
		key:     "tools.sandboxAllowedPaths",
		doc:     "Files and folders outside the workspace that sandboxed commands may read and change: absolute paths, or `~/x` in the home folder.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Sandbox.Allowed },
		initial: []string{},
	},
	{
		key: "tools.sandboxNetworkAccess",
		doc: "Hosts that sandboxed commands can reach by HTTP and HTTPS: names, or `*.` and a domain for its subdomains. `true` gives full network access, `false` none. " +
			"For single hosts, commands use a proxy, which needs level A. Servers that the commands of a session start are always reached there; those of the machine, as `localhost`, are not.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Sandbox.Network },
		initial: []string{}, either: true, doubt: ownHosts,
	},
	{
		key:     "useWriteTodos",
		doc:     "Let the model keep a to-do list that you can follow.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.UseWriteTodos },
		initial: true,
	},
	{
		key:     "experimental.taskTracker",
		doc:     "Let the model keep tasks with types, parents and dependencies, by the tools `tracker_…`, instead of a plain to-do list. You see them in the same place.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Experimental.TaskTracker },
		initial: false,
	},
	{
		key: "tools.shell.ask",
		doc: "When commands in the sandbox need your approval: `outside` asks only about what a sandbox cannot undo or would have to let out, as [Rules](policy.md#commands) says; `always` asks about all commands but those that only read. " +
			"Without a sandbox it changes nothing. On macOS the default is `always`. A project can set `always` only.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Ask },
		initial: "outside", oneOf: []string{"outside", "always"}, projects: "always", onMac: "always",
	},
	{
		key:     "tools.shell.timeoutSeconds",
		doc:     "The maximum time that a command may run, unless the model asks for less.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Timeout },
		initial: 600, least: 1, most: maxSeconds,
	},
	{
		key:     "tools.shell.inactivityTimeout",
		doc:     "The time without output, in seconds, after which a command is killed; 0 means no limit. It does not apply to a command for which the model set a time limit.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Inactivity },
		initial: 300, least: 0, most: maxSeconds,
	},
	{
		key:     "tools.shell.enableInteractiveShell",
		doc:     "Connect the output of commands to a terminal of 120 columns instead of a pipe, for programs that show progress only there. Programs then also print in columns and truncate long lines. Commands cannot read input in either case.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Watched },
		initial: false,
	},
	{
		key:     "tools.shell.backgroundCompletionBehavior",
		doc:     "When a background command exits: `silent` waits until the model checks, `notify` shows you a notice at the next step, `inject` also sends it to the model, with the end of the output.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.JobsEnd },
		initial: "silent", oneOf: []string{"silent", "notify", "inject"},
	},
}

// ownHosts returns a warning about hosts of this machine: no command reaches them through
// the proxy.
func ownHosts(s *Settings) string {
	for _, host := range s.Tools.Sandbox.Network {
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
