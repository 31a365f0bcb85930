//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A foreignFolder is a project written for another agent.
type foreignFolder struct {
	name  string
	files map[string]string
	// read are texts of it that the first request has once the folder is trusted, and
	// started are files that its programs make.
	read, started []string
	// calls are the model's calls, and results parts of their results.
	calls   []geminitest.Event
	results []string
	prompt  string
}

// marking returns a command that creates a file and then acts as the tests' MCP server.
func marking(t *testing.T, mark string) (command string, args []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return "bash", []string{"-c", "touch " + mark + "; EMENDO_TEST_SERVER=1 exec " + self}
}

// serverOf returns the entry of such a server. It has a minute to start: the program of the
// tests is large, and slow with the race detector.
func serverOf(t *testing.T, mark string) string {
	t.Helper()
	command, args := marking(t, mark)
	text, err := json.Marshal(map[string]any{"command": command, "args": args, "timeout": 60_000})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func ofGemini(t *testing.T) foreignFolder {
	t.Helper()
	hooked := func(mark string) string {
		return `{"BeforeAgent": [{"hooks": [{"type": "command", "name": "` + mark + `", "command": "touch ` + mark + `"}]}]}`
	}
	return foreignFolder{
		name: "Gemini CLI",
		files: map[string]string{
			".gemini/settings.json": `{
				// with comments
				"mcpServers": {"double": ` + serverOf(t, "server-started") + `},
				"hooks": ` + hooked("hook-started") + `,
				"tools": {"discoveryCommand": "bash tools/list.sh", "callCommand": "echo called"},
				"ui": {"theme": "x"}
			}`,
			"tools/list.sh":                                 `touch list-started; echo '[{"name": "listed", "description": "A listed tool."}]'`,
			"GEMINI.md":                                     "Text of GEMINI.md.",
			".gemini/commands/ask/me.toml":                  `prompt = "Text of the command, {{args}}: !{echo from a shell}"`,
			".gemini/skills/pens/SKILL.md":                  "---\nname: pens\ndescription: Text of the skill.\n---\nInstructions of the skill.",
			".gemini/agents/scout.md":                       "---\nname: scout\ndescription: Text of the agent.\ntools: [read_file]\n---\nPrompt of the agent.",
			".gemini/extensions/more/gemini-extension.json": `{"name": "more", "version": "1", "mcpServers": {"further": ` + serverOf(t, "further-started") + `}, "contextFileName": "MORE.md"}`,
			".gemini/extensions/more/MORE.md":               "Text of MORE.md.",
			".gemini/extensions/more/hooks/hooks.json":      `{"hooks": ` + hooked("further-hook-started") + `}`,
			".gemini/extensions/more/commands/again.toml":   `prompt = "x"`,
			".gemini/extensions/more/skills/more/SKILL.md":  "---\nname: more\ndescription: Text of the extension's skill.\n---\nx",
			".gemini/extensions/more/agents/more.md":        "---\nname: more\ndescription: Text of the extension's agent.\n---\nx",
		},
		read: []string{
			"Text of GEMINI.md.", "Text of the skill.", "Text of the agent.", "Text of MORE.md.", "Text of the extension's skill.", "Text of the extension's agent.",
			`"mcp_double_greet"`, `"mcp_further_greet"`, `"discovered_tool_listed"`, "Text of the command, please: ", "from a shell",
		},
		started: []string{"server-started", "further-started", "hook-started", "further-hook-started", "list-started"},
		prompt:  "/ask:me please",
		calls: []geminitest.Event{
			geminitest.Call("mcp_double_greet", `{}`), geminitest.Call("mcp_further_greet", `{}`), geminitest.Call("discovered_tool_listed", `{}`),
			geminitest.Call("activate_skill", `{"name": "pens"}`), geminitest.Call("invoke_agent", `{"agent_name": "scout", "prompt": "look"}`),
		},
		results: []string{"Good morning.", "called listed", "Instructions of the skill.", "Report of the agent."},
	}
}

func ofClaude(t *testing.T) foreignFolder {
	t.Helper()
	return foreignFolder{
		name: "Claude Code",
		files: map[string]string{
			".mcp.json":                    `{"mcpServers": {"double": ` + serverOf(t, "server-started") + `}}`,
			".claude/settings.json":        `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "touch hook-started"}]}]}}`,
			".claude/skills/pens/SKILL.md": "---\nname: pens\ndescription: Text of the skill.\nallowed-tools: Read\n---\nInstructions of the skill.",
			".claude/agents/scout.md":      "---\nname: scout\ndescription: Text of the agent.\ntools: Read, Grep\nmodel: opus\ncolor: red\n---\nPrompt of the agent.",
			"CLAUDE.md":                    "Text of CLAUDE.md. @docs/more.md",
			"docs/more.md":                 "Text of an import.",
		},
		read:    []string{"Text of CLAUDE.md.", "Text of an import.", "Text of the skill.", "Text of the agent.", `"mcp_double_greet"`},
		started: []string{"server-started"},
		prompt:  "please",
		calls: []geminitest.Event{
			geminitest.Call("mcp_double_greet", `{}`), geminitest.Call("activate_skill", `{"name": "pens"}`), geminitest.Call("invoke_agent", `{"agent_name": "scout", "prompt": "look"}`),
		},
		results: []string{"Good morning.", "Instructions of the skill.", "Report of the agent."},
	}
}

// process runs a command line as a separate process.
func (w *world) process(args ...string) result {
	w.t.Helper()
	var out, errs bytes.Buffer
	c := w.start(w.t.Context(), args...)
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run() // the result has its status
	return result{c.ProcessState.ExitCode(), out.String(), errs.String()}
}

// A folder for another agent works unchanged once it is trusted. Before, nothing of it
// is started or read.
func TestFoldersOfOtherAgents(t *testing.T) {
	for _, f := range []foreignFolder{ofGemini(t), ofClaude(t)} {
		t.Run(f.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("Restricted."), geminitest.Do(f.calls...),
				geminitest.Do(geminitest.Call("complete_task", `{"result": "Report of the agent."}`)), geminitest.Say("Done."))
			w.showSelf()
			for name, text := range f.files {
				w.write(name, text)
			}
			there := func(names []string) (l []string) {
				for _, name := range names {
					if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
						l = append(l, name)
					}
				}
				return l
			}
			allowed := []string{"--allowed-tools", "mcp_*,discovered_tool_listed,activate_skill,invoke_agent,run_shell_command(echo)"}

			if f.prompt[0] == '/' {
				w.process(append([]string{"run", "-p", f.prompt}, allowed...)...).wantCode(t, exitInput)
			}
			for _, show := range []string{"list", "add --help"} {
				w.process(append([]string{"mcp"}, strings.Fields(show)...)...).wantCode(t, exitOK)
			}
			w.process("extensions", "list").wantCode(t, exitOK)
			w.process("doctor")
			w.process(append([]string{"run", "-p", "hi"}, allowed...)...).wantCode(t, exitOK)
			if l := there(append(f.started, "hook-started")); len(l) > 0 {
				t.Errorf("started before the folder is trusted: %q", l)
			}
			first := string(w.model.Requests()[0].Body)
			for _, text := range f.read {
				if strings.Contains(first, text) {
					t.Errorf("read before the folder is trusted: %s", text)
				}
			}

			added := w.process("trust", "add")
			added.wantCode(t, exitOK)
			if l := there(append(f.started, "hook-started")); len(l) > 0 {
				t.Errorf("started by looking at the folder: %q", l)
			}
			r := w.process(append([]string{"run", "-p", f.prompt}, allowed...)...)
			r.wantCode(t, exitOK)
			all := w.model.Requests()
			if len(all) != 4 {
				t.Fatalf("%d requests, want 4; %s%s", len(all), r.stdout, r.stderr)
			}
			for _, text := range f.read {
				if !strings.Contains(string(all[1].Body), text) {
					t.Errorf("not read in the trusted folder: %s", text)
				}
			}
			if l := there(f.started); !slices.Equal(l, f.started) {
				t.Errorf("started in the trusted folder: %q, want %q; %s", l, f.started, r.stderr)
			}
			if !strings.Contains(string(all[2].Body), "Prompt of the agent.") {
				t.Error("the agent does not have its prompt")
			}
			for _, text := range f.results {
				if !strings.Contains(string(all[3].Body), text) {
					t.Errorf("the model does not read %q; %s", text, r.stderr)
				}
			}
			for name, text := range f.files {
				if w.read(name) != text {
					t.Errorf("%s was changed", name)
				}
			}
		})
	}
}
