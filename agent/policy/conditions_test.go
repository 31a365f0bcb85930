package policy

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// writing returns a part that writes files by redirection.
func writing(p shellcmd.Part, files ...string) shellcmd.Part {
	p.Writes = files
	return p
}

// fed returns a part that reads files by redirection.
func fed(p shellcmd.Part, files ...string) shellcmd.Part {
	p.Reads = files
	return p
}

// unknown returns a part of which only the first words are known.
func unknown(words ...string) shellcmd.Part { return shellcmd.Part{Text: "unknown", Words: words} }

func TestConditions(t *testing.T) {
	inside := part(1, "rm x")
	inside.Inside = true
	wrapper := part(1, "env rm x")
	wrapper.Passes = true
	alias := part(3, "git -C sub push")
	alias.Aliases = [][]string{{"git", "push"}}
	reads := part(1, "ls")
	reads.Inside, reads.ReadOnly = true, true
	dangerous := part(1, "rm -rf x")
	dangerous.Destructive = "rm deletes"
	never := part(0, "git -c a=b log")
	mcp := func(c *Call) { c.Tool, c.Args = "mcp_db_query", []byte(`{"sql":"select 1","all":true}`) }
	sampled := func(c *Call) {
		c.Tool, c.Server, c.Trusted, c.Asks = tools.Sampling, &tools.ServerTool{Server: "db", Tool: tools.Sampling}, true, true
	}
	for _, c := range []struct {
		name  string
		rule  string
		e     tools.Effect
		alter func(*Call)
		want  string
	}{
		{"a tool by a star", `toolName = "read_*"; decision = "deny"`, tools.Reads{}, nil, "deny"},
		{"a tool by a star in the middle", `toolName = "*_file"; decision = "deny"`, tools.Reads{}, nil, "deny"},
		{"another tool by a star", `toolName = "write_*"; decision = "deny"`, tools.Reads{}, nil, "allow"},
		{"one of several tools", `toolName = ["glob", "read_file"]; decision = "deny"`, tools.Reads{}, nil, "deny"},
		{"a tool by the name of its class", `toolName = "ReadFileTool"; decision = "deny"`, tools.Reads{}, nil, "deny"},
		{"a server's tool by its whole name", `toolName = "mcp_db_query"; decision = "allow"`, nil, mcp, "allow"},
		{"all tools of a server", `mcpName = "db"; decision = "allow"`, nil, mcp, "allow"},
		{"a tool of a server", `mcpName = "db"; toolName = "query"; decision = "allow"`, nil, mcp, "allow"},
		{"another tool of the server", `mcpName = "db"; toolName = "drop"; decision = "allow"`, nil, mcp, "ask"},
		{"another server", `mcpName = "d"; decision = "allow"`, nil, mcp, "ask"},
		{"a tool by a star, of another server", `mcpName = "d"; toolName = "*_query"; decision = "allow"`, nil, mcp, "ask"},
		{"a tool by a star, of the server", `mcpName = "db"; toolName = "q*y"; decision = "allow"`, nil, mcp, "allow"},
		{"a tool by its whole name, of its server", `mcpName = "db"; toolName = "mcp_db_query"; decision = "allow"`, nil, mcp, "allow"},
		{"a tool by its whole name, of another server", `mcpName = "d"; toolName = "mcp_db_query"; decision = "allow"`, nil, mcp, "ask"},
		{"a server that is known to be another", `mcpName = "db"; decision = "allow"`, nil, func(c *Call) {
			mcp(c)
			c.Server = &tools.ServerTool{Server: "db_query", Tool: "x"}
		}, "ask"},
		{"a server with two underscores", `mcpName = "my__db"; toolName = "query"; decision = "allow"`, nil, func(c *Call) { c.Tool = "mcp_my__db_query" }, "allow"},
		{"a tool by many stars", `toolName = "` + strings.Repeat("*_", 60) + `"; decision = "deny"`, nil, func(c *Call) { c.Tool = strings.Repeat("_", 64) + "x" }, "ask"},
		{"any server", `mcpName = "*"; toolName = "*"; decision = "allow"`, nil, mcp, "allow"},
		{"any server, and a tool that is of none", `mcpName = "*"; decision = "deny"`, tools.Reads{}, nil, "allow"},
		{"resources of a server", `mcpName = "db"; decision = "deny"`, tools.Reads{Servers: []string{"db"}}, nil, "deny"},
		{"resources of two servers", `mcpName = "db"; decision = "deny"`, tools.Reads{Servers: []string{"x", "db", "y"}}, nil, "deny"},
		{"resources of any server", `mcpName = "*"; toolName = "read_file"; decision = "ask_user"`, tools.Reads{Servers: []string{"db"}}, nil, "ask"},
		{"resources of another server", `mcpName = "d"; decision = "deny"`, tools.Reads{Servers: []string{"db"}}, nil, "allow"},
		{"a server's request to the model", `toolName = "other"; decision = "deny"`, tools.Samples{Server: "db"}, sampled, "ask"},
		{"a server's request in yolo", `toolName = "other"; decision = "deny"`, tools.Samples{Server: "db"}, func(c *Call) { sampled(c); c.Mode = Yolo }, "ask"},
		{"a server's request in yolo, if it is trusted", `toolName = "other"; decision = "deny"`, tools.Samples{Server: "db"}, func(c *Call) { sampled(c); c.Mode = Yolo; c.Server.Trusted = true }, "allow"},
		{"a trusted server's request in yolo, with no user", `toolName = "other"; decision = "deny"`, tools.Samples{Server: "db"}, func(c *Call) {
			sampled(c)
			c.Mode, c.Server.Trusted, c.Asks = Yolo, true, false
		}, "deny"},
		{"a trusted server's request", `toolName = "other"; decision = "deny"`, tools.Samples{Server: "db"}, func(c *Call) { sampled(c); c.Server.Trusted = true }, "ask"},
		{"a server's request, where all of its tools are allowed", `mcpName = "db"; decision = "allow"`, tools.Samples{Server: "db"}, sampled, "ask"},
		{"a server's request, where everything is allowed", `toolName = "*"; decision = "allow"`, tools.Samples{Server: "db"}, sampled, "ask"},
		{"a server's request that is allowed", `mcpName = "db"; toolName = "sampling/createMessage"; decision = "allow"`, tools.Samples{Server: "db"}, sampled, "allow"},
		{"a server's request that is allowed, with no user", `mcpName = "db"; toolName = "sampling/createMessage"; decision = "allow"`, tools.Samples{Server: "db"}, func(c *Call) { sampled(c); c.Asks = false }, "allow"},
		{"a server's request that is denied", `mcpName = "db"; decision = "deny"`, tools.Samples{Server: "db"}, sampled, "deny"},
		{"what a server says of its tool", `toolName = "*"; toolAnnotations = { readOnlyHint = true }; decision = "allow"`, nil, func(c *Call) {
			mcp(c)
			c.Server = &tools.ServerTool{Server: "db", Annotations: map[string]any{"readOnlyHint": true}}
		}, "allow"},
		{"what a server does not say", `toolName = "*"; toolAnnotations = { readOnlyHint = true }; decision = "allow"`, nil, mcp, "ask"},
		{"a subagent", `toolName = "*"; subagent = "a"; decision = "deny"`, tools.Reads{}, func(c *Call) { c.Subagent = "a" }, "deny"},
		{"no subagent", `toolName = "*"; subagent = "a"; decision = "deny"`, tools.Reads{}, nil, "allow"},

		{"an argument", `toolName = "*"; argsPattern = '"sql":"select'; decision = "allow"`, nil, mcp, "allow"},
		{"an argument that is bound", `toolName = "*"; argsPattern = '\x00"sql":"select [0-9]"\x00'; decision = "allow"`, nil, mcp, "allow"},
		{"an argument inside another", `toolName = "*"; argsPattern = '\x00"sql":"select"\x00'; decision = "allow"`, nil, func(c *Call) {
			mcp(c)
			c.Args = []byte(`{"x":"\u0000\"sql\":\"select\"\u0000"}`)
		}, "ask"},
		{"arguments in order", `toolName = "*"; argsPattern = '^\{\x00"all":true\x00,\x00"sql"'; decision = "allow"`, nil, mcp, "allow"},

		{"a prefix", `commandPrefix = "npm test"; decision = "allow"`, runs(part(2, "npm test --watch")), nil, "allow"},
		{"a prefix with a longer word", `commandPrefix = "npm te"; decision = "allow"`, runs(part(2, "npm test")), nil, "ask"},
		{"a denied command of two", `commandPrefix = "curl x | sh"; decision = "deny"`, runs(part(1, "curl x"), part(1, "sh")), func(c *Call) {
			r := c.Effect.(tools.Runs)
			r.Command = "curl x | sh"
			c.Effect = r
		}, "deny"},
		{"a denied redirection", `commandPrefix = "tool > /dev/sda"; decision = "deny"`, runs(shellcmd.Part{Text: "tool > /dev/sda", Words: []string{"tool"}, Known: true, Least: 1}), nil, "deny"},
		{"a prefix with another order", `commandPrefix = "npm test"; decision = "allow"`, runs(part(2, "npm --x test")), nil, "ask"},
		{"a prefix of what no prefix covers", `commandPrefix = "git -c a=b log"; decision = "allow"`, runs(never), nil, "ask"},
		{"a prefix of what is not known", `commandPrefix = "npm test"; decision = "allow"`, runs(unknown("npm", "test")), nil, "ask"},
		{"a denied program in a folder", `commandPrefix = "rm"; decision = "deny"`, runs(part(1, "/bin/rm x")), nil, "deny"},
		{"a denied program in capitals", `commandPrefix = "rm"; decision = "deny"`, runs(part(1, "RM x")), nil, "deny"},
		{"a denied program that is inside another", `commandPrefix = "rm"; decision = "deny"`, runs(wrapper, inside), nil, "deny"},
		{"a denied wrapper", `commandPrefix = "env"; decision = "deny"`, runs(wrapper, inside), nil, "deny"},
		{"a denied command behind options", `commandPrefix = "git push"; decision = "deny"`, runs(alias), nil, "deny"},
		{"an allowed command behind options", `commandPrefix = "git push"; decision = "allow"`, runs(alias), nil, "ask"},
		{"an allowed program inside a wrapper", `commandPrefix = "rm"; decision = "allow"`, runs(wrapper, inside), nil, "allow"},
		{"an allowed wrapper with another program", `commandPrefix = "env"; decision = "allow"`, runs(wrapper, inside), nil, "ask"},
		{"what may be denied, in mode yolo", `commandPrefix = "git push"; decision = "deny"`, runs(unknown("git")), func(c *Call) { c.Mode = Yolo }, "ask"},
		{"an unknown program, and one is denied, in mode yolo", `commandPrefix = "rm"; decision = "deny"`, runs(unknown()), func(c *Call) { c.Mode = Yolo }, "ask"},
		{"what cannot be denied, in mode yolo", `commandPrefix = "git push"; decision = "deny"`, runs(unknown("npm")), func(c *Call) { c.Mode = Yolo }, "allow"},
		{"an unknown program, and none is denied, in mode yolo", `decision = "ask"`, runs(unknown()), func(c *Call) { c.Mode = Yolo }, "allow"},

		{"an expression", `commandRegex = "npm (test|run [a-z]+)"; decision = "allow"`, runs(part(2, "npm run build")), nil, "allow"},
		{"an expression that ends in a word", `commandRegex = "npm (test|run [a-z]+)"; decision = "allow"`, runs(part(2, "npm run build2")), nil, "ask"},
		{"an expression that names too little", `commandRegex = "git"; decision = "allow"`, runs(part(2, "git push")), nil, "ask"},
		{"an expression in the middle", `commandRegex = "test"; decision = "allow"`, runs(part(1, "npm test")), nil, "ask"},
		{"an expression for one of two parts", `commandRegex = "npm test.*"; decision = "allow"`, runs(part(1, "npm test"), part(1, "make")), nil, "ask"},
		{"a denied expression inside another", `commandRegex = "rm"; decision = "deny"`, runs(wrapper, inside), nil, "deny"},
		{"a denied expression with a folder", `commandRegex = "rm x"; decision = "deny"`, runs(part(1, "/bin/rm x")), nil, "deny"},
		{"arguments of a command", `argsPattern = '"command":"npm test"'; decision = "allow"`, runs(part(1, "npm test")), nil, "allow"},
		{"arguments of the first of two commands", `argsPattern = '"command":"npm test'; decision = "allow"`, runs(part(1, "npm test"), part(1, "make")), nil, "ask"},
		{"denied arguments of the second command", `argsPattern = '"command":"make'; decision = "deny"`, runs(part(1, "npm test"), part(1, "make")), nil, "deny"},

		{"all commands", `decision = "allow"`, runs(part(2, "npm test"), unknown("x")), nil, "allow"},
		{"all commands, and one that destroys", `decision = "allow"`, runs(dangerous), nil, "allow"},
		{"all commands, and one that destroys without a sandbox", `decision = "allow"`, runs(dangerous), func(c *Call) { c.Shell = Shell{} }, "ask"},
		{"one that destroys by name, without a sandbox", `commandPrefix = "rm -rf"; decision = "allow"`, runs(dangerous), func(c *Call) { c.Shell = Shell{} }, "allow"},
		{"all commands, and one that cannot be read", `decision = "allow"`, tools.Runs{Analysis: shellcmd.Analysis{Command: "ls \x01", Dir: "/project"}}, nil, "ask"},

		{"no canonical form", `decision = "allow"`, given(part(2, "npm test")), nil, "ask"},
		{"no canonical form, in mode yolo", `decision = "allow"`, given(part(2, "npm test")), func(c *Call) { c.Mode = Yolo }, "allow"},
		{"no canonical form, and anything is denied, in mode yolo", `commandPrefix = "git push"; decision = "deny"`, given(part(2, "npm test")), func(c *Call) { c.Mode = Yolo }, "ask"},
		{"no canonical form, and a file tool is denied, in mode yolo", `toolName = "glob"; decision = "deny"`, given(part(2, "npm test")), func(c *Call) { c.Tool, c.Mode = shellTool, Yolo }, "allow"},

		{"a wrapper's output that is written", `commandPrefix = "rm"; decision = "allow"`, runs(writing(wrapper, "/project/out"), inside), nil, "ask"},
		{"the output of a wrapper of what only reads", `toolName = "glob"; decision = "allow"`, runs(writing(wrapper, "/project/out"), reads), func(c *Call) { c.Tool = shellTool }, "ask"},
		{"the input of a wrapper from outside", `toolName = "glob"; decision = "allow"`, runs(fed(wrapper, "/etc/passwd"), reads), func(c *Call) { c.Tool = shellTool }, "ask"},
		{"the input of a wrapper from inside", `toolName = "glob"; decision = "allow"`, runs(fed(wrapper, "/project/in"), reads), func(c *Call) { c.Tool = shellTool }, "allow"},
		{"output that is written", `commandPrefix = "npm test"; decision = "allow"`, runs(writing(part(2, "npm test"), "/project/out")), nil, "ask"},
		{"output that may be written", `commandPrefix = "npm test"; allowRedirection = true; decision = "allow"`, runs(writing(part(2, "npm test"), "/project/out")), nil, "allow"},
		{"output that is written in mode auto_edit", `commandPrefix = "npm test"; decision = "allow"`, runs(writing(part(2, "npm test"), "/project/out")), func(c *Call) { c.Mode = AutoEdit }, "allow"},
		{"output that is written outside", `allowRedirection = true; decision = "allow"`, runs(writing(part(2, "npm test"), "/etc/x")), func(c *Call) { c.Mode = Yolo }, "ask"},
		{"output that is written through a link", `allowRedirection = true; decision = "allow"`, runs(writing(part(2, "npm test"), "/project/link")), func(c *Call) {
			c.Files = knownFiles{real: func(p string) string { return map[string]string{"/project/link": "/home/.bashrc"}[p] }}
		}, "ask"},
		{"output over a protected file", `allowRedirection = true; decision = "allow"`, runs(writing(part(2, "npm test"), "/project/.vscode/x")), func(c *Call) { c.Mode = Yolo }, "ask"},
		{"output over a protected file that is named", `commandRegex = 'npm test > \.vscode/x'; allowRedirection = true; decision = "allow"`, runs(writing(shellcmd.Part{Text: "npm test > .vscode/x", Words: []string{"npm", "test"}, Known: true, Least: 2}, "/project/.vscode/x")), nil, "allow"},
		{"output into a repository's own folder", `allowRedirection = true; decision = "allow"`, runs(writing(part(2, "npm test"), "/project/.git/config")), func(c *Call) { c.Mode = Yolo }, "deny"},
		{"a protected argument", `decision = "allow"`, runs(part(1, "cp a .git/hooks/pre-commit")), nil, "ask"},
		{"a secret argument without a dot in mode yolo", `decision = "allow"`, runs(part(1, "cat credentials")), func(c *Call) { c.Mode = Yolo }, "ask"},
		{"a secret argument in mode yolo", `decision = "allow"`, runs(part(1, "curl -d @x .env")), func(c *Call) { c.Mode = Yolo }, "ask"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := callOf(c.e)
			if c.alter != nil {
				c.alter(&call)
			}
			tool := ""
			if _, ok := c.e.(tools.Runs); ok && !strings.Contains(c.rule, "toolName") {
				tool = shellTool
			}
			if d := New(rulesOf(t, rule(tool, c.rule)), nil).Decide(call); d.Kind.String() != c.want {
				t.Errorf("%s by %s (%s), want %s", d.Kind, d.Rule, d.Reason, c.want)
			}
		})
	}
}

func TestProtectedAndSecretFiles(t *testing.T) {
	allow := "[[rule]]\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 999\n"
	named := func(tier, pattern string) string {
		return tier + "\n[[rule]]\ntoolName = [\"replace\", \"read_file\"]\nargsPattern = '" + pattern + "'\ndecision = \"allow\"\n"
	}
	secret := tools.Reads{Paths: []string{"/project/.env.local"}}
	for _, c := range []struct {
		name  string
		rules string
		e     tools.Effect
		mode  Mode
		want  string
	}{
		{"git's own", "", edit("/project/.git/config"), Default, "deny"},
		{"git's own, with a rule for everything", allow, edit("/project/.git/config"), Yolo, "deny"},
		{"git's own, with a rule that names it", named("# user", `\.git/config`), edit("/project/.git/config"), Default, "allow"},
		{"git's own, with a project's rule that names it", named("# project", `\.git/config`), edit("/project/.git/config"), Default, "deny"},
		{"git's own, with a rule that names another", named("# user", `"file_path":"[^"]*(\.gitignore|config)`), edit("/project/.git/config"), Default, "deny"},
		{"an editor's", allow, edit("/project/.vscode/settings.json"), Yolo, "ask"},
		{"an editor's, freely", "", edit("/project/.vscode/settings.json"), AutoEdit, "ask"},
		{"an editor's, with a rule that names it", named("# user", `\.vscode/settings\.json`), edit("/project/.vscode/settings.json"), Default, "allow"},
		{"one of two", allow, edit("/project/a", "/project/.envrc"), Yolo, "ask"},
		{"another file", allow, edit("/project/a"), Default, "allow"},
		{"a file outside", allow, edit("/home/a"), Yolo, "ask"},
		{"a secret", allow, secret, Yolo, "ask"},
		{"a secret, with a rule that names it", named("# user", `\.env\.local`), secret, Default, "allow"},
		{"a secret, with a rule that names all like it", named("# user", `"file_path":"[^"]*/\.env\b`), secret, Default, "allow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := callOf(c.e)
			call.Mode = c.mode
			d := New(rulesOf(t, c.rules), nil).Decide(call)
			if d.Kind.String() != c.want {
				t.Errorf("%s by %s (%s), want %s", d.Kind, d.Rule, d.Reason, c.want)
			}
			if len(d.Offers) > 0 {
				t.Errorf("an answer that lasts is offered: %v", d.Offers)
			}
		})
	}
}
