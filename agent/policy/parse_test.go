package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/tools/builtin"
)

func TestMistakesInFilesNameTheirPlace(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no TOML", "a = [", "f.toml:1: no valid TOML"},
		{"another table", "[[rules]]\n", `f.toml:1: unknown key "rules"`},
		{"rules that are no list", "[rule]\n", "f.toml:1: rule must be a list of tables"},
		{"no decision", "\n\n" + commandRule(""), "f.toml:3: rule 1: missing decision"},
		{"no tool", "[[rule]]\ndecision = \"deny\"\n", "f.toml:1: rule 1: missing toolName"},
		{"an empty list of tools", "[[rule]]\ndecision = \"deny\"\ntoolName = []\n", "f.toml:3: rule 1: toolName: must not be empty"},
		{"a field that there is not", commandRule("decision = \"deny\"\n# a remark\ncommandPrefx = \"ls\""), `f.toml:5: rule 1: unknown field "commandPrefx"; did you mean "commandPrefix"?`},
		{"a field of emendo's own", commandRule("decision = \"deny\"\nreadOnly = true"), `f.toml:4: rule 1: unknown field "readOnly"`},
		{"the second rule", commandRule("decision = \"deny\"") + commandRule("decision = \"deny\"\npriority = 1000"), "f.toml:7: rule 2: priority: must be an integer from 0 to 999"},
		{"a rule with a name", commandRule("name = \"mine\"\ndecision = \"maybe\""), "f.toml:4: mine: decision: must be allow, deny or ask_user, not maybe"},
		{"a mode", commandRule("decision = \"deny\"\nmodes = [\"default\", \"fast\"]"), `f.toml:4: rule 1: modes: unknown mode "fast"`},
		{"a truth", commandRule("decision = \"deny\"\ninteractive = \"yes\""), "f.toml:4: rule 1: interactive: must be true or false"},
		{"an expression", commandRule("decision = \"deny\"\ncommandRegex = \"(\""), "f.toml:4: rule 1: commandRegex: invalid expression"},
		{"an expression that repeats twice", commandRule("decision = \"deny\"\ncommandRegex = \"(a+)+\""), "f.toml:4: rule 1: commandRegex: the expression \"(a+)+\" has nested repetitions"},
		{"a long expression", commandRule("decision = \"deny\"\nargsPattern = \"" + strings.Repeat("a", 2049) + "\""), "f.toml:4: rule 1: argsPattern: the expression has 2049 bytes"},
		{"two conditions", commandRule("decision = \"deny\"\nargsPattern = \"a\"\ncommandRegex = \"a\""), "f.toml:4: rule 1: commandPrefix, commandRegex and argsPattern exclude each other"},
		{"a priority with a fraction", commandRule("decision = \"deny\"\npriority = 1.5"), "f.toml:4: rule 1: priority: must be an integer from 0 to 999, not 1.5"},
		{"an empty condition", commandRule("decision = \"allow\"\nargsPattern = \"\""), "f.toml:4: rule 1: argsPattern: must be a string"},
		{"a long name", commandRule("decision = \"deny\"\nname = \"" + strings.Repeat("a", 201) + "\""), "f.toml:4: rule 1: name: has 201 bytes; the limit is 200"},
		{"a long message", commandRule("decision = \"deny\"\ndenyMessage = \"" + strings.Repeat("a", 4097) + "\""), "f.toml:4: rule 1: denyMessage: has 4097 bytes; the limit is 4096"},
		{"a prefix for another tool", "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\ncommandPrefix = \"a\"\n", "f.toml:2: rule 1: commandPrefix and commandRegex need"},
		{"a prefix for two tools", "[[rule]]\ntoolName = [\"run_shell_command\", \"glob\"]\ndecision = \"deny\"\ncommandPrefix = \"a\"\n", "f.toml:2: rule 1: commandPrefix and commandRegex need"},
		{"no words in a prefix", commandRule("decision = \"deny\"\ncommandPrefix = \" \""), "f.toml:4: rule 1: commandPrefix: \" \" is not a command prefix"},
		{"an open quote in a prefix", commandRule("decision = \"deny\"\ncommandPrefix = \"a 'b\""), "is not a command prefix"},
		{"two names for one field", commandRule("decision = \"deny\"\ncommand_prefix = \"a\"\ncommandPrefix = \"b\""), "f.toml:4: rule 1: command_prefix and commandPrefix are the same"},
		{"the old way to name servers", "[[rule]]\ntoolName = \"db__query\"\ndecision = \"deny\"\n", `f.toml:2: rule 1: tools of MCP servers are not named with "__"`},
		{"a checker that is a program", "[[safety_checker]]\ntoolName = \"*\"\n[safety_checker.checker]\ntype = \"external\"\nname = \"x\"\n", "f.toml:3: safety_checker 1: unknown checker x of type external"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := parse("f.toml", []byte(c.text), OfUser)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) && !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// The name of a rule is shown in questions, whoever wrote it.
func TestInvisibleCharactersInRuleNames(t *testing.T) {
	rules, _, err := parse("f.toml", []byte(commandRule(`decision = "deny"; name = "a\nb\u202e"`)), OfProject)
	if err != nil || rules[0].Name != `a\nb\u202e` {
		t.Errorf("%+v, %v", rules, err)
	}
}

func TestGeminiCLICompatibility(t *testing.T) {
	rules, warnings, err := parse("f.toml", []byte(`
		rule = [
			{ toolName = "glob", decision = "ask", modes = ["autoEdit"], priority = 100.0, name = "", denyMessage = "" },
			{ mcpName = "db", toolName = ["query", "list_*"], decision = "allow", priority = 5, toolAnnotations = { readOnlyHint = true } },
		]
		[[safety_checker]]
		toolName = "write_file"
		checker = { type = "in-process", name = "allowed-path", required_context = ["environment"] }
	`), OfUser)
	if err != nil || len(warnings) > 0 || len(rules) != 2 {
		t.Fatalf("%v, %v, %d rules", err, warnings, len(rules))
	}
	if rules[1].String() != "f.toml:2" {
		t.Errorf("the second rule is called %s", rules[1])
	}
	rules, warnings, err = parse("f.toml", []byte("[[rule]]\ntoolName = \"run_shell_command\"\ncommand_prefix = \"git 'a b'\"\ndeny_message = \"No.\"\ndecision = \"deny\"\n[[rule]]\ntoolName = \"raed_file\"\ndecision = \"deny\"\n[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\ncommandPrefix = \"cd a && make\"\n"), OfUser)
	if err != nil || len(rules) != 3 || len(rules[0].Prefixes) != 1 || strings.Join(rules[0].Prefixes[0], "|") != "git|a b" || rules[0].Message != "No." {
		t.Errorf("%+v, %v", rules, err)
	}
	var said []string
	for _, w := range warnings {
		said = append(said, w.String())
	}
	want := []string{"f.toml:3: rule 1: command_prefix is the old name of commandPrefix", "f.toml:4: rule 1: deny_message is the old name of denyMessage", `f.toml:7: rule 2: unknown tool "raed_file"; did you mean "read_file"?`, `f.toml:12: rule 3: commandPrefix "cd a && make" allows nothing: each part of a command is decided on its own, so write a rule for each part`}
	for i, w := range want {
		if len(said) != len(want) || !strings.HasPrefix(said[i], w) {
			t.Fatalf("warned %q, want %q", said, want)
		}
	}
}

func TestBuiltInRulesNameToolsAsTheyAreCalledNow(t *testing.T) {
	for _, r := range builtIn() {
		for _, name := range r.Tools {
			if !strings.Contains(name, "*") && !slices.Contains(builtin.Names(), name) {
				t.Errorf("rule %s names the tool %q, which does not exist", r, name)
			}
		}
	}
}
